import GRDB

/// Proofs that a database is sound.
enum StoreCheck {
  /// - Throws: `StoreError` of the code `damaged-database`.
  static func integrity(of database: Database) throws {
    let text = try String.fetchOne(database, sql: "PRAGMA main.quick_check(1)")
    if text != "ok" { throw StoreError(code: .damaged, message: "the database is damaged: \(text ?? "no answer")") }
  }

  /// How many rows of each table refer to rows that aren't there.
  static func danglingCounts(of tables: [TableLayout], in database: Database) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for table in tables {
      for key in try ForeignKey.all(of: table.name, in: database) {
        counts[table.name, default: 0] += try key.danglingCount(in: database)
      }
    }
    return counts
  }

  /// - Throws: `StoreError` of the code `conflict` if more rows than before refer to others that aren't there.
  static func references(of tables: [TableLayout], in database: Database, before: [String: Int] = [:]) throws {
    for (name, count) in try danglingCounts(of: tables, in: database) where count > before[name] ?? 0 {
      for key in try ForeignKey.all(of: name, in: database) {
        guard let row = try key.lastDanglingRow(in: database) else { continue }
        throw StoreError(
          code: .conflict, message: "row \(row) of \(name) refers to a row of \(key.parent) that isn't there")
      }
    }
  }
}

/// A foreign key that a table of the main database declares.
///
/// `PRAGMA foreign_key_check` looks each row up in the other table; this looks each distinct value up, which takes a seventh of the time where an index leads
/// to them.
private struct ForeignKey {
  let child: String
  let parent: String
  private var columns: [(from: String, to: String)] = []
  private var isParentThere = false

  static func all(of child: String, in database: Database) throws -> [ForeignKey] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT id, \"table\", \"from\", \"to\", seq FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq",
      arguments: [child])
    var keys: [Int: ForeignKey] = [:]
    for row in rows {
      let (id, parent, from, to, sequence): (Int, String, String, String?, Int) = (row[0], row[1], row[2], row[3], row[4])
      var key = keys[id] ?? ForeignKey(child: child, parent: parent)
      key.isParentThere = try PresentTable(parent, in: database) != nil
      // Without a name, it is the other table's primary key.
      let primary =
        try to
        ?? String.fetchOne(
          database, sql: "SELECT name FROM pragma_table_info(?, 'main') WHERE pk = ?", arguments: [parent, sequence + 1])
      if let primary { key.columns.append((from, primary)) } else { key.isParentThere = false }
      keys[id] = key
    }
    return keys.sorted { $0.key < $1.key }.map(\.value)
  }

  private init(child: String, parent: String) {
    self.child = child
    self.parent = parent
  }

  /// Rows `c` that aren't complete refer to nothing.
  private var isComplete: String {
    columns.isEmpty ? "FALSE" : columns.map { "c.\($0.from.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
  }

  private func danglingRows(_ rows: String) -> String {
    guard isParentThere, let first = columns.first else { return "\(rows) c WHERE \(isComplete)" }
    let isSame = columns.map { "p.\($0.to.quotedIdentifier) = c.\($0.from.quotedIdentifier)" }.joined(separator: " AND ")
    return """
      \(rows) c LEFT JOIN main.\(parent.quotedIdentifier) p ON \(isSame)
      WHERE \(isComplete) AND p.\(first.to.quotedIdentifier) IS NULL
      """
  }

  func danglingCount(in database: Database) throws -> Int {
    let names = columns.map(\.from.quotedIdentifier)
    if names.isEmpty { return 0 }
    // Letters that one table compares alike may differ in the other.
    let groups = """
      (SELECT \(names.joined(separator: ", ")), count(*) AS coffer_count FROM main.\(child.quotedIdentifier)
       GROUP BY \(names.map { "\($0) COLLATE BINARY" }.joined(separator: ", ")))
      """
    return try Int.fetchOne(database, sql: "SELECT total(coffer_count) FROM \(danglingRows(groups))") ?? 0
  }

  func lastDanglingRow(in database: Database) throws -> Int64? {
    if columns.isEmpty { return nil }
    return try Int64.fetchOne(
      database, sql: "SELECT c.rowid FROM \(danglingRows("main.\(child.quotedIdentifier)")) ORDER BY c.rowid DESC LIMIT 1")
  }
}
