public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file that appears whole or not at all.
///
/// Bytes go to a temporary file in the target's own folder. ``commit()`` syncs it, renames it over the target and syncs the folder, so that
/// whatever interrupts the writing (an error, a full disk, `kill -9`, a power cut), the target is the old file or the new one.
/// A file that goes away without `commit()` takes its temporary file with it.
public final class AtomicFile: ByteSink {
  /// What to do about a file that is already there.
  public enum Existing: Sendable { case keep, replace }

  private let target: FilePath
  private let temporary: FilePath
  private let existing: Existing
  private let owner: DescriptorOwner
  private var isCommitted = false

  /// Makes the temporary file.
  ///
  /// - Throws: `alreadyExists` if the target is there and `existing` is `keep`; `notFound` or `permissionDenied` for its folder.
  public init(replacing path: FilePath, existing: Existing = .replace) throws(ByteStreamError) {
    let target = Self.resolved(path)
    self.target = target
    self.existing = existing
    guard target.lastComponent?.kind == .regular else {
      throw ByteStreamError(code: .isDirectory, message: "cannot write \(target): it names a folder", errno: .isDirectory)
    }
    var information = stat()
    let exists = stat(target.string, &information) == 0
    if exists, information.st_mode & S_IFMT == S_IFDIR {
      throw ByteStreamError(.isDirectory, verb: "write", name: target.string)
    }
    if exists, information.st_mode & S_IFMT != S_IFREG {
      throw ByteStreamError(
        code: .inputOutput, message: "cannot replace \(target): it is no regular file (standard output is written as -)")
    }
    if exists, existing == .keep { throw ByteStreamError(.fileExists, verb: "write", name: target.string) }
    (owner, temporary) = try Self.makeTemporary(in: target.removingLastComponent(), for: target)
    // A replaced file keeps its permissions; a new one has those that the process gives new files.
    if exists { fchmod(owner.descriptor.rawValue, information.st_mode & 0o7777) }
  }

  /// What a symbolic link leads to: the link stays, and the file it names is replaced.
  private static func resolved(_ path: FilePath) -> FilePath {
    guard let real = realpath(path.string, nil) else { return path }
    defer { free(real) }
    return FilePath(platformString: real)
  }

  /// A new file in `folder`, under a name that is short, whatever the target's, and tells whose it is.
  private static func makeTemporary(
    in folder: FilePath, for target: FilePath
  ) throws(ByteStreamError) -> (DescriptorOwner, FilePath) {
    var number = 0
    while true {
      let path = folder.appending(".coffer-\(getpid())-\(number).tmp")
      do {
        let descriptor = try FileDescriptor.open(
          path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .init(rawValue: 0o666))
        return (DescriptorOwner(descriptor, closes: true), path)
      } catch {
        // The name is taken by another file of this process, or by one that a killed process of this number left.
        if error as? Errno == .fileExists, number < 10_000 {
          number += 1
          continue
        }
        throw ByteStreamError(error as? Errno ?? .ioError, verb: "create", name: target.string)
      }
    }
  }

  deinit {
    if !isCommitted { unlink(temporary.string) }
  }

  public func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    do {
      _ = try owner.descriptor.writeAll(bytes)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "write", name: target.string)
    }
  }

  /// Puts the file in the target's place.
  public func commit() throws(ByteStreamError) {
    try check(fsync(owner.descriptor.rawValue), verb: "sync")
    if existing == .keep {
      // link fails where rename would overwrite a file that came meanwhile.
      try check(link(temporary.string, target.string), verb: "write")
      unlink(temporary.string)
    } else {
      try check(rename(temporary.string, target.string), verb: "write")
    }
    isCommitted = true
    let folder = target.removingLastComponent()
    let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_CLOEXEC)
    try check(descriptor, verb: "open the folder of")
    defer { close(descriptor) }
    try check(fsync(descriptor), verb: "sync the folder of")
  }

  private func check(_ result: CInt, verb: String) throws(ByteStreamError) {
    if result < 0 { throw ByteStreamError(Errno(rawValue: errno), verb: verb, name: target.string) }
  }
}
