import BackupFormats
package import GRDB
import JSONEvents
package import Rules

/// What a database holds of a backup.
package struct StoreContents: Sendable, Equatable {
  package var format: String
  package var version: Int?
  /// The version of the format that the tables were made for, if the backup was of a newer one.
  package var tablesVersion: Int?
  package var createdAt: Instant?
  /// Which set of files belongs to the rows; `nil`: none.
  package var files: String?
  /// By table.
  package var counts: [String: Int] = [:]

  /// Reads what a database says of itself.
  ///
  /// - Parameter schema: `main`, or what a database is attached as.
  /// - Returns: `nil` if it holds no backup.
  /// - Throws: `StoreError` if another version of Coffer has made it, whose tables have another form; `DatabaseError`.
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
      throw StoreError(code: .newerVersion, message: "a later version of Coffer created these tables (form \(form))")
    }
    if form < StoreLayout.formVersion {
      throw StoreError(
        code: .incompatible,
        message:
          "an earlier version of Coffer created these tables (form \(form)): export the backup with that version, and import it into a new database"
      )
    }
    self.format = format
    version = values["version"].flatMap { Int($0) }
    tablesVersion = values["tables"].flatMap { Int($0) }
    createdAt = values["createdAt"].flatMap(Instant.init(rfc3339:))
    files = values["files"]
  }

  /// Whether its backup was created after another's; `nil`: one of the two doesn't say.
  package func isNewer(than other: StoreContents?) -> Bool? {
    guard let old = other?.createdAt, let new = createdAt else { return nil }
    return new > old
  }

  /// Counts the rows of the tables that are there.
  package mutating func count(_ layout: StoreLayout, in database: Database, schema: String = "main") throws {
    let known = Set(
      try String.fetchAll(database, sql: "SELECT name FROM \(schema).sqlite_schema WHERE type = 'table'").map { $0.lowercased() })
    for table in layout.tables where known.contains(table.name.lowercased()) {
      counts[table.name] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(schema).\(table.name.quotedIdentifier)") ?? 0
    }
  }
}

extension Instant {
  /// A date and time as RFC 3339 writes it.
  init?(rfc3339 text: String) {
    var text = text
    let instant = text.withUTF8 { bytes in
      bytes.baseAddress.flatMap { StringFormat.dateTime.instant(ByteView($0, count: bytes.count)) }
    }
    guard let instant else { return nil }
    self = instant
  }
}
