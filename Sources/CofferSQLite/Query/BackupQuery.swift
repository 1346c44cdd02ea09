public import BackupFormats
public import Coffer
import GRDBSQLite
public import SystemPackage

/// A backup's records as tables, for questions in SQL.
///
///     let backup = try BackupQuery("export.json", .detected(catalog), catalog: catalog, options: options)
///     try backup.rows(of: "SELECT carId, sum(cost) FROM expenses GROUP BY carId") { row in print(row[0], row[1]) }
///
/// The tables are those that `DatabaseImporter` makes, with a view for each list of objects inside records: a document of no known
/// format gets drafted rules. Records with errors have rows, too, as far as columns can hold them, and duplicates of keys are allowed:
/// ``report`` has the findings.
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
    database = try GuardedDatabase(path, limits: GuardedDatabase.Limits(), cancellation: execution.cancellation)
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
      ) { names.append($0[0].description) }
      return try names.map { name in
        var columns: [String] = []
        try rows(of: "SELECT * FROM \(name.quotedIdentifier) LIMIT 0", begin: { columns = $0 }) { _ in }
        var count = 0
        try rows(of: "SELECT count(*) FROM \(name.quotedIdentifier)") { count = $0[0].integer ?? 0 }
        return Table(name: name, columns: columns, rowCount: count)
      }
    }
  }
}

extension CofferError.Code {
  /// A statement is wrong, refused, or makes too large a value.
  public static let sql = Self(rawValue: "sql")
}

/// A row of a query's result; valid only until the next one is read.
public struct QueryRow {
  private let statement: OpaquePointer

  init(_ statement: OpaquePointer) { self.statement = statement }

  public var count: Int { Int(sqlite3_column_count(statement)) }

  /// The value of a column, from 0.
  public subscript(column: Int) -> QueryValue {
    precondition((0..<count).contains(column), "there is no such column")
    let column = CInt(column)
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      let text = UnsafeRawPointer(sqlite3_column_text(statement, column))
      return .text(UnsafeRawBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, column))))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      return .blob(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))))
    default: return .null
    }
  }
}

/// A value in a query's result. Its bytes are valid only as long as the row.
public enum QueryValue {
  case null
  case integer(Int64)
  case real(Double)
  /// UTF-8, unless the query itself made it from other bytes.
  case text(UnsafeRawBufferPointer)
  case blob(UnsafeRawBufferPointer)

  public var integer: Int? {
    if case .integer(let value) = self { Int(value) } else { nil }
  }

  /// True for integers and reals.
  public var isNumber: Bool {
    switch self {
    case .integer, .real: true
    case .null, .text, .blob: false
    }
  }
}

extension QueryValue: CustomStringConvertible {
  /// A number as JSON has it, a text as it is, a blob in hexadecimal digits, and nothing for null.
  public var description: String {
    switch self {
    case .null: ""
    case .integer(let value): String(value)
    // SQLite has no NaN. JSON has no infinity, but numbers that are read as such.
    case .real(let value): value.isInfinite ? (value < 0 ? "-9e999" : "9e999") : value.description
    case .text(let bytes): String(decoding: bytes, as: UTF8.self)
    case .blob(let bytes): bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }
}
