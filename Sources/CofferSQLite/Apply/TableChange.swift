import BackupFormats
import Coffer
import Foundation
import GRDB
import JSONEvents
import Rules

/// The changes to one table, first counted and then made from the same difference.
///
///     s    a staged row, with or without a key          m    a row of the database
///
///     s.key = m.key, equal in value            unchanged
///     s.key = m.key, otherwise                 replaced or kept
///     s without m                              inserted
///     m without s                              only in the database in a merge, removed by a replacement
///     no key                                   equal rows are paired one to one; the rest as above
struct TableChange {
  let table: TableLayout
  private let present: PresentTable?
  private let options: StoreImportOptions
  private let isStageNewer: Bool?
  private let comparison: RowComparison?

  init(_ table: TableLayout, _ present: PresentTable?, _ options: StoreImportOptions, isStageNewer: Bool?) {
    self.table = table
    self.present = present
    self.options = options
    self.isStageNewer = isStageNewer
    comparison = present.map { RowComparison(table, $0) }
  }

  /// The planned changes of a table.
  struct Plan {
    let changes: CollectionChanges
    /// `nil` if the database has no rows to compare.
    fileprivate let difference: TableDifference?
  }

  private var staged: String { "\(StageApplication.schema).\(table.name.quotedIdentifier)" }
  private var target: String { "main.\(table.name.quotedIdentifier)" }
  private var differenceName: String { TableDifference.name(of: table) }

  /// SQL: a staged row `s` that differs replaces `m`; null if unknown.
  private var wins: String {
    if options.mode == .replace { return "TRUE" }
    switch options.conflicts {
    case .keepExisting: return "FALSE"
    case .replace: return "TRUE"
    case .keepNewest:
      let otherwise = isStageNewer.map { $0 ? "TRUE" : "FALSE" } ?? "NULL"
      return times.map { "coalesce(\($0.new) > \($0.old), \(otherwise))" } ?? otherwise
    }
  }

  /// SQL: the times of modification of `s` and `m`, null if unknown.
  private var times: (new: String, old: String)? {
    guard let modified = table.modified, comparison?.common.contains(modified.column) == true else { return nil }
    return ["s", "m"].map { "coffer_time_\(modified.format.rawValue)(\($0).\(modified.column.quotedIdentifier))" }.pair
  }

  /// Adds SQL functions that convert dates to values that sort chronologically.
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

  // MARK: Planning

  /// Plans the changes. Writes only to temporary tables.
  func plan(in database: Database) throws -> Plan {
    var result = CollectionChanges(pointer: table.pointer, title: table.title)
    guard let comparison, try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \(target))") == true else {
      result.inserted = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(staged)") ?? 0
      return Plan(changes: result, difference: nil)
    }
    let difference = try TableDifference(comparison, in: database)
    func count(_ state: TableDifference.RowState) -> Int { difference.counts[state] ?? 0 }
    result.unchanged = count(.same) + count(.equal)
    result.inserted = count(.new)
    if count(.different) > 0 {
      let hasTimes = times.map { "\($0.new) > \($0.old) IS NOT NULL" } ?? "FALSE"
      let row = try Row.fetchOne(
        database,
        sql: """
          SELECT total(wins), total(wins IS NULL), total(NOT hasTimes) FROM (
            SELECT \(wins) AS wins, \(hasTimes) AS hasTimes FROM \(differenceName) d CROSS JOIN \(staged) s ON s.rowid = d.number
            JOIN \(target) m ON m.rowid = d.there WHERE d.state = \(TableDifference.RowState.different.rawValue))
          """)
      func number(_ index: Int) -> Int { (row?[index] as Double?).map { Int($0) } ?? 0 }
      if number(1) > 0 {
        throw CofferError(
          .noTime,
          "two records of \(table.title) conflict, but the newer one is unknown")
      }
      result.replaced = number(0)
      result.isChosenByCreation = options.mode == .merge && options.conflicts == .keepNewest && number(2) > 0
      result.kept = count(.different) - result.replaced
    }
    if options.mode == .replace {
      result.removed = difference.unmatchedCount
    } else {
      result.onlyInDatabase = difference.unmatchedCount
    }
    return Plan(changes: result, difference: difference)
  }

  // MARK: Changing

  /// - Parameter plan: made from the current rows. Rows are written only if some differ.
  func apply(_ plan: Plan, in database: Database) throws {
    guard let present else {
      try database.execute(sql: table.creation(in: "main"))
      // The two tables have the same declaration, so SQLite copies rows without decoding them.
      try database.execute(sql: "INSERT INTO \(target) SELECT * FROM \(staged)")
      return try makeIndexes(in: database)
    }
    for column in table.columns where !present.has(column.name) {
      try database.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(column.declaration)")
    }
    if !present.has(TableLayout.extra) { try database.execute(sql: "ALTER TABLE \(target) ADD COLUMN \(TableLayout.extra) TEXT") }
    let changes = plan.changes
    if changes.inserted + changes.replaced + changes.removed > 0 {
      if changesMost(changes) { try dropIndexes(in: database) { _ in true } }
      if let difference = plan.difference {
        switch options.mode {
        case .merge: try merge(changes, in: database)
        case .replace: try replace(changes, difference, present, in: database)
        }
      } else {
        try insert(withPlaces: "s.rowid", from: "\(staged) s", in: database)
      }
    }
    try makeIndexes(in: database)
  }

  /// Returns true if it is cheaper to rebuild the indexes after all changes. Adding or removing a single entry costs about four
  /// times as much as an entry of a new index.
  private func changesMost(_ changes: CollectionChanges) -> Bool {
    (changes.inserted + changes.removed) * 4 > changes.count
  }

  /// - Parameter places: SQL for the numbers of the new rows. If `nil`, the rows are appended.
  private func insert(withPlaces places: String? = nil, from rows: String, in database: Database) throws {
    let columns = table.columnNames
    try database.execute(
      sql: """
        INSERT INTO \(target) (\(places == nil ? "" : "rowid, ")\(columns.identifierList))
        SELECT \(places.map { "\($0), " } ?? "")\(columns.identifierList(of: "s")) FROM \(rows) ORDER BY s.rowid
        """)
  }

  /// Returns the SQL for the staged rows of one state.
  private func rows(_ state: TableDifference.RowState) -> String {
    "\(differenceName) d CROSS JOIN \(staged) s ON s.rowid = d.number WHERE d.state = \(state.rawValue)"
  }

  private func makeIndexes(in database: Database) throws {
    for index in table.indexes where try !index.exists(in: database) { try database.execute(sql: index.creation(in: "main")) }
  }

  private func dropIndexes(in database: Database, where isDropped: (TableLayout.Index) -> Bool) throws {
    for index in table.indexes where isDropped(index) {
      try database.execute(sql: "DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
    }
  }

  private func merge(_ changes: CollectionChanges, in database: Database) throws {
    if changes.replaced > 0 { try update(in: database) }
    if changes.inserted > 0 { try insert(from: rows(.new), in: database) }
  }

  /// Replaces rows with the staged rows that win the conflict.
  private func update(in database: Database) throws {
    // Two records may have swapped their values: between the two updates, both have the same one.
    try dropIndexes(in: database) { $0.isUnique && $0.columns != table.key }
    try database.execute(
      sql: """
        UPDATE \(target) AS m SET \(Self.assignments(table.columnNames))
        FROM \(rows(.different)) AND m.rowid = d.there AND (\(wins))
        """)
  }

  // MARK: Replacing

  /// Replaces the table's rows with the backup's, in its order. Columns that an app has added keep their values in rows with the
  /// same key, and in equal rows without a key. Equal rows also keep their spelling.
  private func replace(
    _ changes: CollectionChanges, _ difference: TableDifference, _ present: PresentTable, in database: Database
  ) throws {
    // Updating rows one after another may create temporary duplicates.
    let isUpdatable = try changes.replaced == 0 || !hasOwnUniqueIndex(in: database)
    if try isUpdatable && !changesMost(changes) && difference.arrange(in: database) {
      try removeGaps(in: database)
      if changes.replaced > 0 { try update(in: database) }
      if changes.inserted > 0 { try insert(withPlaces: "d.place", from: rows(.new), in: database) }
    } else {
      try refill(present, difference, in: database)
    }
  }

  /// Returns true if an app has added a unique index.
  private func hasOwnUniqueIndex(in database: Database) throws -> Bool {
    let names = try String.fetchSet(
      database, sql: "SELECT name FROM pragma_index_list(?, 'main') WHERE \"unique\"", arguments: [table.name])
    return !names.isSubset(of: table.indexes.map(\.name))
  }

  /// Removes rows without a counterpart.
  private func removeGaps(in database: Database) throws {
    let removal = try database.makeStatement(sql: "DELETE FROM \(target) WHERE rowid BETWEEN ? AND ?")
    let gaps = try Row.fetchCursor(database, sql: "SELECT first, last FROM temp.coffer_gap")
    while let gap = try gaps.next() {
      let (first, last): (Int64, Int64) = (gap[0], gap[1])
      try removal.execute(arguments: [first, last])
    }
    try database.execute(sql: "DROP TABLE temp.coffer_gap")
  }

  /// Empties and refills the table.
  private func refill(_ present: PresentTable, _ difference: TableDifference, in database: Database) throws {
    let own = present.columns(besides: table)
    try keepEqualRows(own, difference, in: database)
    let keyed = table.key.isEmpty ? [] : own
    if !keyed.isEmpty {
      try database.execute(
        sql: """
          DROP TABLE IF EXISTS temp.coffer_own;
          CREATE TEMP TABLE coffer_own AS SELECT \((table.key + own).identifierList) FROM \(target);
          CREATE INDEX temp.coffer_own_key ON coffer_own (\(table.key.identifierList))
          """)
    }
    try dropIndexes(in: database) { _ in true }
    try database.execute(sql: "DELETE FROM \(target)")
    try insert(withPlaces: "s.rowid", from: "\(staged) s", in: database)
    try makeIndexes(in: database)
    if !keyed.isEmpty {
      try database.execute(
        sql: """
          UPDATE \(target) AS m SET \(Self.assignments(own)) FROM temp.coffer_own s WHERE \(table.key.equality("m", "s"));
          DROP TABLE temp.coffer_own
          """)
    }
    try database.execute(
      sql: """
        UPDATE \(target) AS m SET \(Self.assignments(own + table.columnNames)) FROM temp.coffer_kept s WHERE m.rowid = s.coffer_number;
        DROP TABLE temp.coffer_kept
        """)
  }

  /// Saves the rows that equal a staged row, but would lose their spelling or an app's columns.
  private func keepEqualRows(_ own: [String], _ difference: TableDifference, in database: Database) throws {
    let columns = (own + table.columnNames).identifierList(of: "m")
    let states: [TableDifference.RowState] = own.isEmpty ? [.equal] : [.same, .equal]
    var kept = """
      SELECT d.number AS coffer_number, \(columns) FROM \(differenceName) d JOIN \(target) m ON m.rowid = d.there
      WHERE d.state IN (\(states.map { String($0.rawValue) }.joined(separator: ", ")))
      """
    if !own.isEmpty, table.key.isEmpty {
      // Rows at their place. Without a key, the place is the row's own number.
      kept += """
         UNION ALL SELECT s.rowid, \(columns) FROM \(staged) s JOIN \(target) m ON m.rowid = s.rowid
        WHERE s.rowid NOT IN (SELECT number FROM \(differenceName))
        """
    }
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_kept;
        CREATE TEMP TABLE coffer_kept AS \(kept);
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
  /// Sixteen bytes that sort chronologically.
  fileprivate var sortKey: Data {
    var bytes = Data(capacity: 16)
    for word in [UInt64(bitPattern: seconds) ^ 1 << 63, UInt64(bitPattern: attoseconds)] {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }
    return bytes
  }
}
