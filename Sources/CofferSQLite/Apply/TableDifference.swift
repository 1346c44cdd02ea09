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
  let alignment: TableAlignment
  /// True if the staged rows' numbers have no gaps.
  private let isContiguous: Bool

  private let comparison: RowComparison
  private var table: TableLayout { comparison.table }
  private var name: String { Self.name(of: table) }

  /// Returns the temporary table's name.
  static func name(of table: TableLayout) -> String { "temp.\("coffer_difference_\(table.name)".quotedIdentifier)" }

  static func drop(of table: TableLayout, in database: Database) throws {
    try database.execute(sql: "DROP TABLE IF EXISTS \(name(of: table)); DROP TABLE IF EXISTS temp.coffer_gap")
  }

  /// Computes the difference and stores it in the temporary table.
  init(_ comparison: RowComparison, in database: Database) throws {
    self.comparison = comparison
    let name = Self.name(of: comparison.table)
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS \(name);
        CREATE TABLE \(name) (number INTEGER PRIMARY KEY, place INTEGER, there INTEGER, state INTEGER);
        DROP TABLE IF EXISTS temp.coffer_unaligned;
        CREATE TEMP TABLE coffer_unaligned (number INTEGER PRIMARY KEY, place INTEGER)
        """)
    let insertion = try database.makeStatement(sql: "INSERT INTO temp.coffer_unaligned VALUES (?, ?)")
    let last = try Int64.fetchOne(database, sql: "SELECT max(rowid) FROM \(comparison.staged)") ?? 0
    alignment = try TableAlignment(comparison, last: last, in: database) { number, place in
      try insertion.execute(arguments: [number, place])
    }
    let stagedCount = try Self.count(comparison.staged, in: database)
    isContiguous = stagedCount == last
    try pairByKey(in: database)
    try judgeCandidates(in: database)
    try pairRowsWithoutKey(last: last, in: database)
    try database.execute(sql: "DROP TABLE temp.coffer_unaligned")
    let states = try Row.fetchCursor(database, sql: "SELECT state, count(*) FROM \(name) GROUP BY state")
    while let row = try states.next() {
      if let state = RowState(rawValue: row[0]) { counts[state] = row[1] }
    }
    let unaligned = counts.values.reduce(0, +)
    counts[.same, default: 0] += stagedCount - unaligned
    unmatchedCount = try Self.count(comparison.target, in: database) - stagedCount + (counts[.new] ?? 0)
  }

  private static func count(_ table: String, in database: Database) throws -> Int {
    try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
  }

  // MARK: Rows with a key

  /// Pairs the rows that have a key. Rows that may be equal are marked `equal` until ``judgeCandidates(in:)`` compares them.
  private func pairByKey(in database: Database) throws {
    if table.key.isEmpty {
      return try database.execute(
        sql: "INSERT INTO \(name) SELECT number, place, NULL, \(RowState.new.rawValue) FROM temp.coffer_unaligned")
    }
    try database.execute(
      sql: """
        INSERT OR IGNORE INTO \(name)
        SELECT u.number, u.place, m.rowid, CASE WHEN m.rowid IS NULL THEN \(RowState.new.rawValue)
          WHEN \(comparison.isIdentical) THEN \(RowState.same.rawValue)
          WHEN \(comparison.mayBeEqual) THEN \(RowState.equal.rawValue) ELSE \(RowState.different.rawValue) END
        FROM temp.coffer_unaligned u CROSS JOIN \(comparison.staged) s ON s.rowid = u.number
        LEFT JOIN \(comparison.target) m ON \(comparison.sameKey) ORDER BY u.number
        """)
  }

  private func judgeCandidates(in database: Database) throws {
    let condition = "c.state = \(RowState.equal.rawValue)"
    let staged = try digests(.staged, of: "\(name) c", "number", where: condition, in: database)
    let there = try digests(.target, of: "\(name) c", "there", where: condition, in: database)
    let numbers = try Int64.fetchCursor(database, sql: "SELECT number FROM \(name) c WHERE \(condition) ORDER BY number")
    try database.execute(
      sql: "DROP TABLE IF EXISTS temp.coffer_unequal; CREATE TEMP TABLE coffer_unequal (number INTEGER PRIMARY KEY)")
    let insertion = try database.makeStatement(sql: "INSERT INTO temp.coffer_unequal VALUES (?)")
    while let number = try numbers.next() {
      if try staged.next() != there.next() { try insertion.execute(arguments: [number]) }
    }
    try database.execute(
      sql: """
        UPDATE \(name) SET state = \(RowState.different.rawValue) WHERE number IN (SELECT number FROM temp.coffer_unequal);
        DROP TABLE temp.coffer_unequal
        """)
  }

  // MARK: Rows without a key

  /// Pairs the remaining rows without a key: of equal rows, the n-th staged one with the n-th in the database.
  private func pairRowsWithoutKey(last: Int64, in database: Database) throws {
    // Staged rows are new until they are paired.
    let staged = """
      SELECT s.rowid AS coffer_number, s.* FROM \(name) d JOIN \(comparison.staged) s ON s.rowid = d.number
      WHERE d.there IS NULL AND NOT (\(comparison.hasKey))
      """
    let hasCounterpart =
      table.key.isEmpty
      ? "s.rowid BETWEEN 1 AND \(last) AND s.rowid NOT IN (SELECT place FROM temp.coffer_unaligned)" : comparison.hasKey
    let there = """
      SELECT s.rowid AS coffer_number, s.* FROM \(comparison.target) s
      WHERE NOT (\(hasCounterpart)) AND s.rowid NOT IN (SELECT there FROM \(name) WHERE there IS NOT NULL)
      """
    func isPairing() throws -> Bool {
      for side in [staged, there] {
        if try Bool.fetchOne(database, sql: "SELECT EXISTS (\(side))") != true { return false }
      }
      return true
    }
    guard try isPairing() else { return }
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_twin;
        CREATE TEMP TABLE coffer_twin (side INTEGER, number INTEGER, class, n INTEGER)
        """)
    defer { try? database.execute(sql: "DROP TABLE IF EXISTS temp.coffer_twin") }
    try database.execute(sql: numbered(staged, there))
    try pairTwins(.same, in: database)
    guard try isPairing() else { return }
    try addDigests(of: staged, .staged, side: 1, in: database)
    try addDigests(of: there, .target, side: 0, in: database)
    try database.execute(
      sql: """
        UPDATE temp.coffer_twin AS t SET n = r.n
        FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY class, side ORDER BY number) AS n FROM temp.coffer_twin) r
        WHERE r.id = t.rowid
        """)
    try pairTwins(.equal, in: database)
  }

  /// Returns SQL that numbers the rows that are identical in all columns. The SQL sorts only once, however many rows there are.
  private func numbered(_ staged: String, _ there: String) -> String {
    let common = comparison.common
    let missing = table.columnNames.filter { !common.contains($0) }
    let nulls = missing.map { ", NULL AS \($0.quotedIdentifier)" }.joined()
    let more = missing.isEmpty ? "" : ", " + missing.identifierList
    let all = (common + missing).map { "\($0.quotedIdentifier) COLLATE BINARY" }.joined(separator: ", ")
    return """
      INSERT INTO temp.coffer_twin
      SELECT coffer_side, coffer_number, dense_rank() OVER (ORDER BY \(all)),
        row_number() OVER (PARTITION BY \(all), coffer_side ORDER BY coffer_number)
      FROM (
        SELECT 0 AS coffer_side, coffer_number, \(common.identifierList)\(nulls) FROM (\(there))
        UNION ALL SELECT 1, coffer_number, \(common.identifierList)\(more) FROM (\(staged)))
      """
  }

  private func pairTwins(_ state: RowState, in database: Database) throws {
    try database.execute(
      sql: """
        CREATE INDEX temp.coffer_twin_class ON coffer_twin (class, n, side);
        UPDATE \(name) AS d SET there = m.number, state = \(state.rawValue) FROM temp.coffer_twin s
        JOIN temp.coffer_twin m ON m.class = s.class AND m.n = s.n AND m.side = 0 WHERE s.side = 1 AND d.number = s.number;
        DROP INDEX temp.coffer_twin_class; DELETE FROM temp.coffer_twin
        """)
  }

  private func addDigests(of rows: String, _ side: Side, side number: Int, in database: Database) throws {
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_candidate; CREATE TEMP TABLE coffer_candidate (number INTEGER PRIMARY KEY);
        INSERT INTO temp.coffer_candidate SELECT coffer_number FROM (\(rows))
        """)
    let digests = try digests(side, of: "temp.coffer_candidate c", "number", where: "TRUE", in: database)
    let numbers = try Int64.fetchCursor(database, sql: "SELECT number FROM temp.coffer_candidate ORDER BY number")
    let insertion = try database.makeStatement(sql: "INSERT INTO temp.coffer_twin VALUES (\(number), ?, ?, NULL)")
    while let number = try numbers.next() {
      guard let digest = try digests.next() else { continue }
      try insertion.execute(arguments: [number, digest.bytes])
    }
    try database.execute(sql: "DROP TABLE temp.coffer_candidate")
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

  // MARK: Digests

  private enum Side { case staged, target }

  /// Returns the digests of the records on one side that the candidates `c` refer to, in the order of the candidates' numbers.
  private func digests(
    _ side: Side, of candidates: String, _ column: String, where condition: String, in database: Database
  ) throws -> RowDigests {
    let from = side == .staged ? comparison.staged : comparison.target
    let rows = try RowText(
      table, columns: side == .staged ? { _ in true } : comparison.present.has,
      from: "\(candidates) CROSS JOIN \(from) r ON r.rowid = c.\(column) WHERE \(condition) ORDER BY c.number",
      acceptsDamage: true,
      in: database)
    return RowDigests(rows)
  }
}
