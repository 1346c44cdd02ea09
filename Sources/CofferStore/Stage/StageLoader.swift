package import BackupFormats
package import ByteStreams
package import Coffer
import Failpoints
import Findings
import GRDB
package import SystemPackage

/// Makes stages of documents.
///
/// Cost: one pass over the document, parsed, validated and made rows by `jobs` threads and bound on one; then the indexes. A document of an older version is
/// migrated first, which takes three passes more. Memory: as `Validator`, 16 MiB for SQLite, and rows under way.
package struct StageLoader {
  private let rules: ValidationRules
  private let catalog: FormatCatalog
  private let options: StoreImportOptions

  package init(_ rules: ValidationRules, catalog: FormatCatalog, options: StoreImportOptions) {
    self.rules = rules
    self.catalog = catalog
    self.options = options
  }

  /// Makes a stage of a document, and proves that it holds what the document does.
  ///
  /// - Parameters:
  ///   - open: the document, or LZ4 data that holds it, each time from its start.
  ///   - name: what messages call it.
  ///   - container: what the document came in.
  ///   - file: where the stage shall lie. What is there is removed. It is removed if this throws.
  ///   - model: a file whose permissions the stage gets, if that is there.
  /// - Throws: `StoreError`, of the code `findings` with ``ImportRefusal`` around it; `MigrationError`, `CancellationError`, `CollectionError`,
  ///   `RuleCompileError`.
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

  /// A document, but for its bytes.
  private struct Input {
    let attempt: ImportPath.Attempt
    let name: String
    let container: BackupFormat.Container
    let model: FilePath?
    /// What is to be said of it and of what it came in.
    let report: (ContainedDocument) throws -> ValidationReport
  }

  // MARK: Loading

  private func load(_ source: any ByteSource, _ input: Input, to path: FilePath) throws -> Stage {
    let stage: Stage
    do {
      try DatabaseFile.create(path, like: input.model)
      let queue = try Stage.open(path)
      stage = try queue.writeWithoutTransaction { database in
        try database.reporting(as: "the staged database beside the target") { try load(source, input, into: database, at: path) }
      }
      try queue.close()
    } catch let error as DatabaseError {
      throw StoreError(error, database: path.string)
    }
    do { try Failpoint.reach(.afterStage) } catch { throw StoreError(error, database: path.string) }
    try DatabaseFile.sync(path)
    return stage
  }

  private func load(_ source: any ByteSource, _ input: Input, into database: Database, at path: FilePath) throws -> Stage {
    let watch = options.validation.cancellation.map { CancellationWatch($0, of: database) }
    defer { watch?.end() }
    try database.execute(sql: "BEGIN")
    let attempt = input.attempt
    let makeStage = { (format: BackupFormat) in
      if options.settings != nil, format.settingsMember == nil {
        throw StoreError(
          code: .incompatible, message: "'\(format.name)' names no member that holds settings: none can be kept or replaced")
      }
      return try StageWriter(try StoreLayout(format), in: database)
    }
    var rows = DocumentRows(only: options.validation.only, makeStage: makeStage, judge: attempt.check)
    var validator = Validator(attempt.rules, options: attempt.options)
    var document = try validator.validate(source, named: input.name, in: input.container, observedBy: &rows)
    if document.report.error == nil { document.report = try input.report(document) }
    if let error = document.report.error {
      let place = error.position.map { ":\($0.line):\($0.column)" } ?? ""
      throw StoreError(
        code: error.code == StoreError.Code.ruleLimit.rawValue ? .ruleLimit : .unreadable,
        message: "\(input.name)\(place): \(error.message)", offset: error.position?.offset)
    }
    try attempt.check(document)
    guard let writer = rows.stage else { throw StoreError(code: .unknownFormat, message: "\(input.name) holds nothing") }
    try writer.finish(document.report.counts) { try options.validation.cancellation.check() }
    try database.execute(sql: "COMMIT")
    try verify(writer, database)
    guard var contents = try StoreContents(of: database) else {
      throw StoreError(code: .verification, message: "what was written can't be read")
    }
    contents.counts = Dictionary(uniqueKeysWithValues: writer.layout.tables.map { ($0.name, writer.rowCounts[$0.name] ?? 0) })
    return Stage(path: path, layout: writer.layout, document: document, migration: attempt.migration, contents: contents)
  }

  /// - Throws: `StoreError` if the tables don't hold what was written, or rows refer to others that aren't there.
  private func verify(_ writer: StageWriter, _ database: Database) throws {
    for table in writer.layout.tables {
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)")
      if count != writer.rowCounts[table.name] ?? 0 {
        throw StoreError(
          code: .verification,
          message: "\(table.title): \(count ?? 0) rows where \(writer.rowCounts[table.name] ?? 0) were written")
      }
    }
    try StoreCheck.integrity(of: database)
    // Of a part of a backup, or one whose findings are allowed, references may lead to what isn't there: the target decides.
    if !options.allowsFindings, options.validation.only == nil { try StoreCheck.references(of: database) }
  }
}
