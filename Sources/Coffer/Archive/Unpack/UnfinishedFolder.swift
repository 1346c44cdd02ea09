package import ByteStreams
import Platform
package import SystemPackage

/// A folder that is created complete or not at all: it is filled under a temporary name next to its final one, and then renamed.
///
/// Until then, it is removed with this object. Only a killed process leaves it behind; creating the next folder next to it
/// removes it (``Leftovers``).
package final class UnfinishedFolder {
  private let target: FilePath
  private let path: FilePath
  /// Signals to other processes that the folder is still being filled.
  private let lock: FolderLock
  /// The created items, in order.
  private var made: [(path: FilePath, kind: Kind)] = []
  private var folders: Set<String> = []
  private var isCommitted = false

  private enum Kind {
    case folder
    case file
    /// A hard link to a file that is already on the disk.
    case link
  }

  /// - Throws: `alreadyExists` if the name is in use; `notFound` or `permissionDenied` for the parent folder.
  package init(_ path: FilePath) throws(CofferError) {
    target = path.lexicallyNormalized()
    guard target.lastComponent?.kind == .regular else {
      throw CofferError(.alreadyExists, "cannot make the folder \(path): it already exists")
    }
    if (try? target.stat(followTargetSymlink: false)) != nil { throw CofferError(.fileExists, verb: "make", name: target.string) }
    do {
      (self.path, lock) = try Leftovers.makeFolder(
        in: target.removingLastComponent(), permissions: FilePermissions(rawValue: 0o777))
    } catch {
      throw CofferError(error, verb: "make", name: target.string)
    }
  }

  deinit {
    if isCommitted { return }
    for item in made.reversed() { if item.kind == .folder { rmdir(item.path.string) } else { unlink(item.path.string) } }
    rmdir(path.string)
  }

  /// Creates a folder in it, and the folders around that one.
  ///
  /// - Parameter name: a safe name, with `/` between its parts.
  package func makeFolder(_ name: some StringProtocol) throws(CofferError) {
    var path = path
    var prefix = ""
    for part in name.split(separator: "/") {
      path.append(String(part))
      prefix += part + "/"
      if !folders.insert(prefix).inserted { continue }
      if mkdir(path.string, 0o777) != 0 { throw CofferError(Errno(rawValue: errno), verb: "make", name: shown(path)) }
      made.append((path, .folder))
    }
  }

  /// Creates a file in it, and the folders around the file.
  package func makeFile(_ name: String) throws(CofferError) -> FileSink {
    let path = try place(of: name)
    // The folder is new, so the name is free. Never write to an existing file.
    let descriptor: FileDescriptor
    do {
      descriptor = try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
        permissions: FilePermissions(rawValue: 0o666))
    } catch { throw CofferError(error as? Errno ?? .ioError, verb: "create", name: shown(path)) }
    made.append((path, .file))
    return FileSink(owner: DescriptorOwner(descriptor, closes: true), name: shown(path))
  }

  /// Adds an existing file as a hard link, or as a copy if the file system has no hard links or the file is on another one.
  ///
  /// - Parameter file: a regular file that is already on the disk.
  package func addFile(_ name: String, as file: FilePath, cancellation: Cancellation? = nil) throws(CofferError) {
    let path = try place(of: name)
    // A symbolic link would itself get another name.
    if linkat(AT_FDCWD, file.string, AT_FDCWD, path.string, 0) == 0 {
      made.append((path, .link))
    } else {
      try copyFile(name, from: FileSource(path: file, cancellation: cancellation), cancellation)
    }
  }

  /// Copies a file that couldn't be linked, whatever the reason; if it also prevents a copy, this throws.
  private func copyFile(
    _ name: String, from source: FileSource, _ cancellation: Cancellation?
  ) throws(CofferError) {
    var source = source
    var copy = try makeFile(name)
    while case let piece = try source.readPrefix(1 << 18), !piece.isEmpty {
      if cancellation?.isRequested == true { throw CofferError(.cancelled, "copying \(name) was cancelled") }
      try copy.write(piece)
    }
  }

  /// Returns the path of a file, and creates the folders around it.
  private func place(of name: String) throws(CofferError) -> FilePath {
    if let slash = name.lastIndex(of: "/") { try makeFolder(name[..<slash]) }
    return name.split(separator: "/").reduce(path) { $0.appending(String($1)) }
  }

  /// Renames the folder to its final name after syncing all its content to the disk.
  package func commit() throws(CofferError) {
    try sync()
    if (try? target.stat(followTargetSymlink: false)) != nil { throw CofferError(.fileExists, verb: "make", name: target.string) }
    if rename(path.string, target.string) != 0 {
      throw CofferError(Errno(rawValue: errno), verb: "make", name: target.string)
    }
    isCommitted = true
    try sync(target.removingLastComponent())
  }

  private func sync() throws(CofferError) {
    // Sync the whole file system first; then the calls for each file only report errors. Thousands of calls that write take a
    // minute.
    let descriptor = open(path.string, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw CofferError(Errno(rawValue: errno), verb: "sync", name: shown(path)) }
    syncFileSystem(of: descriptor)
    close(descriptor)
    for item in made.reversed() where item.kind != .link { try sync(item.path) }
    try sync(path)
  }

  private func sync(_ path: FilePath) throws(CofferError) {
    do { try path.sync() } catch { throw CofferError(error, verb: "sync", name: shown(path)) }
  }

  /// Returns the name in messages for a path below the folder: with the folder's final name, not its temporary one.
  private func shown(_ path: FilePath) -> String {
    var rest = path
    return rest.removePrefix(self.path) ? target.pushing(rest).string : path.string
  }
}
