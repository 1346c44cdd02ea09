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
  private(set) var counts: CollectionChanges
  private let stored: ExistingTable?
  private let options: DatabaseImportOptions
  private let isStageNewer: Bool?
  /// `nil` if the database has no rows to compare.
  private var difference: TableDifference?

  /// Plans the changes. Writes only to temporary tables.
  ///
  /// - Parameters:
  ///   - stored: the database's table, if it has one.
  ///   - isStageNewer: true if the staged backup was created after the database's; `nil` if that is unknown.
  init(
    _ table: TableLayout, _ stored: ExistingTable?, _ options: DatabaseImportOptions, isStageNewer: Bool?, in database: Database
  ) throws {
    self.table = table
    self.stored = stored
    self.options = options
    self.isStageNewer = isStageNewer
    counts = CollectionChanges(pointer: table.pointer, title: table.title)
    guard let stored, try database.hasRows("SELECT 1 FROM \(table.target)") else {
      counts.inserted = try database.count(table.staged)
      return
    }
    let difference = try TableDifference(stored, in: database)
    self.difference = difference
    counts.unchanged = difference.counts[.same, default: 0] + difference.counts[.equal, default: 0]
    counts.inserted = difference.counts[.new, default: 0]
    if let different = difference.counts[.different], different > 0 { try decide(different, in: database) }
    if options.mode == .replace {
      counts.removed = difference.unmatchedCount
    } else {
      counts.onlyInDatabase = difference.unmatchedCount
    }
  }

  /// Counts the staged rows that replace different rows of the database.
  private mutating func decide(_ different: Int, in database: Database) throws {
    let hasTimes = times.map { "\($0.new) > \($0.old) IS NOT NULL" } ?? "FALSE"
    let row = try Row.fetchOne(
      database,
      sql: """
        SELECT count(*) FILTER (WHERE wins), count(*) FILTER (WHERE wins IS NULL), count(*) FILTER (WHERE NOT hasTimes) FROM (
          SELECT \(wins) AS wins, \(hasTimes) AS hasTimes FROM \(table.differenceName) d
          CROSS JOIN \(table.staged) s ON s.rowid = d.number
          JOIN \(table.target) m ON m.rowid = d.there WHERE d.state = \(TableDifference.RowState.different.rawValue))
        """)
    let (replaced, undecided, withoutTimes): (Int, Int, Int) = (row?[0] ?? 0, row?[1] ?? 0, row?[2] ?? 0)
    if undecided > 0 {
      throw CofferError(
        .noTime,
        "two records of \(table.title) conflict, but the newer one is unknown")
    }
    counts.replaced = replaced
    counts.kept = different - replaced
    counts.isChosenByCreation = options.mode == .merge && options.conflicts == .keepNewest && withoutTimes > 0
  }

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
    guard let modified = table.modified, stored?.has(modified.column) == true else { return nil }
    func time(_ row: String) -> String { "coffer_time_\(modified.format.rawValue)(\(row).\(modified.column.quotedIdentifier))" }
    return (time("s"), time("m"))
  }

  /// Functions that convert dates to values that sort chronologically.
  static let timeFunctions = StringFormat.allCases.filter(\.isPointInTime).map { format in
    DatabaseFunction("coffer_time_\(format.rawValue)", argumentCount: 1, pure: true) { values in
      // A double that is an integer gives one.
      let number = Int64.fromDatabaseValue(values[0])?.description ?? Double.fromDatabaseValue(values[0])?.description
      guard let text = String.fromDatabaseValue(values[0]) ?? number else { return nil }
      return ByteView.with(text) { format.instant($0) }?.sortKey
    }
  }

  // MARK: Changing

  /// Makes the changes. Rows are written only if some differ.
  func apply(in database: Database) throws {
    guard let stored else {
      try database.execute(sql: table.creation)
      // The two tables have the same declaration, so SQLite copies rows without decoding them.
      try database.execute(sql: "INSERT INTO \(table.target) SELECT * FROM \(table.staged)")
      return try database.makeIndexes(of: table)
    }
    for column in table.columns where !stored.has(column.name) {
      try database.execute(sql: "ALTER TABLE \(table.target) ADD COLUMN \(column.declaration)")
    }
    if !stored.has(TableLayout.extra) {
      try database.execute(sql: "ALTER TABLE \(table.target) ADD COLUMN \(TableLayout.extra) TEXT")
    }
    if counts.changesRows {
      if changesMost { try dropIndexes(in: database) { _ in true } }
      if let difference {
        switch options.mode {
        case .merge: try merge(in: database)
        case .replace: try replace(difference, stored, in: database)
        }
      } else {
        try insert(withPlaces: "s.rowid", from: "\(table.staged) s", in: database)
      }
    }
    try database.makeIndexes(of: table)
  }

  /// True if it is cheaper to rebuild the indexes after all changes. Adding or removing a single entry costs about four times as
  /// much as an entry of a new index.
  private var changesMost: Bool { (counts.inserted + counts.removed) * 4 > counts.count }

  /// - Parameter places: SQL for the numbers of the new rows. If `nil`, the rows are appended.
  private func insert(withPlaces places: String? = nil, from rows: String, in database: Database) throws {
    let columns = table.columnNames
    try database.execute(
      sql: """
        INSERT INTO \(table.target) (\(places == nil ? "" : "rowid, ")\(columns.identifierList))
        SELECT \(places.map { "\($0), " } ?? "")\(columns.identifierList(of: "s")) FROM \(rows) ORDER BY s.rowid
        """)
  }

  /// Returns the SQL for the staged rows of one state.
  private func rows(_ state: TableDifference.RowState) -> String {
    "\(table.differenceName) d CROSS JOIN \(table.staged) s ON s.rowid = d.number WHERE d.state = \(state.rawValue)"
  }

  private func dropIndexes(in database: Database, where isDropped: (TableLayout.Index) -> Bool) throws {
    for index in table.indexes where isDropped(index) {
      try database.execute(sql: "DROP INDEX IF EXISTS main.\(index.name.quotedIdentifier)")
    }
  }

  private func merge(in database: Database) throws {
    if counts.replaced > 0 { try update(in: database) }
    if counts.inserted > 0 { try insert(from: rows(.new), in: database) }
  }

  /// Replaces rows with the staged rows that win the conflict.
  private func update(in database: Database) throws {
    // Two records may have swapped their values: between the two updates, both have the same one.
    try dropIndexes(in: database) { $0.isUnique && $0.columns != table.key }
    try database.execute(
      sql: """
        UPDATE \(table.target) AS m SET \(Self.assignments(table.columnNames))
        FROM \(rows(.different)) AND m.rowid = d.there AND (\(wins))
        """)
  }

  // MARK: Replacing

  /// Replaces the table's rows with the backup's, in its order. Columns that an app has added keep their values in rows with the
  /// same key, and in equal rows without a key. Equal rows also keep their spelling.
  private func replace(_ difference: TableDifference, _ stored: ExistingTable, in database: Database) throws {
    // Updating rows one after another may create temporary duplicates.
    let isUpdatable = try counts.replaced == 0 || !hasOwnUniqueIndex(in: database)
    if try isUpdatable && !changesMost && difference.arrange(in: database) {
      try removeGaps(in: database)
      if counts.replaced > 0 { try update(in: database) }
      if counts.inserted > 0 { try insert(withPlaces: "d.place", from: rows(.new), in: database) }
    } else {
      try refill(stored.own, in: database)
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
    let removal = try database.makeStatement(sql: "DELETE FROM \(table.target) WHERE rowid BETWEEN ? AND ?")
    let gaps = try Row.fetchCursor(database, sql: "SELECT first, last FROM temp.coffer_gap")
    while let gap = try gaps.next() {
      let (first, last): (Int64, Int64) = (gap[0], gap[1])
      try removal.execute(arguments: [first, last])
    }
    try database.execute(sql: "DROP TABLE temp.coffer_gap")
  }

  /// Empties and refills the table.
  ///
  /// - Parameter own: the columns that an app has added.
  private func refill(_ own: [String], in database: Database) throws {
    try keepEqualRows(own, in: database)
    let keyed = table.key.isEmpty ? [] : own
    if !keyed.isEmpty {
      try database.execute(
        sql: """
          DROP TABLE IF EXISTS temp.coffer_own;
          CREATE TEMP TABLE coffer_own AS SELECT \((table.key + own).identifierList) FROM \(table.target);
          CREATE INDEX temp.coffer_own_key ON coffer_own (\(table.key.identifierList))
          """)
    }
    try dropIndexes(in: database) { _ in true }
    try database.execute(sql: "DELETE FROM \(table.target)")
    try insert(withPlaces: "s.rowid", from: "\(table.staged) s", in: database)
    try database.makeIndexes(of: table)
    if !keyed.isEmpty {
      try database.execute(
        sql: """
          UPDATE \(table.target) AS m SET \(Self.assignments(own)) FROM temp.coffer_own s WHERE \(table.key.equality("m", "s"));
          DROP TABLE temp.coffer_own
          """)
    }
    try database.execute(
      sql: """
        UPDATE \(table.target) AS m SET \(Self.assignments(own + table.columnNames)) FROM temp.coffer_kept s
        WHERE m.rowid = s.coffer_number;
        DROP TABLE temp.coffer_kept
        """)
  }

  /// Saves the rows that equal a staged row, but would lose their spelling or an app's columns.
  private func keepEqualRows(_ own: [String], in database: Database) throws {
    let columns = (own + table.columnNames).identifierList(of: "m")
    let states: [TableDifference.RowState] = own.isEmpty ? [.equal] : [.same, .equal]
    var kept = """
      SELECT d.number AS coffer_number, \(columns) FROM \(table.differenceName) d JOIN \(table.target) m ON m.rowid = d.there
      WHERE d.state IN (\(states.map { String($0.rawValue) }.joined(separator: ", ")))
      """
    if !own.isEmpty, table.key.isEmpty {
      // Rows at their place. Without a key, the place is the row's own number.
      kept += """
         UNION ALL SELECT s.rowid, \(columns) FROM \(table.staged) s JOIN \(table.target) m ON m.rowid = s.rowid
        WHERE s.rowid NOT IN (SELECT number FROM \(table.differenceName))
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

extension Instant {
  /// Sixteen bytes that sort chronologically.
  fileprivate var sortKey: Data {
    var bytes = Data(capacity: 16)
    for word in [UInt64(bitPattern: seconds) ^ 1 << 63, UInt64(bitPattern: attoseconds)] {
      withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }
}
