import BackupFormats
import ByteStreams
import Foundation
import GRDB
import JSONEvents
import Rules

/// Brings tables that an earlier version of Coffer has made to the present form, within the transaction of an import.
///
///     form 1    currency = "\u20ac"    JSON, as the backup spelled it
///     form 2    currency = €           the value; one that the column can't hold goes to `more`
///
/// Indexes and triggers of a table are dropped meanwhile, so that none sees half of it, and made again as they were.
///
/// Cost: one pass over each table for each column that changes, and a temporary table of its distinct values.
struct StoreUpgrade {
  /// A table as it is, and as it shall be.
  private let tables: [(old: TableLayout, new: TableLayout)]

  /// - Parameter form: the form of the tables that are there.
  init(_ layout: StoreLayout, from form: Int) throws(StoreError) {
    tables = zip(try StoreLayout(layout.format, form: form).tables, layout.tables).map { ($0, $1) }
  }

  /// - Throws: `DatabaseError`; `StoreError` for a value that no longer is what its column holds.
  func run(in database: Database) throws {
    for (old, new) in tables {
      guard let present = try PresentTable(new.name, in: database) else { continue }
      let changed = zip(old.columns, new.columns).filter { $0.kind != $1.kind && present.has($0.name) }
      if changed.isEmpty { continue }
      if !present.has(TableLayout.more) {
        try database.execute(sql: "ALTER TABLE main.\(new.name.quotedIdentifier) ADD COLUMN \(TableLayout.more) TEXT")
      }
      let dependents = try Row.fetchAll(
        database,
        sql: """
          SELECT type, name, sql FROM main.sqlite_schema
          WHERE tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
          """, arguments: [new.name])
      for row in dependents {
        let (type, name): (String, String) = (row[0], row[1])
        try database.execute(sql: "DROP \(type) main.\(name.quotedIdentifier)")
      }
      for (before, after) in changed { try upgrade(before, to: after, in: new, database) }
      for row in dependents { try database.execute(sql: row[2]) }
    }
  }

  private func upgrade(_ old: ColumnLayout, to new: ColumnLayout, in table: TableLayout, _ database: Database) throws {
    let (target, column) = ("main.\(table.name.quotedIdentifier)", old.name.quotedIdentifier)
    let hasOtherType = old.sqlType != new.sqlType
    let result = hasOtherType ? "coffer_upgraded" : column
    if hasOtherType { try database.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(result) \(new.sqlType)") }
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_value;
        CREATE TEMP TABLE coffer_value (old TEXT PRIMARY KEY, new, fits INTEGER) WITHOUT ROWID
        """)
    defer { try? database.execute(sql: "DROP TABLE IF EXISTS temp.coffer_value") }
    let insertion = try database.makeStatement(
      sql: """
        INSERT INTO temp.coffer_value VALUES (?, CASE typeof(?2) WHEN 'blob' THEN CAST(?2 AS TEXT) ELSE ?2 END, ?2 IS NOT NULL)
        """)
    let values = try String.fetchCursor(
      database, sql: "SELECT DISTINCT \(column) COLLATE BINARY FROM \(target) WHERE \(column) IS NOT NULL")
    while let text = try values.next() {
      guard let value = try? JSONValue.read(MemorySource(Array(text.utf8))).value else {
        // An app has written to the column as if it held plain text already.
        if new.kind == .text { continue }
        throw StoreError(
          code: .damaged,
          message: "the \(old.name) of a record of \(table.title) is not what the column holds: '\(text.prefix(64))'"
        )
      }
      try insertion.execute(arguments: [text, new.kind.stored(value)])
    }
    let isOld = "t.\(column) = v.old COLLATE BINARY"
    try moveMisfits(old, in: table, database, where: isOld)
    try database.execute(
      sql: "UPDATE \(target) AS t SET \(result) = v.new FROM temp.coffer_value v WHERE \(isOld) AND v.fits")
    if hasOtherType {
      try database.execute(
        sql: "ALTER TABLE \(target) DROP COLUMN \(column); ALTER TABLE \(target) RENAME COLUMN \(result) TO \(column)")
    }
  }

  /// Values that the new column can't hold.
  private func moveMisfits(_ column: ColumnLayout, in table: TableLayout, _ database: Database, where isOld: String) throws {
    let target = "main.\(table.name.quotedIdentifier)"
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_misfit;
        CREATE TEMP TABLE coffer_misfit AS SELECT t.rowid AS number, v.old AS value, t.\(TableLayout.more) AS more
        FROM \(target) t JOIN temp.coffer_value v ON \(isOld) AND NOT v.fits
        """)
    defer { try? database.execute(sql: "DROP TABLE IF EXISTS temp.coffer_misfit") }
    let update = try database.makeStatement(
      sql: "UPDATE \(target) SET \(column.name.quotedIdentifier) = NULL, \(TableLayout.more) = ? WHERE rowid = ?")
    let rows = try Row.fetchCursor(database, sql: "SELECT number, value, more FROM temp.coffer_misfit")
    while let row = try rows.next() {
      let (number, value, more): (Int64, String, String?) = (row[0], row[1], row[2])
      var members = try Array((more ?? "{}").utf8).withUnsafeBufferPointer {
        try MoreMembers($0).text(without: [ExactText(column.name)])
      }
      if !members.isEmpty { members.append(UInt8(ascii: ",")) }
      members += column.quotedName + [UInt8(ascii: ":")] + Array(value.utf8)
      try update.execute(arguments: ["{\(String(decoding: members, as: UTF8.self))}", number])
    }
  }
}

extension ColumnLayout.Kind {
  /// A value as a column of this kind stores it; `nil`: it can't. A text is bytes here, for it may hold NUL.
  fileprivate func stored(_ value: JSONValue) -> (any DatabaseValueConvertible)? {
    switch (self, value) {
    case (.text, .string(let text)), (.number, .number(let text)): Data(text.utf8)
    case (.integer, .number(let text)): ByteView.with(text) { $0.shortestInteger }
    case (.boolean, .boolean(let value)): value ? 1 : 0
    default: nil
    }
  }
}
