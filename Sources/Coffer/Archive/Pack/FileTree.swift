import ByteStreams
import Platform
package import SystemPackage

/// The files below a folder, with their names in an archive.
package struct FileTree {
  package struct File {
    /// The name, with `/` between folders.
    package let name: String
    package let path: FilePath
    /// The size in bytes.
    package let size: Int

    fileprivate init(name: String, path: FilePath, size: Int) {
      self.name = name
      self.path = path
      self.size = size
    }

    /// Returns `nil` unless there is a file.
    package init?(named name: String, at path: FilePath) {
      var information = stat()
      guard lstat(path.string, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return nil }
      self.init(name: name, path: path, size: Int(information.st_size))
    }
  }

  /// The files in the order of their names' bytes.
  package private(set) var files: [File] = []
  private static let depthLimit = 64

  /// - Parameter prefix: the prefix of all names.
  /// - Throws: `CofferError` for an unreadable folder, or for anything other than files and folders.
  package init(_ folder: FilePath, prefix: String = "") throws {
    try add(folder, prefix, depth: 0)
    files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private mutating func add(_ folder: FilePath, _ prefix: String, depth: Int) throws {
    guard depth < Self.depthLimit else { throw CofferError(.notAFile, "\(folder): nested too deeply for a backup") }
    for name in try Self.names(in: folder) {
      let path = folder.appending(name)
      var information = stat()
      guard lstat(path.string, &information) == 0 else {
        throw CofferError(Errno(rawValue: errno), verb: "read", name: path.string)
      }
      switch information.st_mode & S_IFMT {
      case S_IFDIR: try add(path, prefix + name + "/", depth: depth + 1)
      case S_IFREG: files.append(File(name: prefix + name, path: path, size: Int(information.st_size)))
      case S_IFLNK: throw CofferError(.notAFile, "\(path) is a symbolic link, which can't be packed")
      default: throw CofferError(.notAFile, "\(path) is neither a file nor a folder")
      }
    }
  }

  private static func names(in folder: FilePath) throws -> [String] {
    guard let listed = FolderNames(folder) else {
      throw CofferError(Errno(rawValue: errno), verb: "read", name: folder.string)
    }
    if listed.otherCount > 0 { throw CofferError(.notAFile, "\(folder) contains a file whose name isn't UTF-8") }
    return listed.names
  }
}
