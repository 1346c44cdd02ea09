import GRDB

/// The index of a table's key, created before the first row. Rows are appended to it while their keys ascend, as in most exports.
///
/// This takes half the time of a sort at the end, and runs while other threads parse. The index is dropped at the first key that doesn't ascend: to insert keys
/// in random order takes twice the time of the sort.
struct AscendingKeyIndex {
  private enum State {
    case empty
    case ascending(last: Int64)
    case abandoned
  }

  private let index: TableLayout.Index
  private let column: Int
  private let columnCount: Int
  private var state = State.empty

  /// `nil` if the key isn't one column of integers.
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
    switch state {
    case .empty:
      guard let last = batch.lastInteger(ofColumn: column, of: columnCount, ascendingFrom: nil) else { return state = .abandoned }
      try database.execute(sql: index.creation(in: "main"))
      state = .ascending(last: last)
    case .ascending(let previous):
      if let last = batch.lastInteger(ofColumn: column, of: columnCount, ascendingFrom: previous) {
        return state = .ascending(last: last)
      }
      try database.execute(sql: "DROP INDEX main.\(index.name.quotedIdentifier)")
      state = .abandoned
    case .abandoned: break
    }
  }
}

extension RowBatch {
  /// The last integer of a column whose values ascend from row to row; `nil` if they don't, or aren't all integers.
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
