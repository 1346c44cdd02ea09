import JSONEvents

/// An immutable table of plain rows: reading one touches no reference count.
///
/// The evaluator reads several for every event; with `Array` each of them would retain and release its buffer.
/// The memory belongs to whoever made the table and frees it with ``deallocate()``: the `RuleProgram`.
package struct FixedTable<Row: BitwiseCopyable>: @unchecked Sendable {
  // @unchecked: the memory is written once, in `init`.
  private let base: UnsafeMutablePointer<Row>
  package let count: Int

  init(_ rows: [Row]) {
    count = rows.count
    base = .allocate(capacity: max(1, rows.count))
    base.initialize(from: rows, count: rows.count)
  }

  func deallocate() { base.deallocate() }

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
