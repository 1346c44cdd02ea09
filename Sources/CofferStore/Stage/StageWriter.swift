import Failpoints
import Findings
import GRDB
import GRDBSQLite
import SystemPackage

/// Writes the rows of one backup into empty tables.
///
/// Values are bound through SQLite's own functions: GRDB's binding costs three times as much.
final class StageWriter {
  private let database: Database
  let layout: StoreLayout
  private var statements: [String: Statement] = [:]
  private(set) var rowCounts: [String: Int] = [:]
  private var memberCount = 0

  /// Makes the tables.
  init(_ layout: StoreLayout, in database: Database) throws {
    self.database = database
    self.layout = layout
    for sql in StoreLayout.spineCreation(in: "main") { try database.execute(sql: sql) }
    for table in layout.tables { try database.execute(sql: table.creation(in: "main")) }
  }

  /// Adds rows behind those that are there.
  func insert(_ batch: RowBatch, into table: TableLayout) throws {
    if batch.rowCount == 0 { return }
    try Failpoint.reach(.middleOfTable)
    let statement = try insertion(into: table)
    let handle = statement.sqliteStatement
    let columnCount = table.columns.count + 1
    let code = batch.text.withUnsafeBytes { text in
      batch.cells.withUnsafeBufferPointer { cells in
        Self.insert(cells, text, columnCount: columnCount, handle)
      }
    }
    if code != SQLITE_DONE { throw DatabaseError(resultCode: ResultCode(rawValue: code), message: database.lastErrorMessage) }
    rowCounts[table.name, default: 0] += batch.rowCount
  }

  /// The hot loop: some 400 ns a row of 11 columns, nearly all of it SQLite's.
  private static func insert(
    _ cells: UnsafeBufferPointer<RowBatch.Cell>, _ text: UnsafeRawBufferPointer, columnCount: Int, _ handle: SQLiteStatement
  ) -> CInt {
    // Empty texts need a place, too: without one SQLite takes them for null.
    let base = text.baseAddress?.assumingMemoryBound(to: CChar.self)
    var index = 0
    while index < cells.count {
      for column in 0..<columnCount {
        let cell = cells[index + column]
        let number = CInt(truncatingIfNeeded: column + 1)
        let code: CInt =
          switch cell.kind {
          case .null: sqlite3_bind_null(handle, number)
          case .integer: sqlite3_bind_int64(handle, number, cell.value)
          case .text:
            if cell.length == 0 {
              sqlite3_bind_text(handle, number, "", 0, nil)
            } else {
              sqlite3_bind_text(handle, number, base.map { $0 + Int(cell.value) }, cell.length, nil)
            }
          }
        if code != SQLITE_OK { return code }
      }
      let code = sqlite3_step(handle)
      sqlite3_reset(handle)
      if code != SQLITE_DONE { return code }
      index += columnCount
    }
    return SQLITE_DONE
  }

  private func insertion(into table: TableLayout) throws -> Statement {
    if let known = statements[table.name] { return known }
    let names = table.columnNames
    let marks = Array(repeating: "?", count: names.count).joined(separator: ", ")
    let statement = try database.makeStatement(
      sql: "INSERT INTO main.\(table.name.quotedIdentifier) (\(names.identifierList)) VALUES (\(marks))")
    statements[table.name] = statement
    return statement
  }

  /// Adds a member of the root.
  ///
  /// - Parameters:
  ///   - name: `nil`: the root itself, which is no object.
  ///   - value: JSON; `nil`: the records of the collection stand there.
  func addMember(_ name: String?, _ value: [UInt8]?) throws {
    try database.execute(
      sql: "INSERT INTO main.\(StoreLayout.memberTable) (position, name, value) VALUES (?, ?, ?)",
      arguments: [memberCount, name, value.map { String(decoding: $0, as: UTF8.self) }])
    memberCount += 1
  }

  func set(_ name: String, _ value: String?) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO main.\(StoreLayout.backupTable) (name, value) VALUES (?, ?)", arguments: [name, value])
  }

  /// Makes the indexes.
  ///
  /// - Parameter findings: what validation found: without errors, records of one key are equal where the rules allow that.
  /// - Throws: `StoreError` of the code `conflict` where two records have the same key.
  func finish(_ findings: FindingCounts, cancellation check: () throws -> Void) throws {
    for table in layout.tables {
      // Without a journal a unique index that fails can't be tried again: what is there twice must go before.
      if table.dropsEqualRecords, findings.total > 0 {
        try check()
        try dropEqualRows(of: table, by: findings.count(.error) == 0 ? table.key : table.columnNames)
      }
      for index in table.indexes {
        try check()
        do {
          try database.execute(sql: index.creation(in: "main"))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
          throw StoreError(
            code: .conflict,
            message:
              "two records of \(table.title) have the same \(index.columns.joined(separator: ", ")), which tells rows apart")
        }
      }
    }
  }

  /// Keeps the first of the rows that have the same key and the same values in `columns`.
  private func dropEqualRows(of table: TableLayout, by columns: [String]) throws {
    let name = "main.\(table.name.quotedIdentifier)"
    let hasKey = table.key.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
    try database.execute(
      sql: """
        DELETE FROM \(name) WHERE rowid IN (
          SELECT number FROM (
            SELECT rowid AS number, row_number() OVER (PARTITION BY \(columns.identifierList) ORDER BY rowid) AS n
            FROM \(name) WHERE \(hasKey))
          WHERE n > 1)
        """)
    rowCounts[table.name, default: 0] -= database.changesCount
  }
}
