import BackupFormats
public import ByteStreams
public import Findings
public import Rules
import SystemPackage

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

  public struct Count: Sendable, Hashable, Encodable {
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
    case invalid(errors: Int, first: Finding?)
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
