import Platform
import SystemPackage

/// Paths of the files that references name.
extension FilePath {
  /// Returns the path of a file below this folder, or `nil` if a segment of the reference isn't a file name.
  func appending(segmentsOf reference: some StringProtocol) -> FilePath? {
    var path = self
    for segment in reference.split(separator: "/") {
      // A path would end at a NUL, and an encoded slash would be part of a name, which no file can have.
      guard let name = String(segment).percentDecoded, !name.utf8.contains(0), !name.utf8.contains(UInt8(ascii: "/")),
        let component = Component(name), component.kind == .regular
      else { return nil }
      path.append(component)
    }
    return path
  }

  /// Returns whether this path is inside a folder, by their names alone: symbolic links are not followed.
  func isInside(_ folder: FilePath) -> Bool { absolute.starts(with: folder.absolute) }

  private var absolute: FilePath {
    if isAbsolute { return lexicallyNormalized() }
    guard let current = getcwd(nil, 0) else { return lexicallyNormalized() }
    defer { free(current) }
    return FilePath(platformString: current).pushing(self).lexicallyNormalized()
  }
}
