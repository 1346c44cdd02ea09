package import BackupFormats
import ByteStreams
package import Coffer
import Failpoints
import Findings
import GRDB
import Pipelines
package import SystemPackage

/// Creates stages from documents.
///
/// Cost: one pass over the document, then the indexes. `jobs` threads parse, validate and build rows; one inserts them. A
/// document of an older version is migrated first, which takes three more passes. Memory: that of `Validator`, 4 MiB for SQLite,
/// and the rows in transit.
package struct StageLoader {
  private let rules: RuleSource
  private let catalog: FormatCatalog
  private let options: StoreImportOptions
  private let purpose: Stage.Purpose

  package init(_ rules: RuleSource, catalog: FormatCatalog, options: StoreImportOptions, for purpose: Stage.Purpose) {
    self.purpose = purpose
    self.rules = rules
    self.catalog = catalog
    self.options = options
  }

  /// Creates a stage from a document, and verifies that it holds the document's contents.
  ///
  /// - Parameters:
  ///   - backup: the backup with the document.
  ///   - file: the stage's file. An existing one is removed. The stage is removed if this throws.
  ///   - model: a file whose permissions the stage gets, if it exists.
  /// - Throws: `CofferError`, `CancellationError`,
  ///   `CofferError`.
  package func load(
    _ backup: OpenedBackup, to file: FilePath, like model: FilePath? = nil,
    report: @escaping (ContainedDocument) throws -> ValidationReport = { $0.report }
  ) throws -> Stage {
    let path = ImportPath(
      catalog: catalog, options: options.validation, acceptsFindings: options.allowsFindings,
      acceptsNewer: options.allowsNewer)
    do {
      let original = { (document: OpenedDocument) in
        let result = try Validator(rules, options: path.options).validate(document)
        return result.report.error == nil ? try report(result) : result.report
      }
      return try path.run(rules, backup, showsProgress: true, reportingOn: original) { document, attempt in
        try DatabaseFile.remove(file)
        return try load(Input(document: document, attempt: attempt, model: model, report: report), to: file)
      }
    } catch {
      _ = try? DatabaseFile.remove(file)
      throw error
    }
  }

  private struct Input {
    let document: OpenedDocument
    let attempt: ImportPath.Attempt
    let model: FilePath?
    /// Returns the report on the document and its container.
    let report: (ContainedDocument) throws -> ValidationReport
  }

  // MARK: Loading

  private func load(_ input: Input, to path: FilePath) throws -> Stage {
    let stage: Stage
    do {
      try DatabaseFile.create(path, like: input.model)
      let queue = try Stage.open(path)
      var (document, content) = try fill(queue, from: input)
      let progress = options.validation.execution.progress
      progress?.say("indexing the rows")
      let contents = try write(to: queue) { database in
        try content.dropEqualRecords(document.report.counts, in: database)
        // Without errors, keys are known to be unique.
        if purpose == .database || document.report.counts.count(.error) > 0 {
          try content.addIndexes(in: database) { try options.validation.execution.cancellation.check() }
        }
        try database.execute(sql: "COMMIT")
        return try StoreContents(of: database)
      }
      guard var contents else { throw CofferError(.verification, "the written properties can't be read") }
      progress?.say("checking the rows")
      if purpose == .database { try verify(content, in: queue, at: path) }
      try queue.close()
      contents.counts = content.rowCounts
      stage = Stage(
        path: path, layout: content.layout, document: document, migration: input.attempt.migration, contents: contents)
    } catch let error as DatabaseError {
      throw CofferError(error, database: path.string)
    }
    do { try Failpoint.reach(.afterStage) } catch { throw CofferError(error, database: path.string) }
    if purpose == .database { try DatabaseFile.sync(path) }
    return stage
  }

  /// Reads the document into tables without indexes. The transaction stays open.
  ///
  /// With several jobs, SQLite has its own thread, so that the thread that reads the document doesn't wait for it.
  private func fill(
    _ queue: DatabaseQueue, from input: Input
  ) throws -> (ContainedDocument, StageContent) {
    let cancellation = options.validation.execution.cancellation
    let makesIndexes = purpose == .database
    let (document, content): (ContainedDocument, StageContent?)
    if options.validation.execution.jobs > 1,
      let both = try Channel<StageChange>(capacity: 2).run(
        produce: { send in try withoutActuallyEscaping(send) { try validate(input, send: $0) } },
        consume: { next in
          try Self.write(to: queue, cancellation) { database in
            let writer = try StageWriter(database, makesIndexes: makesIndexes)
            while let change = try next() { try writer.apply(change) }
            return writer.content
          }
        })
    {
      (document, content) = both
    } else {
      (document, content) = try write(to: queue) { database in
        let writer = try StageWriter(database, makesIndexes: makesIndexes)
        return (try validate(input, send: writer.apply), writer.content)
      }
    }
    guard let content else { throw CofferError(.unknownFormat, "\(input.document.name): unknown format") }
    return (document, content)
  }

  private func validate(
    _ input: Input, send: @escaping (StageChange) throws -> Void
  ) throws -> ContainedDocument {
    let makeLayout = { (format: BackupFormat) in
      if options.settings != nil, format.settingsMember == nil {
        throw CofferError(
          .incompatible, "'\(format.name)' declares no settings member: settings can't be kept or replaced")
      }
      return try StoreLayout(format)
    }
    let attempt = input.attempt
    var rows = DocumentRows(only: options.validation.only, makeLayout: makeLayout, judge: attempt.check, send: send)
    let validator = Validator(attempt.rules, options: attempt.options)
    var document = try validator.validate(input.document, observedBy: &rows)
    if document.report.error == nil { document.report = try input.report(document) }
    if let error = document.report.error { throw error.inDocument(input.document.name) }
    try attempt.check(document)
    return document
  }

  /// Verifies the row counts, the file's integrity, and the references between rows.
  private func verify(_ content: StageContent, in queue: DatabaseQueue, at path: FilePath) throws {
    let cancellation = options.validation.execution.cancellation
    let checkIntegrity: @Sendable () throws -> Void = {
      try Self.write(to: try Stage.open(path), cancellation) { try StoreCheck.integrity(of: $0) }
    }
    // Writes to the disk in the meantime, so that the final sync has little left to do. The thread only waits, so one job has it
    // too.
    let writing = SideWork { try DatabaseFile.sync(path) }
    let integrity = options.validation.execution.jobs > 1 ? SideWork(checkIntegrity) : nil
    let counts = Result {
      try write(to: queue) { database in
        try content.checkCounts(in: database)
        if !options.allowsFindings {
          try StoreCheck.references(of: content.layout.tables, in: database, leftOut: options.leftOut(of: content.layout))
        }
      }
    }
    // Waits for all of them, even if one fails.
    let results = [integrity?.result() ?? Result(catching: checkIntegrity), counts, writing.result()]
    for result in results { try result.get() }
  }

  /// Runs `body` on the database. A cancellation interrupts SQLite.
  private func write<R>(to queue: DatabaseQueue, _ body: (Database) throws -> R) throws -> R {
    try Self.write(to: queue, options.validation.execution.cancellation, body)
  }

  private static func write<R>(to queue: DatabaseQueue, _ cancellation: Cancellation?, _ body: (Database) throws -> R) throws -> R
  {
    try queue.writeWithoutTransaction { database in
      let watch = cancellation.map { CancellationWatch($0, of: database) }
      defer { watch?.end() }
      return try database.reporting(as: "the temporary database") { try body(database) }
    }
  }
}
