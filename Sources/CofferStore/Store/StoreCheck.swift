import GRDB

/// Proofs that a database is sound.
enum StoreCheck {
  /// - Throws: `StoreError` of the code `damaged-database`.
  static func integrity(of database: Database, schema: String = "main") throws {
    let text = try String.fetchOne(database, sql: "PRAGMA \(schema).quick_check(1)")
    if text != "ok" { throw StoreError(code: .damaged, message: "the database is damaged: \(text ?? "no answer")") }
  }

  /// - Throws: `StoreError` of the code `conflict` if a row refers to one that isn't there.
  static func references(of database: Database, schema: String = "main") throws {
    guard let row = try Row.fetchOne(database, sql: "PRAGMA \(schema).foreign_key_check") else { return }
    throw dangling(row)
  }

  /// How many rows of each table refer to rows that aren't there, as the format's references say.
  static func danglingCounts(of tables: [TableLayout], in database: Database) throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for table in tables where !table.references.isEmpty {
      // What is attached may have tables of these names, too.
      guard try PresentTable(table.name, in: database) != nil else { continue }
      counts[table.name] = try Int.fetchOne(
        database, sql: "SELECT count(*) FROM pragma_foreign_key_check(?, 'main')", arguments: [table.name])
    }
    return counts
  }

  /// - Throws: `StoreError` of the code `conflict` if more rows than before refer to others that aren't there.
  static func references(of tables: [TableLayout], in database: Database, before: [String: Int]) throws {
    for (name, count) in try danglingCounts(of: tables, in: database) where count > before[name] ?? 0 {
      guard
        let row = try Row.fetchOne(
          database, sql: "SELECT * FROM pragma_foreign_key_check(?, 'main') ORDER BY rowid DESC", arguments: [name])
      else { continue }
      throw dangling(row)
    }
  }

  private static func dangling(_ row: Row) -> StoreError {
    let (table, rowID, parent): (String?, Int64?, String?) = (row[0], row[1], row[2])
    return StoreError(
      code: .conflict,
      message:
        "row \(rowID.map(String.init) ?? "?") of \(table ?? "a table") refers to a row of \(parent ?? "another table") that isn't there"
    )
  }
}
