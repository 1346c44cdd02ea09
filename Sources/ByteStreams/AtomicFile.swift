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
  public init(replacing target: FilePath, existing: Existing = .replace) throws(ByteStreamError) {
    self.target = target
    self.existing = existing
    guard let name = target.lastComponent, name.kind == .regular else {
      throw ByteStreamError(code: .isDirectory, message: "cannot write \(target): it names a folder", errno: .isDirectory)
    }
    var information = stat()
    if stat(target.string, &information) == 0 {
      if information.st_mode & S_IFMT == S_IFDIR {
        throw ByteStreamError(.isDirectory, verb: "write", name: target.string)
      }
      if existing == .keep { throw ByteStreamError(.fileExists, verb: "write", name: target.string) }
    }
    // The process number tells a temporary file of a killed run from one in use; exclusive creation settles every clash.
    temporary = target.removingLastComponent().appending(".\(name.string).\(getpid()).tmp")
    do {
      let descriptor = try FileDescriptor.open(
        temporary, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .init(rawValue: 0o666))
      owner = DescriptorOwner(descriptor, closes: true)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "create", name: target.string)
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
