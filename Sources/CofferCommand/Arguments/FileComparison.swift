import ByteStreams
import Platform
import SystemPackage

/// Which file a path names, and whether two paths name the same one.
enum FileComparison {
  /// Returns the size of a regular file, and 0 if there is none. `nil`: it is a stream, whose size isn't known.
  static func size(of path: String) -> Int? {
    guard path != "-" else { return nil }
    guard let status = status(of: path) else { return 0 }
    return status.type == .regular ? Int(status.size) : nil
  }

  static func isFolder(_ path: String) -> Bool { status(of: path)?.type == .directory }

  /// Returns true if the path names a regular file, which can be read repeatedly, unlike a pipe or device.
  static func isRegularFile(_ path: String) -> Bool { status(of: path)?.type == .regular }

  private static func status(of path: String) -> Stat? { try? FilePath(path).stat() }

  /// Returns true if a file is or would be in a folder or below it. Follows links and relative paths.
  static func isPath(_ path: String, within folder: String) -> Bool {
    let path = FilePath(path)
    let parent = path.removingLastComponent()
    guard let realFolder = realPath(folder), let realParent = realPath(parent.isEmpty ? "." : parent.string) else {
      return path.lexicallyNormalized().starts(with: FilePath(folder).lexicallyNormalized())
    }
    // The file itself may be a link.
    return realParent.starts(with: realFolder) || destination(of: path.string).starts(with: realFolder)
  }

  /// Returns `nil` if there is no such file.
  private static func realPath(_ path: String) -> FilePath? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return FilePath(String(cString: real))
  }

  /// Returns the path of a file that may not exist yet, without links.
  private static func destination(of path: String) -> FilePath {
    let path = AtomicFile.resolved(FilePath(path))
    let parent = path.removingLastComponent()
    guard let folder = realPath(parent.isEmpty ? "." : parent.string), let name = path.lastComponent else {
      return path.lexicallyNormalized()
    }
    return folder.appending(name)
  }

  /// Returns true if two paths name the same file, which must not be read and replaced in one run. Devices and pipes are never
  /// replaced.
  static func isSameFile(_ a: String, _ b: String) -> Bool {
    // A file may not exist yet: compare where it would be.
    if access(a, F_OK) != 0 || access(b, F_OK) != 0 { return destination(of: a) == destination(of: b) }
    return isSameExistingFile(a, b)
  }

  /// Returns true if two paths name the same file or folder, which exists.
  static func isSameExistingFile(_ a: String, _ b: String) -> Bool {
    guard let first = status(of: a), let second = status(of: b) else { return false }
    return [.regular, .directory].contains(first.type) && first.isSameFile(as: second)
  }

  /// Returns true if an input, such as `-`, is the same file or pipe as a path. Writing to a pipe that the run reads would never
  /// end.
  static func isSameStream(_ input: String, _ path: String) -> Bool {
    guard let first = input == "-" ? try? StandardStreams.current.input.stat() : status(of: input), let second = status(of: path)
    else { return false }
    // A terminal or /dev/null can be read and written.
    return first.type != .characterSpecial && first.isSameFile(as: second)
  }
}
