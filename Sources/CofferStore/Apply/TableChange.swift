import Coffer
import Foundation
import GRDB
import JSONEvents
import Rules

/// What an import does to one table: counted before, then done, by the same conditions.
///
///     s    a staged row, without key or with one           m    a row that is there
///
///     s.key = m.key, equal in value            unchanged
///     s.key = m.key, otherwise                 replaced or kept
///     s without m                              inserted
///     m without s                              untouched in a merge, removed by a replacement
///     no key                                   of equal rows, as many as the side has that has more of them
struct TableChange {
  let table: TableLayout
  private let present: PresentTable?
  private let options: StoreImportOptions
  private let isStageNewer: Bool?
  private let sql: Conditions
  private let equal: EqualRows?

  /// - Parameter held: the table in the form in which the database holds it.
  init(_ table: TableLayout, held: TableLayout, _ present: PresentTable?, _ options: StoreImportOptions, isStageNewer: Bool?) {
    self.table = table
    self.present = present
    self.options = options
    self.isStageNewer = isStageNewer
    let sql = Conditions(table, held: held, present)
    self.sql = sql
    equal = present.map { EqualRows(table: table, held: held, present: $0, sql: sql) }
  }

  // MARK: Conditions

  /// What two rows have in common, as SQL says it.
  struct Conditions {
    let staged: String
    let target: String
    /// The columns that both have: one that is missing in the database has no values there.
    let common: [String]
    let sameKey: String
    let hasKey: String
    /// All columns are the same, and none is in another form.
    let isIdentical: String

    init(_ table: TableLayout, held: TableLayout, _ present: PresentTable?) {
      let name = table.name.quotedIdentifier
      staged = "\(StageApplication.schema).\(name)"
      target = "main.\(name)"
      let common = table.columnNames.filter { present?.has($0) ?? false }
      self.common = common
      let changed = Set(zip(held.columns, table.columns).filter { $0.kind != $1.kind }.map(\.0.name))
      func value(_ column: String) -> String {
        let value = "m.\(column.quotedIdentifier)"
        return changed.contains(column)
          ? "CASE WHEN json_valid(\(value)) THEN json_extract(\(value), '$') ELSE \(value) END" : value
      }
      sameKey =
        table.key.isEmpty ? "TRUE" : table.key.map { "\(value($0)) = s.\($0.quotedIdentifier)" }.joined(separator: " AND ")
      hasKey =
        table.key.isEmpty ? "FALSE" : table.key.map { "s.\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
      let missing = table.columnNames.filter { !common.contains($0) }.map { "s.\($0.quotedIdentifier) IS NULL" }
      let identical = common.map { column in
        let (m, s) = ("m.\(column.quotedIdentifier)", "s.\(column.quotedIdentifier)")
        return changed.contains(column) ? "\(m) IS NULL AND \(s) IS NULL" : "\(m) IS \(s) COLLATE BINARY"
      }
      isIdentical = (identical + missing).joined(separator: " AND ")
    }
  }

  private var staged: String { sql.staged }
  private var target: String { sql.target }
  private var hasKey: String { sql.hasKey }
  /// ``EqualRows`` has been looked for.
  private var isSame: String { "(\(sql.isIdentical) OR s.rowid IN (SELECT number FROM \(EqualRows.name(of: table))))" }

  /// Whether a staged row that differs takes the place of the other.
  private var wins: String {
    if options.mode == .replace { return "TRUE" }
    switch options.conflicts {
    case .keepExisting: return "FALSE"
    case .replace: return "TRUE"
    case .keepNewest:
      let otherwise = isStageNewer.map { $0 ? "TRUE" : "FALSE" } ?? "NULL"
      guard let modified = table.modified, sql.common.contains(modified.column) else { return otherwise }
      let (new, old) = ["s", "m"].map { "coffer_time_\(modified.format.rawValue)(\($0).\(modified.column.quotedIdentifier))" }
        .pair
      return "CASE WHEN \(new) IS NOT NULL AND \(old) IS NOT NULL THEN \(new) > \(old) ELSE \(otherwise) END"
    }
  }

  /// Texts of dates as what sorts like the points in time that they stand for.
  static func addFunctions(to database: Database) {
    for format in StringFormat.allCases where format.isPointInTime {
      database.add(
        function: DatabaseFunction("coffer_time_\(format.rawValue)", argumentCount: 1, pure: true) { values in
          guard var text = String.fromDatabaseValue(values[0]) ?? Int64.fromDatabaseValue(values[0]).map(String.init) else {
            return nil
          }
          let instant = text.withUTF8 { bytes in bytes.baseAddress.flatMap { format.instant(ByteView($0, count: bytes.count)) } }
          return instant.map { $0.sortKey }
        })
    }
  }

  // MARK: Counting

  func preview(in database: Database) throws -> CollectionChanges {
    var result = CollectionChanges(pointer: table.pointer, title: table.title)
    let stagedCount = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(staged)") ?? 0
    guard present != nil else {
      result.inserted = stagedCount
      return result
    }
    let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(target)") ?? 0
    try equal?.find(in: database)
    var matched = 0
    var keyless = (staged: stagedCount, there: count, equal: 0)
    if !table.key.isEmpty {
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT count(*), total(same), total(NOT same AND wins), total(NOT same AND wins IS NULL)
          FROM (SELECT \(isSame) AS same, \(wins) AS wins FROM \(staged) s JOIN \(target) m ON \(sql.sameKey))
          """)
      func number(_ index: Int) -> Int { (row?[index] as Double?).map { Int($0) } ?? 0 }
      matched = row?[0] ?? 0
      result.unchanged = number(1)
      result.replaced = number(2)
      result.kept = matched - result.unchanged - result.replaced
      if number(3) > 0 {
        throw StoreError(
          code: .noTime,
          message:
            "nothing says which of two records of \(table.title) is the newer one: say --on-conflict keep-existing or replace")
      }
      keyless.staged = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(staged) s WHERE NOT (\(hasKey))") ?? 0
      keyless.there = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(target) s WHERE NOT (\(hasKey))") ?? 0
    }
    if keyless.staged > 0, keyless.there > 0 {
      keyless.equal = keyless.staged - (try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(newKeyless))") ?? 0)
    }
    let keyed = (staged: stagedCount - keyless.staged, there: count - keyless.there)
    result.unchanged += keyless.equal
    result.inserted = keyed.staged - matched + keyless.staged - keyless.equal
    let rest = keyed.there - matched + keyless.there - keyless.equal
    if options.mode == .replace { result.removed = rest } else { result.untouched = rest }
    return result
  }

  /// The numbers of the staged rows without a key that come beside the equal ones that are there.
  private var newKeyless: String {
    "SELECT s.rowid FROM \(staged) s WHERE NOT (\(hasKey)) AND s.rowid NOT IN (SELECT number FROM \(EqualRows.name(of: table)))"
  }

  // MARK: Changing

  /// - Parameter expected: what ``preview(in:)`` has counted in this transaction. A table of which no row differs stays as it is.
  func apply(_ expected: CollectionChanges, in database: Database) throws {
    guard let present else {
      try database.execute(sql: table.creation(in: "main"))
      try insert("TRUE", in: database)
      return try makeIndexes(in: database)
    }
    defer { try? database.execute(sql: "DROP TABLE IF EXISTS \(EqualRows.name(of: table))") }
    for column in table.columns where !present.has(column.name) {
      try database.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(column.declaration)")
    }
    if !present.has(TableLayout.more) { try database.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(TableLayout.more) TEXT") }
    if expected.inserted + expected.replaced + expected.removed > 0 {
      switch options.mode {
      case .merge: try merge(in: database)
      case .replace: try replace(present, in: database)
      }
    }
    try makeIndexes(in: database)
  }

  /// Behind an upgrade.
  private var sameKey: String { table.key.equality("m", "s") }

  private func insert(_ condition: String, in database: Database) throws {
    try database.execute(
      sql: """
        INSERT INTO \(target) (\(table.columnNames.identifierList))
        SELECT \(table.columnNames.identifierList(of: "s")) FROM \(staged) s WHERE \(condition) ORDER BY s.rowid
        """)
  }

  private func makeIndexes(in database: Database) throws {
    for index in table.indexes {
      let isThere = try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = ?)",
        arguments: [index.name])
      if isThere != true { try database.execute(sql: index.creation(in: "main")) }
    }
  }

  private func merge(in database: Database) throws {
    // Which rows are new is decided before the first of them is there.
    try database.execute(sql: "DROP TABLE IF EXISTS temp.coffer_new; CREATE TEMP TABLE coffer_new (number INTEGER PRIMARY KEY)")
    defer { try? database.execute(sql: "DROP TABLE IF EXISTS temp.coffer_new") }
    if !table.key.isEmpty {
      try database.execute(
        sql: """
          INSERT INTO temp.coffer_new SELECT s.rowid FROM \(staged) s
          WHERE \(hasKey) AND NOT EXISTS (SELECT 1 FROM \(target) m WHERE \(sameKey))
          """)
    }
    try database.execute(sql: "INSERT INTO temp.coffer_new \(newKeyless)")
    if options.conflicts != .keepExisting {
      // Two records may have changed their values with each other: between the two updates both have the same. They are made again behind all rows.
      for index in table.indexes where index.isUnique && index.columns != table.key {
        try database.execute(sql: "DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
      }
    }
    if !table.key.isEmpty, options.conflicts != .keepExisting {
      try database.execute(
        sql: """
          UPDATE \(target) AS m SET \(Self.assignments(table.columnNames))
          FROM \(staged) s WHERE \(sameKey) AND NOT (\(isSame)) AND (\(wins))
          """)
    }
    try insert("s.rowid IN (SELECT number FROM temp.coffer_new)", in: database)
  }

  /// Empties the table and fills it again, so that rows stand as the backup has them. What an app has put into columns of its own stays with the rows that
  /// have the same key, and with those without one that are equal; these are also spelled as before.
  private func replace(_ present: PresentTable, in database: Database) throws {
    let own = present.columns(besides: table)
    try keepEqualRows(own, in: database)
    let keyed = table.key.isEmpty ? [] : own
    if !keyed.isEmpty {
      try database.execute(
        sql: """
          DROP TABLE IF EXISTS temp.coffer_own;
          CREATE TEMP TABLE coffer_own AS SELECT \((table.key + own).identifierList) FROM \(target);
          CREATE INDEX temp.coffer_own_key ON coffer_own (\(table.key.identifierList))
          """)
    }
    for index in table.indexes { try database.execute(sql: "DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)") }
    try database.execute(sql: "DELETE FROM \(target)")
    try insert("TRUE", in: database)
    try makeIndexes(in: database)
    if !keyed.isEmpty {
      try database.execute(
        sql: """
          UPDATE \(target) AS m SET \(Self.assignments(own)) FROM temp.coffer_own s WHERE \(sameKey);
          DROP TABLE temp.coffer_own
          """)
    }
    if try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM temp.coffer_kept)") == true {
      // A staged row's number is its place, from 1.
      try database.execute(
        sql: """
          UPDATE \(target) AS m SET \(Self.assignments(own + table.columnNames))
          FROM (SELECT rowid AS there, row_number() OVER (ORDER BY rowid) AS number FROM \(target)) p
          JOIN temp.coffer_kept s ON s.coffer_number = p.number WHERE m.rowid = p.there
          """)
    }
    try database.execute(sql: "DROP TABLE temp.coffer_kept")
  }

  /// Keeps the rows that are equal to a staged one and wouldn't be the same without it.
  private func keepEqualRows(_ own: [String], in database: Database) throws {
    let columns = (own + table.columnNames).identifierList(of: "m")
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_kept;
        CREATE TEMP TABLE coffer_kept AS SELECT e.number AS coffer_number, \(columns)
        FROM \(EqualRows.name(of: table)) e JOIN \(target) m ON m.rowid = e.there \(own.isEmpty ? "WHERE NOT e.is_exact" : "");
        CREATE INDEX temp.coffer_kept_number ON coffer_kept (coffer_number)
        """)
  }

  private static func assignments(_ columns: [String]) -> String {
    columns.map { "\($0.quotedIdentifier) = s.\($0.quotedIdentifier)" }.joined(separator: ", ")
  }
}

extension [String] {
  fileprivate var pair: (String, String) { (self[0], self[1]) }
}

extension Instant {
  /// Sixteen bytes that sort as the instants do.
  fileprivate var sortKey: Data {
    var bytes = Data(capacity: 16)
    for word in [UInt64(bitPattern: seconds) ^ 1 << 63, UInt64(bitPattern: attoseconds)] {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    return bytes
  }
}
