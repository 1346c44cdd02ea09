import Failpoints
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
/// Bytes go to a temporary file in the target's own folder. ``commit()`` syncs it, puts it in the target's place and syncs the folder, so that
/// whatever interrupts the writing (an error, a full disk, `kill -9`, a power cut), the target is the old file or the new one.
/// The temporary file goes with the `AtomicFile`; where the system can make files without a name, it goes even with a process that is killed.
public final class AtomicFile: ByteSink {
  /// What to do about a file that is already there.
  public enum Existing: Sendable { case keep, replace }

  private let target: FilePath
  private let existing: Existing
  private var file: UnfinishedFile

  /// Makes the temporary file.
  ///
  /// - Throws: `alreadyExists` if the target is there and `existing` is `keep`; `notFound` or `permissionDenied` for its folder.
  public convenience init(replacing path: FilePath, existing: Existing = .replace) throws(ByteStreamError) {
    try self.init(replacing: path, existing: existing, mayBeUnnamed: true)
  }

  /// - Parameter mayBeUnnamed: false has the temporary file bear a name, as it does where the system can't make others.
  package init(replacing path: FilePath, existing: Existing, mayBeUnnamed: Bool) throws(ByteStreamError) {
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
    file = try UnfinishedFile(in: target.removingLastComponent(), for: target, mayBeUnnamed: mayBeUnnamed)
    guard exists else { return }
    // A replaced file keeps its owner, where this process may say so, and its permissions; a new one has those that the process gives new files.
    let descriptor = file.owner.descriptor.rawValue
    fchown(descriptor, information.st_uid, information.st_gid)
    fchmod(descriptor, information.st_mode & 0o7777)
  }

  /// What a symbolic link leads to: the link stays, and the file it names is replaced, or made.
  package static func resolved(_ path: FilePath) -> FilePath {
    if let real = realpath(path.string, nil) {
      defer { free(real) }
      return FilePath(platformString: real)
    }
    // A link to nothing yet; of a chain of them, as far as the system would follow it.
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

  public func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    do {
      _ = try file.owner.descriptor.writeAll(bytes)
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "write", name: target.string)
    }
  }

  /// Puts the file in the target's place.
  ///
  /// - Throws: `noSpace`, `inputOutput` and what else the system says, the target being what it was. Where the file has got its place, but its folder
  ///   cannot be synced, the message says so: all is there, unless a power cut comes very soon.
  public func commit() throws(ByteStreamError) {
    try check(fsync(file.owner.descriptor.rawValue), verb: "sync")
    do {
      switch existing {
      case .keep: try file.link(to: target)
      case .replace: try file.replace(target)
      }
    } catch {
      throw ByteStreamError(error as? Errno ?? .ioError, verb: "write", name: target.string)
    }
    do {
      try Failpoint.reach(.afterRename)
      try syncFolder()
    } catch {
      throw ByteStreamError(error, verb: "sync the folder of", name: "\(target), which is in place")
    }
  }

  private func syncFolder() throws(Errno) {
    let folder = target.removingLastComponent()
    let descriptor = open(folder.isEmpty ? "." : folder.string, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw Errno(rawValue: errno) }
    defer { close(descriptor) }
    try Failpoint.reach(.beforeFolderSync)
    if fsync(descriptor) < 0 { throw Errno(rawValue: errno) }
  }

  private func check(_ result: CInt, verb: String) throws(ByteStreamError) {
    if result < 0 { throw ByteStreamError(Errno(rawValue: errno), verb: verb, name: target.string) }
  }
}
