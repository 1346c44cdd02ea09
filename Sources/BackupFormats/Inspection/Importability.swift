package import ByteStreams

extension Inspection {
  /// The verdict on importing a document.
  ///
  /// `Inspector` decides by format and version only. `Inspector.inspect(_:named:importingBy:)` also validates the
  /// document.
  public enum Importability: String, Sendable, CaseIterable {
    /// The document has the current version, or its format has no versions.
    case current
    /// An import migrates it first. `Inspection.migration` has the result, or is `nil` if version and format stay the same.
    case older
    case olderThanKnown = "older-than-known"
    case newer
    /// The version is older, and the format has no migrations.
    case noMigration = "no-migration"
    /// The version is missing, or not an integer.
    case noVersion = "no-version"
    /// No format fits, or the rules describe no backup.
    case unknownFormat = "unknown-format"
    case ambiguousFormat = "ambiguous-format"
    /// An object has a duplicate key.
    case duplicateKeys = "duplicate-keys"
    /// Validation finds errors.
    case findings
    /// The archive has unsafe or damaged entries.
    case faultyArchive = "faulty-archive"
    /// The document can't be read completely.
    case unreadable

    public var isPossible: Bool { self == .current || self == .older }

    /// Determines importability from the declared version.
    package init(of declared: FormatVersion, by format: BackupFormat, in container: BackupFormat.Container) {
      do {
        self = try format.importStep(for: declared, in: container) == .migrate ? .older : .current
      } catch {
        self = Self(error) ?? .noMigration
      }
    }

    /// Determines importability from the error of a migration. Returns `nil` for another error.
    package init?(_ error: CofferError) {
      switch error.code {
      case .newerVersion: self = .newer
      case .olderVersion: self = .olderThanKnown
      case .noVersion: self = .noVersion
      case .noMigration, .sizeLimit, .collectionOrder, .unknownFormat, .ambiguousFormat: self = .noMigration
      default: return nil
      }
    }
  }
}
