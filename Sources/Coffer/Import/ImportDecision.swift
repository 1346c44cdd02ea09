package import BackupFormats
package import ByteStreams
public import Findings
import Rules

/// Decides whether a document can be imported, and in which form. Imports and the preview of `coffer inspect` both use this.
///
///     read and validate ─▶ current version, no errors ─────────────▶ as it is
///                       ─▶ older version ─▶ migrate ─▶ read and validate ─▶ migrated
///                       ─▶ errors, and the format changed without a new version ─▶ migrate ─▶ read and validate ─▶ migrated
///
/// If errors are accepted, only the migrations that change a place with an error are made.
///
/// Cost: one pass; migrating a document takes three more, and its size in temporary storage.
package struct ImportDecision {
  private let catalog: FormatCatalog
  package let options: ValidationOptions
  private let acceptsFindings: Bool
  private let acceptsNewer: Bool
  private let skipping: Skipping?

  /// How records with errors are left out.
  package struct Skipping {
    private let policy: InvalidRecords
    private let reject: (LeftOut, UnsafeRawBufferPointer) throws -> Void

    /// - Parameter reject: gets each record with its bytes.
    package init(_ policy: InvalidRecords, rejecting reject: @escaping (LeftOut, UnsafeRawBufferPointer) throws -> Void) {
      self.policy = policy
      self.reject = reject
    }

    /// Returns the document without these records.
    ///
    /// - Parameter open: opens the document from its start.
    fileprivate func validDocument(
      _ name: String, by rules: RuleSource, _ validation: ValidationOptions, _ open: @escaping () throws -> OpenedDocument
    ) throws -> (StoredBytes, RecoveryReport) {
      var options = RecoveryOptions(now: validation.now)
      options.validation = validation
      let backup = OpenedBackup(named: name, validation.execution.unmetered) { try open().source }
      var sink = StoringSink(in: validation.execution.temporaryFolder)
      let log = RecoveryLog(name, reject)
      try ValidRecords(Recovery(rules, options: options), backup, policy).recover(to: &sink, log)
      return (StoredBytes(sink, named: name, progress: validation.execution.progress), log.report)
    }
  }

  /// - Parameters:
  ///   - catalog: the formats that documents may become.
  ///   - options: how documents are validated. Duplicate keys are always errors: a row holds a member once.
  ///   - acceptsFindings: also accept documents with findings of severity error.
  ///   - skipping: leaves out the records with errors, if they would be the reason for a refusal. Archives are refused then.
  ///   - acceptsNewer: also accept documents of newer versions than the known ones, if the version is their only error.
  package init(
    catalog: FormatCatalog, options: ValidationOptions, acceptsFindings: Bool = false, acceptsNewer: Bool = false,
    skipping: Skipping? = nil
  ) {
    self.skipping = skipping
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
    /// Which records with errors were left out, or `nil` if none were.
    package fileprivate(set) var skipped: RecoveryReport?
    fileprivate let acceptsFindings: Bool
    /// True if no migration follows.
    fileprivate var isLast: Bool
    fileprivate let acceptsNewer: Bool
    fileprivate let container: BackupFormat.Container

    /// Checks the version, which is known before the records have been read.
    ///
    /// - Throws: `CofferError` if it can't be imported; another error if it is migrated first.
    package func check(_ format: BackupFormat, _ declared: FormatVersion) throws {
      guard migration == nil else { return }
      if try format.importMigrates(declared, in: container, acceptsNewer: acceptsNewer) {
        throw OlderDocument(format: format)
      }
    }

    /// Checks the findings of the validation.
    ///
    /// - Throws: `CofferError` with the code `findings`.
    package func check(_ document: ValidatedDocument) throws(CofferError) {
      if document.report.isValid { return }
      let counts = document.report.counts
      if acceptsNewer, counts.count(.error, code: "version") == counts.count(.error) { return }
      let mayBeOlder = !isLast && document.format?.changesWithinVersions == true
      if !acceptsFindings || mayBeOlder {
        throw CofferError(refusing: document.report, document.format)
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
  ///   - backup: the backup, which can be read repeatedly.
  ///   - showsProgress: false if the caller says what is done.
  ///   - report: validates the original document. If its migrated form has errors, the findings there have places in the original.
  ///     If `nil`, or if the original has no errors, the report is on the migrated form, and says so.
  ///   - body: reads it to its end, and calls both checks of the attempt.
  /// - Throws: `CofferError`; the errors of `body`.
  package func run<R>(
    _ rules: RuleSource, _ backup: OpenedBackup, older: BackupFormat? = nil, showsProgress: Bool = false,
    reportingOn report: ((OpenedDocument) throws -> ValidationReport)? = nil, read body: (OpenedDocument, Attempt) throws -> R
  ) throws -> R {
    func attempt(_ rules: RuleSource, _ migration: MigrationReport?, isLast: Bool = true) -> Attempt {
      Attempt(
        rules: rules, options: options, migration: migration, acceptsFindings: acceptsFindings, isLast: isLast,
        acceptsNewer: acceptsNewer, container: backup.container)
    }
    let byteCount = backup.byteCount
    let progress = showsProgress && byteCount != nil ? options.execution.progress : nil
    func migrated(_ format: BackupFormat) throws -> (() -> OpenedDocument, MigrationReport) {
      // It is read to its end for its version, and again to be changed.
      progress?.begin("migrating", byteCount: byteCount.map { $0 &* 2 })
      let (bytes, report) = try migrate(format, backup, progress)
      progress?.begin(byteCount: bytes.byteCount)
      return ({ OpenedDocument(StoredSource(bytes), named: backup.name, in: backup.container) }, report)
    }
    func read(_ open: @escaping () throws -> OpenedDocument, _ attempt: Attempt) throws -> R {
      do {
        return try body(try open(), attempt)
      } catch let refusal as CofferError where Self.isAboutRecords(refusal) {
        let format = (refusal.underlying as? FindingsError)?.format
        guard let skipping, attempt.isLast || format?.changesWithinVersions != true else { throw refusal }
        if backup.container == .zip { throw CofferError(.zipArchive, OpenedBackup.archiveRefusal(of: backup.name)) }
        let (bytes, report) = try skipping.validDocument(backup.name, by: attempt.rules, options, open)
        if report.lossCount == 0 { throw refusal }
        var rest = attempt
        (rest.skipped, rest.isLast) = (report, true)
        progress?.begin(byteCount: bytes.byteCount)
        return try body(OpenedDocument(StoredSource(bytes), named: backup.name, in: backup.container), rest)
      }
    }
    do {
      progress?.begin(byteCount: byteCount)
      if let older { throw OlderDocument(format: older) }
      return try read({ try backup.document() }, attempt(rules, nil, isLast: false))
    } catch let older as OlderDocument {
      let (document, migration) = try migrated(older.format)
      let format = try format(of: migration, from: older.format)
      do {
        return try read(document, attempt(.format(format), migration))
      } catch let refusal as CofferError where refusal.code == .findings {
        throw try self.refusal(refusal, backup, reportingOn: report)
      }
    } catch let refusal as CofferError where refusal.code == .findings {
      guard let cause = refusal.underlying as? FindingsError, let format = cause.format, format.changesWithinVersions else {
        throw refusal
      }
      let errors = cause.report.findings.filter { $0.severity == .error }.map(\.place.pointer)
      let chosen = acceptsFindings ? try format.migrating(only: errors) : format
      if chosen.migrations.isEmpty {
        progress?.begin(byteCount: byteCount)
        return try read({ try backup.document() }, attempt(rules, nil))
      }
      do {
        let (document, migration) = try migrated(chosen)
        // If no step changed anything, read the result only if findings are accepted.
        guard migration.hasChanged || acceptsFindings || skipping != nil else { throw refusal }
        return try read(document, attempt(.format(format), migration))
      } catch let error as CofferError where [.findings, .newerVersion].contains(error.code) {
        // A newer version is one of several errors.
        throw refusal
      }
    }
  }

  /// Returns true for the refusal of findings, and for that of values that a table can't hold, which may come first.
  private static func isAboutRecords(_ error: CofferError) -> Bool {
    error.code == .findings || error.code == .unsupportedValue
  }

  /// Returns a refusal with the findings in the original document, or one that says that they are in the migrated form.
  private func refusal(
    _ refusal: CofferError, _ backup: OpenedBackup, reportingOn report: ((OpenedDocument) throws -> ValidationReport)?
  ) throws -> CofferError {
    guard let cause = refusal.underlying as? FindingsError else { return refusal }
    if let original = try report?(try backup.document()), original.error == nil, !original.isValid {
      return CofferError(refusing: original, nil)
    }
    var migrated = cause.report
    migrated.file += " (migrated)"
    return CofferError(refusing: migrated, cause.format)
  }

  private func format(of migration: MigrationReport, from format: BackupFormat) throws(CofferError) -> BackupFormat {
    if migration.formatAfter == format.name { return format }
    if let next = catalog[migration.formatAfter] { return next }
    throw CofferError(.unknownFormat, "unknown format '\(migration.formatAfter)'")
  }

  private func migrate(
    _ format: BackupFormat, _ backup: OpenedBackup, _ progress: WorkProgress?
  ) throws -> (StoredBytes, MigrationReport) {
    var migration = MigrationOptions(now: options.now)
    migration.execution = options.execution.unmetered
    var sink = StoringSink(in: options.execution.temporaryFolder)
    let report = try Migrator(catalog, format: format, options: migration).migrate(backup, to: &sink)
    return (StoredBytes(sink, named: "the migrated document", progress: progress), report)
  }
}

extension CofferError {
  fileprivate init(refusing report: ValidationReport, _ format: BackupFormat?) {
    let count = report.counts.count(.error).counted("finding")
    self.init(
      .findings, "\(report.file): \(count) of severity error: nothing was imported",
      underlying: FindingsError(report: report, format: format))
  }
}

/// Validation found errors, and they were not accepted: the cause of errors with the code `findings`.
public struct FindingsError: Error, Sendable {
  /// The report with the findings.
  public let report: ValidationReport
  package let format: BackupFormat?

  package init(report: ValidationReport, format: BackupFormat? = nil) {
    self.report = report
    self.format = format
  }
}
