package import BackupFormats
package import ByteStreams
package import Coffer
import Failpoints
public import Findings
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
  ///   - path: where the stage shall lie: a file that is not there. It is removed if this throws.
  /// - Throws: `StoreError`, of the code `findings` with ``ImportRefusal`` around it; `MigrationError`, `CancellationError`, `CollectionError`,
  ///   `RuleCompileError`.
  package func load(
    reopening open: () throws -> any ByteSource, named name: String, in container: BackupFormat.Container = .json,
    to path: FilePath, report: @escaping (ContainedDocument) throws -> ValidationReport = { $0.report }
  ) throws -> Stage {
    var input = Input(rules: rules, name: name, container: container, report: report)
    do {
      do {
        return try load(try open(), input, to: path)
      } catch let older as OlderDocument {
        try DatabaseFile.remove(path)
        let (migrated, migration) = try migrate(older.format, reopening: open, in: container)
        guard let format = catalog[migration.formatAfter] ?? (older.format.name == migration.formatAfter ? older.format : nil)
        else {
          throw StoreError(code: .unknownFormat, message: "\(name): '\(migration.formatAfter)' is no format that is known here")
        }
        input.rules = .format(format)
        input.migration = migration
        return try load(migrated, input, to: path)
      }
    } catch {
      _ = try? DatabaseFile.remove(path)
      throw error
    }
  }

  /// A document, but for its bytes.
  private struct Input {
    var rules: ValidationRules
    let name: String
    let container: BackupFormat.Container
    /// What it was before.
    var migration: MigrationReport?
    /// What is to be said of it and of what it came in.
    let report: (ContainedDocument) throws -> ValidationReport
  }

  // MARK: Versions

  /// The document is to be migrated first.
  private struct OlderDocument: Error {
    let format: BackupFormat
  }

  /// - Throws: `OlderDocument` for one that must be migrated, `StoreError` or `MigrationError` for one that can't be imported.
  private func judge(_ format: BackupFormat, _ declared: FormatVersion) throws {
    if format.migrations.contains(where: { $0.becomes != nil }) { throw OlderDocument(format: format) }
    guard let policy = format.version else { return }
    switch declared {
    case .absent where !policy.ifAbsent.isEmpty: break
    case .number(let version) where version > policy.current:
      throw StoreError(
        code: .newerVersion,
        message: "it is of version \(version) of '\(format.name)', and \(policy.current) is the newest that is known here")
    case .number(let version) where version < policy.current: throw OlderDocument(format: format)
    case .number: break
    // What the rules say of it is for validation to tell; without a version nobody knows how to read it.
    case .absent, .other, .several:
      throw StoreError(
        code: .incompatible, message: "it doesn't say its version at \(policy.pointer), as documents of '\(format.name)' do")
    }
  }

  private func migrate(
    _ format: BackupFormat, reopening open: () throws -> any ByteSource, in container: BackupFormat.Container
  ) throws -> (any ByteSource, MigrationReport) {
    var migration = MigrationOptions(now: options.validation.now)
    migration.jobs = options.validation.jobs
    migration.cancellation = options.validation.cancellation
    migration.container = container
    var sink = StoringSink()
    let report = try Migrator(catalog, format: format, options: migration).migrate(reopening: open, to: &sink)
    return (StoredSource(StoredBytes(sink, named: "the migrated document")), report)
  }

  // MARK: Loading

  private func load(_ source: any ByteSource, _ input: Input, to path: FilePath) throws -> Stage {
    let stage: Stage
    do {
      try DatabaseFile.create(path)
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
    var validation = options.validation
    // A row holds a member once: so what is there twice must be seen.
    if validation.duplicateKeys == .allow { validation.duplicateKeys = .warn }
    var rows = DocumentRows(
      only: options.validation.only, makeStage: { try StageWriter(try StoreLayout($0), in: database) },
      judge: { if input.migration == nil { try judge($0, $1) } })
    var validator = Validator(input.rules, options: validation)
    var document = try validator.validate(source, named: input.name, in: input.container, observedBy: &rows)
    if document.report.error == nil { document.report = try input.report(document) }
    let report = document.report
    if let error = report.error {
      let place = error.position.map { ":\($0.line):\($0.column)" } ?? ""
      throw StoreError(code: .unreadable, message: "\(input.name)\(place): \(error.message)", offset: error.position?.offset)
    }
    if !report.isValid, !options.allowsFindings { throw ImportRefusal(report: report) }
    guard let writer = rows.stage else { throw StoreError(code: .unknownFormat, message: "\(input.name) holds nothing") }
    try writer.finish { try options.validation.cancellation.check() }
    try database.execute(sql: "COMMIT")
    try verify(writer, database)
    guard var contents = try StoreContents(of: database) else {
      throw StoreError(code: .verification, message: "what was written can't be read")
    }
    contents.counts = Dictionary(uniqueKeysWithValues: writer.layout.tables.map { ($0.name, writer.rowCounts[$0.name] ?? 0) })
    return Stage(path: path, layout: writer.layout, document: document, migration: input.migration, contents: contents)
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

/// Validation found errors, and findings were not allowed.
public struct ImportRefusal: Error, Sendable, CustomStringConvertible {
  /// What was found.
  public let report: ValidationReport

  public var description: String {
    let count = report.counts.count(.error)
    return "\(report.file): \(count) finding\(count == 1 ? "" : "s") of severity error: nothing was imported"
  }
}
