public import Rules

/// What is in a folder of backups.
public struct CatalogListing: Sendable {
  /// As it was given.
  public let folder: String
  /// The newest first.
  public let backups: [CatalogedBackup]
  /// What is no backup, by name. Nothing ever happens to it.
  public let others: [Other]
  /// How many more there are whose names are no UTF-8: no app gives its backups such names.
  public let unnamedCount: Int

  /// What has a name in the folder and is no backup.
  public struct Other: Sendable, Hashable {
    /// Stable for programs.
    public enum Kind: String, Sendable, CaseIterable {
      /// Of no format that is known.
      case file
      /// Its content fits several formats, and its name none.
      case ambiguous
      case folder
      /// Where it leads is not looked at.
      case link = "symbolic-link"
      /// A pipe, a socket, a device.
      case special
      /// It can't be read, and its name isn't one that backups have.
      case unreadable
    }

    public let name: String
    public let kind: Kind

    public init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  public init(folder: String, backups: [CatalogedBackup], others: [Other] = [], unnamedCount: Int = 0) {
    self.folder = folder
    self.backups = backups.sorted { $0.isNewer(than: $1) }
    self.others = others.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.unnamedCount = unnamedCount
  }

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
