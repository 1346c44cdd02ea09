public import Rules
public import SystemPackage

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
