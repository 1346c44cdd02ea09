import CSQLiteRows

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
