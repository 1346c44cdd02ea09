public import Findings
public import Rules

/// What is in a folder of backups.
public struct CatalogListing: Sendable {
  /// As it was given.
  public let folder: String
  /// The newest first.
  public let backups: [CatalogedBackup]
  /// What is no backup, by name. Nothing ever happens to it. Some of it may have been one: ``lost``.
  public let others: [Other]
  /// How many more there are whose names are no UTF-8: no app gives its backups such names.
  public let unnamedCount: Int

  /// What has a name in the folder and is no backup.
  public struct Other: Sendable, Hashable {
    /// Stable for programs.
    public enum Kind: String, Sendable, CaseIterable {
      /// Its name hasn't the ending of a backup, or it is of a format without collections.
      case file
      /// Of a known format that wasn't asked for.
      case otherFormat = "other-format"
      /// It has a backup's ending, but is of no known format.
      case unknownFormat = "unknown-format"
      /// It has a backup's ending, its content fits several formats, and its name none.
      case ambiguous = "ambiguous-format"
      /// It has a backup's ending, but is empty, breaks off, or is no JSON and no archive of a backup.
      case damaged
      case folder
      /// Where it leads is not looked at.
      case link = "symbolic-link"
      /// A pipe, a socket, a device.
      case special
      /// It has a backup's ending, but can't be read.
      case unreadable
    }

    public let name: String
    public let kind: Kind
    /// What keeps it from being read, if it is damaged or unreadable.
    public let error: DocumentError?

    public init(name: String, kind: Kind, error: DocumentError? = nil) {
      self.name = name
      self.kind = kind
      self.error = error
    }

    /// Whether it has a backup's ending, but nothing can be restored from it.
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

  /// The files that have a backup's ending, but from which nothing can be restored, by name.
  public var lost: [Other] { others.filter(\.isLost) }

  /// The names of the formats that its backups are of, sorted.
  public var formats: [String] { Set(backups.map(\.format)).sorted() }

  /// The newest backup that is valid: what to restore, and what the age of is what counts.
  ///
  /// One that says it was made more than a day from now is passed over: nobody knows how old it is.
  ///
  /// - Parameters:
  ///   - format: the format's name; `nil`: of any.
  ///   - now: the present.
  public func newestValid(of format: String? = nil, at now: Instant) -> CatalogedBackup? {
    backups.first { $0.isValid && (format == nil || format == $0.format) && !$0.created.instant.isAhead(of: now) }
  }

  /// Whether another backup of the format should be made: there is no valid one, or the newest is as old as this, or older.
  ///
  /// - Parameters:
  ///   - age: what the age of the newest may come to; nothing: it is always due.
  ///   - format: the format's name; `nil`: a backup of any.
  ///   - now: the present.
  public func isDue(after age: BackupAge, of format: String? = nil, at now: Instant) -> Bool {
    newestValid(of: format, at: now).map { $0.created.instant <= age.before(now) } ?? true
  }
}
