package import BackupFormats
package import ByteStreams
import Rules

/// Decides whether a document can be imported, and in which form. Imports and the preview of `coffer inspect` both ask here.
///
///     read and validate ─▶ current version, no errors ─────────────▶ as it is
///                       ─▶ older version ─▶ migrate ─▶ read and validate ─▶ migrated
///                       ─▶ errors, and the format changed without a new version ─▶ migrate ─▶ read and validate ─▶ migrated
///
/// Cost: a pass; a document that is migrated takes three more, and its size in temporary storage.
package struct ImportPath {
  private let catalog: FormatCatalog
  private let options: ValidationOptions
  private let acceptsFindings: Bool
  private let takesNewer: Bool

  /// - Parameters:
  ///   - catalog: the formats that documents may become.
  ///   - options: how documents are validated. Duplicate keys are always errors: a row holds a member once.
  ///   - acceptsFindings: takes documents with findings of severity error, too.
  ///   - takesNewer: also takes documents of newer versions than are known, if the version is their only error.
  package init(
    catalog: FormatCatalog, options: ValidationOptions, acceptsFindings: Bool = false, takesNewer: Bool = false
  ) {
    self.catalog = catalog
    self.takesNewer = takesNewer
    var options = options
    options.duplicateKeys = .reject
    self.options = options
    self.acceptsFindings = acceptsFindings
  }

  /// One form of the document.
  package struct Attempt {
    /// The rules and options of its validation.
    package let rules: RuleSource
    package let options: ValidationOptions
    /// How the document was migrated; `nil`: it is unchanged.
    package let migration: MigrationReport?
    fileprivate let acceptsFindings: Bool
    fileprivate let takesNewer: Bool
    fileprivate let container: BackupFormat.Container

    /// Checks the version, which is known before the records have been read.
    ///
    /// - Throws: `MigrationError` if it can't be imported; another error if it is migrated first.
    package func check(_ format: BackupFormat, _ declared: FormatVersion) throws {
      guard migration == nil else { return }
      if try format.importStep(for: declared, in: container, takesNewer: takesNewer) == .migrate {
        throw OlderDocument(format: format)
      }
    }

    /// Checks what validation found.
    ///
    /// - Throws: `ImportRefusal`.
    package func check(_ document: ContainedDocument) throws(ImportRefusal) {
      if document.report.isValid { return }
      let counts = document.report.counts
      if takesNewer, counts.byRule[.init(severity: .error, code: "version")] == counts.count(.error) { return }
      let mayBeOlder = migration == nil && document.format?.changesWithinVersions == true
      if !acceptsFindings || mayBeOlder { throw ImportRefusal(report: document.report, format: document.format) }
    }
  }

  fileprivate struct OlderDocument: Error {
    let format: BackupFormat
  }

  /// Has a document read until one of its forms is accepted.
  ///
  /// - Parameters:
  ///   - older: its format, if it is known to be of an older version.
  ///   - open: the document, or LZ4 data that holds it, each time from its start.
  ///   - read: reads it to its end, and asks both of the attempt's checks.
  /// - Throws: `ImportRefusal`, whose findings have their places in the document as it came, unless that is of an older version; `MigrationError`; what `open`
  ///   and `read` throw.
  package func run<R>(
    _ rules: RuleSource, in container: BackupFormat.Container, older: BackupFormat? = nil,
    reopening open: () throws -> any ByteSource, read: (any ByteSource, Attempt) throws -> R
  ) throws -> R {
    func attempt(_ rules: RuleSource, _ migration: MigrationReport?, acceptsFindings: Bool) -> Attempt {
      Attempt(
        rules: rules, options: options, migration: migration, acceptsFindings: acceptsFindings, takesNewer: takesNewer,
        container: container)
    }
    do {
      if let older { throw OlderDocument(format: older) }
      return try read(try open(), attempt(rules, nil, acceptsFindings: acceptsFindings))
    } catch let older as OlderDocument {
      let (document, migration) = try migrate(older.format, reopening: open, in: container)
      let format = try format(of: migration, from: older.format)
      return try read(document, attempt(.format(format), migration, acceptsFindings: acceptsFindings))
    } catch let refusal as ImportRefusal {
      guard let format = refusal.format, format.changesWithinVersions else { throw refusal }
      do {
        let (document, migration) = try migrate(format, reopening: open, in: container)
        // A document that no step changes is read again only if its findings are accepted.
        guard migration.hasChanged || acceptsFindings else { throw refusal }
        return try read(document, attempt(.format(format), migration, acceptsFindings: acceptsFindings))
      } catch is ImportRefusal {
        throw refusal
      } catch let error as MigrationError where error.code == .newerVersion {
        // It is of a newer version, and its errors aren't about that alone.
        throw refusal
      }
    }
  }

  private func format(of migration: MigrationReport, from format: BackupFormat) throws(MigrationError) -> BackupFormat {
    if migration.formatAfter == format.name { return format }
    if let next = catalog[migration.formatAfter] { return next }
    throw MigrationError(code: .unknownFormat, message: "unknown format '\(migration.formatAfter)'")
  }

  private func migrate(
    _ format: BackupFormat, reopening open: () throws -> any ByteSource, in container: BackupFormat.Container
  ) throws -> (any ByteSource, MigrationReport) {
    var migration = MigrationOptions(now: options.now)
    migration.execution = options.execution.unmetered
    migration.container = container
    var sink = StoringSink(in: options.execution.temporaryFolder)
    let report = try Migrator(catalog, format: format, options: migration).migrate(reopening: open, to: &sink)
    return (StoredSource(StoredBytes(sink, named: "the migrated document")), report)
  }
}
