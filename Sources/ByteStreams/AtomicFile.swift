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
    var information = stat()
    let exists = stat(target.string, &information) == 0
    if exists, information.st_mode & S_IFMT == S_IFDIR {
      throw CofferError(.isDirectory, verb: "write", name: target.string)
    }
    if exists, information.st_mode & S_IFMT != S_IFREG {
      throw CofferError(
        .inputOutput, "cannot replace \(target): it is not a regular file (use - for standard output)")
    }
    if exists, existing == .keep { throw CofferError(.fileExists, verb: "write", name: target.string) }
    file = try UnfinishedFile(in: target.removingLastComponent(), for: target, mayBeUnnamed: mayBeUnnamed)
    guard exists else { return }
    // A replaced file keeps its permissions and, if this process may set it, its owner. A new file gets the process's defaults.
    let descriptor = file.owner.descriptor.rawValue
    fchown(descriptor, information.st_uid, information.st_gid)
    fchmod(descriptor, information.st_mode & 0o7777)
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
    do {
      _ = try file.owner.descriptor.writeAll(bytes)
    } catch {
      throw CofferError(error as? Errno ?? .ioError, verb: "write", name: target.string)
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
