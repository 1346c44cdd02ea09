public import Findings
public import Rules

/// The contents of a folder of backups.
public struct CatalogListing: Sendable {
  /// The folder, as the caller named it.
  public let folder: String
  /// The backups, newest first.
  public let backups: [CatalogedBackup]
  /// Entries that are not backups, by name. They are never changed. Some of them may have been backups: ``lost``.
  public let others: [Other]
  /// The number of entries whose names are not UTF-8. No app gives its backups such names.
  public let unnamedCount: Int

  /// An entry of the folder that is not a backup.
  public struct Other: Sendable, Hashable {
    /// The kind of entry, stable for programs.
    public enum Kind: String, Sendable, CaseIterable {
      /// A file without a backup's extension, or of a format without collections.
      case file
      /// A file of a known format that wasn't requested.
      case otherFormat = "other-format"
      /// A file with a backup's extension, but of an unknown format.
      case unknownFormat = "unknown-format"
      /// A file with a backup's extension whose content fits several formats, and whose name fits none.
      case ambiguous = "ambiguous-format"
      /// A file with a backup's extension that is empty, truncated, or neither JSON nor a backup's archive.
      case damaged
      case folder
      /// A symbolic link. It is not followed.
      case link = "symbolic-link"
      /// A pipe, a socket or a device.
      case special
      /// A file with a backup's extension that can't be read.
      case unreadable
    }

    public let name: String
    public let kind: Kind
    /// The error that prevents reading, if the file is damaged or unreadable.
    public let error: DocumentError?

    public init(name: String, kind: Kind, error: DocumentError? = nil) {
      self.name = name
      self.kind = kind
      self.error = error
    }

    /// True if the entry has a backup's extension, but nothing can be restored from it.
    public var isLost: Bool {
      switch kind {
      case .unknownFormat, .ambiguous, .damaged, .unreadable: true
      case .file, .otherFormat, .folder, .link, .special: false
      }
    }
  }

  public init(folder: String, backups: [CatalogedBackup], others: [Other] = [], unnamedCount: Int = 0) {
    self.folder = folder
    self.backups = backups.sorted { $0.isNewer(than: $1) }
    self.others = others.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.unnamedCount = unnamedCount
  }

  /// The files with a backup's extension from which nothing can be restored, by name.
  public var lost: [Other] { others.filter(\.isLost) }

  /// The names of the backups' formats, sorted.
  public var formats: [String] { Set(backups.map(\.format)).sorted() }

  /// Returns the newest valid backup: the one to restore, and whose age decides if another one is due.
  ///
  /// Backups dated more than a day in the future are skipped: their age is unknown.
  ///
  /// - Parameters:
  ///   - format: the format's name; `nil`: any format.
  ///   - now: the current time.
  public func newestValid(of format: String? = nil, at now: Instant) -> CatalogedBackup? {
    backups.first { $0.isValid && (format == nil || format == $0.format) && !$0.created.instant.isAhead(of: now) }
  }

  /// Returns true if another backup of the format is due: there is no valid one, or the newest is at least `age` old.
  ///
  /// - Parameters:
  ///   - age: the age of the newest valid backup from which another one is due; zero: always.
  ///   - format: the format's name; `nil`: any format.
  ///   - now: the current time.
  public func isDue(after age: BackupAge, of format: String? = nil, at now: Instant) -> Bool {
    newestValid(of: format, at: now).map { $0.created.instant <= age.before(now) } ?? true
  }
}
