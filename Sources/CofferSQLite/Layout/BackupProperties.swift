import BackupFormats
import ByteStreams
import Coffer
import GRDB
import JSONEvents
package import Rules

/// The properties of the backup in a database.
package struct BackupProperties: Sendable, Equatable {
  package let format: String
  package let version: Int?
  /// The version of the format that the tables were made for, if the backup was of a newer one.
  let tablesVersion: Int?
  package let createdAt: Instant?
  /// The set of files that belongs to the rows, or `nil` if there is none.
  package let files: String?
  /// The rules of a format that isn't built in, as JSON.
  let rules: String?
  /// True if these rules were drafted from documents without any, and follow the documents.
  let isDrafted: Bool

  /// Reads the properties from a database.
  ///
  /// - Returns: `nil` if the database holds no backup.
  /// - Throws: `CofferError` if another version of Coffer created tables of another form; `DatabaseError`.
  init?(of database: Database) throws {
    // An app may have a table of this name.
    let columns = try database.number(
      "SELECT count(*) FROM pragma_table_info(?, 'main') WHERE name IN ('name', 'value')", [DatabaseLayout.backupTable])
    guard columns == 2 else { return nil }
    var values: [String: String] = [:]
    let rows = try Row.fetchCursor(database, sql: "SELECT name, value FROM main.\(DatabaseLayout.backupTable)")
    while let row = try rows.next() {
      if let name: String = row[0], let value: String = row[1] { values[name] = value }
    }
    guard let format = values["format"] else { return nil }
    let form = values["form"].flatMap { Int($0) } ?? 1
    if form > DatabaseLayout.formVersion {
      throw CofferError(.newerVersion, "a later version of Coffer created these tables (layout version \(form))")
    }
    if form < DatabaseLayout.formVersion {
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
    rules = values[Self.rules]
    isDrafted = values[Self.drafted] != nil
  }

  static let rules = "rules"
  static let drafted = "drafted"

  /// Returns the format of the rows: the one whose rules are stored, which the tables follow, or that of the catalog.
  ///
  /// - Throws: `unknownFormat` if neither is there; `CofferError` if the stored rules are damaged.
  func format(from catalog: FormatCatalog, database: String) throws(CofferError) -> BackupFormat {
    guard let rules else {
      if let known = catalog[format] { return known }
      throw CofferError(
        .unknownFormat,
        "\(database) holds a backup of '\(format)', and not of a known format (\(catalog.names.joined(separator: ", ")))")
    }
    do {
      return try BackupFormat(descriptor: rules)
    } catch {
      throw CofferError(.damagedDatabase, "\(database): the rules in it can't be used: \(error.message)")
    }
  }

  /// Stores a property in the database.
  static func set(_ name: String, _ value: String?, in database: Database) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO main.\(DatabaseLayout.backupTable) (name, value) VALUES (?, ?)", arguments: [name, value])
  }

  /// True if this backup was created after `other`. `nil` if one of the two has no date of creation.
  func isNewer(than other: BackupProperties?) -> Bool? {
    guard let old = other?.createdAt, let new = createdAt else { return nil }
    return new > old
  }
}
