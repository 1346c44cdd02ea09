import ByteStreams
import Coffer
import GRDB
import GRDBSQLite

/// A collection's table in a database, which an app may have changed.
struct ExistingTable {
  let layout: TableLayout
  /// The columns that hold data, and their types.
  private let columns: [(name: String, type: String, collation: String)]
  private let isWithoutRowID: Bool
  private let isTable: Bool

  /// - Returns: `nil` if the database has no such table.
  init?(_ layout: TableLayout, in database: Database) throws {
    self.layout = layout
    let name = layout.name
    let rows = try Row.fetchAll(
      database, sql: "SELECT name, type, hidden FROM pragma_table_xinfo(?, 'main')", arguments: [name])
    let kind = try Row.fetchOne(
      database, sql: "SELECT type, wr FROM pragma_table_list(?) WHERE schema = 'main'", arguments: [name])
    if rows.isEmpty { return nil }
    let (type, isWithoutRowID): (String?, Bool?) = (kind?["type"], kind?["wr"])
    isTable = type == "table"
    self.isWithoutRowID = isWithoutRowID ?? false
    columns = rows.compactMap { row in
      // Generated columns can't be written.
      guard let column: String = row["name"], let type: String = row["type"], row["hidden"] == 0 else { return nil }
      var collation: UnsafePointer<CChar>?
      sqlite3_table_column_metadata(database.sqliteConnection, "main", name, column, nil, &collation, nil, nil, nil)
      return (column, type, collation.map { String(cString: $0) } ?? "BINARY")
    }
  }

  func has(_ column: String) -> Bool { columns.contains { $0.name.lowercased() == column.lowercased() } }

  /// The columns that are also in the layout. One that is missing in the database counts as null.
  var common: [String] { layout.columnNames.filter(has) }

  /// The columns that are not in the layout: those that an app added.
  var own: [String] {
    let known = Set(layout.columnNames.map { $0.lowercased() })
    return columns.map(\.name).filter { !known.contains($0.lowercased()) }
  }

  /// - Throws: `CofferError` if the table can't hold the format's records.
  func check() throws(CofferError) {
    func refuse(_ reason: String) -> CofferError { CofferError(.incompatible, reason) }
    guard isTable else {
      throw refuse("\(layout.name) is not a table, so it can't hold the records of \(layout.title)")
    }
    // Row numbers keep the order of the records.
    if isWithoutRowID || ["rowid", "oid", "_rowid_"].contains(where: has) {
      throw refuse("the table \(layout.name) has no SQLite rowid, which the order of the records depends on")
    }
    for name in layout.key where !has(name) {
      throw refuse("the table \(layout.name) has no column \(name), which is part of the records' key")
    }
    for column in layout.columns {
      guard let found = columns.first(where: { $0.name.lowercased() == column.name.lowercased() }) else { continue }
      let type = found.type.uppercased()
      // SQLite's rules for a column's affinity, in their order.
      let parts = [("INTEGER", ["INT"]), ("TEXT", ["CHAR", "CLOB", "TEXT"]), ("REAL", ["REAL", "FLOA", "DOUB"])]
      let held = parts.first { $0.1.contains { type.contains($0) } }?.0
      if type != "ANY", held != column.sqlType {
        throw refuse(
          "the column \(layout.name).\(column.name) is \(found.type.isEmpty ? "untyped" : found.type), but the format's records need \(column.sqlType)"
        )
      }
      // Otherwise two records with different keys could have the same row.
      let collation = column.ignoresCase && column.sqlType == "TEXT" ? "NOCASE" : "BINARY"
      if layout.key.contains(column.name), found.collation.uppercased() != collation {
        throw refuse(
          "the key \(layout.name).\(column.name) has collation \(found.collation), but the format's records need \(collation)"
        )
      }
    }
  }
}

/// SQL that compares the staged rows, `s`, with those of the database, `m`.
extension ExistingTable {
  /// SQL: `m` has the key of `s`.
  var sameKey: String { layout.key.equality("m", "s") }

  /// SQL: `s` has a key.
  var hasKey: String {
    layout.key.isEmpty ? "FALSE" : layout.key.map { "s.\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
  }

  /// SQL: all columns are identical.
  var isIdentical: String {
    let common = self.common
    // The key differs most often, so it is compared first.
    let ordered = layout.key.filter(common.contains) + common.filter { !layout.key.contains($0) }
    let identical = ordered.map { "m.\($0.quotedIdentifier) IS s.\($0.quotedIdentifier) COLLATE BINARY" }
    let missing = layout.columnNames.filter { !common.contains($0) }.map { "s.\($0.quotedIdentifier) IS NULL" }
    return (identical + missing).joined(separator: " AND ")
  }

  /// SQL: a necessary condition for rows of equal value. `12.5` equals `12.500`.
  var mayBeEqual: String {
    let conditions = layout.columns.filter { has($0.name) }.compactMap { column -> String? in
      let (m, s) = ("m.\(column.name.quotedIdentifier)", "s.\(column.name.quotedIdentifier)")
      return switch column.kind {
      case .text, .boolean: "\(m) IS \(s) COLLATE BINARY"
      // The other row's value may be in `coffer_extra`.
      case .integer, .number: "(\(m) IS \(s) OR \(m) IS NULL OR \(s) IS NULL)"
      case .json: nil
      }
    }
    return conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
  }
}

/// The schema of the main database.
extension Database {
  /// Returns the first column of the first row as a number: 0 if there is none.
  func number(_ sql: String, _ arguments: StatementArguments = []) throws -> Int {
    try Int.fetchOne(self, sql: sql, arguments: arguments) ?? 0
  }

  /// Returns the number of a table's rows.
  func count(_ table: String) throws -> Int { try number("SELECT count(*) FROM \(table)") }

  /// Returns true if a query has rows.
  func hasRows(_ query: String) throws -> Bool { try number("SELECT EXISTS (\(query))") == 1 }

  func columnNames(of table: String) throws -> [String] {
    try String.fetchAll(self, sql: "SELECT name FROM pragma_table_xinfo(?, 'main')", arguments: [table])
  }

  func has(_ index: TableLayout.Index) throws -> Bool {
    try number("SELECT count(*) FROM main.sqlite_schema WHERE type = 'index' AND name = ? COLLATE NOCASE", [index.name]) > 0
  }

  /// Creates the missing indexes of a table.
  func makeIndexes(of table: TableLayout) throws {
    for index in table.indexes where try !has(index) { try execute(sql: index.creation) }
  }

  /// Finds an app's tables, views and indexes whose names conflict with those of an import.
  ///
  /// - Parameter holdsBackup: true if the database has Coffer's tables.
  /// - Throws: `CofferError` with the code `incompatible`, which names the object and the remedy; `DatabaseError`.
  func checkNames(of layout: DatabaseLayout, holdsBackup: Bool) throws {
    func object(_ name: String) throws -> (type: String, name: String, table: String, isNested: Bool, words: String)? {
      let row = try Row.fetchOne(
        self,
        sql: """
          SELECT type, name, tbl_name, instr(sql, \(NestedView.mark.quotedText)) FROM main.sqlite_schema
          WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view', 'index')
          """, arguments: [name])
      return row.map { row in
        let (type, name): (String, String) = (row[0], row[1])
        let isNested = type == "view" && row[3] != 0
        return (type, name, row[2], isNested, "the database has \(type == "index" ? "an" : "a") \(type) '\(name)'")
      }
    }
    for name in [DatabaseLayout.backupTable, DatabaseLayout.memberTable] + layout.tables.map(\.name) {
      guard let found = try object(name) else { continue }
      // `ExistingTable` checks the collections' tables.
      if found.type == "table", holdsBackup { continue }
      let problem =
        found.isNested
        ? "of a list inside records, but a table needs that name: drop the view"
        : "that Coffer didn't create: rename it, or import into another database"
      throw CofferError(.incompatible, "\(found.words) \(problem)")
    }
    for table in layout.tables {
      for index in table.indexes {
        guard let found = try object(index.name) else { continue }
        if found.type == "index", try isIndex(found.name, of: found.table, like: index) { continue }
        let owner = found.type == "index" ? " on the table '\(found.table)'" : ""
        throw CofferError(
          .incompatible,
          "\(found.words)\(owner) that Coffer didn't create, but the keys of \(table.title) need that name: give it another name, or import into another database"
        )
      }
    }
  }

  /// Returns true if an index is the given one, or an equivalent one.
  private func isIndex(_ name: String, of table: String, like index: TableLayout.Index) throws -> Bool {
    let columns = try String?.fetchAll(
      self, sql: "SELECT name FROM pragma_index_info(?, 'main') ORDER BY seqno", arguments: [name])
    let isAlike = try number(
      "SELECT count(*) FROM pragma_index_list(?, 'main') WHERE name = ? AND \"unique\" = ? AND NOT partial",
      [table, name, index.isUnique])
    return isAlike == 1 && table.lowercased() == index.table.lowercased()
      && columns.map { $0?.lowercased() } == index.columns.map { $0.lowercased() }
  }
}
