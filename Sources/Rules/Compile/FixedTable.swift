import JSONEvents

/// An immutable table of plain rows: reading one touches no reference count.
///
/// The evaluator reads several for every event; with `Array` each of them would retain and release its buffer.
/// The rows lie in a ``TableMemory``, and are valid as long as that lives.
package struct FixedTable<Row: BitwiseCopyable>: @unchecked Sendable {
  // @unchecked: the memory is written once, before there is a table.
  private let base: UnsafePointer<Row>
  package let count: Int

  fileprivate init(base: UnsafePointer<Row>, count: Int) {
    self.base = base
    self.count = count
  }

  @inline(__always)
  package subscript(index: Int) -> Row {
    // Yielded, not returned: who wants one column loads that alone.
    _read {
      assert(index >= 0 && index < count, "index outside the table")
      yield base[index]
    }
  }
}

extension FixedTable<UInt8> {
  /// The bytes of a run, as a view that is valid as long as the table.
  @inline(__always)
  func view(from start: Int, count length: Int) -> ByteView {
    precondition(start >= 0 && length >= 0 && start + length <= count, "bytes outside the table")
    return ByteView(base + start, count: length)
  }
}

/// Owns the memory of tables, and frees it all at once.
struct TableMemory: ~Copyable, @unchecked Sendable {
  // @unchecked: nothing is written once the tables are made.
  private var blocks: [UnsafeMutableRawPointer] = []

  /// A table of these rows, which is valid as long as this memory.
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
