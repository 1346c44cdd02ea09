import Failpoints
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file on its way to a name in the folder that it stands in.
///
/// Where the system can make a file without any name (Linux's `O_TMPFILE`), it has none until it is whole: then nothing is left behind even by
/// `kill -9` or a power cut. Elsewhere, and for the moment in which it replaces another file, it has a name of ``Leftovers``, and is locked.
struct UnfinishedFile: ~Copyable {
  let owner: DescriptorOwner
  private let folder: FilePath
  /// Its name, while it has one that is not the target's.
  private var path: FilePath?

  /// - Parameter mayBeUnnamed: false gives it a name even where it needs none.
  /// - Throws: `notFound`, `permissionDenied` or `noSpace` for the folder.
  init(in folder: FilePath, for target: FilePath, mayBeUnnamed: Bool) throws(ByteStreamError) {
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
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "create", name: target.string)
    }
  }

  /// Marks the file as one of a living process.
  ///
  /// - Returns: whether it still has its name: another process may have removed it before it was locked.
  private static func lock(_ file: FileDescriptor) throws(Errno) -> Bool {
    // Some file systems have no locks. There nothing is removed.
    flock(file.rawValue, LOCK_EX)
    var information = stat()
    if fstat(file.rawValue, &information) != 0 { throw Errno(rawValue: errno) }
    return information.st_nlink > 0
  }

  private static func unnamed(in folder: FilePath) -> DescriptorOwner? {
    #if os(Linux)
      // It gets its name through /proc. Some file systems, and older kernels, have no such files; the folder itself may be at fault, too, which
      // shows next.
      guard access("/proc/self/fd", F_OK) == 0,
        let descriptor = try? FileDescriptor.open(
          folder, .writeOnly, options: [.unnamed, .closeOnExec], permissions: .init(rawValue: 0o666))
      else { return nil }
      return DescriptorOwner(descriptor, closes: true)
    #else
      return nil
    #endif
  }

  /// Tries names, each free a moment ago, until `make` finds one that is.
  private static func firstFreeName(in folder: FilePath, _ make: (FilePath) throws -> Void) throws -> FilePath {
    var number = 0
    while true {
      let path = folder.appending(Leftovers.name(number))
      do {
        try make(path)
        return path
      } catch Errno.fileExists where number < 10_000 {
        // Another file of this process, or one that a killed process of this number left.
        number += 1
      }
    }
  }

  /// Gives it the target's name, if nothing has it.
  mutating func link(to target: FilePath) throws {
    try Failpoint.reach(.beforeRename)
    try linkFile(to: target)
    remove()
  }

  /// Puts it in the target's place.
  mutating func replace(_ target: FilePath) throws {
    if path == nil {
      try Failpoint.reach(.beforeRename)
      do {
        return try linkFile(to: target)
      } catch Errno.fileExists {
        // Only a file with a name can be renamed over another: for the moment between the two calls it has one.
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

  /// Takes away the name that it has, if it has one.
  mutating func remove() {
    if let path { unlink(path.string) }
    path = nil
  }
}

#if os(Linux)
  /// `O_TMPFILE` of fcntl.h, which Swift doesn't import.
  private let temporaryFile = O_DIRECTORY | 0o20_000_000

  extension FileDescriptor.OpenOptions {
    /// A file in the folder that is opened, which has no name.
    static var unnamed: Self { Self(rawValue: temporaryFile) }
  }
#endif
