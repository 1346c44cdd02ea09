import BackupFormats
public import Findings
public import Rules

/// A file in a folder that holds a backup, as far as that is known.
public struct CatalogedBackup: Sendable {
  /// The file's name, without its folder.
  public let name: String
  /// The format's name.
  public let format: String
  /// The file's size in bytes.
  public var size = 0
  /// The version of the format, if the backup states one.
  public var version: Int?
  public var created: Creation
  /// The version of the app that made the backup, and its device, as the backup states them.
  public var app: String?
  public var device: String?
  /// The backup's collections, with their numbers of records.
  public var counts: [Count] = []
  public var soundness: Soundness
  /// The file's identity, so that no other file is removed instead; `nil` for a backup created by the caller.
  var identity: FileIdentity?

  public init(name: String, format: String, created: Creation, soundness: Soundness) {
    self.name = name
    self.format = format
    self.created = created
    self.soundness = soundness
  }

  /// The time of a backup's creation, and its source.
  public struct Creation: Sendable, Hashable {
    public enum Source: String, Sendable, CaseIterable {
      /// The backup itself.
      case document
      /// The file's name, because the backup doesn't state it.
      case name
      /// The time of the file's last change.
      case file
    }

    public var instant: Instant
    public var source: Source

    public init(_ instant: Instant, by source: Source) {
      self.instant = instant
      self.source = source
    }
  }

  public struct Count: Sendable, Hashable {
    /// The collection's title.
    public var title: String
    /// A JSON Pointer.
    public var pointer: String
    public var count: Int
  }

  /// The result of reading the complete backup.
  public enum Soundness: Sendable, Hashable {
    /// The backup has no findings of severity error.
    case valid
    /// The backup has errors; `first` is the first of them.
    case invalid(errors: Int, first: Finding?)
    /// The file is truncated or corrupted, or neither JSON nor an archive: not what its app wrote.
    case damaged(DocumentError)
    /// The file could not be read, or exceeds a limit: nothing is known about it.
    case unreadable(DocumentError)
    /// The backup is of an unknown newer version. Validating it takes a newer Coffer.
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

  public var isValid: Bool { soundness == .valid }

  /// Returns true if this backup was made after the other one. At equal times, the longer name counts as newer (`….json` with
  /// `-2` before the dot was made after the one without); of names of equal length, the later one in byte order.
  func isNewer(than other: CatalogedBackup) -> Bool {
    if created.instant != other.created.instant { return created.instant > other.created.instant }
    let (a, b) = (name.utf8, other.name.utf8)
    return a.count != b.count ? a.count > b.count : b.lexicographicallyPrecedes(a)
  }
}

extension Instant {
  /// Returns true if the instant is more than a day ahead: too far for a clock that is slightly fast.
  func isAhead(of now: Instant) -> Bool {
    let (limit, isOver) = now.seconds.addingReportingOverflow(86400)
    return !isOver && seconds > limit
  }
}
