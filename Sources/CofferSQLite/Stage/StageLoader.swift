import BackupFormats
import ByteStreams
import Coffer
import Failpoints
import Findings
import GRDB
import Pipelines
import SystemPackage

/// Creates a stage from a backup.
///
/// Cost: one pass over the document, then the indexes. `jobs` threads parse, validate and build rows; one inserts them. A
/// document of an older version is migrated first, which takes three more passes. Memory: that of `Validator`, 4 MiB for SQLite,
/// and the rows in transit.
struct StageLoader {
  let backup: OpenedBackup
  let rules: RuleSource
  let catalog: FormatCatalog
  let options: DatabaseImportOptions
  let purpose: Stage.Purpose
  /// The stage's file. An existing one is removed.
  let path: FilePath
  /// Gets the records that are left out because of errors.
  var reject: (LeftOut, UnsafeRawBufferPointer) throws -> Void = { _, _ in }
  /// A file whose permissions the stage gets, if it exists.
  var model: FilePath?
  /// Where the rules come from, if neither the caller nor the document named them.
  var assumed: AssumedRules?

  private var execution: Execution { options.validation.execution }

  /// Creates the stage, and verifies that it holds the document's contents. If this throws, there is no stage.
  ///
  /// - Throws: `CofferError`, `CancellationError`.
  func load() throws -> Stage {
    var validation = options.validation
    validation.runsSQLChecks = true
    let decision = ImportDecision(
      catalog: catalog, options: validation, acceptsFindings: options.allowsFindings,
      acceptsNewer: options.allowsNewer, skipping: options.invalidRecords.map { .init($0, rejecting: reject) })
    do {
      let original = { (document: OpenedDocument) in
        try report(on: Validator(rules, options: decision.options).validate(document))
      }
      return try decision.run(rules, backup, showsProgress: true, reportingOn: original) { document, attempt in
        try DatabaseFile.remove(path)
        return try load(document, attempt)
      }
    } catch {
      _ = try? DatabaseFile.remove(path)
      throw error
    }
  }

  /// Returns the report on a validated document and the archive around it.
  private func report(on document: ValidatedDocument) throws -> ValidationReport {
    if document.report.error != nil { return document.report }
    return try Validator(rules, options: options.validation).report(on: backup, around: document)
  }

  private func load(_ opened: OpenedDocument, _ attempt: ImportDecision.Attempt) throws -> Stage {
    let stage: Stage
    do {
      try DatabaseFile.create(path, like: model)
      let queue = try Stage.open(path)
      var (document, tables) = try fill(queue, from: opened, attempt)
      execution.progress?.say("indexing the rows")
      let properties = try queue.write(execution.cancellation) { database in
        // Queries see all records.
        if purpose != .query { try tables.dropEqualRecords(document.report.counts, in: database) }
        // Without errors, keys are known to be unique.
        if purpose != .changes || document.report.counts.count(.error) > 0 {
          try tables.addIndexes(in: database, areUnique: purpose != .query, execution.cancellation)
        }
        if purpose != .changes, options.addsNestedViews {
          try NestedViews(of: tables.layout, areWanted: true, in: database).create(in: database)
        }
        try database.execute(sql: "COMMIT")
        return try BackupProperties(of: database)
      }
      guard let properties else { throw CofferError(.verification, "the written properties can't be read") }
      execution.progress?.say("checking the rows")
      if purpose == .database { try verify(tables, in: queue) }
      try queue.close()
      try check(&document, tables.layout, attempt)
      stage = Stage(path, tables, document, attempt, properties, assumed)
    } catch let error as DatabaseError {
      throw CofferError(error, database: path.string)
    }
    do { try Failpoint.reach(.afterStage) } catch { throw CofferError(error, database: path.string) }
    if purpose == .database { try DatabaseFile.sync(path) }
    return stage
  }

  /// Runs the format's checks in SQL. What they find is a reason to refuse the document, like other findings.
  private func check(
    _ document: inout ValidatedDocument, _ layout: DatabaseLayout, _ attempt: ImportDecision.Attempt
  ) throws {
    let format = layout.format
    if format.checks.isEmpty || purpose == .query { return }
    if options.validation.only != nil {
      return document.report.add(Finding(notRun: format.checks, because: "not all collections were read"))
    }
    let hasViews = purpose == .database && options.addsNestedViews
    if !hasViews { try changeViews(of: layout) { try $0.create(in: $1) } }
    document.report = try SQLChecks(format, options: options.validation).add(to: document.report, in: path) {
      attempt.migration == nil && attempt.skipped == nil ? try backup.document() : nil
    }
    if !hasViews { try changeViews(of: layout) { try $0.remove(in: $1) } }
    try attempt.check(document)
  }

  private func changeViews(of layout: DatabaseLayout, _ body: (NestedViews, Database) throws -> Void) throws {
    let queue = try Stage.open(path)
    try queue.write(execution.cancellation) { database in
      try body(NestedViews(of: layout, areWanted: true, in: database), database)
    }
    try queue.close()
  }

  /// Reads the document into tables without indexes. The transaction stays open.
  ///
  /// With several jobs, SQLite has its own thread, so that the thread that reads the document doesn't wait for it.
  private func fill(
    _ queue: DatabaseQueue, from opened: OpenedDocument, _ attempt: ImportDecision.Attempt
  ) throws -> (ValidatedDocument, StagedTables) {
    let (purpose, cancellation) = (purpose, execution.cancellation)
    let (document, tables): (ValidatedDocument, StagedTables?)
    if execution.jobs > 1,
      let both = try Channel<StageStep>(capacity: 2).run(
        produce: { send in try withoutActuallyEscaping(send) { try validate(opened, attempt, send: $0) } },
        consume: { next in
          try queue.write(cancellation) { database in
            let writer = try StageWriter(database, purpose)
            while let change = try next() { try writer.apply(change) }
            return writer.tables
          }
        })
    {
      (document, tables) = both
    } else {
      (document, tables) = try queue.write(cancellation) { database in
        let writer = try StageWriter(database, purpose)
        return (try validate(opened, attempt, send: writer.apply), writer.tables)
      }
    }
    guard let tables else { throw CofferError(.unknownFormat, "\(opened.name): unknown format") }
    return (document, tables)
  }

  private func validate(
    _ opened: OpenedDocument, _ attempt: ImportDecision.Attempt, send: @escaping (StageStep) throws -> Void
  ) throws -> ValidatedDocument {
    let makeLayout = { (format: BackupFormat) in
      if options.settings != nil, format.settingsMember == nil {
        throw CofferError(
          .incompatible, "'\(format.name)' declares no settings member: settings can't be kept or replaced")
      }
      var layout = try DatabaseLayout(format, only: options.validation.only)
      if purpose == .query { layout.makeLenient() }
      return layout
    }
    var rows = DocumentRows(
      makeLayout: makeLayout, checkVersion: attempt.check, areRulesDrafted: assumed?.areDrafted == true, send: send)
    let validator = Validator(attempt.rules, options: attempt.options)
    var document = try validator.validate(opened, observedBy: &rows)
    document.report = try report(on: document)
    if let error = document.report.error { throw error.inDocument(opened.name) }
    try attempt.check(document)
    return document
  }

  /// Verifies the row counts, the file's integrity, and the references between rows.
  private func verify(_ tables: StagedTables, in queue: DatabaseQueue) throws {
    let (path, cancellation) = (path, execution.cancellation)
    let checkIntegrity: @Sendable () throws -> Void = {
      try Stage.open(path).write(cancellation) { try $0.checkIntegrity() }
    }
    // Writes to the disk in the meantime, so that the final sync has little left to do. The thread only waits, so one job has it
    // too.
    let writing = SideWork { try DatabaseFile.sync(path) }
    let integrity = execution.jobs > 1 ? SideWork(checkIntegrity) : nil
    let counts = Result {
      try queue.write(cancellation) { database in
        try tables.checkCounts(in: database)
        if !options.allowsFindings {
          try ForeignKey.check(tables.layout, in: database)
        }
      }
    }
    // Waits for all of them, even if one fails.
    let results = [integrity?.result() ?? Result(catching: checkIntegrity), counts, writing.result()]
    for result in results { try result.get() }
  }
}

extension DatabaseQueue {
  /// Runs `body` on a stage. A cancellation interrupts SQLite.
  fileprivate func write<R>(_ cancellation: Cancellation?, _ body: (Database) throws -> R) throws -> R {
    try writeWithoutTransaction { database in
      try database.reporting(as: "the temporary database") { try database.interrupted(by: cancellation) { try body(database) } }
    }
  }
}
