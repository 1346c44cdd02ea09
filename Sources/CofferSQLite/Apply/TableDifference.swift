import Coffer
import GRDB
import JSONEvents
import Rules

/// The difference between the staged rows of a table and those of the database.
///
///     temp.coffer_difference_trips      the staged rows that are not identical to the row at their place (TableAlignment)
///     number   the staged row
///     place    its number plus the offset of its run (TableAlignment): the row number that a new row gets
///     there    its counterpart in the database: the row with the same key, or without a key with the same value; null: none
///     state    RowState
///
/// Records are compared like in `diff`: `12.5` equals `12.500`, and the order of nested members is ignored. SQL finds the rows
/// whose columns are identical, and those that can't be equal. The few remaining rows are compared by their records' digests.
///
/// Cost: one pass over both tables; a look-up by key for each row that is not at its place; a sort of such rows without a key.
struct TableDifference {
  enum RowState: Int {
    /// The database has no counterpart.
    case new
    /// All columns are identical.
    case same
    /// The values are equal, but written differently.
    case equal
    case different
  }

  /// The number of rows of each state. Rows at their place count as `same`.
  private(set) var counts: [RowState: Int] = [:]
  /// The number of the database's rows without a counterpart.
  private(set) var unmatchedCount = 0
  private let alignment: TableAlignment
  /// True if the staged rows' numbers have no gaps.
  private let isContiguous: Bool

  private let stored: ExistingTable
  private var table: TableLayout { stored.layout }
  private var name: String { table.differenceName }

  static func drop(of table: TableLayout, in database: Database) throws {
    try database.execute(sql: "DROP TABLE IF EXISTS \(table.differenceName); DROP TABLE IF EXISTS temp.coffer_gap")
  }

  /// Computes the difference and stores it in the temporary table.
  init(_ stored: ExistingTable, in database: Database) throws {
    self.stored = stored
    let table = stored.layout
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS \(table.differenceName);
        CREATE TABLE \(table.differenceName) (number INTEGER PRIMARY KEY, place INTEGER, there INTEGER, state INTEGER);
        DROP TABLE IF EXISTS temp.coffer_unaligned;
        CREATE TEMP TABLE coffer_unaligned (number INTEGER PRIMARY KEY, place INTEGER)
        """)
    let insertion = try database.makeStatement(sql: "INSERT INTO temp.coffer_unaligned VALUES (?, ?)")
    let last = try Int64.fetchOne(database, sql: "SELECT max(rowid) FROM \(table.staged)") ?? 0
    alignment = try TableAlignment(stored, last: last, in: database) { number, place in
      try insertion.execute(arguments: [number, place])
    }
    let stagedCount = try database.count(table.staged)
    isContiguous = stagedCount == last
    try RecordDigests.using(stored, in: database) {
      try pairByKey(in: database)
      try pairRowsWithoutKey(last: last, in: database)
    }
    try database.execute(sql: "DROP TABLE temp.coffer_unaligned")
    let states = try Row.fetchCursor(database, sql: "SELECT state, count(*) FROM \(name) GROUP BY state")
    while let row = try states.next() {
      if let state = RowState(rawValue: row[0]) { counts[state] = row[1] }
    }
    let unaligned = counts.values.reduce(0, +)
    counts[.same, default: 0] += stagedCount - unaligned
    unmatchedCount = try database.count(table.target) - stagedCount + (counts[.new] ?? 0)
  }

  // MARK: Rows with a key

  /// Pairs the rows that have a key.
  private func pairByKey(in database: Database) throws {
    if table.key.isEmpty {
      return try database.execute(
        sql: "INSERT INTO \(name) SELECT number, place, NULL, \(RowState.new.rawValue) FROM temp.coffer_unaligned")
    }
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO \(name)
        SELECT u.number, u.place, m.rowid, CASE WHEN m.rowid IS NULL THEN \(RowState.new.rawValue)
          WHEN \(stored.isIdentical) THEN \(RowState.same.rawValue)
          WHEN \(stored.mayBeEqual) AND coffer_digest(0, m.rowid) IS coffer_digest(1, s.rowid) THEN \(RowState.equal.rawValue)
          ELSE \(RowState.different.rawValue) END
        FROM temp.coffer_unaligned u CROSS JOIN \(table.staged) s ON s.rowid = u.number
        LEFT JOIN \(table.target) m ON \(stored.sameKey) ORDER BY u.number
        """)
  }

  // MARK: Rows without a key

  /// Pairs the remaining rows without a key: of equal rows, the n-th staged one with the n-th in the database.
  private func pairRowsWithoutKey(last: Int64, in database: Database) throws {
    // Staged rows are new until they are paired.
    let staged = """
      SELECT s.rowid AS coffer_number, s.* FROM \(name) d JOIN \(table.staged) s ON s.rowid = d.number
      WHERE d.there IS NULL AND NOT (\(stored.hasKey))
      """
    let hasCounterpart =
      table.key.isEmpty
      ? "s.rowid BETWEEN 1 AND \(last) AND s.rowid NOT IN (SELECT place FROM temp.coffer_unaligned)" : stored.hasKey
    let there = """
      SELECT s.rowid AS coffer_number, s.* FROM \(table.target) s
      WHERE NOT (\(hasCounterpart)) AND s.rowid NOT IN (SELECT there FROM \(name) WHERE there IS NOT NULL)
      """
    let columns = table.columnNames
    let identity = columns.map { "\($0.quotedIdentifier) COLLATE BINARY" }.joined(separator: ", ")
    try pairTwins(
      // A missing column counts as null.
      .same, of: there, columns.map { (stored.has($0) ? "" : "NULL AS ") + $0.quotedIdentifier }.joined(separator: ", "),
      and: staged, columns.identifierList, by: identity, in: database)
    try pairTwins(
      .equal, of: there, "coffer_digest(0, coffer_number) AS coffer_digest", and: staged, "coffer_digest(1, coffer_number)",
      by: "coffer_digest", in: database)
  }

  /// Pairs rows of the same class, which the columns give. Sorts only once, however many rows there are.
  private func pairTwins(
    _ state: RowState, of there: String, _ thereColumns: String, and staged: String, _ stagedColumns: String, by rowClass: String,
    in database: Database
  ) throws {
    // Most often, one side has no such rows.
    guard try database.hasRows(staged), try database.hasRows(there) else { return }
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_twin;
        CREATE TEMP TABLE coffer_twin AS
        SELECT coffer_side AS side, coffer_number AS number, dense_rank() OVER (ORDER BY \(rowClass)) AS class,
          row_number() OVER (PARTITION BY \(rowClass), coffer_side ORDER BY coffer_number) AS n
        FROM (
          SELECT 0 AS coffer_side, coffer_number, \(thereColumns) FROM (\(there))
          UNION ALL SELECT 1, coffer_number, \(stagedColumns) FROM (\(staged)));
        CREATE INDEX temp.coffer_twin_class ON coffer_twin (class, n, side);
        UPDATE \(name) AS d SET there = m.number, state = \(state.rawValue) FROM temp.coffer_twin s
        JOIN temp.coffer_twin m ON m.class = s.class AND m.n = s.n AND m.side = 0 WHERE s.side = 1 AND d.number = s.number;
        DROP TABLE temp.coffer_twin
        """)
  }

  // MARK: Places

  /// Returns true if matched rows can keep their row numbers. This requires that, with the new rows at their places, all rows are
  /// in the backup's order.
  ///
  ///     temp.coffer_gap    first · last: the row numbers between and around the kept rows
  func arrange(in database: Database) throws -> Bool {
    guard isContiguous else { return false }
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_gap;
        CREATE TEMP TABLE coffer_gap (first INTEGER, last INTEGER)
        """)
    let gap = try database.makeStatement(sql: "INSERT INTO temp.coffer_gap VALUES (?, ?)")
    // The last place taken, and the last place of a kept row.
    var (taken, stayed): (Int64?, Int64?)
    func keep(_ first: Int64, _ last: Int64) throws -> Bool {
      if let taken, first <= taken { return false }
      if first > Int64.min, stayed.map({ $0 + 1 < first }) ?? true {
        try gap.execute(arguments: [stayed.map { $0 + 1 } ?? Int64.min, first - 1])
      }
      (taken, stayed) = (last, last)
      return true
    }
    let rows = try Row.fetchCursor(database, sql: "SELECT number, there FROM \(name) ORDER BY number")
    var row = try rows.next()
    for run in alignment.runs {
      var number = run.numbers.lowerBound
      while number <= run.numbers.upperBound {
        let different: Int64 = row?[0] ?? Int64.max
        if different > number {
          let last = min(different - 1, run.numbers.upperBound)
          guard try keep(number + run.offset, last + run.offset) else { return false }
          number = last + 1
          continue
        }
        if let there: Int64 = row?[1] {
          guard try keep(there, there) else { return false }
        } else {
          if let taken, number + run.offset <= taken { return false }
          taken = number + run.offset
        }
        number += 1
        row = try rows.next()
      }
    }
    if stayed != Int64.max { try gap.execute(arguments: [stayed.map { $0 + 1 } ?? Int64.min, Int64.max]) }
    return true
  }
}

extension TableLayout {
  /// The staged rows, in SQL.
  var staged: String { "\(ImportPlan.schema).\(sqlName)" }

  /// The database's rows, in SQL.
  var target: String { "main.\(sqlName)" }

  /// The name of the temporary table that has the difference.
  var differenceName: String { "temp.\("coffer_difference_\(name)".quotedIdentifier)" }
}
