import GRDB

/// The index of a table's key, created before the first row. While the keys ascend, as in most exports, rows are appended to it.
///
/// This takes half the time of a sort at the end, and runs while other threads parse. The index is dropped at the first key
/// that doesn't ascend: inserting keys in random order takes twice the time of the sort.
struct AscendingKeyIndex {
  private let index: TableLayout.Index
  private let column: Int
  private let columnCount: Int
  /// The last row's key, while the index exists.
  private var last: Int64?
  private var isAbandoned = false

  /// Returns `nil` if the key isn't a single column of integers.
  init?(_ table: TableLayout) {
    guard let index = table.indexes.first, table.key.count == 1, index.columns == table.key,
      let column = table.columns.firstIndex(where: { $0.name == table.key[0] }), table.columns[column].kind == .integer
    else { return nil }
    self.index = index
    self.column = column
    columnCount = table.columnNames.count
  }

  /// Creates or drops the index, depending on whether the keys in `batch`, the table's next rows, ascend.
  mutating func prepare(for batch: RowBatch, in database: Database) throws {
    if isAbandoned { return }
    let next = batch.lastInteger(ofColumn: column, of: columnCount, ascendingFrom: last)
    isAbandoned = next == nil
    if last == nil, !isAbandoned { try database.execute(sql: index.creation(in: "main")) }
    if last != nil, isAbandoned { try database.execute(sql: "DROP INDEX main.\(index.name.quotedIdentifier)") }
    last = next
  }
}

extension RowBatch {
  /// Returns the last integer of a column, or `nil` if its values don't ascend, or aren't all integers.
  fileprivate func lastInteger(ofColumn column: Int, of columnCount: Int, ascendingFrom previous: Int64?) -> Int64? {
    var last = previous
    for row in 0..<rowCount {
      guard let value = memory.cells[row * columnCount + column].integer else { return nil }
      if let last, value <= last { return nil }
      last = value
    }
    return last
  }
}
