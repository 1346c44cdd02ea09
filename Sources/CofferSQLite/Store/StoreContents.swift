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
