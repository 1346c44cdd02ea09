import Foundation
import GRDB
import SystemPackage
import TestSupport

/// The content of a database as text that can be compared: its schema, and the rows of each table in a fixed order.
struct DatabaseContent: Hashable, Sendable {
  /// One part for `schema` and one for each table.
  private(set) var parts: [String: String] = [:]
  /// The errors that SQLite finds; none in a valid database.
  private(set) var damage: [String] = []

  /// The endings of files that SQLite leaves next to a database for the next opening.
  static let companions = ["-journal", "-wal"]

  /// Reads a copy, so that an interrupted transaction remains for the next run to roll back.
  init(readingCopyOf path: FilePath) throws {
    let folder = try TemporaryFolder()
    let copy = folder.path.appending("copy.db")
    for ending in [""] + Self.companions {
      let source = path.string + ending
      if ending.isEmpty || FileManager.default.fileExists(atPath: source) {
        try FileManager.default.copyItem(atPath: source, toPath: copy.string + ending)
      }
    }
    do {
      // Writable, because reading rolls an interrupted transaction back.
      let queue = try DatabaseQueue(path: copy.string)
      try queue.read { database in
        damage = try String.fetchAll(database, sql: "SELECT * FROM pragma_integrity_check").filter { $0 != "ok" }
        damage += try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").map { "foreign key: \($0)" }
        try read(database)
      }
      try queue.close()
    } catch {
      damage.append("cannot be read: \(error)")
    }
  }

  private mutating func read(_ database: Database) throws {
    let versions = try Int.fetchAll(
      database, sql: "SELECT * FROM pragma_user_version UNION ALL SELECT * FROM pragma_application_id")
    let schema = try String.fetchAll(
      database,
      sql: "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")
    parts["schema"] = "\(versions)\n" + schema.joined(separator: "\n")
    let tables = try Row.fetchAll(
      database, sql: "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema'"
    )
    for table in tables {
      let name: String = table["name"]
      let columns = try String.fetchAll(database, sql: "SELECT name FROM pragma_table_info(?)", arguments: [name])
      // Row ids matter, too: they are the order in which records were imported.
      let values = (table["wr"] == 0 ? ["rowid"] : []) + columns.map { "\"\($0.replacing("\"", with: "\"\""))\"" }
      let row = values.map { "quote(\($0))" }.joined(separator: " || ',' || ")
      let rows = try String.fetchAll(
        database, sql: "SELECT \(row) AS row FROM \"\(name.replacing("\"", with: "\"\""))\" ORDER BY row")
      parts["table \(name)"] = rows.joined(separator: "\n")
    }
  }

  /// Replaces those of the names that occur, and returns them.
  mutating func rename(_ names: [String], to name: String) -> [String] {
    let found = names.filter { name in parts.values.contains { $0.contains(name) } }
    for old in found { parts = parts.mapValues { $0.replacing(old, with: name) } }
    return found
  }

  /// Returns the parts in which two databases differ.
  func differences(from other: Self) -> [String] {
    Set(parts.keys).union(other.parts.keys).filter { parts[$0] != other.parts[$0] }.sorted()
  }
}
