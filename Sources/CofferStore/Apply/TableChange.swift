import Coffer
import Foundation
import GRDB
import JSONEvents
import Rules

/// What an import does to one table: counted before, then done, by the same conditions.
///
///     s    a staged row, without key or with one           m    a row that is there
///
///     s.key = m.key, all columns the same      unchanged
///     s.key = m.key, otherwise                 replaced or kept
///     s without m                              inserted
///     m without s                              untouched in a merge, removed by a replacement
///     no key                                   of equal rows, as many as the side has that has more of them
struct TableChange {
  let table: TableLayout
  private let present: PresentTable?
  private let options: StoreImportOptions
  private let isStageNewer: Bool?

  init(_ table: TableLayout, _ present: PresentTable?, _ options: StoreImportOptions, isStageNewer: Bool?) {
    self.table = table
    self.present = present
    self.options = options
    self.isStageNewer = isStageNewer
  }

  // MARK: Conditions

  private var name: String { table.name.quotedIdentifier }
  private var staged: String { "\(StageApplication.schema).\(name)" }
  private var target: String { "main.\(name)" }

  /// The columns that both have: one that is missing in the database has no values there.
  private var common: [String] { table.columnNames.filter { present?.has($0) ?? false } }

  private var sameKey: String { table.key.equality("m", "s") }
  private var hasKey: String {
    table.key.isEmpty ? "FALSE" : table.key.map { "s.\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
  }
  private var isSame: String {
    let missing = table.columnNames.filter { !common.contains($0) }.map { "s.\($0.quotedIdentifier) IS NULL" }
    let equal = common.map { "m.\($0.quotedIdentifier) IS s.\($0.quotedIdentifier) COLLATE BINARY" }
    return (equal + missing).joined(separator: " AND ")
  }

  /// Whether a staged row that differs takes the place of the other.
  private var wins: String {
    if options.mode == .replace { return "TRUE" }
    switch options.conflicts {
    case .keepExisting: return "FALSE"
    case .replace: return "TRUE"
    case .keepNewest:
      let otherwise = isStageNewer.map { $0 ? "TRUE" : "FALSE" } ?? "NULL"
      guard let modified = table.modified, common.contains(modified.column) else { return otherwise }
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
    var matched = 0
    var keyless = (staged: stagedCount, there: count, equal: 0)
    if !table.key.isEmpty {
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT count(*), total(same), total(NOT same AND wins), total(NOT same AND wins IS NULL)
          FROM (SELECT \(isSame) AS same, \(wins) AS wins FROM \(staged) s JOIN \(target) m ON \(sameKey))
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
      keyless.equal = keyless.staged - (try Int.fetchOne(database, sql: "SELECT count(*) FROM (\(newTwins))") ?? 0)
    }
    let keyed = (staged: stagedCount - keyless.staged, there: count - keyless.there)
    result.unchanged += keyless.equal
    result.inserted = keyed.staged - matched + keyless.staged - keyless.equal
    let rest = keyed.there - matched + keyless.there - keyless.equal
    if options.mode == .replace { result.removed = rest } else { result.untouched = rest }
    return result
  }

  /// The numbers of the staged rows without a key that come beside the equal ones that are there.
  ///
  /// Of equal rows the n-th staged one is new if fewer than n are there. One sort, whatever their number.
  private var newTwins: String {
    let values = common.identifierList(of: "s")
    let missing = table.columnNames.filter { !common.contains($0) }
    let more = missing.isEmpty ? "" : ", " + missing.identifierList(of: "s")
    let nulls = missing.map { ", NULL AS \($0.quotedIdentifier)" }.joined()
    let all = (common + missing).identifierList
    return """
      SELECT number FROM (
        SELECT number, side, row_number() OVER (PARTITION BY \(all), side ORDER BY number) AS n,
          count(*) FILTER (WHERE side = 0) OVER (PARTITION BY \(all)) AS there
        FROM (
          SELECT 0 AS side, s.rowid AS number, \(values)\(nulls) FROM \(target) s WHERE NOT (\(hasKey))
          UNION ALL SELECT 1, s.rowid, \(values)\(more) FROM \(staged) s WHERE NOT (\(hasKey))))
      WHERE side = 1 AND n > there
      """
  }

  // MARK: Changing

  func apply(in database: Database) throws {
    guard let present else {
      try database.execute(sql: table.creation(in: "main"))
      try insert("TRUE", in: database)
      return try makeIndexes(in: database)
    }
    for column in table.columns where !present.has(column.name) {
      try database.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(column.declaration)")
    }
    if !present.has(TableLayout.more) { try database.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(TableLayout.more) TEXT") }
    switch options.mode {
    case .merge:
      try merge(in: database)
      try makeIndexes(in: database)
    case .replace: try replace(present, in: database)
    }
  }

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
    try database.execute(sql: "INSERT INTO temp.coffer_new \(newTwins)")
    if options.conflicts != .keepExisting {
      // Two records may have changed their values with each other: between the two updates both have the same. They are made again behind all rows.
      for index in table.indexes where index.isUnique && index.columns != table.key {
        try database.execute(sql: "DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
      }
    }
    if !table.key.isEmpty, options.conflicts != .keepExisting {
      let assignments = table.columnNames.map { "\($0.quotedIdentifier) = s.\($0.quotedIdentifier)" }.joined(separator: ", ")
      try database.execute(
        sql: "UPDATE \(target) AS m SET \(assignments) FROM \(staged) s WHERE \(sameKey) AND NOT (\(isSame)) AND (\(wins))")
    }
    try insert("s.rowid IN (SELECT number FROM temp.coffer_new)", in: database)
  }

  /// Empties the table and fills it again, so that rows stand as the backup has them. What an app has put into columns of its own stays with the rows that
  /// have the same key.
  private func replace(_ present: PresentTable, in database: Database) throws {
    let own = table.key.isEmpty ? [] : present.columns(besides: table)
    if !own.isEmpty {
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
    guard !own.isEmpty else { return }
    let assignments = own.map { "\($0.quotedIdentifier) = s.\($0.quotedIdentifier)" }.joined(separator: ", ")
    try database.execute(
      sql: """
        UPDATE \(target) AS m SET \(assignments) FROM temp.coffer_own s WHERE \(sameKey);
        DROP TABLE temp.coffer_own
        """)
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
