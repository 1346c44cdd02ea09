import Platform
package import SystemPackage

/// The names of a folder's entries, in the system's order.
package struct FolderNames {
  package private(set) var names: [String] = []
  /// The number of entries whose names are not valid UTF-8.
  package private(set) var otherCount = 0

  /// Returns `nil` and leaves `errno` set if the folder can't be read.
  package init?(_ folder: FilePath) { self.init(descriptor: open(folder.string, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) }

  /// - Parameter descriptor: the descriptor of an open folder, which is closed here; if negative, the result is `nil`.
  package init?(descriptor: CInt) {
    guard descriptor >= 0 else { return nil }
    guard let stream = fdopendir(descriptor) else {
      close(descriptor)
      return nil
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
          String(validatingCString: $0)
        }
      }
      guard let name else {
        otherCount += 1
        continue
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}
