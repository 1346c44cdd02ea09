package import BackupFormats
package import ByteStreams
import Rules

/// Decides whether a document can be imported, and in which form. Imports and the preview of `coffer inspect` both use this.
///
///     read and validate ─▶ current version, no errors ─────────────▶ as it is
///                       ─▶ older version ─▶ migrate ─▶ read and validate ─▶ migrated
///                       ─▶ errors, and the format changed without a new version ─▶ migrate ─▶ read and validate ─▶ migrated
///
/// Cost: one pass; migrating a document takes three more, and its size in temporary storage.
package struct ImportPath {
  private let catalog: FormatCatalog
  private let options: ValidationOptions
  private let acceptsFindings: Bool
  private let acceptsNewer: Bool

  /// - Parameters:
  ///   - catalog: the formats that documents may become.
  ///   - options: how documents are validated. Duplicate keys are always errors: a row holds a member once.
  ///   - acceptsFindings: also accept documents with findings of severity error.
  ///   - acceptsNewer: also accept documents of newer versions than the known ones, if the version is their only error.
  package init(
    catalog: FormatCatalog, options: ValidationOptions, acceptsFindings: Bool = false, acceptsNewer: Bool = false
  ) {
    self.catalog = catalog
    self.acceptsNewer = acceptsNewer
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
    /// How the document was migrated, or `nil` if it wasn't.
    package let migration: MigrationReport?
    fileprivate let acceptsFindings: Bool
    fileprivate let acceptsNewer: Bool
    fileprivate let container: BackupFormat.Container

    /// Checks the version, which is known before the records have been read.
    ///
    /// - Throws: `CofferError` if it can't be imported; another error if it is migrated first.
    package func check(_ format: BackupFormat, _ declared: FormatVersion) throws {
      guard migration == nil else { return }
      if try format.importStep(for: declared, in: container, acceptsNewer: acceptsNewer) == .migrate {
        throw OlderDocument(format: format)
      }
    }

    /// Checks the findings of the validation.
    ///
    /// - Throws: `CofferError` with the code `findings`.
    package func check(_ document: ContainedDocument) throws(CofferError) {
      if document.report.isValid { return }
      let counts = document.report.counts
      if acceptsNewer, counts.count(.error, code: "version") == counts.count(.error) { return }
      let mayBeOlder = migration == nil && document.format?.changesWithinVersions == true
      if !acceptsFindings || mayBeOlder {
        let count = document.report.counts.count(.error).counted("finding")
        throw CofferError(
          .findings, "\(document.report.file): \(count) of severity error: nothing was imported",
          underlying: FindingsError(report: document.report, format: document.format))
      }
    }
  }

  fileprivate struct OlderDocument: Error {
    let format: BackupFormat
  }

  /// Reads a document, and its migrated form if necessary, until one is accepted.
  ///
  /// - Parameters:
  ///   - older: its format, if it is known to be of an older version.
  ///   - open: the document, or compressed data that holds it, each time from its start.
  ///   - read: reads it to its end, and calls both checks of the attempt.
  /// - Throws: `CofferError`, whose findings have places in the original document, unless it has an older version; the errors of
  ///   `open` and `read`.
  package func run<R>(
    _ rules: RuleSource, in container: BackupFormat.Container, older: BackupFormat? = nil,
    reopening open: () throws -> any ByteSource, read: (any ByteSource, Attempt) throws -> R
  ) throws -> R {
    func attempt(_ rules: RuleSource, _ migration: MigrationReport?, acceptsFindings: Bool) -> Attempt {
      Attempt(
        rules: rules, options: options, migration: migration, acceptsFindings: acceptsFindings, acceptsNewer: acceptsNewer,
        container: container)
    }
    do {
      if let older { throw OlderDocument(format: older) }
      return try read(try open(), attempt(rules, nil, acceptsFindings: acceptsFindings))
    } catch let older as OlderDocument {
      let (document, migration) = try migrate(older.format, reopening: open, in: container)
      let format = try format(of: migration, from: older.format)
      return try read(document, attempt(.format(format), migration, acceptsFindings: acceptsFindings))
    } catch let refusal as CofferError where refusal.code == .findings {
      guard let format = (refusal.underlying as? FindingsError)?.format, format.changesWithinVersions else { throw refusal }
      do {
        let (document, migration) = try migrate(format, reopening: open, in: container)
        // If no step changed anything, read the result only if findings are accepted.
        guard migration.hasChanged || acceptsFindings else { throw refusal }
        return try read(document, attempt(.format(format), migration, acceptsFindings: acceptsFindings))
      } catch let error as CofferError where [.findings, .newerVersion].contains(error.code) {
        // A newer version is one of several errors.
        throw refusal
      }
    }
  }

  private func format(of migration: MigrationReport, from format: BackupFormat) throws(CofferError) -> BackupFormat {
    if migration.formatAfter == format.name { return format }
    if let next = catalog[migration.formatAfter] { return next }
    throw CofferError(.unknownFormat, "unknown format '\(migration.formatAfter)'")
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
