import ByteStreams

/// The name of an entry as stored in the archive, which is validated before it is used.
///
/// A name is safe if it denotes the same file below the target folder on every system.
struct EntryName {
  let bytes: [UInt8]

  /// The name as text, or `nil` if the bytes are not UTF-8: no writer of backups uses another encoding, and its meaning would
  /// depend on the reader.
  var text: String? { String(validating: bytes, as: UTF8.self) }

  /// The name as text, for any bytes; only the start of a name that is longer than valid ones.
  var decoded: String { String(decoding: bytes.prefix(200), as: UTF8.self) }

  /// True if it names a folder, which has no data.
  var isFolder: Bool { bytes.last == UInt8(ascii: "/") }

  /// Returns the fault of the name, if there is one.
  func fault(lengthLimit: Int) -> String? {
    if bytes.isEmpty { return "the name is empty" }
    if bytes.count > lengthLimit { return "the name has \(bytes.count) bytes, but the limit is \(lengthLimit)" }
    guard let text else { return "the name is not UTF-8" }
    if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "the name contains control characters"
    }
    if bytes.contains(UInt8(ascii: "\\")) { return "the name contains a backslash, which separates folders on some systems" }
    if bytes[0] == UInt8(ascii: "/") { return "the name is an absolute path" }
    if bytes.count > 1, bytes[1] == UInt8(ascii: ":"), bytes[0] | 0x20 >= UInt8(ascii: "a"), bytes[0] | 0x20 <= UInt8(ascii: "z")
    {
      return "the name begins with a drive letter"
    }
    var components = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    // The name of a folder ends in a slash.
    if components.count > 1, components.last?.isEmpty == true { components.removeLast() }
    for component in components {
      if component.isEmpty { return "the name contains an empty path component" }
      if component.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) { return "the name leaves the target folder ('..')" }
      if component.elementsEqual([UInt8(ascii: ".")]) { return "the name contains the path component '.'" }
      if component.count > 255 { return "a path component has more than 255 bytes" }
    }
    return nil
  }
}

/// The names of the entries so far and of their folders, to find names that are equal on some file system.
package struct EntryNames {
  package init() {}

  private struct Place {
    let name: String
    let isFolder: Bool
    /// True if an entry has the name; false for a folder that only contains other entries.
    var isEntry: Bool
  }

  /// The places by name, ignoring letter case and Unicode normalisation (Swift strings are equal regardless of normalisation).
  private var places: [String: Place] = [:]
  /// The number of folders that had no entry when they were first named.
  private(set) var impliedFolderCount = 0

  /// Adds a name; returns its fault, if there is one.
  package mutating func fault(adding name: String) -> String? {
    let isFolder = name.utf8.last == UInt8(ascii: "/")
    let path = isFolder ? String(name.dropLast()) : name
    let key = path.caseFolded
    if var other = places[key] {
      if let fault = Self.fault(path, with: other) { return fault }
      // A folder and a file can't have the same name.
      guard other.isFolder, isFolder else {
        return other.isEntry ? "another entry has the same name" : "other entries use the name as a folder"
      }
      if other.isEntry { return "another entry has the same name" }
      other.isEntry = true
      places[key] = other
      return nil
    }
    places[key] = Place(name: path, isFolder: isFolder, isEntry: true)
    return faultOfFolders(around: path)
  }

  /// Checks the folders from the innermost outwards: the outer folders of a known folder are known.
  private mutating func faultOfFolders(around path: String) -> String? {
    var path = path
    while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      path = String(path[..<slash])
      let key = path.caseFolded
      if let other = places[key] {
        if let fault = Self.fault(path, with: other) { return "its folder '\(path.printable)': \(fault)" }
        return other.isFolder ? nil : "its folder '\(path.printable)' is a file in the archive"
      }
      places[key] = Place(name: path, isFolder: true, isEntry: false)
      impliedFolderCount += 1
    }
    return nil
  }

  /// Returns the fault of a name that equals another on some file systems, but has a different spelling.
  private static func fault(_ path: String, with other: Place) -> String? {
    if path.utf8.elementsEqual(other.name.utf8) { return nil }
    if path == other.name { return "the name differs from another one only in Unicode normalisation" }
    return "the name differs from '\(other.name.printable)' only in letter case"
  }
}

extension String {
  /// The text without differences of letter case, as file systems compare names: `ﬁ` is `fi`, `ſ` is `s`, and `ß` is `ss`.
  fileprivate var caseFolded: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return lowercased() }
    var folded = ""
    for scalar in unicodeScalars {
      // Only in Turkish the dotless i is a letter case of i.
      folded += scalar == "\u{131}" ? "\u{131}" : scalar.properties.uppercaseMapping.lowercased()
    }
    return folded
  }
}
