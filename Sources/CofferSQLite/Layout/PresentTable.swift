import ByteStreams
import Coffer
import GRDB
import GRDBSQLite

/// A collection's table in a database, which an app may have changed.
struct PresentTable {
  /// The columns that hold data, and their types.
  private let columns: [(name: String, type: String, collation: String)]
  private let isWithoutRowID: Bool
  private let isTable: Bool

  /// - Returns: `nil` if the database has no such table.
  init?(_ name: String, in database: Database) throws {
    let rows = try Row.fetchAll(
      database, sql: "SELECT name, type, hidden FROM pragma_table_xinfo(?, 'main')", arguments: [name])
    if rows.isEmpty { return nil }
    isWithoutRowID =
      try Bool.fetchOne(database, sql: "SELECT wr FROM pragma_table_list(?) WHERE schema = 'main'", arguments: [name]) ?? false
    isTable =
      try Bool.fetchOne(
        database, sql: "SELECT type = 'table' FROM pragma_table_list(?) WHERE schema = 'main'", arguments: [name]) ?? false
    columns = rows.compactMap { row in
      // Generated columns can't be written.
      guard let column: String = row["name"], let type: String = row["type"], row["hidden"] == 0 else { return nil }
      var collation: UnsafePointer<CChar>?
      sqlite3_table_column_metadata(database.sqliteConnection, "main", name, column, nil, &collation, nil, nil, nil)
      return (column, type, collation.map { String(cString: $0) } ?? "BINARY")
    }
  }

  func has(_ column: String) -> Bool { columns.contains { $0.name.lowercased() == column.lowercased() } }

  /// Returns the columns that are not in the layout: those that an app added.
  func columns(besides layout: TableLayout) -> [String] {
    let known = Set(layout.columnNames.map { $0.lowercased() })
    return columns.map(\.name).filter { !known.contains($0.lowercased()) }
  }

  /// - Throws: `CofferError` if the table can't hold the format's records.
  func check(_ layout: TableLayout) throws(CofferError) {
    guard isTable else {
      throw CofferError(
        .incompatible, "\(layout.name) is not a table, so it can't hold the records of \(layout.title)")
    }
    // Row numbers keep the order of the records.
    if isWithoutRowID || ["rowid", "oid", "_rowid_"].contains(where: has) {
      throw CofferError(
        .incompatible,
        "the table \(layout.name) has no SQLite rowid, which the order of the records depends on")
    }
    for name in layout.key where !has(name) {
      throw CofferError(
        .incompatible, "the table \(layout.name) has no column \(name), which is part of the records' key")
    }
    for column in layout.columns {
      guard let found = columns.first(where: { $0.name.lowercased() == column.name.lowercased() }) else { continue }
      let type = found.type.uppercased()
      let holdsIntegers = type.contains("INT")
      let holdsTexts = !holdsIntegers && ["CHAR", "CLOB", "TEXT"].contains { type.contains($0) }
      if type != "ANY", !(column.sqlType == "INTEGER" ? holdsIntegers : holdsTexts) {
        throw CofferError(
          .incompatible,
          "the column \(layout.name).\(column.name) is \(found.type.isEmpty ? "untyped" : found.type), but the format's records need \(column.sqlType)"
        )
      }
      // Otherwise two records with different keys could have the same row.
      let collation = column.ignoresCase && column.sqlType == "TEXT" ? "NOCASE" : "BINARY"
      if layout.key.contains(column.name), found.collation.uppercased() != collation {
        throw CofferError(
          .incompatible,
          "the key \(layout.name).\(column.name) has collation \(found.collation), but the format's records need \(collation)"
        )
      }
    }
  }
}
