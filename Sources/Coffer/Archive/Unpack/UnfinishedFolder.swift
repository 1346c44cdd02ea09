package import ByteStreams
import Platform
package import SystemPackage

/// A folder that appears complete or not at all: filled under a temporary name next to its own, and then renamed.
///
/// Until then it is removed with this object. Only a killed process leaves it behind; the next folder that is made next to it
/// removes it (``Leftovers``).
package final class UnfinishedFolder {
  private let target: FilePath
  private let path: FilePath
  /// Shows other processes that the folder is still being filled.
  private let lock: FolderLock
  /// Its contents, in the order in which they were made.
  private var made: [(path: FilePath, kind: Kind)] = []
  private var folders: Set<String> = []
  private var isCommitted = false

  private enum Kind {
    case folder
    case file
    /// Another name of a file that is on the disk already.
    case link
  }

  /// - Throws: `alreadyExists` if something has the name already; `notFound` or `permissionDenied` for the folder around it.
  package init(_ path: FilePath) throws(ByteStreamError) {
    target = path.lexicallyNormalized()
    guard target.lastComponent?.kind == .regular else {
      throw ByteStreamError(code: .alreadyExists, message: "cannot make the folder \(path): it is there already")
    }
    var information = stat()
    if lstat(target.string, &information) == 0 { throw ByteStreamError(.fileExists, verb: "make", name: target.string) }
    do {
      (self.path, lock) = try Leftovers.makeFolder(
        in: target.removingLastComponent(), permissions: FilePermissions(rawValue: 0o777))
    } catch {
      throw ByteStreamError(error, verb: "make", name: target.string)
    }
  }

  deinit {
    if isCommitted { return }
    for item in made.reversed() { if item.kind == .folder { rmdir(item.path.string) } else { unlink(item.path.string) } }
    rmdir(path.string)
  }

  /// Makes a folder in it, and those around that one.
  ///
  /// - Parameter name: a safe one, with `/` between its parts.
  package func makeFolder(_ name: some StringProtocol) throws(ByteStreamError) {
    var path = path
    var prefix = ""
    for part in name.split(separator: "/") {
      path.append(String(part))
      prefix += part + "/"
      if !folders.insert(prefix).inserted { continue }
      if mkdir(path.string, 0o777) != 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: shown(path)) }
      made.append((path, .folder))
    }
  }

  /// Makes a file in it, and the folders around it.
  package func makeFile(_ name: String) throws(ByteStreamError) -> FileSink {
    let path = try place(of: name)
    // The folder is new, so the name is free; an existing file is never written to.
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: FilePermissions(rawValue: 0o666))
    } catch { throw ByteStreamError(error as? Errno ?? .ioError, verb: "create", name: shown(path)) }
    made.append((path, .file))
    return FileSink(owner: DescriptorOwner(descriptor, closes: true), name: shown(path))
  }

  /// Adds an existing file: as a hard link, or as a copy if the file system has no hard links or the file is on another one.
  ///
  /// - Parameter file: a regular file that is already on the disk.
  package func addFile(_ name: String, as file: FilePath, cancellation: Cancellation? = nil) throws(ByteStreamError) {
    let path = try place(of: name)
    // A symbolic link itself would get another name.
    if linkat(AT_FDCWD, file.string, AT_FDCWD, path.string, 0) == 0 {
      made.append((path, .link))
    } else {
      try copyFile(name, from: FileSource(path: file, cancellation: cancellation), cancellation)
    }
  }

  /// Copies the file after linking failed. Its error shows whether the cause prevents a copy, too.
  private func copyFile(
    _ name: String, from source: FileSource, _ cancellation: Cancellation?
  ) throws(ByteStreamError) {
    var source = source
    var copy = try makeFile(name)
    while case let piece = try source.readPrefix(1 << 18), !piece.isEmpty {
      if cancellation?.isRequested == true { throw ByteStreamError(code: .cancelled, message: "copying \(name) was cancelled") }
      try copy.write(piece)
    }
  }

  /// Returns the path of a file, and creates the folders around it.
  private func place(of name: String) throws(ByteStreamError) -> FilePath {
    if let slash = name.lastIndex(of: "/") { try makeFolder(name[..<slash]) }
    return name.split(separator: "/").reduce(path) { $0.appending(String($1)) }
  }

  /// Gives it its name, once all of it is on the disk.
  package func commit() throws(ByteStreamError) {
    try sync()
    var information = stat()
    if lstat(target.string, &information) == 0 { throw ByteStreamError(.fileExists, verb: "make", name: target.string) }
    if rename(path.string, target.string) != 0 {
      throw ByteStreamError(Errno(rawValue: errno), verb: "make", name: target.string)
    }
    isCommitted = true
    let around = target.removingLastComponent()
    try sync(around.isEmpty ? "." : around)
  }

  private func sync() throws(ByteStreamError) {
    // This writes the whole file system, and the calls for each file only report errors. Thousands of calls that write take a minute.
    try withDescriptor(of: path) { syncFileSystem(of: $0) }
    for item in made.reversed() where item.kind != .link { try sync(item.path) }
    try sync(path)
  }

  private func sync(_ path: FilePath) throws(ByteStreamError) {
    try withDescriptor(of: path) { (descriptor) throws(ByteStreamError) in
      if fsync(descriptor) != 0 { throw ByteStreamError(Errno(rawValue: errno), verb: "sync", name: shown(path)) }
    }
  }

  private func withDescriptor(of path: FilePath, _ body: (CInt) throws(ByteStreamError) -> Void) throws(ByteStreamError) {
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ByteStreamError(Errno(rawValue: errno), verb: "sync", name: shown(path)) }
    defer { close(descriptor) }
    try body(descriptor)
  }

  /// Returns the name for messages of a path in the folder: the requested one, not the temporary one.
  private func shown(_ path: FilePath) -> String {
    var rest = path
    return rest.removePrefix(self.path) ? target.pushing(rest).string : path.string
  }
}
