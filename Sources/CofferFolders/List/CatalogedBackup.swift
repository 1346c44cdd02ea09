import BackupFormats
public import Findings
public import Rules

/// A file of a folder that holds a backup, as far as it can be told.
public struct CatalogedBackup: Sendable {
  /// The file's, without its folder.
  public let name: String
  /// The format's name.
  public let format: String
  /// In bytes, as it is stored.
  public var size = 0
  /// The version of its format, if it says one.
  public var version: Int?
  public var created: Creation
  /// The version of the app that made it, and what it ran on, in its own words.
  public var app: String?
  public var device: String?
  /// The collections that are in it, each with how many records it has.
  public var counts: [Count] = []
  public var soundness: Soundness
  /// Which file it is, so that no other is removed in its place; `nil` of one that was made up.
  var identity: FileIdentity?

  public init(name: String, format: String, created: Creation, soundness: Soundness) {
    self.name = name
    self.format = format
    self.created = created
    self.soundness = soundness
  }

  /// When it was made, and who says so.
  public struct Creation: Sendable, Hashable {
    public enum Source: String, Sendable, CaseIterable {
      /// The backup itself.
      case document
      /// The file's name, for the backup doesn't say.
      case name
      /// The file: when it was last written to.
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
    /// What the collection is called.
    public var title: String
    /// A JSON Pointer.
    public var pointer: String
    public var count: Int
  }

  /// What reading it to its end came to.
  public enum Soundness: Sendable, Hashable {
    /// It has no findings of severity error.
    case valid
    /// It has so many; `first` is the first of them.
    case invalid(errors: Int, first: Finding?)
    /// It breaks off, or is no JSON, or no archive, or was changed on its way: what made it didn't write this.
    case damaged(DocumentError)
    /// It could not be read, or is larger than what is read here: nothing is known of it.
    case unreadable(DocumentError)
    /// It is of a version that isn't known here yet: whether it is valid, a newer Coffer knows.
    case newer(version: Int)

    /// All that `code` may be.
    static let codes = ["valid", "invalid", "damaged", "unreadable", "newer-version"]

    /// Stable for programs.
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

  /// Whether it was made after the other. At equal times the longer name, and of names as long as each other the one that comes later in the order of its
  /// bytes, counts as the newer: `….json` with `-2` before the dot was made after the one without.
  func isNewer(than other: CatalogedBackup) -> Bool {
    if created.instant != other.created.instant { return created.instant > other.created.instant }
    let (a, b) = (name.utf8, other.name.utf8)
    return a.count != b.count ? a.count > b.count : b.lexicographicallyPrecedes(a)
  }
}

extension Instant {
  /// Whether it is so far ahead that no clock that goes a little fast explains it: more than a day.
  func isAhead(of now: Instant) -> Bool {
    let (limit, isOver) = now.seconds.addingReportingOverflow(86400)
    return !isOver && seconds > limit
  }
}
