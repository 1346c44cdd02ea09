import CSQLiteRows
import Failpoints
import GRDB
import GRDBSQLite
import SystemPackage

/// Writes one backup into a new database.
///
/// SQLite reads a batch of rows as a table (`INSERT … SELECT … FROM coffer_rows(?)`), which takes half the time of binding and
/// stepping row by row.
final class StageWriter {
  private let database: Database
  private let purpose: Stage.Purpose
  /// The written tables, or `nil` if none was created.
  private(set) var tables: StagedTables?
  /// For a stage with indexes: those of ascending keys are created before the rows.
  private var keyIndexes: [String: AscendingKeyIndex] = [:]
  private var insertions: [String: Statement] = [:]
  private var memberCount = 0

  /// Begins the transaction.
  init(_ database: Database, _ purpose: Stage.Purpose) throws {
    self.database = database
    self.purpose = purpose
    try database.execute(sql: "BEGIN")
  }

  func apply(_ change: StageStep) throws {
    switch change {
    case .tables(let layout): try createTables(layout)
    case .rows(let batch, let table): try insert(batch, into: table)
    case .member(let name, let value):
      try database.execute(
        sql: "INSERT INTO main.\(DatabaseLayout.memberTable) (position, name, value) VALUES (?, ?, ?)",
        arguments: [memberCount, name, value.map { String(decoding: $0, as: UTF8.self) }])
      memberCount += 1
    case .property(let name, let value): try BackupProperties.set(name, value, in: database)
    }
  }

  private func createTables(_ layout: DatabaseLayout) throws {
    tables = StagedTables(layout: layout)
    try database.execute(sql: DatabaseLayout.envelopeCreation)
    for table in layout.tables {
      try database.execute(sql: table.creation)
      if purpose != .changes { keyIndexes[table.name] = AscendingKeyIndex(table) }
    }
    let columnCount = layout.tables.map(\.columnNames.count).max() ?? 0
    if let connection = database.sqliteConnection {
      try check(coffer_add_rows_function(connection, CInt(truncatingIfNeeded: columnCount)))
    }
  }

  private func insert(_ batch: RowBatch, into table: TableLayout) throws {
    if batch.rowCount == 0 { return }
    try Failpoint.reach(.middleOfTable)
    try keyIndexes[table.name]?.prepare(for: batch, in: database)
    let statement = try insertion(into: table).sqliteStatement
    let code = batch.withRows(columnCount: table.columnNames.count) { rows -> CInt in
      var code = coffer_bind_rows(statement, 1, rows)
      if code == SQLITE_OK { code = sqlite3_step(statement) }
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
      return code
    }
    if code != SQLITE_DONE { try check(code) }
    tables?.rowCounts[table.name, default: 0] += batch.rowCount
  }

  private func check(_ code: CInt) throws {
    if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage) }
  }

  private func insertion(into table: TableLayout) throws -> Statement {
    if let known = insertions[table.name] { return known }
    let names = table.columnNames
    let cells = names.indices.map { "c\($0)" }.joined(separator: ", ")
    let statement = try database.makeStatement(
      sql: "INSERT INTO main.\(table.sqlName) (\(names.identifierList)) SELECT \(cells) FROM coffer_rows(?)")
    insertions[table.name] = statement
    return statement
  }
}

/// The index of a table's key, created before the first row. While the keys ascend, as in most exports, rows are appended to it.
///
/// This takes half the time of a sort at the end, and runs while other threads parse. The index is dropped at the first key
/// that doesn't ascend: inserting keys in random order takes twice the time of the sort.
struct AscendingKeyIndex {
  private let index: TableLayout.Index
  private let column: Int
  private let columnCount: Int
  /// The last row's key, while the index exists.
  private var last: Int64?
  private var isAbandoned = false

  /// Returns `nil` if the key isn't a single column of integers.
  init?(_ table: TableLayout) {
    guard let index = table.indexes.first, table.key.count == 1, index.columns == table.key,
      let column = table.columns.firstIndex(where: { $0.name == table.key[0] }), table.columns[column].kind == .integer
    else { return nil }
    self.index = index
    self.column = column
    columnCount = table.columnNames.count
  }

  /// Creates or drops the index, depending on whether the keys in `batch`, the table's next rows, ascend.
  mutating func prepare(for batch: RowBatch, in database: Database) throws {
    if isAbandoned { return }
    let next = batch.lastInteger(ofColumn: column, of: columnCount, ascendingFrom: last)
    isAbandoned = next == nil
    if last == nil, !isAbandoned { try database.execute(sql: index.creation) }
    if last != nil, isAbandoned { try database.execute(sql: "DROP INDEX main.\(index.name.quotedIdentifier)") }
    last = next
  }
}
