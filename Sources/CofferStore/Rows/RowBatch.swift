import CSQLiteRows

/// Rows of one table, as SQLite reads them from memory (`coffer_rows`).
///
///     cells    row 0: integer 7 · text 0+5 · null … | row 1: …        16 bytes a cell, as many a row as the table has columns
///     text     helloworld…                                            all texts, concatenated
struct RowBatch: Sendable {
  var cells: [coffer_cell] = []
  var text: [UInt8] = []
  var rowCount = 0
  /// The first record that can't be a row; those before it are here, those behind it are not.
  var failure: Failure?

  struct Failure: Sendable {
    let offset: Int
    let message: String
  }

  /// Lends the rows to `body`.
  func withRows<R>(columnCount: Int, _ body: (UnsafePointer<coffer_rows>) throws -> R) rethrows -> R {
    try cells.withUnsafeBufferPointer { cells in
      try text.withUnsafeBytes { text in
        var rows = coffer_rows(
          cells: cells.baseAddress, text: text.baseAddress?.assumingMemoryBound(to: CChar.self), row_count: Int64(rowCount),
          column_count: Int32(columnCount))
        return try body(&rows)
      }
    }
  }
}

extension coffer_cell {
  static let null = coffer_cell(kind: UInt8(COFFER_CELL_NULL), length: 0, value: 0)

  @inline(__always)
  static func integer(_ value: Int64) -> Self { Self(kind: UInt8(COFFER_CELL_INTEGER), length: 0, value: value) }

  /// - Parameter range: the text's bytes in `RowBatch.text`.
  @inline(__always)
  static func text(_ range: Range<Int>) -> Self {
    Self(kind: UInt8(COFFER_CELL_TEXT), length: Int32(truncatingIfNeeded: range.count), value: Int64(range.lowerBound))
  }
}
