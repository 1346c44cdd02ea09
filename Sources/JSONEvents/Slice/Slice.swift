/// A run of whole records of one collection, and where it stands.
///
///     "cars" : [ {…} , {…} , {…} , {…} ]
///                |<- slice ->|             start: of its first byte · firstIndex: 0 · count: 2
///
/// That its records are whole is the slicer's guess, which `SliceReader` proves or refutes.
package struct Slice: Sendable {
  /// Where it begins, behind the bracket or comma in front of it.
  package let start: TextPosition
  /// The index of its first record in the collection.
  package let firstIndex: Int
  /// How many records it seems to hold.
  package let recordCount: Int
  /// A comma follows, which belongs to no slice; otherwise the bracket that ends the collection.
  let hasSuccessor: Bool
  let buffer: SliceBuffer
  /// The records. The byte behind them belongs to whoever reads the slice, who ends it with a bracket there.
  let range: Range<Int>

  /// Finds the lines of places in the slice, the byte behind it included.
  package var lines: LineCursor {
    LineCursor(bytes: buffer.start + range.lowerBound, count: byteCount + 1, at: start)
  }

  /// The offset behind its last record.
  package var end: Int { start.offset + byteCount }

  /// How many bytes the records take.
  package var byteCount: Int { range.count }
}
