import BackupFormats
import ByteStreams
import Coffer
import Digests
import Foundation
import Platform
import Reports
public import Rules
public import SystemPackage

/// The cache of one folder while the folder is examined.
struct FolderMemory: Sendable {
  private let cache: VerdictCache
  private let path: FilePath
  private let folder: FilePath
  private let descriptor: CInt
  private let formats: FormatCatalog
  private let options: BackupFolder.Options
  private let header: Header
  /// What was known about backups before.
  let stored: [String: RememberedBackup]

  /// A larger cache is ignored, and not written.
  private static let sizeLimit = 16 << 20

  /// - Parameter descriptor: the folder's descriptor, which must stay open.
  init(
    _ cache: VerdictCache, of folder: FilePath, _ descriptor: CInt, _ formats: FormatCatalog, _ options: BackupFolder.Options
  ) {
    self.cache = cache
    self.folder = folder
    self.descriptor = descriptor
    self.formats = formats
    self.options = options
    let real = AtomicFile.resolved(folder.isEmpty ? "." : folder).string
    header = Header(
      folder: real, version: cache.version, rules: Self.digest(of: formats.formats.flatMap { [$0.name, $0.descriptor] }))
    path = cache.folder.appending(Self.digest(of: [real] + formats.names) + ".json")
    stored = Self.read(path, with: header)
  }

  /// Returns the stored entry of a backup and its format, unless the file has changed since it was read.
  func recall(_ name: String, _ identity: FileIdentity) throws -> (RememberedBackup, BackupFormat)? {
    guard var entry = stored[name], let format = formats[entry.format], let state = FileState(name, in: descriptor),
      state.size == entry.state.size, let checkedAt = Instant(entry.checkedAt), checkedAt <= options.now
    else { return nil }
    if state != entry.state {
      guard try digest(of: name) == entry.digest, FileState(name, in: descriptor) == state else { return nil }
      if state.isSettled(at: cache.startedAt) { entry.state = state }
    }
    guard FileIdentity(name, in: descriptor) == identity else { return nil }
    return (entry, format)
  }

  /// Returns what to remember of a valid backup. Reads it once more for its digest.
  func entry(of backup: ListedBackup, createdAt: Instant?) throws -> RememberedBackup? {
    guard let format = formats[backup.format], Self.isLasting(format), let state = FileState(backup.name, in: descriptor),
      state.size == backup.size, state.isSettled(at: cache.startedAt), let digest = try digest(of: backup.name),
      FileState(backup.name, in: descriptor) == state, FileIdentity(backup.name, in: descriptor) == backup.identity
    else { return nil }
    let entry = RememberedBackup(
      name: backup.name, state: state, digest: digest, checkedAt: options.now.description, format: backup.format,
      version: backup.version, createdAt: createdAt?.description, app: backup.app, device: backup.device, counts: backup.counts)
    return entry.isPlausible ? entry : nil
  }

  /// Writes the cache if it differs. Ignores errors: without the cache, the next listing only takes longer.
  ///
  /// - Parameter entries: what is known now.
  func save(_ entries: [RememberedBackup]) {
    let known = Dictionary(entries.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    if known == stored { return }
    let content = Content(header: header, backups: entries.sorted { $0.name < $1.name })
    let text = JSONReport().text(of: content)
    if text.utf8.count > Self.sizeLimit { return }
    do throws(CofferError) {
      try cache.folder.makeFolders(permissions: .ownerReadWriteExecute)
      // A link's target would be replaced.
      if let type = try? path.stat(followTargetSymlink: false).type, type != .regular { return }
      var file = try AtomicFile(path, existing: .replace)
      try file.write(text)
      try file.commit()
    } catch {}
  }

  // MARK: Rules

  /// True if the format's verdict on a file doesn't get worse as time passes.
  private static func isLasting(_ format: BackupFormat) -> Bool {
    FormatCatalog.builtIn[format.name]?.descriptor == format.descriptor
      || !format.descriptor.isEmpty && !format.descriptor.contains("now")
  }

  // MARK: Files

  private struct Header: Codable, Equatable {
    let folder: String
    let version: String
    /// The digest of the rules.
    let rules: String
  }

  private struct Content: Codable {
    let header: Header
    let backups: [RememberedBackup]
  }

  /// Reads the cache. Returns nothing from one that isn't this user's, can't be read, or is about something else.
  private static func read(_ path: FilePath, with header: Header) -> [String: RememberedBackup] {
    let descriptor = open(path.string, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return [:] }
    defer { close(descriptor) }
    guard let status = try? FileDescriptor(rawValue: descriptor).stat(), status.type == .regular,
      status.userID.rawValue == geteuid(), status.size <= sizeLimit
    else { return [:] }
    var bytes = [UInt8](repeating: 0, count: Int(status.size))
    let count = try? bytes.withUnsafeMutableBytes { try FileDescriptor(rawValue: descriptor).read(into: $0) }
    guard count == bytes.count, let content = try? JSONDecoder().decode(Content.self, from: Data(bytes)), content.header == header
    else { return [:] }
    return Dictionary(content.backups.filter(\.isPlausible).map { ($0.name, $0) }) { first, _ in first }
  }

  /// Returns the digest of a file, or `nil` if it can't be read.
  private func digest(of name: String) throws -> String? {
    guard var file = try? FileSource(path: folder.appending(name), cancellation: options.execution.cancellation) else {
      return nil
    }
    var digest = MessageDigest(.sha256)
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      try options.execution.cancellation.check()
      guard let count = try? buffer.withUnsafeMutableBytes({ bytes throws(CofferError) in try file.read(into: bytes) }) else {
        return nil
      }
      if count == 0 { return digest.finish() }
      buffer.withUnsafeBytes { digest.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
  }

  /// Returns the digest of texts, none of which contains a zero.
  private static func digest(of texts: [String]) -> String {
    MessageDigest.text(of: Array(texts.joined(separator: "\0").utf8), by: .sha256)
  }
}

/// What the cache knows about a valid backup.
struct RememberedBackup: Codable, Equatable, Sendable {
  let name: String
  var state: FileState
  /// The SHA-256 digest of its content.
  let digest: String
  /// The time for which the rules were checked.
  let checkedAt: String
  let format: String
  let version: Int?
  /// The creation date in the document.
  let createdAt: String?
  let app: String?
  let device: String?
  let counts: [ListedBackup.Count]

  /// True if the values are possible. A file that anyone may have written can have others.
  var isPlausible: Bool {
    Instant(checkedAt) != nil && createdAt.map { Instant($0) != nil } ?? true && counts.count <= 1000
      && counts.allSatisfy { (0...1 << 40).contains($0.count) }
  }
}

/// The properties of a file that change when it is written to.
struct FileState: Codable, Equatable, Sendable {
  let size: Int
  let modified: FileTime
  /// The time of the last change of the content or the properties, which programs can't set.
  let changed: FileTime

  /// Returns `nil` if the name doesn't exist, or is not a regular file.
  init?(_ name: String, in folder: CInt) {
    guard let status = Stat(name, in: folder), status.type == .regular else { return nil }
    size = Int(status.size)
    modified = FileTime(status.st_mtim)
    changed = FileTime(status.st_ctim)
  }

  /// True if the file was last changed so long before an instant that any later change has another time. File systems have a
  /// resolution of up to two seconds.
  func isSettled(at instant: Instant) -> Bool {
    max(modified.seconds, changed.seconds) < instant.seconds - 2
  }
}

/// Remembers which backups of a folder were valid, so that the next listing needn't read them again.
///
///     var options = BackupFolder.Options(now: now)
///     options.cache = VerdictCache(in: "/home/me/.cache/coffer", version: "1.0", startedAt: .now)
///
/// A listing trusts the cache for a backup whose size, modification time and change time are those of the time when it was read;
/// or else, whose size and SHA-256 digest are. So a listing can miss a disk that returns other bytes without a change of the file.
/// Everything that decides about removing, adding or restoring backups reads them itself; if that finds a backup that isn't
/// valid, the cache forgets it.
///
/// The cache is a file for each folder, in a folder of the user: a folder of backups may be read-only, shared by machines, or
/// written by others. It may be deleted at any time. One that is damaged, too large, someone else's, or from another version or
/// other rules is ignored, and replaced. Only verdicts of rules that don't depend on the time are remembered, apart from the
/// built-in formats' rules, which never turn a valid backup into an invalid one as time passes.
public struct VerdictCache: Sendable {
  /// The folder of the cache's files. It is created if it doesn't exist.
  public var folder: FilePath
  /// Identifies the program's version, and its options that affect verdicts. Entries of other versions are ignored.
  public var version: String
  /// The real time before anything was read.
  public var startedAt: Instant

  /// - Parameters:
  ///   - folder: the folder of the cache's files.
  ///   - version: identifies the program's version, and its options that affect verdicts.
  ///   - startedAt: the real time now, even if verdicts are for another time. A file that changed in the last two seconds before
  ///     it isn't remembered, because another change may leave the same times.
  public init(in folder: FilePath, version: String, startedAt: Instant) {
    self.folder = folder
    self.version = version
    self.startedAt = startedAt
  }
}

/// Identifies a file and its state. If the identity of a name differs, it is another file, or was written to.
struct FileIdentity: Hashable, Sendable {
  let type: FileType
  private let device: DeviceID
  private let number: Inode
  let size: Int
  let modified: FileTime

  /// Looks up the name without following links. Returns `nil` if it doesn't exist or the lookup fails.
  ///
  /// - Parameter folder: an open folder's descriptor.
  init?(_ name: String, in folder: CInt) {
    guard let status = Stat(name, in: folder) else { return nil }
    (type, device, number) = (status.type, status.deviceID, status.inode)
    size = Int(status.size)
    modified = FileTime(status.st_mtim)
  }
}

extension Stat {
  fileprivate init?(_ name: String, in folder: CInt) {
    guard let status = try? FilePath(name).stat(relativeTo: FileDescriptor(rawValue: folder), flags: .symlinkNoFollow) else {
      return nil
    }
    self = status
  }
}
