import CSQLiteRows

/// Rows of one table, as SQLite reads them from memory (`coffer_rows`).
///
///     cells    row 0: integer 7 · text 0+5 · null … | row 1: …        16 bytes a cell, as many a row as the table has columns
///     text     helloworld…                                            all texts, concatenated
struct RowBatch: Sendable {
  let memory: RowMemory
  let rowCount: Int
  /// The first record that can't be a row; the batch holds only the rows before it.
  let failure: Failure?

  struct Failure: Sendable {
    let offset: Int
    let message: String
  }

  /// Lends the rows to `body`.
  func withRows<R>(columnCount: Int, _ body: (UnsafePointer<coffer_rows>) throws -> R) rethrows -> R {
    var rows = coffer_rows(
      cells: memory.cells, text: UnsafeRawPointer(memory.text).assumingMemoryBound(to: CChar.self), row_count: Int64(rowCount),
      column_count: Int32(columnCount))
    return try withExtendedLifetime(memory) { try body(&rows) }
  }
}

/// The memory of one batch. A `RowBuilder` writes it; once the batch has been taken, it is only read.
final class RowMemory: @unchecked Sendable {
  // @unchecked: written by one builder, and read after that.
  private(set) var cells: UnsafeMutablePointer<coffer_cell>
  private(set) var text: UnsafeMutablePointer<UInt8>
  private(set) var cellCapacity: Int
  private(set) var textCapacity: Int
  /// Short texts are copied in blocks of 16 bytes.
  private static let slack = 16

  init(cellCapacity: Int, textCapacity: Int) {
    (self.cellCapacity, self.textCapacity) = (max(cellCapacity, 64), max(textCapacity, 1024))
    cells = .allocate(capacity: self.cellCapacity)
    text = .allocate(capacity: self.textCapacity + Self.slack)
  }

  deinit {
    cells.deallocate()
    text.deallocate()
  }

  /// - Parameter used: how many cells keep their content.
  func growCells(_ used: Int, by added: Int) {
    cellCapacity = max(used + added, cellCapacity * 2)
    let larger = UnsafeMutablePointer<coffer_cell>.allocate(capacity: cellCapacity)
    larger.update(from: cells, count: used)
    cells.deallocate()
    cells = larger
  }

  /// - Parameter used: how many bytes keep their content.
  func growText(_ used: Int, by added: Int) {
    textCapacity = max(used + added, textCapacity * 2)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: textCapacity + Self.slack)
    larger.update(from: text, count: used)
    text.deallocate()
    text = larger
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
