public import BackupFormats
public import ByteStreams
public import Coffer
public import GRDB

/// Imports backups into a database and exports them: an app's own database, or one that holds nothing else.
///
/// For example:
///
///     let store = BackupStore(try DatabaseQueue(path: "app.db"), catalog: .builtIn)
///     let report = try store.importBackup(
///       { try FileSource(path: "export.json") }, named: "export.json", options: DatabaseImportOptions(validation: validation))
///     report.changes.collections.first?.inserted      // 2000
///     try store.export(to: &file)
///
/// Each collection is a table, with one row per record and one column per field that the rules describe. `coffer_backup` and
/// `coffer_members` hold the rest of the document. Columns, indexes and triggers that an app adds to the tables stay. Each import
/// and export is one transaction: all or nothing.
///
/// Cost: that of `Validator`, a few microseconds per row, and a temporary database of the size of the rows. Memory: bounded,
/// regardless of the backup's size.
public struct BackupStore {
  private let database: any DatabaseWriter
  private let catalog: FormatCatalog

  /// - Parameters:
  ///   - database: the database that holds the rows, or will hold them.
  ///   - catalog: the known formats.
  public init(_ database: any DatabaseWriter, catalog: FormatCatalog) {
    self.database = database
    self.catalog = catalog
  }

  /// Validates a document and imports it.
  ///
  /// - Parameters:
  ///   - open: opens the document, plain or compressed, from its start. Called twice if the document is of an older version.
  ///   - name: the document's name in messages.
  ///   - rules: the document's format or rules. If `nil`, the format is detected from the content.
  ///   - options: merge or replace, and options for validation.
  /// - Throws: `CofferError`, with the code `findings` if validation finds errors;
  ///   `CancellationError`. Nothing has changed in that case.
  public func importBackup(
    _ open: () throws -> any ByteSource, named name: String, rules: RuleSource? = nil, options: DatabaseImportOptions
  ) throws -> DatabaseImportReport {
    try staged(open, named: name, rules, options) { try $0.write() }
  }

  /// Returns what ``importBackup(_:named:rules:options:)`` would do, without changing the database.
  public func preview(
    _ open: () throws -> any ByteSource, named name: String, rules: RuleSource? = nil, options: DatabaseImportOptions
  ) throws -> DatabaseImportReport {
    var report = try staged(open, named: name, rules, options) { try $0.plan().changes }
    report.isPreview = true
    return report
  }

  private func staged(
    _ open: () throws -> any ByteSource, named name: String, _ rules: RuleSource?, _ options: DatabaseImportOptions,
    _ body: (StageTransaction) throws -> ImportChanges
  ) throws -> DatabaseImportReport {
    // A folder with a random name that only this user can access.
    let folder = try ScratchFolder(within: options.validation.execution.temporaryFolder)
    let stage = try withoutActuallyEscaping(open) { open in
      try StageLoader(
        backup: OpenedBackup(named: name, options.validation.execution, reopening: open), rules: rules ?? .detected(catalog),
        catalog: catalog, options: options, purpose: .changes, path: folder.stagePath
      ).load()
    }
    let changes = try StageTransaction.run(stage, in: database, named: "the database", options: options, body)
    return stage.report(changes, file: name, database: "the database", mode: options.mode)
  }

  /// Writes the database's backup as a compact document.
  ///
  /// - Parameters:
  ///   - sink: receives the document.
  ///   - options: the collections to write, and the origin that the document states.
  /// - Returns: the number of records written, in the format's order.
  /// - Throws: `CofferError`, `CancellationError`.
  @discardableResult
  public func export(
    to sink: inout some ByteSink, options: DatabaseExportOptions = DatabaseExportOptions()
  ) throws -> [DatabaseExportReport.Collection] {
    try DatabaseReading(catalog, options).read(database, named: "the database") { source in
      var source = source
      try source.copy(to: &sink, cancellation: options.execution.cancellation)
      return source.written
    }
  }
}
