import BackupFormats
import ByteStreams
import Coffer
package import GRDB
import JSONEvents
package import Rules

/// The properties of the backup in a database.
package struct StoreContents: Sendable, Equatable {
  package var format: String
  package var version: Int?
  /// The version of the format that the tables were made for, if the backup was of a newer one.
  package var tablesVersion: Int?
  package var createdAt: Instant?
  /// The set of files that belongs to the rows, or `nil` if there is none.
  package var files: String?
  /// Row counts by table.
  package var counts: [String: Int] = [:]

  /// Reads the properties from a database.
  ///
  /// - Parameter schema: `main`, or the name under which the database is attached.
  /// - Returns: `nil` if the database holds no backup.
  /// - Throws: `CofferError` if another version of Coffer created tables of another form; `DatabaseError`.
  package init?(of database: Database, schema: String = "main") throws {
    // An app may have a table of this name.
    let columns = try Int.fetchOne(
      database, sql: "SELECT count(*) FROM pragma_table_info(?, ?) WHERE name IN ('name', 'value')",
      arguments: [StoreLayout.backupTable, schema])
    guard columns == 2 else { return nil }
    var values: [String: String] = [:]
    let rows = try Row.fetchCursor(database, sql: "SELECT name, value FROM \(schema).\(StoreLayout.backupTable)")
    while let row = try rows.next() {
      if let name: String = row[0], let value: String = row[1] { values[name] = value }
    }
    guard let format = values["format"] else { return nil }
    let form = values["form"].flatMap { Int($0) } ?? 1
    if form > StoreLayout.formVersion {
      throw CofferError(.newerVersion, "a later version of Coffer created these tables (layout version \(form))")
    }
    if form < StoreLayout.formVersion {
      throw CofferError(
        .incompatible,
        "an earlier version of Coffer created these tables (layout version \(form)): export the backup with that version, and import it into a new database"
      )
    }
    self.format = format
    version = values["version"].flatMap { Int($0) }
    tablesVersion = values["tables"].flatMap { Int($0) }
    createdAt = values["createdAt"].flatMap { Instant($0) }
    files = values["files"]
  }

  /// True if this backup was created after `other`. `nil` if one of the two has no date of creation.
  package func isNewer(than other: StoreContents?) -> Bool? {
    guard let old = other?.createdAt, let new = createdAt else { return nil }
    return new > old
  }

  /// Counts the rows of the existing tables.
  package mutating func count(_ layout: StoreLayout, in database: Database, schema: String = "main") throws {
    let known = Set(
      try String.fetchAll(database, sql: "SELECT name FROM \(schema).sqlite_schema WHERE type = 'table'").map { $0.lowercased() })
    for table in layout.tables where known.contains(table.name.lowercased()) {
      counts[table.name] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(schema).\(table.name.quotedIdentifier)") ?? 0
    }
  }
}

/// Checks of a database's integrity.
enum StoreCheck {
  /// - Throws: `CofferError` with the code `damaged-database`.
  static func integrity(of database: Database) throws {
    let text = try String.fetchOne(database, sql: "PRAGMA main.quick_check(1)")
    if text != "ok" { throw CofferError(.damagedDatabase, "the database is damaged: \(text ?? "no answer")") }
  }

  /// Returns the number of dangling rows for each foreign key of the tables.
  static func danglingCounts(of tables: [TableLayout], in database: Database) throws -> [ForeignKey: Int] {
    var counts: [ForeignKey: Int] = [:]
    for table in tables {
      for key in try ForeignKey.all(of: table.name, in: database) { counts[key] = try key.danglingCount(in: database) }
    }
    return counts
  }

  /// - Parameter leftOut: tables that are not imported, for the message.
  /// - Throws: `CofferError` with the code `conflict` if a foreign key has more dangling rows than before.
  static func references(
    of tables: [TableLayout], in database: Database, before: [ForeignKey: Int] = [:], leftOut: [TableLayout]
  ) throws {
    for (key, count) in try danglingCounts(of: tables, in: database) where count > before[key] ?? 0 {
      guard let row = try key.lastDanglingRow(in: database) else { continue }
      let reason = leftOut.contains { $0.name == key.parent } ? ", which is not imported" : ""
      throw CofferError(.conflict, "row \(row) of \(key.child) refers to a missing row of \(key.parent)\(reason)")
    }
  }
}

/// A foreign key declared by a table of the main database.
///
/// `PRAGMA foreign_key_check` looks up each row in the other table. This looks up each distinct value, which takes a seventh of
/// the time if the column has an index.
struct ForeignKey: Hashable {
  private struct Column: Hashable {
    let from: String
    let to: String
  }

  fileprivate let child: String
  fileprivate let parent: String
  private var columns: [Column] = []

  /// - Throws: `CofferError` with the code `incompatible` if a key refers to missing columns.
  static func all(of child: String, in database: Database) throws -> [ForeignKey] {
    let rows = try Row.fetchAll(
      database, sql: "SELECT id, \"table\", \"from\", \"to\", seq FROM pragma_foreign_key_list(?, 'main') ORDER BY id, seq",
      arguments: [child])
    var keys: [Int: ForeignKey] = [:]
    for row in rows {
      let (id, parent, from, to, sequence): (Int, String, String, String?, Int) = (row[0], row[1], row[2], row[3], row[4])
      var key = keys[id] ?? ForeignKey(child: child, parent: parent)
      let columns = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_xinfo(?, 'main')", arguments: [parent])
      // Without a column name, the key refers to the other table's primary key.
      let primary =
        try to
        ?? String.fetchOne(
          database, sql: "SELECT name FROM pragma_table_info(?, 'main') WHERE pk = ?", arguments: [parent, sequence + 1])
      if !columns.isEmpty, !columns.contains(where: { $0.lowercased() == primary?.lowercased() }) {
        throw CofferError(
          .incompatible,
          "\(child).\(from) refers to \(parent), which has no \(to.map { "column \($0)" } ?? "matching primary key")"
        )
      }
      key.columns.append(Column(from: from, to: primary ?? ""))
      keys[id] = key
    }
    return keys.sorted { $0.key < $1.key }.map(\.value)
  }

  private init(child: String, parent: String) {
    self.child = child
    self.parent = parent
  }

  /// A row `c` with a null in the key refers to nothing.
  private var isComplete: String {
    columns.map { "c.\($0.from.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
  }

  private func danglingRows(_ rows: String, in database: Database) throws -> String {
    guard try PresentTable(parent, in: database) != nil, let first = columns.first else { return "\(rows) c WHERE \(isComplete)" }
    let isSame = columns.map { "p.\($0.to.quotedIdentifier) = c.\($0.from.quotedIdentifier)" }.joined(separator: " AND ")
    return """
      \(rows) c LEFT JOIN main.\(parent.quotedIdentifier) p ON \(isSame)
      WHERE \(isComplete) AND p.\(first.to.quotedIdentifier) IS NULL
      """
  }

  func danglingCount(in database: Database) throws -> Int {
    let names = columns.map(\.from.quotedIdentifier)
    // The two tables may compare letters differently.
    let groups = """
      (SELECT \(names.joined(separator: ", ")), count(*) AS coffer_count FROM main.\(child.quotedIdentifier)
       GROUP BY \(names.map { "\($0) COLLATE BINARY" }.joined(separator: ", ")))
      """
    return try Int.fetchOne(database, sql: "SELECT total(coffer_count) FROM \(danglingRows(groups, in: database))") ?? 0
  }

  func lastDanglingRow(in database: Database) throws -> Int64? {
    let rows = try danglingRows("main.\(child.quotedIdentifier)", in: database)
    return try Int64.fetchOne(database, sql: "SELECT c.rowid FROM \(rows) ORDER BY c.rowid DESC LIMIT 1")
  }
}
