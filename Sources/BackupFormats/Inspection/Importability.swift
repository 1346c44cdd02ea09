extension Inspection {
  /// Whether an import would take the document.
  ///
  /// `Inspector` alone decides by format and version. `Inspector.inspect(_:named:importingBy:)` also validates what would be imported.
  public enum Importability: String, Sendable, CaseIterable {
    /// It is of the current version, or its format has none.
    case current
    /// An import migrates it first. `Inspection.migration` says what it becomes; `nil`: its version and format stay the same.
    case older
    case olderThanKnown = "older-than-known"
    case newer
    /// It is of an older version, and the format has no migrations.
    case noMigration = "no-migration"
    /// It doesn't say its version, or not as a whole number.
    case noVersion = "no-version"
    /// No format fits, or the rules describe no backup.
    case unknownFormat = "unknown-format"
    case ambiguousFormat = "ambiguous-format"
    /// An object has a key twice.
    case duplicateKeys = "duplicate-keys"
    /// Validation finds errors.
    case findings
    /// Entries of the archive around it are unsafe or damaged.
    case faultyArchive = "faulty-archive"
    /// It can't be read to its end.
    case unreadable

    public var isPossible: Bool { self == .current || self == .older }

    /// What the version comes to.
    package init(of declared: FormatVersion, by format: BackupFormat, in container: BackupFormat.Container) {
      do {
        self = try format.importStep(for: declared, in: container) == .migrate ? .older : .current
      } catch {
        self.init(error)
      }
    }

    /// Why there is no way to the current version.
    package init(_ error: MigrationError) {
      self =
        switch error.code {
        case .newerVersion: .newer
        case .olderVersion: .olderThanKnown
        case .noVersion: .noVersion
        default: .noMigration
        }
    }
  }
}
