import BackupFormats
public import ByteStreams
public import Findings
public import Rules
import SystemPackage

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

extension FolderListing {
  /// What to restore from a folder if the user names no backup.
  public enum RestoreChoice: Sendable {
    /// The newest valid backup. Newer ones are skipped, each for a reason: a phrase that follows *which is*.
    case backup(ListedBackup, skipped: [(name: String, reason: String)])
    case noBackups
    /// The newest backup is not a choice among those of several formats; their names, sorted.
    case severalFormats([String])
    case noneValid
  }

  /// Chooses the backup to restore: ``newestValid(of:at:)``, if all backups have one format.
  public func restoreChoice(at now: Instant) -> RestoreChoice {
    if backups.isEmpty { return .noBackups }
    if formats.count > 1 { return .severalFormats(formats) }
    guard let backup = newestValid(at: now) else { return .noneValid }
    let skipped = backups.prefix { $0.name != backup.name }.map { newer in
      let reason = !newer.isValid ? newer.validity.code : newer.isPart ? "a part of a backup" : "dated in the future"
      return (name: newer.name, reason: reason)
    }
    return .backup(backup, skipped: skipped)
  }
}

/// A backup file in a folder.
public struct ListedBackup: Sendable {
  /// The file's name, without its folder.
  public let name: String
  /// The format's name.
  public let format: String
  /// The size of the file in bytes.
  public var size = 0
  /// The format's version, if the backup states it.
  public var version: Int?
  public var created: Creation
  /// The version of the app that made the backup, and its device, as the backup states them.
  public var app: String?
  public var device: String?
  /// The record counts of the collections that the backup has.
  public var counts: [Count] = []
  public var validity: Validity
  /// The time for which an earlier run found it valid, if it was not read again (``VerdictCache``).
  public var checkedAt: Instant?
  /// False if the format names its backups otherwise: for example, for a copy that a sync service made after a conflict.
  var hasFormatName = true
  /// The start of its name, for backups that the app names differently from the usual ones, such as safety copies.
  var series: String?
  /// True if its name ends in `-part`: it has only some of the collections, and doesn't replace a complete backup.
  var isPart = false
  /// The file's identity, so that no other file is removed in its place, or `nil` for values without a file.
  var identity: FileIdentity?

  public init(name: String, format: String, created: Creation, validity: Validity) {
    self.name = name
    self.format = format
    self.created = created
    self.validity = validity
  }

  /// The time of a backup's creation, and its source.
  public struct Creation: Sendable, Hashable {
    public enum Source: String, Sendable, CaseIterable {
      /// The backup's content.
      case document
      /// The file's name, because the content doesn't state the time.
      case name
      /// The file's modification time.
      case file
    }

    public var instant: Instant
    public var source: Source

    public init(_ instant: Instant, by source: Source) {
      self.instant = instant
      self.source = source
    }
  }

  public struct Count: Sendable, Hashable, Codable {
    /// The collection's title.
    public var title: String
    /// The collection's JSON Pointer.
    public var pointer: String
    public var count: Int

    private enum CodingKeys: CodingKey { case pointer, title, count }
  }

  /// The result of reading a backup completely.
  public enum Validity: Sendable, Hashable {
    /// It has no findings of severity error.
    case valid
    /// It has findings of severity error; `first` is the first of them.
    indirect case invalid(errors: Int, first: Finding?)
    /// It is truncated, corrupted, or neither JSON nor an archive: not what its app wrote.
    case damaged(CofferError)
    /// It could not be read, or exceeds a limit, so its contents are unknown.
    case unreadable(CofferError)
    /// It is of an unknown newer version, which only a newer Coffer can validate.
    case newer(version: Int)

    /// All values of `code`.
    static let codes = ["valid", "invalid", "damaged", "unreadable", "newer-version"]

    /// The result's code, stable for programs.
    public var code: String {
      switch self {
      case .valid: "valid"
      case .invalid: "invalid"
      case .damaged: "damaged"
      case .unreadable: "unreadable"
      case .newer: "newer-version"
      }
    }
  }

  public var isValid: Bool { validity == .valid }

  /// The number of records in all collections.
  var recordCount: Int { counts.reduce(0) { $0 + $1.count } }

  /// Returns the path of the backup in a folder.
  func path(in folder: String) -> String { FilePath(folder).appending(name).string }

  /// Returns true if the backup was made after the other.
  ///
  /// Of two with the same time, one that has a name of the format counts as newer. Then it is the longer name (`…-2.json` was made after
  /// `….json`); of other names the backup with more records, then the shorter name, because those are often copies. Last, it is the name
  /// that comes later in byte order.
  func isNewer(than other: ListedBackup) -> Bool {
    if created.instant != other.created.instant { return created.instant > other.created.instant }
    if hasFormatName != other.hasFormatName { return hasFormatName }
    let (a, b) = (name.utf8, other.name.utf8)
    if !hasFormatName {
      if recordCount != other.recordCount { return recordCount > other.recordCount }
      if a.count != b.count { return a.count < b.count }
    }
    return a.count != b.count ? a.count > b.count : b.lexicographicallyPrecedes(a)
  }
}

extension ListedBackup {
  /// Notes what its name says, if the format names its backups.
  mutating func takeName(of format: BackupFormat) {
    if let fileName = format.fileName {
      hasFormatName = fileName.fits(name)
      series = fileName.series(of: name)
    } else {
      hasFormatName = name.hasPrefix(BackupFolder.namePrefix(of: format))
    }
    isPart = BackupFileName.isPart(name)
    if isPart { series = (series ?? "") + BackupFileName.partMark }
  }
}

extension Instant {
  /// Returns true if the instant is more than a day after `now`, which is more than a clock that is slightly fast explains.
  func isAhead(of now: Instant) -> Bool {
    let (limit, isOver) = now.seconds.addingReportingOverflow(86400)
    return !isOver && seconds > limit
  }
}
