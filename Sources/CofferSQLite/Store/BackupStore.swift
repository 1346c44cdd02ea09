public import BackupFormats
public import ByteStreams
public import Coffer
public import Findings
public import GRDB
import SystemPackage

/// Backups in a database: an app's own, or one that holds nothing else.
///
/// For example:
///
///     let store = BackupStore(try DatabaseQueue(path: "app.db"), catalog: try .builtIn())
///     let report = try store.importBackup(
///       { try FileSource(path: "export.json") }, named: "export.json", options: StoreImportOptions(validation: validation))
///     report.changes.collections.first?.inserted      // 2000
///     try store.export(to: &file)
///
/// A collection's records are the rows of a table, one column a field that the rules describe; `coffer_backup` and `coffer_members` hold what stands around
/// them. What an app adds to the tables (columns, indexes, triggers) stays. Import and export are all or nothing: one transaction each.
///
/// Cost: as `Validator`, some microseconds a row, a temporary database beside it of the size of the rows. Memory: bounded, whatever the backup's size.
public struct BackupStore {
  private let database: any DatabaseWriter
  private let catalog: FormatCatalog

  /// - Parameters:
  ///   - database: where the rows are, or shall be.
  ///   - catalog: the formats that backups may be of.
  public init(_ database: any DatabaseWriter, catalog: FormatCatalog) {
    self.database = database
    self.catalog = catalog
  }

  /// Validates a document and imports it.
  ///
  /// - Parameters:
  ///   - open: the document, or LZ4 data that holds it, each time from its start: twice, if it is of an older version.
  ///   - name: what messages call it.
  ///   - rules: what it is; `nil`: what it shows itself to be.
  ///   - options: merge or replace, and how it is validated.
  /// - Throws: `ImportRefusal` if validation finds errors; `StoreError`, `MigrationError`, `CollectionError`, `CancellationError`. Then nothing has changed.
  public func importBackup(
    _ open: () throws -> any ByteSource, named name: String, rules: ValidationRules? = nil, options: StoreImportOptions
  ) throws -> StoreImportReport {
    try staged(open, named: name, rules, options) { stage in
      let changes = try StageTransaction(stage, options: options, database: "the database").run(in: database) { _, _ in nil }
      return StoreImportReport(stage, changes)
    }
  }

  /// What ``importBackup(_:named:rules:options:)`` would do. The database isn't touched.
  public func preview(
    _ open: () throws -> any ByteSource, named name: String, rules: ValidationRules? = nil, options: StoreImportOptions
  ) throws -> StoreImportReport {
    try staged(open, named: name, rules, options) { stage in
      StoreImportReport(
        stage, try StageTransaction(stage, options: options, database: "the database").preview(in: database).changes)
    }
  }

  private func staged<R>(
    _ open: () throws -> any ByteSource, named name: String, _ rules: ValidationRules?, _ options: StoreImportOptions,
    _ body: (Stage) throws -> R
  ) throws -> R {
    // A folder of chance, which nobody else can enter.
    let folder = try StageFolder()
    defer { folder.remove() }
    let stage = try StageLoader(rules ?? .detected(catalog), catalog: catalog, options: options, for: .changes)
      .load(reopening: open, named: name, to: folder.databasePath)
    return try body(stage)
  }

  /// Writes the document that the database holds, compact.
  ///
  /// - Parameters:
  ///   - sink: where it goes.
  ///   - options: which collections, and what it says of its origin.
  /// - Returns: how many records were written, by the collections' titles.
  /// - Throws: `StoreError`, `CollectionError`, `ByteStreamError`, `CancellationError`.
  @discardableResult
  public func export(
    to sink: inout some ByteSink, options: StoreExportOptions = StoreExportOptions()
  ) throws -> [(title: String, count: Int)] {
    try StoreExporter(catalog, options: options).read(database, named: "the database") { source, _, _ in
      try source.copy(to: &sink, cancellation: options.cancellation)
    }.counts
  }
}

/// What an import did, or would do.
public struct StoreImportReport: Sendable {
  /// The format of what was imported.
  public let format: String
  public let version: Int?
  /// When the backup was made.
  public let createdAt: Instant?
  /// What validation found; no errors, unless findings were allowed.
  public let validation: ValidationReport
  /// What the backup was before, if it was of an older version.
  public let migration: MigrationReport?
  public let changes: StoreChanges

  package init(_ stage: Stage, _ changes: StoreChanges) {
    format = stage.contents.format
    version = stage.contents.version
    createdAt = stage.contents.createdAt
    validation = stage.document.report
    migration = stage.migration
    self.changes = changes
  }
}
