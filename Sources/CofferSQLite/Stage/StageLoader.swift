package import BackupFormats
package import ByteStreams
package import Coffer
import Failpoints
import Findings
import GRDB
import Pipelines
package import SystemPackage

/// Loads documents into stages.
///
/// Cost: one pass over the document. `jobs` threads parse it, validate it and build rows; one thread inserts them. Then the
/// indexes. A document of an older version is migrated first, which takes three more passes. Memory: that of `Validator`, 4 MiB
/// for SQLite, and the rows in flight.
package struct StageLoader {
  private let rules: ValidationRules
  private let catalog: FormatCatalog
  private let options: StoreImportOptions
  private let purpose: Stage.Purpose

  package init(_ rules: ValidationRules, catalog: FormatCatalog, options: StoreImportOptions, for purpose: Stage.Purpose) {
    self.purpose = purpose
    self.rules = rules
    self.catalog = catalog
    self.options = options
  }

  /// Loads a document into a stage, and verifies the result.
  ///
  /// - Parameters:
  ///   - open: opens the document, plain or as LZ4 data, from its start.
  ///   - name: the document's name in messages.
  ///   - container: the document's container.
  ///   - file: the stage's file. An existing one is replaced. The file is removed if this throws.
  ///   - model: a file whose permissions the stage gets, if it exists.
  /// - Throws: `StoreError`, within an ``ImportRefusal`` if its code is `findings`; `MigrationError`, `CancellationError`,
  ///   `CollectionError`, `RuleCompileError`.
  package func load(
    reopening open: () throws -> any ByteSource, named name: String, in container: BackupFormat.Container = .json,
    to file: FilePath, like model: FilePath? = nil,
    report: @escaping (ContainedDocument) throws -> ValidationReport = { $0.report }
  ) throws -> Stage {
    let path = ImportPath(
      catalog: catalog, options: options.validation, acceptsFindings: options.allowsFindings,
      takesNewer: options.allowsNewer)
    do {
      return try path.run(rules, in: container, reopening: open) { source, attempt in
        try DatabaseFile.remove(file)
        return try load(source, Input(attempt: attempt, name: name, container: container, model: model, report: report), to: file)
      }
    } catch {
      _ = try? DatabaseFile.remove(file)
      throw error
    }
  }

  /// The properties of a document to load.
  private struct Input {
    let attempt: ImportPath.Attempt
    let name: String
    let container: BackupFormat.Container
    let model: FilePath?
    /// Returns the report on the document and its container.
    let report: (ContainedDocument) throws -> ValidationReport
  }

  // MARK: Loading

  private func load(_ source: any ByteSource, _ input: Input, to path: FilePath) throws -> Stage {
    let stage: Stage
    do {
      try DatabaseFile.create(path, like: input.model)
      let queue = try Stage.open(path)
      var (document, content) = try fill(queue, from: source, input)
      let contents = try write(to: queue) { database in
        try content.dropEqualRecords(document.report.counts, in: database)
        // Without errors, keys are unique.
        if purpose == .database || document.report.counts.count(.error) > 0 {
          try content.addIndexes(in: database) { try options.validation.execution.cancellation.check() }
        }
        try database.execute(sql: "COMMIT")
        return try StoreContents(of: database)
      }
      guard var contents else { throw StoreError(code: .verification, message: "the written backup can't be read back") }
      if purpose == .database { try verify(content, in: queue, at: path) }
      try queue.close()
      contents.counts = content.rowCounts
      stage = Stage(
        path: path, layout: content.layout, document: document, migration: input.attempt.migration, contents: contents)
    } catch let error as DatabaseError {
      throw StoreError(error, database: path.string)
    }
    do { try Failpoint.reach(.afterStage) } catch { throw StoreError(error, database: path.string) }
    if purpose == .database { try DatabaseFile.sync(path) }
    return stage
  }

  /// Reads the document into tables without indexes. The transaction stays open.
  ///
  /// With several jobs, SQLite has a thread of its own, so that the reading thread doesn't wait for it.
  private func fill(
    _ queue: DatabaseQueue, from source: any ByteSource, _ input: Input
  ) throws -> (ContainedDocument, StageContent) {
    let cancellation = options.validation.execution.cancellation
    let makesIndexes = purpose == .database
    let (document, content): (ContainedDocument, StageContent?)
    if options.validation.execution.jobs > 1,
      let both = try Channel<StageChange>(capacity: 2).run(
        produce: { send in try withoutActuallyEscaping(send) { try validate(source, input, send: $0) } },
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
        return (try validate(source, input, send: writer.apply), writer.content)
      }
    }
    guard let content else { throw StoreError(code: .unknownFormat, message: "\(input.name) is empty") }
    return (document, content)
  }

  private func validate(
    _ source: any ByteSource, _ input: Input, send: @escaping (StageChange) throws -> Void
  ) throws -> ContainedDocument {
    let makeLayout = { (format: BackupFormat) in
      if options.settings != nil, format.settingsMember == nil {
        throw StoreError(
          code: .incompatible, message: "the format '\(format.name)' defines no settings: none can be kept or replaced")
      }
      return try StoreLayout(format)
    }
    let attempt = input.attempt
    var rows = DocumentRows(only: options.validation.only, makeLayout: makeLayout, judge: attempt.check, send: send)
    let validator = Validator(attempt.rules, options: attempt.options)
    var document = try validator.validate(source, named: input.name, in: input.container, observedBy: &rows)
    if document.report.error == nil { document.report = try input.report(document) }
    if let error = document.report.error {
      let place = error.position.map { ":\($0.line):\($0.column)" } ?? ""
      throw StoreError(
        code: error.code == StoreError.Code.ruleLimit.rawValue ? .ruleLimit : .unreadable,
        message: "\(input.name)\(place): \(error.message)", offset: error.position?.offset)
    }
    try attempt.check(document)
    return document
  }

  /// Verifies the tables' row counts, the file's integrity, and the references between rows.
  ///
  /// - Throws: `StoreError`.
  private func verify(_ content: StageContent, in queue: DatabaseQueue, at path: FilePath) throws {
    let cancellation = options.validation.execution.cancellation
    let checkIntegrity: @Sendable () throws -> Void = {
      try Self.write(to: try Stage.open(path), cancellation) { try StoreCheck.integrity(of: $0) }
    }
    // The disk writes meanwhile, so that little is left when the finished file is synced. This thread only waits, so it is
    // started even with one job.
    let writing = SideWork { try DatabaseFile.sync(path) }
    let integrity = options.validation.execution.jobs > 1 ? SideWork(checkIntegrity) : nil
    let counts = Result {
      try write(to: queue) { database in
        try content.checkCounts(in: database)
        // A part of a backup, or one with allowed findings, may have dangling references; the target checks them.
        if !options.allowsFindings, options.validation.only == nil {
          try StoreCheck.references(of: content.layout.tables, in: database)
        }
      }
    }
    // Waits for all checks, even if one fails.
    let results = [integrity?.result() ?? Result(catching: checkIntegrity), counts, writing.result()]
    for result in results { try result.get() }
  }

  /// Runs `body` on the database, until cancelled.
  private func write<R>(to queue: DatabaseQueue, _ body: (Database) throws -> R) throws -> R {
    try Self.write(to: queue, options.validation.execution.cancellation, body)
  }

  private static func write<R>(to queue: DatabaseQueue, _ cancellation: Cancellation?, _ body: (Database) throws -> R) throws -> R
  {
    try queue.writeWithoutTransaction { database in
      let watch = cancellation.map { CancellationWatch($0, of: database) }
      defer { watch?.end() }
      return try database.reporting(as: "the staging database") { try body(database) }
    }
  }
}
