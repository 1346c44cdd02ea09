import Coffer
import GRDB
import JSONEvents
import Rules

/// Finds rows of a table that have the value of a staged one, as `diff` compares records: `12.5` is `12.500`, whatever the order of nested members.
///
///     temp.coffer_equal_trips    number: the staged row  ·  there: the one of the database  ·  is_exact: whether all columns are the same
///
/// SQL finds the rows whose columns are the same, and those that can't be equal. Of the few that are left the records' digests decide.
///
/// Cost: a look-up for each row with a key, a sort of those without one; for each that is left, what an export and a comparison of it cost.
struct EqualRows {
  let table: TableLayout
  /// The table as the database holds it: in an earlier form, perhaps.
  let held: TableLayout
  let present: PresentTable
  let sql: TableChange.Conditions

  /// The temporary table.
  var name: String { Self.name(of: table) }

  static func name(of table: TableLayout) -> String { "temp.\("coffer_equal_\(table.name)".quotedIdentifier)" }

  /// Columns that the database holds in another form.
  private var changed: Set<String> {
    Set(zip(held.columns, table.columns).filter { $0.kind != $1.kind }.map(\.0.name))
  }

  /// Makes the temporary table.
  func find(in database: Database) throws {
    try database.execute(
      sql: "DROP TABLE IF EXISTS \(name); CREATE TABLE \(name) (number INTEGER PRIMARY KEY, there INTEGER, is_exact INTEGER)")
    if !table.key.isEmpty { try findByKey(in: database) }
    try findTwins(in: database)
  }

  // MARK: Rows with a key

  private func findByKey(in database: Database) throws {
    // SQL's own comparison finds those that are the same in all columns, here and later.
    try addCandidates(
      "SELECT s.rowid, m.rowid FROM \(sql.staged) s JOIN \(sql.target) m ON \(sql.sameKey) WHERE NOT (\(sql.isIdentical)) AND \(mayBeEqual)",
      in: database)
    let staged = try digests(of: table, .staged, "number", in: database)
    let there = try digests(of: held, .target, "there", in: database)
    let pairs = try Row.fetchCursor(database, sql: "SELECT number, there FROM temp.coffer_candidate ORDER BY rowid")
    let insertion = try database.makeStatement(sql: "INSERT OR IGNORE INTO \(name) VALUES (?, ?, FALSE)")
    while let pair = try pairs.next() {
      let (number, row): (Int64, Int64) = (pair[0], pair[1])
      if try staged.next() == there.next() { try insertion.execute(arguments: [number, row]) }
    }
    try database.execute(sql: "DROP TABLE temp.coffer_candidate")
  }

  private func addCandidates(_ selection: String, in database: Database) throws {
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_candidate;
        CREATE TEMP TABLE coffer_candidate (number INTEGER, there INTEGER);
        INSERT INTO temp.coffer_candidate \(selection)
        """)
  }

  /// What equal rows have in common, as far as SQL can say.
  private var mayBeEqual: String {
    let conditions = sql.common.compactMap { name -> String? in
      guard let column = table.column(named: name), !changed.contains(name) else { return nil }
      let (m, s) = ("m.\(name.quotedIdentifier)", "s.\(name.quotedIdentifier)")
      return switch column.kind {
      case .text, .boolean: "\(m) IS \(s) COLLATE BINARY"
      // The other's value may be in `more`.
      case .integer: "(\(m) IS \(s) OR \(m) IS NULL OR \(s) IS NULL)"
      case .number:
        """
        (\(m) IS NULL) = (\(s) IS NULL) AND (\(m) IS \(s)
          OR abs(CAST(\(m) AS REAL) - CAST(\(s) AS REAL)) > 1e-9 * abs(CAST(\(m) AS REAL)) IS NOT TRUE)
        """
      case .json: nil
      }
    }
    return conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
  }

  // MARK: Rows without a key

  /// Pairs the rows without a key: of equal ones the n-th with the n-th.
  private func findTwins(in database: Database) throws {
    for side in [sql.staged, sql.target] {
      if try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM \(side) s WHERE NOT (\(sql.hasKey)))") != true { return }
    }
    try database.execute(
      sql: """
        DROP TABLE IF EXISTS temp.coffer_twin;
        CREATE TEMP TABLE coffer_twin (side INTEGER, number INTEGER, class, n INTEGER)
        """)
    defer { try? database.execute(sql: "DROP TABLE IF EXISTS temp.coffer_twin") }
    if changed.isEmpty {
      try addTwins(in: database)
      try pairTwins(isExact: true, in: database)
    }
    try findUnlikeTwins(in: database)
  }

  /// Numbers the rows that are the same in all columns. One sort, whatever their number.
  private func addTwins(in database: Database) throws {
    let common = sql.common
    let missing = table.columnNames.filter { !common.contains($0) }
    let nulls = missing.map { ", NULL AS \($0.quotedIdentifier)" }.joined()
    let more = missing.isEmpty ? "" : ", " + missing.identifierList(of: "s")
    let all = (common + missing).map { "\($0.quotedIdentifier) COLLATE BINARY" }.joined(separator: ", ")
    try database.execute(
      sql: """
        INSERT INTO temp.coffer_twin
        SELECT side, number, dense_rank() OVER (ORDER BY \(all)), row_number() OVER (PARTITION BY \(all), side ORDER BY number)
        FROM (
          SELECT 0 AS side, s.rowid AS number, \(common.identifierList(of: "s"))\(nulls) FROM \(sql.target) s WHERE NOT (\(sql.hasKey))
          UNION ALL SELECT 1, s.rowid, \(common.identifierList(of: "s"))\(more) FROM \(sql.staged) s WHERE NOT (\(sql.hasKey)))
        """)
  }

  private func pairTwins(isExact: Bool, in database: Database) throws {
    try database.execute(
      sql: """
        CREATE INDEX temp.coffer_twin_class ON coffer_twin (class, n, side);
        INSERT OR IGNORE INTO \(name)
        SELECT s.number, m.number, \(isExact) FROM temp.coffer_twin s
        JOIN temp.coffer_twin m ON m.class = s.class AND m.n = s.n AND m.side = 0 WHERE s.side = 1;
        DROP INDEX temp.coffer_twin_class; DELETE FROM temp.coffer_twin
        """)
  }

  /// Pairs those that are left by their values.
  private func findUnlikeTwins(in database: Database) throws {
    func left(_ side: String, _ column: String, _ number: String, _ there: String) -> String {
      """
      SELECT \(number), \(there) FROM \(side) s
      WHERE NOT (\(sql.hasKey)) AND s.rowid NOT IN (SELECT \(column) FROM \(name) WHERE \(column) IS NOT NULL)
      """
    }
    let (staged, there) = (left(sql.staged, "number", "s.rowid", "NULL"), left(sql.target, "there", "NULL", "s.rowid"))
    for side in [staged, there] {
      if try Bool.fetchOne(database, sql: "SELECT EXISTS (\(side))") != true { return }
    }
    try addCandidates("\(staged) UNION ALL \(there)", in: database)
    try addDigests(of: table, .staged, "number", side: 1, in: database)
    try addDigests(of: held, .target, "there", side: 0, in: database)
    try database.execute(
      sql: """
        DROP TABLE temp.coffer_candidate;
        UPDATE temp.coffer_twin AS t SET n = r.n
        FROM (SELECT rowid AS id, row_number() OVER (PARTITION BY class, side ORDER BY number) AS n FROM temp.coffer_twin) r
        WHERE r.id = t.rowid
        """)
    try pairTwins(isExact: false, in: database)
  }

  private func addDigests(
    of layout: TableLayout, _ side: Side, _ column: String, side number: Int, in database: Database
  ) throws {
    let digests = try digests(of: layout, side, column, in: database)
    let rows = try Int64.fetchCursor(
      database, sql: "SELECT \(column) FROM temp.coffer_candidate WHERE \(column) IS NOT NULL ORDER BY rowid")
    let insertion = try database.makeStatement(sql: "INSERT INTO temp.coffer_twin VALUES (\(number), ?, ?, NULL)")
    while let row = try rows.next() {
      guard let digest = try digests.next() else { continue }
      try insertion.execute(arguments: [row, digest.bytes])
    }
  }

  // MARK: Digests

  private enum Side { case staged, target }

  /// The digests of the candidates' records on one side, in the candidates' order.
  private func digests(of layout: TableLayout, _ side: Side, _ column: String, in database: Database) throws -> RowDigests {
    let from = side == .staged ? sql.staged : sql.target
    let rows = try RowText(
      layout, columns: side == .staged ? { _ in true } : present.has,
      from: "temp.coffer_candidate c JOIN \(from) r ON r.rowid = c.\(column) ORDER BY c.rowid", takesDamage: true,
      in: database)
    return RowDigests(rows)
  }
}
