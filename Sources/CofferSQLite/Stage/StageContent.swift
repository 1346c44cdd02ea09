import ByteStreams
import Coffer
import Findings
import GRDB

/// The contents of a stage's tables, before the indexes are created.
struct StageContent: Sendable {
  let layout: StoreLayout
  /// Row counts by table.
  private(set) var rowCounts: [String: Int]

  init(_ layout: StoreLayout, rowCounts: [String: Int]) {
    self.layout = layout
    self.rowCounts = Dictionary(uniqueKeysWithValues: layout.tables.map { ($0.name, rowCounts[$0.name] ?? 0) })
  }

  /// Removes all but the first of equal records with the same key, in tables whose rules allow them.
  ///
  /// - Parameter findings: the counts of validation. Without errors, records with the same key are equal.
  mutating func dropEqualRecords(_ findings: FindingCounts, in database: Database) throws {
    if findings.total == 0 { return }
    for table in layout.tables where table.dropsEqualRecords && !table.key.isEmpty {
      try dropEqualRows(of: table, by: findings.count(.error) == 0 ? table.key : table.columnNames, in: database)
    }
  }

  /// Creates the missing indexes.
  ///
  /// - Throws: `CofferError` with the code `conflict` if two records have the same key.
  func addIndexes(in database: Database, cancellation check: () throws -> Void) throws {
    // If the sort's runs fit into the processor's cache, it takes two thirds of its time with 8 MiB.
    try database.execute(sql: "PRAGMA main.cache_size = -1000")
    for table in layout.tables {
      for index in table.indexes where try !index.exists(in: database) {
        try check()
        do {
          try database.execute(sql: index.creation(in: "main"))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
          throw CofferError(
            .conflict,
            "two records of \(table.title) have the same key (\(index.columns.joined(separator: ", ")))")
        }
      }
    }
  }

  /// Removes all but the first of the rows with the same key and the same values in `columns`.
  private mutating func dropEqualRows(of table: TableLayout, by columns: [String], in database: Database) throws {
    let name = "main.\(table.name.quotedIdentifier)"
    let hasKey = table.key.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
    try database.execute(
      sql: """
        DELETE FROM \(name) WHERE rowid IN (
          SELECT number FROM (
            SELECT rowid AS number, row_number() OVER (PARTITION BY \(columns.identifierList) ORDER BY rowid) AS n
            FROM \(name) WHERE \(hasKey))
          WHERE n > 1)
        """)
    rowCounts[table.name, default: 0] -= database.changesCount
  }

  /// - Throws: `CofferError` with the code `verification` if a table's row count differs from the number of written rows.
  func checkCounts(in database: Database) throws {
    for table in layout.tables {
      let written = rowCounts[table.name] ?? 0
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)") ?? 0
      if count != written {
        throw CofferError(.verification, "\(table.title): \(written) rows were written, but \(count) found")
      }
    }
  }
}
