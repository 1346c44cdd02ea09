import ByteStreams

/// The name of an entry, as the archive spells it: judged before anything is done by it.
///
/// A name is safe if it stands for one and the same file below whatever folder the archive is unpacked in, on every system.
struct EntryName {
  let bytes: [UInt8]

  /// `nil` if the bytes are no UTF-8: no writer of backups spells names otherwise, and what they would mean depends on the reader.
  var text: String? { String(validating: bytes, as: UTF8.self) }

  /// As text, whatever the bytes are; only the start of what is longer than any good name.
  var decoded: String { String(decoding: bytes.prefix(200), as: UTF8.self) }

  /// What is wrong with it, if anything is.
  func fault(lengthLimit: Int) -> String? {
    if bytes.isEmpty { return "the name is empty" }
    if bytes.count > lengthLimit { return "the name has \(bytes.count) bytes, more than \(lengthLimit)" }
    guard text != nil else { return "the name is no UTF-8" }
    if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "the name has control characters" }
    if bytes.contains(UInt8(ascii: "\\")) { return "the name has a backslash, which some systems take for a folder's end" }
    if bytes[0] == UInt8(ascii: "/") { return "the name is an absolute path" }
    if bytes.count > 1, bytes[1] == UInt8(ascii: ":"), bytes[0] | 0x20 >= UInt8(ascii: "a"), bytes[0] | 0x20 <= UInt8(ascii: "z")
    {
      return "the name begins with a drive letter"
    }
    var components = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    // A folder's name ends in a slash.
    if components.count > 1, components.last?.isEmpty == true { components.removeLast() }
    for component in components {
      if component.isEmpty { return "the name has a folder without a name" }
      if component.elementsEqual([UInt8(ascii: "."), UInt8(ascii: ".")]) { return "the name leads out of the folder ('..')" }
      if component.elementsEqual([UInt8(ascii: ".")]) { return "the name has a folder '.'" }
      if component.count > 255 { return "a part of the name has more than 255 bytes" }
    }
    return nil
  }
}

/// The names of the entries so far, and the folders that they lie in, to find those that some file system takes for the same.
package struct EntryNames {
  package init() {}

  private struct Place {
    let name: String
    let isFolder: Bool
    /// Whether an entry has the name; else it is a folder that others lie in.
    var isEntry: Bool
  }

  /// By what is left of a name where neither case nor Unicode normalisation counts (Swift's strings are equal whatever their normalisation is).
  private var places: [String: Place] = [:]
  /// Folders that no entry stood for when they were first named.
  private(set) var impliedFolderCount = 0

  /// Takes a name; says what is wrong with it, if anything is.
  package mutating func fault(adding name: String) -> String? {
    let isFolder = name.utf8.last == UInt8(ascii: "/")
    let path = isFolder ? String(name.dropLast()) : name
    let key = path.lowercased()
    if var other = places[key] {
      if let fault = Self.fault(path, with: other) { return fault }
      // A folder and a file of one name can't both be there.
      guard other.isFolder, isFolder else {
        return other.isEntry ? "another entry has the same name" : "other entries have the name for their folder"
      }
      if other.isEntry { return "another entry has the same name" }
      other.isEntry = true
      places[key] = other
      return nil
    }
    places[key] = Place(name: path, isFolder: isFolder, isEntry: true)
    return faultOfFolders(around: path)
  }

  /// From the inmost outwards: those around a folder that is known are known.
  private mutating func faultOfFolders(around path: String) -> String? {
    var path = path
    while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
      path = String(path[..<slash])
      let key = path.lowercased()
      if let other = places[key] {
        if let fault = Self.fault(path, with: other) { return "of its folder '\(path.printable)', \(fault)" }
        return other.isFolder ? nil : "its folder '\(path.printable)' is another entry, which is a file"
      }
      places[key] = Place(name: path, isFolder: true, isEntry: false)
      impliedFolderCount += 1
    }
    return nil
  }

  /// What is wrong with a name that is the same as another to some file systems, and spelled otherwise.
  private static func fault(_ path: String, with other: Place) -> String? {
    if path.utf8.elementsEqual(other.name.utf8) { return nil }
    if path == other.name { return "the name differs from another's in its Unicode normalisation alone" }
    return "the name differs from '\(other.name.printable)' in the case of its letters alone"
  }
}
