/// A run of whole records of one collection, and where it stands.
///
///     "cars" : [ {…} , {…} , {…} , {…} ]
///                |<- slice ->|             start: of its first byte · firstIndex: 0 · count: 2
///
/// Of JSON Lines, whose records are separated by line breaks, it is a run of whole lines:
///
///     {…} ⏎ {…} ⏎ ⏎ {…} ⏎ {…} ⏎
///     |<- slice ->|                         start: of its first line · firstIndex: 0 · count: 2
///
/// That its records are whole is the slicer's guess, which `SliceReader` proves or refutes.
package struct Slice: Sendable {
  /// Where it begins, behind the bracket or comma in front of it.
  package let start: TextPosition
  /// The index of its first record in the collection.
  package let firstIndex: Int
  /// How many records it seems to hold.
  package let recordCount: Int
  /// How its records are separated.
  package let syntax: JSONSyntax
  /// A comma follows, or a line break, which belongs to no slice; otherwise the end of the collection.
  let hasSuccessor: Bool
  let buffer: SliceBuffer
  /// The records. The byte behind them belongs to whoever reads the slice, who ends it there.
  let range: Range<Int>

  init(
    start: TextPosition, firstIndex: Int, recordCount: Int, syntax: JSONSyntax = .json, hasSuccessor: Bool, buffer: SliceBuffer,
    range: Range<Int>
  ) {
    self.start = start
    self.firstIndex = firstIndex
    self.recordCount = recordCount
    self.syntax = syntax
    self.hasSuccessor = hasSuccessor
    self.buffer = buffer
    self.range = range
  }

  /// A slice for tests: records that are a document of their own.
  package init(of records: some Collection<UInt8>, syntax: JSONSyntax) {
    let buffer = SliceBuffer(capacity: records.count + 1)
    for byte in records { buffer.append(byte) }
    buffer.append(UInt8(ascii: "\n"))
    self.init(
      start: TextPosition(offset: 0, line: 1, column: 1), firstIndex: 0, recordCount: 0, syntax: syntax, hasSuccessor: false,
      buffer: buffer, range: 0..<records.count)
  }

  /// Finds the lines of places in the slice, the byte behind it included.
  package var lines: LineCursor {
    LineCursor(bytes: buffer.start + range.lowerBound, count: byteCount + 1, at: start)
  }

  /// Some of its bytes, as offsets in the document; valid as long as the slice.
  package func bytes(from offset: Int, to end: Int) -> ByteView {
    precondition(offset >= start.offset && offset <= end && end <= self.end, "places outside the slice")
    return ByteView(buffer.start + range.lowerBound + (offset - start.offset), count: end - offset)
  }

  /// The offset behind its last record.
  package var end: Int { start.offset + byteCount }

  /// Its first byte; valid as long as the slice.
  var bytes: UnsafeMutablePointer<UInt8> { buffer.start + range.lowerBound }

  /// How many bytes the records take.
  package var byteCount: Int { range.count }
}
