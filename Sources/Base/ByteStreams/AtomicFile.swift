import Failpoints
import Platform
public import SystemPackage

/// A file that is written completely or not at all.
///
/// Bytes are written to a temporary file in the target's folder. ``commit()`` syncs it, moves it to the target's path and syncs
/// the folder. Whatever interrupts the writing (an error, a full disk, `kill -9`, a power cut), the target is the old file or the
/// new one.
/// The temporary file is removed with the `AtomicFile`. Where the system supports unnamed files, it disappears even if the
/// process is killed.
public final class AtomicFile: ByteSink {
  /// How to treat an existing target.
  public enum Existing: Sendable { case keep, replace }

  private let target: FilePath
  private let existing: Existing
  private var file: UnfinishedFile

  /// Creates the temporary file.
  ///
  /// - Throws: `alreadyExists` if the target exists and `existing` is `keep`; `notFound` or `permissionDenied` for its folder.
  public convenience init(_ path: FilePath, existing: Existing = .keep) throws(CofferError) {
    try self.init(path, existing: existing, mayBeUnnamed: true)
  }

  /// - Parameter mayBeUnnamed: if false, the temporary file has a name even if the system supports unnamed files.
  package init(_ path: FilePath, existing: Existing, mayBeUnnamed: Bool) throws(CofferError) {
    let target = Self.resolved(path)
    self.target = target
    self.existing = existing
    guard target.lastComponent?.kind == .regular else {
      throw CofferError(.isDirectory, "cannot write \(target): it names a folder", underlying: Errno.isDirectory)
    }
    let replaced = try? target.stat()
    switch replaced?.type {
    case nil, .regular: break
    case .directory: throw CofferError(.isDirectory, verb: "write", name: target.string)
    default:
      throw CofferError(.inputOutput, "cannot replace \(target): it is not a regular file (use - for standard output)")
    }
    if replaced != nil, existing == .keep { throw CofferError(.fileExists, verb: "write", name: target.string) }
    file = try UnfinishedFile(in: target.removingLastComponent(), for: target, mayBeUnnamed: mayBeUnnamed)
    guard let replaced else { return }
    // A replaced file keeps its permissions and, if this process may set it, its owner. A new file gets the process's defaults.
    let descriptor = file.owner.descriptor.rawValue
    fchown(descriptor, replaced.userID.rawValue, replaced.groupID.rawValue)
    fchmod(descriptor, replaced.permissions.rawValue)
  }

  /// Resolves symbolic links: the link is kept, and the file it points to is replaced or created.
  package static func resolved(_ path: FilePath) -> FilePath {
    if let real = realpath(path.string, nil) {
      defer { free(real) }
      return FilePath(platformString: real)
    }
    // A dangling link: follow a chain of them as far as the system would.
    var path = path
    for _ in 0..<40 {
      guard let next = destination(ofLink: path) else { break }
      path = path.removingLastComponent().pushing(next)
    }
    return path
  }

  private static func destination(ofLink path: FilePath) -> FilePath? {
    var text = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard readlink(path.string, &text, Int(PATH_MAX)) > 0 else { return nil }
    return text.withUnsafeBufferPointer { $0.baseAddress.map { FilePath(platformString: $0) } }
  }

  deinit { file.remove() }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    _ = try CofferError.trying("write", target.string) {
      try file.owner.descriptor.writeAll(bytes)
    }
  }

  /// Moves the file to the target's path.
  ///
  /// - Throws: `noSpace`, `inputOutput` or another system error; the target is then unchanged. If only the folder cannot be
  ///   synced, the message says that the file is in place: only a power cut soon afterwards could still lose it.
  public func commit() throws(CofferError) {
    do { try file.owner.descriptor.sync() } catch { throw CofferError(error, verb: "sync", name: target.string) }
    do {
      switch existing {
      case .keep: try file.link(to: target)
      case .replace: try file.replace(target)
      }
    } catch {
      throw CofferError(error as? Errno ?? .ioError, verb: "write", name: target.string)
    }
    do {
      try Failpoint.reach(.afterRename)
      try Failpoint.reach(.beforeFolderSync)
      try target.removingLastComponent().sync()
    } catch {
      throw CofferError(error, verb: "sync the folder of", name: "\(target), which is in place")
    }
  }
}

/// A file that is being written and gets its name in the same folder later.
///
/// Where the system supports unnamed files (Linux's `O_TMPFILE`), it has no name until it is complete: even `kill -9` or a power
/// cut then leaves nothing on disk. Elsewhere, and for the moment in which it replaces another file, it has a name from
/// ``Leftovers`` and is locked.
struct UnfinishedFile: ~Copyable {
  let owner: DescriptorOwner
  private let folder: FilePath
  /// The temporary name of the file, if it has one.
  private var path: FilePath?

  /// - Parameter mayBeUnnamed: if false, the file gets a name even if it needs none.
  /// - Throws: `notFound`, `permissionDenied` or `noSpace` for the folder.
  init(in folder: FilePath, for target: FilePath, mayBeUnnamed: Bool) throws(CofferError) {
    self.folder = folder
    Leftovers.remove(in: folder)
    if mayBeUnnamed, let unnamed = Self.unnamed(in: folder.isEmpty ? "." : folder) {
      owner = unnamed
      return
    }
    let permissions = FilePermissions(rawValue: 0o666)
    let options: FileDescriptor.OpenOptions = [.create, .exclusiveCreate, .closeOnExec]
    var descriptor: FileDescriptor?
    do {
      path = try Self.firstFreeName(in: folder) { path in
        let file = try FileDescriptor.open(path, .writeOnly, options: options, permissions: permissions)
        guard try Self.lock(file) else {
          try file.close()
          throw Errno.fileExists
        }
        descriptor = file
      }
      guard let descriptor else { throw Errno.ioError }
      owner = DescriptorOwner(descriptor, closes: true)
    } catch {
      throw CofferError(error as? Errno ?? .ioError, verb: "create", name: target.string)
    }
  }

  /// Locks the file to mark it as one of a living process.
  ///
  /// - Returns: true if it still has its name: another process may have removed it before it was locked.
  private static func lock(_ file: FileDescriptor) throws(Errno) -> Bool {
    // Some file systems don't support locks. Leftovers are never removed there.
    flock(file.rawValue, LOCK_EX)
    return try file.stat().linkCount > 0
  }

  private static func unnamed(in folder: FilePath) -> DescriptorOwner? {
    #if os(Linux)
      // It gets its name through /proc. Some file systems and older kernels don't support unnamed files. If the folder is at
      // fault, the next call reports that.
      guard access("/proc/self/fd", F_OK) == 0,
        let descriptor = try? FileDescriptor.open(
          folder, .writeOnly, options: [.unnamed, .closeOnExec], permissions: .init(rawValue: 0o666))
      else { return nil }
      return DescriptorOwner(descriptor, closes: true)
    #else
      return nil
    #endif
  }

  /// Tries candidate names until `make` finds one that is free.
  private static func firstFreeName(in folder: FilePath, _ make: (FilePath) throws -> Void) throws -> FilePath {
    var number = 0
    while true {
      let path = folder.appending(Leftovers.name(number))
      do {
        try make(path)
        return path
      } catch Errno.fileExists where number < 10_000 {
        // The name belongs to another file of this process, or to a leftover of a killed process with this number.
        number += 1
      }
    }
  }

  /// Gives the file the target's name, unless that name is taken.
  mutating func link(to target: FilePath) throws {
    try Failpoint.reach(.beforeRename)
    try linkFile(to: target)
    remove()
  }

  /// Replaces the target with the file.
  mutating func replace(_ target: FilePath) throws {
    if path == nil {
      try Failpoint.reach(.beforeRename)
      do {
        return try linkFile(to: target)
      } catch Errno.fileExists {
        // Only a named file can be renamed over another one, so it has a temporary name between the two calls.
        _ = try Self.lock(owner.descriptor)
        path = try Self.firstFreeName(in: folder) { try linkFile(to: $0) }
      }
    }
    guard let path else { return }
    try Failpoint.reach(.beforeRename)
    if rename(path.string, target.string) != 0 { throw Errno(rawValue: errno) }
    self.path = nil
  }

  private func linkFile(to target: FilePath) throws {
    let source = path?.string ?? "/proc/self/fd/\(owner.descriptor.rawValue)"
    if linkat(AT_FDCWD, source, AT_FDCWD, target.string, AT_SYMLINK_FOLLOW) != 0 { throw Errno(rawValue: errno) }
  }

  /// Removes the temporary name, if there is one.
  mutating func remove() {
    if let path { unlink(path.string) }
    path = nil
  }
}

#if os(Linux)
  /// `O_TMPFILE` from fcntl.h, which Swift doesn't import.
  private let temporaryFile = O_DIRECTORY | 0o20_000_000

  extension FileDescriptor.OpenOptions {
    /// An unnamed file in the opened folder.
    static var unnamed: Self { Self(rawValue: temporaryFile) }
  }
#endif

/// Named temporary files and folders, and the removal of those left by killed processes.
///
///     .coffer-4711-0.tmp      the first one of process 4711, locked (`flock`) as long as the process lives
///
/// Only the lock shows whether the process lives, because it ends with the process. Process numbers are reused, and denote other
/// processes in other containers and on other machines that share the disk.
package enum Leftovers {
  static func name(_ number: Int) -> String { ".coffer-\(getpid())-\(number).tmp" }

  /// Returns true if `name` is that of a temporary file or folder.
  package static func isName(_ name: String) -> Bool {
    guard name.hasPrefix(".coffer-"), name.hasSuffix(".tmp") else { return false }
    let numbers = name.dropFirst(8).dropLast(4).split(separator: "-", omittingEmptySubsequences: false)
    return numbers.count == 2 && numbers.allSatisfy { UInt32($0) != nil }
  }

  /// Creates a folder, which belongs to this process as long as the lock is held.
  package static func makeFolder(
    in parent: FilePath, permissions: FilePermissions
  ) throws(Errno) -> (path: FilePath, lock: FolderLock) {
    remove(in: parent)
    for number in 0...10_000 {
      let path = parent.appending(name(number))
      if mkdir(path.string, permissions.rawValue) == 0 {
        // Another process may have removed the folder before it was locked.
        if let lock = FolderLock(path), lock.holds(path) { return (path, lock) }
      } else if errno != EEXIST {
        throw Errno(rawValue: errno)
      }
    }
    throw .fileExists
  }

  /// Removes this user's leftovers that no process holds from a folder. Failures are ignored; a later run tries again.
  ///
  /// Cost: lists the folder once.
  package static func remove(in folder: FilePath) {
    let folder = folder.isEmpty ? "." : folder
    for name in FolderNames(folder)?.names ?? [] where isName(name) {
      let path = folder.appending(name)
      if let lock = FolderLock(path) { removeFolder(path, lock) } else { removeFile(path) }
    }
  }

  private static func removeFolder(_ path: FilePath, _ lock: FolderLock) {
    guard lock.isLocked, lock.holds(path) else { return }
    guard let status = try? FileDescriptor(rawValue: lock.descriptor).stat(), status.userID.rawValue == geteuid() else { return }
    empty(lock.descriptor)
    rmdir(path.string)
  }

  private static func removeFile(_ path: FilePath) {
    let descriptor = open(path.string, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard let opened = try? FileDescriptor(rawValue: descriptor).stat(), opened.type == .regular,
      opened.userID.rawValue == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0
    else { return }
    // Before it was locked, its process may have moved the file to its final name, and another file may have got this name.
    if (try? path.stat(followTargetSymlink: false))?.isSameFile(as: opened) == true { unlink(path.string) }
  }

  /// Removes a folder and its content, even if another user owns it, without following links. Ignores failures.
  package static func removeTree(_ path: FilePath) {
    let descriptor = open(path.string, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    empty(descriptor)
    close(descriptor)
    rmdir(path.string)
  }

  /// Removes a folder's content without following links. Each name is looked up in the open folder.
  private static func empty(_ folder: CInt) {
    let opened = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for name in FolderNames(descriptor: opened)?.names ?? [] {
      if unlinkat(folder, name, 0) == 0 { continue }
      let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard inner >= 0 else { continue }
      empty(inner)
      close(inner)
      _ = unlinkat(folder, name, AT_REMOVEDIR)
    }
  }
}

/// A temporary folder. This value is its only owner, and removes it with its contents when it is destroyed.
///
/// Only a killed process leaves it behind; the next one that creates a scratch folder in the same place removes it (`Leftovers`).
package struct ScratchFolder: ~Copyable {
  package let path: FilePath
  private let lock: FolderLock

  /// Creates the folder within another.
  ///
  /// - Throws: `CofferError`: `notFound`, `permissionDenied` or `noSpace` for the parent folder.
  package init(within folder: FilePath) throws(CofferError) {
    do {
      (path, lock) = try Leftovers.makeFolder(in: folder, permissions: .ownerReadWriteExecute)
    } catch {
      throw CofferError(error, verb: "make a folder in", name: folder.string)
    }
  }

  deinit { Leftovers.removeTree(path) }
}
