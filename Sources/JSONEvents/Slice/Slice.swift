package import ByteStreams
import CByteScan

/// A run of whole records of one collection, and its place.
///
///     "cars" : [ {…} , {…} , {…} , {…} ]
///                |<- slice ->|             start: of its first byte · firstIndex: 0 · recordCount: 2
///
/// Of an object, it is a run of whole members:
///
///     "users" : { "u1" : {…} , "u2" : {…} , … }
///                |<------- slice ------->|
///
/// For JSON Lines, whose records are separated by line breaks, it is a run of whole lines:
///
///     {…} ⏎ {…} ⏎ ⏎ {…} ⏎ {…} ⏎
///     |<- slice ->|                         start: of its first line · firstIndex: 0 · recordCount: 2
///
/// Of a sequence, it is a run of whole values, with what separates them.
///
/// The slicer assumes that the records are whole; `SliceReader` verifies it.
package struct Slice: Sendable {
  /// The place where it begins, after the preceding bracket or comma.
  package let start: TextPosition
  /// The index of its first record in the collection.
  package let firstIndex: Int
  /// The number of records that it appears to contain.
  package let recordCount: Int
  /// The syntax that separates its records.
  package let syntax: JSONSyntax
  /// True if it holds the members of an object.
  package let isOfObject: Bool
  /// True if more follows: a comma or line break, which belongs to no slice, or a value of a sequence. False at the end of the collection.
  package let hasSuccessor: Bool
  let memory: SliceMemory
  /// The records. The reader of the slice owns the byte after them, and overwrites it with a terminator.
  let range: Range<Int>

  init(
    start: TextPosition, firstIndex: Int, recordCount: Int, syntax: JSONSyntax = .json, isOfObject: Bool = false,
    hasSuccessor: Bool, memory: SliceMemory, range: Range<Int>
  ) {
    self.start = start
    self.firstIndex = firstIndex
    self.recordCount = recordCount
    self.syntax = syntax
    self.isOfObject = isOfObject
    self.hasSuccessor = hasSuccessor
    self.memory = memory
    self.range = range
  }

  /// Creates a slice of records that are in memory. It doesn't know their number.
  package init(
    of records: some Collection<UInt8>, at start: TextPosition = TextPosition(offset: 0, line: 1, column: 1), syntax: JSONSyntax,
    isOfObject: Bool = false
  ) {
    var bytes = ByteBuffer(capacity: records.count + 1)
    if records.withContiguousStorageIfAvailable({ bytes.append(UnsafeRawBufferPointer($0)) }) == nil {
      for byte in records { bytes.append(byte) }
    }
    bytes.append(UInt8(ascii: "\n"))
    self.init(
      start: start, firstIndex: 0, recordCount: 0, syntax: syntax, isOfObject: isOfObject, hasSuccessor: false,
      memory: SliceMemory(bytes), range: 0..<records.count)
  }

  /// A cursor that finds the lines of places in the slice, including the byte after it.
  package var lines: LineCursor {
    LineCursor(bytes: bytes, count: byteCount + 1, at: start)
  }

  /// True if it is UTF-8, which readers of slices of JSON expect.
  package var isUTF8: Bool {
    var incomplete: CInt = 0
    return coffer_utf8_prefix(bytes, byteCount, &incomplete) == byteCount
  }

  /// Returns some of its bytes, given as offsets in the document; valid as long as the slice.
  package func bytes(from offset: Int, to end: Int) -> ByteView {
    precondition(offset >= start.offset && offset <= end && end <= self.end, "the offsets are outside the slice")
    return ByteView(bytes + (offset - start.offset), count: end - offset)
  }

  /// The offset after its last record.
  package var end: Int { start.offset + byteCount }

  /// The first byte of the slice; valid as long as the slice.
  var bytes: UnsafeMutablePointer<UInt8> { memory.start + range.lowerBound }

  /// The number of bytes of the records.
  package var byteCount: Int { range.count }
}

extension Slice {
  /// A line without its break, or a value of a sequence with what precedes it: the unit in which damage is found.
  package struct Unit {
    /// The place of its first byte.
    package let start: TextPosition
    package let bytes: ByteView
    /// The line, or the value without what precedes it, and its place.
    package let value: ByteView
    package let valueStart: TextPosition
    /// True if it has no value: a blank line, or the end of a sequence.
    package let isBlank: Bool
    /// True if more follows it.
    package let isEnded: Bool
    /// True if a colon follows the value, as behind a name.
    package var isName = false
  }

  /// Calls `body` with each unit of a slice of lines or of a sequence, until it returns false.
  package func forEachUnit(_ body: (Unit) throws -> Bool) rethrows {
    precondition(syntax != .json, "the slice has no lines")
    if syntax == .jsonLines { try forEachLine(body) } else { try forEachValue(body) }
  }

  private func forEachLine(_ body: (Unit) throws -> Bool) rethrows {
    var (start, from) = (start, range.lowerBound)
    while from <= range.upperBound {
      let rest = ByteView(memory.start + from, count: range.upperBound - from)
      let length = coffer_find_newline(rest.base, rest.count)
      let line = rest.prefix(length)
      let unit = Unit(
        start: start, bytes: line, value: line, valueStart: start, isBlank: coffer_is_blank(line.base, length) != 0,
        isEnded: from + length < range.upperBound || hasSuccessor)
      guard try body(unit) else { return }
      start = TextPosition(offset: start.offset + length + 1, line: start.line + 1, column: 1)
      from += length + 1
    }
  }

  private func forEachValue(_ body: (Unit) throws -> Bool) rethrows {
    var (start, from) = (start, range.lowerBound)
    while from < range.upperBound {
      let rest = ByteView(memory.start + from, count: range.upperBound - from)
      var scan = coffer_sequence_scan()
      scan.limit = 1
      var count = 0
      let end = coffer_scan_sequence(&scan, rest.base, rest.count, &count)
      let bytes = rest.prefix(count > 0 ? end : rest.count)
      let value = bytes.dropFirst(
        (0..<bytes.count).first { !SyntaxDiagnosis.isSpace(bytes[$0]) && bytes[$0] != JSONSyntax.recordSeparator } ?? bytes.count)
      var lines = LineCursor(bytes: bytes, at: start)
      var unit = Unit(
        start: start, bytes: bytes, value: value, valueStart: lines.position(at: start.offset + bytes.count - value.count),
        isBlank: value.count == 0, isEnded: from + bytes.count < range.upperBound || hasSuccessor)
      let next = rest.firstIndexPastSpace(from: bytes.count)
      unit.isName = next < rest.count && rest[next] == UInt8(ascii: ":")
      guard try body(unit) else { return }
      start = lines.position(at: start.offset + bytes.count)
      from += bytes.count
    }
  }

  /// Finds the error in a slice of lines or of a sequence that its reader rejected: the error of the first unit that is not one value, and
  /// the preceding ones as a valid slice, if there are any.
  ///
  /// The units are read one by one, each as a separate document, so that the result does not depend on the slice boundaries.
  /// Cost: a few times that of `SliceReader`, once.
  package func firstBrokenUnit(limits: ReaderLimits) -> (before: Slice?, error: CofferError) {
    // Both use the same parser and the same checks, so this has never been observed.
    var error = CofferError(.syntax, "this is not one JSON value", at: .init(position: start))
    var end = range.lowerBound
    var count = 0
    forEachUnit { unit in
      if let broken = Self.error(in: unit, syntax, limits) {
        error = broken
        return false
      }
      if !unit.isBlank { count += 1 }
      end = range.lowerBound + (unit.start.offset - start.offset) + unit.bytes.count
      return true
    }
    guard count > 0 else { return (nil, error) }
    let before = Slice(
      start: start, firstIndex: firstIndex, recordCount: count, syntax: syntax, hasSuccessor: true, memory: memory,
      range: range.lowerBound..<end)
    return (before, error)
  }

  private static func error(in unit: Unit, _ syntax: JSONSyntax, _ limits: ReaderLimits) -> CofferError? {
    if syntax == .jsonLines, unit.bytes.count > limits.lineSize { return limits.lineLimitError(at: unit.start) }
    if unit.isBlank { return nil }
    var limits = limits
    limits.chunkSize = max(1, min(limits.chunkSize, unit.value.count))
    let kind: TextUnit = syntax == .sequence ? .value(isLast: !unit.isEnded) : unit.isEnded ? .line : .lastLine
    var reader = JSONEventReader(MemorySource(unit.value.array), limits: limits, at: unit.valueStart, as: kind)
    do {
      while try reader.next() {}
      return nil
    } catch {
      return error
    }
  }
}

/// How far some bytes reach, in bytes, lines and columns: a monoid, whose neutral element is the empty extent.
///
///     "a\né" + "b"      bytes 4 + 1 · newlines 1 · scalars since the last newline 1 + 1
///
/// A scalar is counted at its first byte, so an extent may begin and end anywhere in it. The extent of all bytes before a place is
/// the place.
package struct TextExtent: Sendable, Hashable {
  package var byteCount: Int
  package var newlineCount: Int
  /// The number of scalars after the last newline, or of all if there is none.
  package var scalarCount: Int

  package init(byteCount: Int = 0, newlineCount: Int = 0, scalarCount: Int = 0) {
    self.byteCount = byteCount
    self.newlineCount = newlineCount
    self.scalarCount = scalarCount
  }

  /// The place after the first bytes of a document that have this extent.
  package var position: TextPosition {
    TextPosition(offset: byteCount, line: newlineCount &+ 1, column: scalarCount &+ 1)
  }

  // A summary from a damaged file may have any numbers: `&+` wraps instead of trapping.
  package static func + (first: TextExtent, next: TextExtent) -> TextExtent {
    TextExtent(
      byteCount: first.byteCount &+ next.byteCount, newlineCount: first.newlineCount &+ next.newlineCount,
      scalarCount: next.newlineCount > 0 ? next.scalarCount : first.scalarCount &+ next.scalarCount)
  }
}
