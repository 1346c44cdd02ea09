import Failpoints
import Platform
import SystemPackage

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
    var information = stat()
    if fstat(file.rawValue, &information) != 0 { throw Errno(rawValue: errno) }
    return information.st_nlink > 0
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
