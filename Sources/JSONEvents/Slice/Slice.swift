package import ByteStreams

/// A run of whole records of one collection, and its place.
///
///     "cars" : [ {…} , {…} , {…} , {…} ]
///                |<- slice ->|             start: of its first byte · firstIndex: 0 · count: 2
///
/// For JSON Lines, whose records are separated by line breaks, it is a run of whole lines:
///
///     {…} ⏎ {…} ⏎ ⏎ {…} ⏎ {…} ⏎
///     |<- slice ->|                         start: of its first line · firstIndex: 0 · count: 2
///
/// The slicer assumes that the records are whole; `SliceReader` verifies it.
package struct Slice: Sendable {
  /// The place where it begins, after the preceding bracket or comma.
  package let start: TextPosition
  /// The index of its first record in the collection.
  package let firstIndex: Int
  /// The number of records that it appears to contain.
  package let recordCount: Int
  /// The separator of its records.
  package let syntax: JSONSyntax
  /// True if a comma or line break follows, which belongs to no slice; false at the end of the collection.
  let hasSuccessor: Bool
  let buffer: SliceBuffer
  /// The records. The reader of the slice owns the byte after them, and overwrites it with a terminator.
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

  /// Creates a slice of records that are in memory. It doesn't know their number.
  package init(
    of records: some Collection<UInt8>, at start: TextPosition = TextPosition(offset: 0, line: 1, column: 1), syntax: JSONSyntax
  ) {
    let buffer = SliceBuffer(capacity: records.count + 1)
    for byte in records { buffer.append(byte) }
    buffer.append(UInt8(ascii: "\n"))
    self.init(
      start: start, firstIndex: 0, recordCount: 0, syntax: syntax, hasSuccessor: false, buffer: buffer, range: 0..<records.count)
  }

  /// A cursor that finds the lines of places in the slice, including the byte after it.
  package var lines: LineCursor {
    LineCursor(bytes: buffer.start + range.lowerBound, count: byteCount + 1, at: start)
  }

  /// Returns some of its bytes, given as offsets in the document; valid as long as the slice.
  package func bytes(from offset: Int, to end: Int) -> ByteView {
    precondition(offset >= start.offset && offset <= end && end <= self.end, "the offsets are outside the slice")
    return ByteView(buffer.start + range.lowerBound + (offset - start.offset), count: end - offset)
  }

  /// The offset after its last record.
  package var end: Int { start.offset + byteCount }

  /// The first byte of the slice; valid as long as the slice.
  var bytes: UnsafeMutablePointer<UInt8> { buffer.start + range.lowerBound }

  /// The number of bytes of the records.
  package var byteCount: Int { range.count }
}
