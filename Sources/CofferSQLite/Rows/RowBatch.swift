import CSQLiteRows

/// Rows of one table, in the form that SQLite reads from memory (`coffer_rows`).
///
///     cells    row 0: integer 7 · text 0+5 · null … | row 1: …        16 bytes per cell, one cell per column
///     text     helloworld…                                            all texts, concatenated
struct RowBatch: Sendable {
  let memory: RowMemory
  let rowCount: Int
  /// The first record that can't become a row. The batch holds only the rows before it.
  let failure: Failure?

  struct Failure: Sendable {
    let offset: Int
    let message: String
  }

  /// Calls `body` with the rows, which are valid only during the call.
  func withRows<R>(columnCount: Int, _ body: (UnsafePointer<coffer_rows>) throws -> R) rethrows -> R {
    var rows = coffer_rows(
      cells: memory.cells, text: UnsafeRawPointer(memory.text).assumingMemoryBound(to: CChar.self), row_count: Int64(rowCount),
      column_count: Int32(columnCount))
    return try withExtendedLifetime(memory) { try body(&rows) }
  }
}

extension coffer_cell {
  static let null = coffer_cell(kind: UInt8(COFFER_CELL_NULL), length: 0, value: 0)

  @inline(__always)
  static func integer(_ value: Int64) -> Self { Self(kind: UInt8(COFFER_CELL_INTEGER), length: 0, value: value) }

  var integer: Int64? { kind == UInt8(COFFER_CELL_INTEGER) ? value : nil }

  /// - Parameter range: the text's bytes in `RowMemory.text`.
  @inline(__always)
  static func text(_ range: Range<Int>) -> Self {
    Self(kind: UInt8(COFFER_CELL_TEXT), length: Int32(truncatingIfNeeded: range.count), value: Int64(range.lowerBound))
  }
}
