public import BackupFormats
public import Coffer
public import SystemPackage

/// A backup's records as tables, for questions in SQL.
///
///     let backup = try BackupQuery("export.json", .detected(catalog), catalog: catalog, options: options)
///     try backup.rows(of: "SELECT carId, sum(cost) FROM expenses GROUP BY carId") { row in print(row[0], row[1]) }
///
/// The tables are those that `DatabaseImporter` makes, with a view for each list of objects inside records: a document of no known
/// format gets drafted rules. Records with errors have rows, too: what their columns can't hold is in `coffer_extra`, and several may have
/// one key. ``report`` has the findings.
///
/// Only `SELECT` is possible. The tables are in a temporary file, which exists as long as this object, or in a database that is kept.
///
/// Cost: that of `StageLoader`, which takes three more passes for a document of an older version. Memory: bounded; disk: the rows.
public final class BackupQuery {
  /// The import into the tables.
  public let report: DatabaseImportReport
  private let database: GuardedDatabase
  private let folder: ScratchFolder?

  /// Reads a backup.
  ///
  /// - Parameters:
  ///   - file: JSON, compressed data that holds it, or a ZIP archive; `-` is standard input.
  ///   - rules: the rules for validating it.
  ///   - catalog: the known formats, for detection and migration.
  ///   - kept: a new database for the tables, made as `DatabaseImporter` does: it refuses a backup with errors, unless `options` allow
  ///     findings. `nil` for a temporary one, which takes every backup.
  /// - Throws: the errors of `DatabaseImporter`; `alreadyExists` for `kept`.
  public init(
    _ file: FilePath, _ rules: RuleSource, catalog: FormatCatalog, options: DatabaseImportOptions, keeping kept: FilePath? = nil
  ) throws {
    var options = options
    options.addsNestedViews = true
    let execution = options.validation.execution
    let path: FilePath
    if let kept {
      if (try? kept.stat()) != nil {
        throw CofferError(.alreadyExists, "\(kept) already exists: tables are made in a new database")
      }
      report = try DatabaseImporter(rules, catalog: catalog, options: options).run(file, into: kept)
      path = kept
      folder = nil
    } else {
      options.allowsFindings = true
      options.allowsNewer = true
      let importer = DatabaseImporter(rules, catalog: catalog, options: options)
      let folder = try ScratchFolder(within: execution.temporaryFolder)
      path = folder.stagePath
      report = try execution.cancellation.watch { try importer.tables(of: file, at: folder.stagePath) }
      self.folder = consume folder
    }
    database = try GuardedDatabase(path, cancellation: execution.cancellation)
  }

  /// Checks a statement as far as that is possible without tables.
  ///
  /// - Throws: `sql` if it is no `SELECT`, or its syntax is wrong.
  public static func check(_ sql: String) throws(CofferError) {
    do throws(CofferError) {
      _ = try GuardedDatabase(":memory:").prepared(sql)
    } catch {
      // The backup may have that table.
      guard error.code == .sql, error.message.hasPrefix("no such ") else { throw error }
    }
  }

  /// Calls `body` with each row of a `SELECT`.
  ///
  /// - Parameter begin: called once with the names of the columns, before the first row.
  /// - Throws: `sql`, with its place in the statement, if that is wrong or no `SELECT`; `CancellationError`; errors of the callbacks.
  public func rows(of sql: String, begin: ([String]) throws -> Void = { _ in }, _ body: (QueryRow) throws -> Void) throws {
    try database.rows(of: sql, begin: begin, body)
  }

  /// A table or a view.
  public struct Table: Sendable {
    public let name: String
    public let columns: [String]
    public let rowCount: Int
  }

  /// The tables and views, in the order of the format's collections, then those of the envelope.
  public var tables: [Table] {
    get throws {
      var names: [String] = []
      try rows(
        of: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name LIKE 'coffer\\_%' ESCAPE '\\', rowid"
      ) { if case .text(let name) = $0[0] { names.append(name) } }
      return try names.map { name in
        var columns: [String] = []
        try rows(of: "SELECT * FROM \(name.quotedIdentifier) LIMIT 0", begin: { columns = $0 }) { _ in }
        var count = 0
        try rows(of: "SELECT count(*) FROM \(name.quotedIdentifier)") { count = Int($0.integer(of: 0)) }
        return Table(name: name, columns: columns, rowCount: count)
      }
    }
  }
}
