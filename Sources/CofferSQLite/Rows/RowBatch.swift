import CSQLiteRows
import JSONEvents

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

/// One step of filling a stage, in the document's order. The thread that reads the document sends it to the thread that writes.
enum StageChange: Sendable {
  /// Creates the tables. The first step.
  case tables(StoreLayout)
  /// Appends rows to the table.
  case rows(RowBatch, TableLayout)
  /// A member of the root.
  ///
  /// - name: `nil` for the root itself if it isn't an object.
  /// - value: JSON. `nil` marks the place of the collection with this name.
  case member(name: String?, value: [UInt8]?)
  /// A property of the backup, for `coffer_backup`.
  case property(name: String, value: String?)
}

/// The memory of one batch. A `RowBuilder` writes it. Once the batch is taken, it is only read.
final class RowMemory: @unchecked Sendable {
  // @unchecked: written by one builder, then only read.
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

  /// - Parameter used: the number of cells to copy.
  func growCells(_ used: Int, by added: Int) {
    cellCapacity = max(used + added, cellCapacity * 2)
    let larger = UnsafeMutablePointer<coffer_cell>.allocate(capacity: cellCapacity)
    larger.update(from: cells, count: used)
    cells.deallocate()
    cells = larger
  }

  /// - Parameter used: the number of bytes to copy.
  func growText(_ used: Int, by added: Int) {
    textCapacity = max(used + added, textCapacity * 2)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: textCapacity + Self.slack)
    larger.update(from: text, count: used)
    text.deallocate()
    text = larger
  }
}

/// Joins the tokens of a value without whitespace.
struct CompactText {
  private var needsComma = false

  /// - Parameter event: the value's next event, or the name of a member before its value.
  mutating func append(_ event: Event, of batch: EventBatch, to text: inout [UInt8]) {
    let isEnd = event.kind == .objectEnd || event.kind == .arrayEnd
    if needsComma, !isEnd { text.append(UInt8(ascii: ",")) }
    batch.token(of: event).withUnsafeBytes { text.append(contentsOf: $0) }
    if event.kind == .key { text.append(UInt8(ascii: ":")) }
    needsComma = event.kind != .key && event.kind != .objectStart && event.kind != .arrayStart
  }
}
