import GRDB
import JSONEvents
import Rules

/// SQL that compares the staged rows of a table, `s`, with those of the database, `m`.
struct RowComparison {
  let table: TableLayout
  let present: PresentTable
  let staged: String
  let target: String
  /// SQL: `m` has the key of `s`.
  let sameKey: String
  /// SQL: `s` has a key.
  let hasKey: String
  /// SQL: all columns are identical.
  let isIdentical: String
  /// The columns that both tables have. A column missing in the database counts as null.
  let common: [String]

  init(_ table: TableLayout, _ present: PresentTable) {
    self.table = table
    self.present = present
    let name = table.name.quotedIdentifier
    staged = "\(StageApplication.schema).\(name)"
    target = "main.\(name)"
    let common = table.columnNames.filter(present.has)
    self.common = common
    sameKey = table.key.equality("m", "s")
    hasKey = table.key.isEmpty ? "FALSE" : table.key.map { "s.\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
    // The key differs most often, so it is compared first.
    let ordered = table.key.filter(common.contains) + common.filter { !table.key.contains($0) }
    let identical = ordered.map { "m.\($0.quotedIdentifier) IS s.\($0.quotedIdentifier) COLLATE BINARY" }
    let missing = table.columnNames.filter { !common.contains($0) }.map { "s.\($0.quotedIdentifier) IS NULL" }
    isIdentical = (identical + missing).joined(separator: " AND ")
  }

  /// Selects the staged rows numbered `?1` to `?2` that differ from the target row whose number is greater by `?3`. In a table
  /// with a key, a staged row without one always differs.
  var differentRows: String {
    let condition = table.key.isEmpty ? isIdentical : "\(hasKey) AND \(isIdentical)"
    return """
      SELECT s.rowid FROM \(staged) s LEFT JOIN \(target) m ON m.rowid = s.rowid + ?3
      WHERE s.rowid BETWEEN ?1 AND ?2 AND (m.rowid IS NULL OR NOT (\(condition))) ORDER BY s.rowid
      """
  }

  /// Selects the number of the target row that has the key of the staged row `?`.
  var rowWithKey: String { "SELECT m.rowid FROM \(staged) s JOIN \(target) m ON \(sameKey) WHERE s.rowid = ?" }

  /// Returns true if the key has an index. An app may have dropped it.
  func canLocate(in database: Database) throws -> Bool {
    guard let index = table.indexes.first, index.columns == table.key else { return false }
    return try index.exists(in: database)
  }

  /// SQL: a necessary condition for rows of equal value. `12.5` equals `12.500`.
  var mayBeEqual: String {
    let conditions = common.compactMap { name -> String? in
      guard let column = table.column(named: name) else { return nil }
      let (m, s) = ("m.\(name.quotedIdentifier)", "s.\(name.quotedIdentifier)")
      return switch column.kind {
      case .text, .boolean: "\(m) IS \(s) COLLATE BINARY"
      // The other row's value may be in `coffer_extra`.
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
}

extension TableLayout.Index {
  func exists(in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = ? COLLATE NOCASE)",
      arguments: [name]) ?? false
  }
}
