import CSQLiteRows
import GRDB
import JSONEvents
import Testing

@testable import CofferSQLite

/// When the index of a key exists while rows are added.
@Suite struct AscendingKeyIndexTests {
  private static func batch(_ keys: [Int64?], of columnCount: Int) -> RowBatch {
    let cells = UnsafeMutablePointer<coffer_cell>.allocate(capacity: keys.count * columnCount)
    cells.initialize(repeating: .null, count: keys.count * columnCount)
    for (row, key) in keys.enumerated() { if let key { cells[row * columnCount] = .integer(key) } }
    let memory = RowMemory(cells: cells, text: ByteBuffer())
    return RowBatch(memory: memory, rowCount: keys.count, failure: nil)
  }

  /// Returns for each batch whether the index exists after it.
  private static func history(_ batches: [[Int64?]]) throws -> [Bool] {
    let table = try #require(try DatabaseLayout(Storing.trips).table(at: "/cars"))
    #expect(table.columns.first?.name == "id")
    var index = try #require(AscendingKeyIndex(table))
    return try DatabaseQueue().write { database in
      try database.execute(sql: table.creation)
      return try batches.map {
        try index.prepare(for: batch($0, of: table.columnNames.count), in: database)
        return try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'cars_by_id')") == true
      }
    }
  }

  @Test(
    arguments: [
      ([[1, 2, 5], [6], [7, .max]], [true, true, true]),
      ([[.min, 0]], [true]),
      // Descending, duplicate and missing keys, within a batch and from one batch to the next.
      ([[2, 1]], [false]),
      ([[1, 1]], [false]),
      ([[1, nil]], [false]),
      ([[1, 2], [2, 3], [4]], [true, false, false]),
      ([[1, 2], [1]], [true, false]),
      ([[1, 2], [3, nil]], [true, false]),
    ] as [([[Int64?]], [Bool])])
  func `the index of a key exists as long as the keys ascend`(batches: [[Int64?]], isThere: [Bool]) throws {
    #expect(try Self.history(batches) == isThere)
  }
}
