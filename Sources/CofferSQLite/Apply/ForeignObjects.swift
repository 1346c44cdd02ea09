import ByteStreams
import Coffer
import GRDB

/// Finds an app's tables, views and indexes whose names conflict with those of an import.
struct ForeignObjects {
  private let database: Database

  init(in database: Database) { self.database = database }

  /// - Parameter holdsBackup: true if the database has Coffer's tables.
  /// - Throws: `CofferError` with the code `incompatible`, which names the object and the remedy; `DatabaseError`.
  func check(_ layout: StoreLayout, holdsBackup: Bool) throws {
    for name in [StoreLayout.backupTable, StoreLayout.memberTable] + layout.tables.map(\.name) {
      guard let found = try object(name) else { continue }
      // `PresentTable` checks the collections' tables.
      if found.type == "table", holdsBackup { continue }
      throw CofferError(
        .incompatible,
        "the database has \(found.type == "index" ? "an" : "a") \(found.type) '\(found.name)' that Coffer didn't create: rename it, or import into another database"
      )
    }
    for table in layout.tables {
      for index in table.indexes {
        guard let found = try object(index.name), try !isSame(found, index) else { continue }
        let owner = found.type == "index" ? " on the table '\(found.table)'" : ""
        throw CofferError(
          .incompatible,
          "the database has \(found.type == "index" ? "an" : "a") \(found.type) '\(found.name)'\(owner) that Coffer didn't create, but the keys of \(table.title) need that name: give it another name, or import into another database"
        )
      }
    }
  }

  private func object(_ name: String) throws -> (type: String, name: String, table: String)? {
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT type, name, tbl_name FROM main.sqlite_schema
        WHERE name = ? COLLATE NOCASE AND type IN ('table', 'view', 'index')
        """, arguments: [name])
    return row.map { (type: $0[0], name: $0[1], table: $0[2]) }
  }

  /// Returns true if the object is the index, or an equivalent one.
  private func isSame(_ found: (type: String, name: String, table: String), _ index: TableLayout.Index) throws -> Bool {
    guard found.type == "index", found.table.lowercased() == index.table.lowercased() else { return false }
    let columns = try String?.fetchAll(
      database, sql: "SELECT name FROM pragma_index_info(?, 'main') ORDER BY seqno", arguments: [found.name])
    let properties = try Row.fetchOne(
      database, sql: "SELECT \"unique\", partial FROM pragma_index_list(?, 'main') WHERE name = ?",
      arguments: [found.table, found.name])
    guard let isUnique: Bool = properties?[0], let isPartial: Bool = properties?[1] else { return false }
    return columns.map { $0?.lowercased() } == index.columns.map { $0.lowercased() } && isUnique == index.isUnique && !isPartial
  }
}
