import JSONEvents

/// An immutable table of plain rows: reading one touches no reference count.
///
/// The evaluator reads several rows for every event; with `Array` each read would retain and release the buffer. The rows are in
/// a ``TableMemory`` and are valid as long as it lives.
package struct FixedTable<Row: BitwiseCopyable>: @unchecked Sendable {
  // @unchecked: the memory is written once, before the table exists.
  private let base: UnsafePointer<Row>
  package let count: Int

  fileprivate init(base: UnsafePointer<Row>, count: Int) {
    self.base = base
    self.count = count
  }

  @inline(__always)
  package subscript(index: Int) -> Row {
    // Yielded, not returned, so that a caller that needs one column loads only that one.
    _read {
      assert(index >= 0 && index < count, "index outside the table")
      yield base[index]
    }
  }
}

extension FixedTable<UInt8> {
  /// Returns a range of bytes as a view that is valid as long as the table.
  @inline(__always)
  func view(from start: Int, count length: Int) -> ByteView {
    precondition(start >= 0 && length >= 0 && start + length <= count, "bytes outside the table")
    return ByteView(base + start, count: length)
  }
}

/// Owns the memory of tables, and frees it as a whole.
struct TableMemory: ~Copyable, @unchecked Sendable {
  // @unchecked: nothing is written once the tables are made.
  private var blocks: [UnsafeMutableRawPointer] = []

  /// Returns a table of these rows, valid as long as this memory.
  mutating func table<Row>(_ rows: [Row]) -> FixedTable<Row> {
    let base = UnsafeMutablePointer<Row>.allocate(capacity: max(1, rows.count))
    base.initialize(from: rows, count: rows.count)
    blocks.append(base)
    return FixedTable(base: base, count: rows.count)
  }

  deinit {
    for block in blocks { block.deallocate() }
  }
}
