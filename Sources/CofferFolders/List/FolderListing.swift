public import ByteStreams
import Findings
public import Rules

/// The contents of a folder of backups.
public struct FolderListing: Sendable {
  /// The folder's path as given.
  public let folder: String
  /// The backups, newest first.
  public let backups: [ListedBackup]
  /// Everything else, by name. It is never changed. Some of it may have been a backup: ``lost``.
  public let others: [Other]
  /// The number of further entries, whose names aren't UTF-8. No app gives its backups such names.
  public let unnamedCount: Int

  /// An entry of the folder that isn't a backup.
  public struct Other: Sendable, Hashable, Encodable {
    /// The kind of entry, stable for programs.
    public enum Kind: String, Sendable, CaseIterable, Encodable {
      /// A file without a backup's ending, or of a format without collections.
      case file
      /// A file of a known format that isn't one of the requested formats.
      case otherFormat = "other-format"
      /// A file with a backup's ending, but of an unknown format.
      case unknownFormat = "unknown-format"
      /// A file with a backup's ending whose content fits several formats, and whose name fits none.
      case ambiguous = "ambiguous-format"
      /// A file with a backup's ending that is empty, truncated, or neither JSON nor an archive of a backup.
      case damaged
      case folder
      /// A symbolic link, which is not followed.
      case link = "symbolic-link"
      /// A pipe, a socket or a device.
      case special
      /// A file with a backup's ending that can't be read.
      case unreadable
    }

    public let name: String
    public let kind: Kind
    /// The error of reading it, if it is damaged or unreadable.
    public let error: CofferError?

    public init(name: String, kind: Kind, error: CofferError? = nil) {
      self.name = name
      self.kind = kind
      self.error = error
    }

    /// True if it has a backup's ending, but nothing can be restored from it.
    public var isLost: Bool {
      switch kind {
      case .unknownFormat, .ambiguous, .damaged, .unreadable: true
      case .file, .otherFormat, .folder, .link, .special: false
      }
    }
  }

  public init(folder: String, backups: [ListedBackup], others: [Other] = [], unnamedCount: Int = 0) {
    self.folder = folder
    self.backups = backups.sorted { $0.isNewer(than: $1) }
    self.others = others.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.unnamedCount = unnamedCount
  }

  /// The files with a backup's ending from which nothing can be restored, by name.
  public var lost: [Other] { others.filter(\.isLost) }

  /// True if it has files with a backup's ending, and no format fits any of them.
  public var isUnrecognised: Bool { backups.isEmpty && !lost.isEmpty }

  /// The names of the backups' formats, sorted.
  public var formats: [String] { Set(backups.map(\.format)).sorted() }

  /// Returns the newest valid backup: the one to restore, whose age decides whether another one is due.
  ///
  /// Skips backups dated more than a day in the future, because their age is unknown.
  ///
  /// - Parameters:
  ///   - format: the format's name, or `nil` for any format.
  ///   - now: the current time.
  public func newestValid(of format: String? = nil, at now: Instant) -> ListedBackup? {
    backups.first { $0.isValid && !$0.isPart && (format == nil || format == $0.format) && !$0.created.instant.isAhead(of: now) }
  }

  /// Returns the seconds until another backup of the format is due: 0 if there is no valid one, or if the newest valid one has reached
  /// `age`.
  ///
  /// A backup is due up to an hour early, or a 24th of its age if that is less: a job that runs at regular times must not skip one
  /// because it has begun a little earlier than the last time.
  ///
  /// - Parameters:
  ///   - age: the age at which a backup is due; with an age of 0, it is always due.
  ///   - format: the format's name, or `nil` for any format.
  ///   - now: the current time.
  public func secondsUntilDue(after age: BackupAge, of format: String? = nil, at now: Instant) -> Int {
    guard let newest = newestValid(of: format, at: now) else { return 0 }
    let limit = age.before(now)
    let tolerance = min(3600, (now.seconds - limit.seconds) / 24)
    if newest.created.instant <= Instant(seconds: limit.seconds + tolerance, attoseconds: limit.attoseconds) { return 0 }
    return max(1, Int(newest.created.instant.seconds - limit.seconds - tolerance))
  }
}
