package import ByteStreams
import CByteScan

/// Splits JSON Lines into slices of whole lines while reading, or a sequence into slices of whole values.
///
/// It only looks for line breaks, or for the ends of values; `SliceReader` verifies that each line is one value.
///
/// Memory: one slice, and those that were passed on. A line or value longer than a slice makes a larger one, up to
/// `ReaderLimits.lineSize`.
package final class LineSlicer {
  private let syntax: JSONSyntax
  private let sliceSize: Int
  private let limits: ReaderLimits
  private var input: SliceInput
  /// The end of all slices returned: the start of a line, or the document's end.
  package private(set) var position = TextPosition(offset: 0, line: 1, column: 1)
  private var recordCount = 0
  private var hasStarted = false
  package private(set) var hasByteOrderMark = false
  /// Of a sequence: what follows the last slice.
  private var scan = coffer_sequence_scan()
  /// The number of its values that are whole.
  private var wholeCount = 0

  package convenience init(
    _ source: some ByteSource, as syntax: JSONSyntax = .jsonLines, options: Slicer.Options = Slicer.Options(),
    limits: ReaderLimits = ReaderLimits()
  ) {
    self.init(SliceInput(source, options), as: syntax, options: options, limits: limits)
  }

  package init(_ input: consuming SliceInput, as syntax: JSONSyntax, options: Slicer.Options, limits: ReaderLimits) {
    precondition(syntax != .json, "a document has no lines")
    precondition(options.sliceSize > 0, "the slice size must be positive")
    precondition(limits.lineSize > 0 && limits.lineSize <= 1 << 30, "the line limit is out of range")
    self.syntax = syntax
    sliceSize = options.sliceSize
    self.limits = limits
    self.input = input
  }

  /// Splits a part of a document of JSON Lines, which begins at a line.
  ///
  /// - Parameters:
  ///   - source: the bytes from that line on.
  ///   - position: the start of the line.
  ///   - firstIndex: the number of records before it.
  package convenience init(
    _ source: some ByteSource, options: Slicer.Options, limits: ReaderLimits, from position: TextPosition, firstIndex: Int
  ) {
    self.init(source, options: options, limits: limits)
    self.position = position
    recordCount = firstIndex
    // Only the document's start may have a byte-order mark.
    hasStarted = position.offset > 0
  }

  /// The number of bytes of the document that have been read.
  package var bytesRead: Int { position.offset + buffer.count }

  /// Returns the next slice, or `nil` at the document's end.
  ///
  /// - Throws: `CofferError` if a line is too long, or from the source.
  package func nextSlice() throws(CofferError) -> Slice? {
    if !hasStarted { skipByteOrderMark() }
    var searched = 0
    var wanted = sliceSize
    while true {
      fill(to: wanted)
      if let end = lastEnd(from: searched) {
        if let slice = take(upTo: end, hasSuccessor: true) { return slice }
        searched = 0
        wanted = sliceSize
        continue
      }
      if scan.is_long != 0 {
        var lines = LineCursor(bytes: buffer, at: position)
        throw limits.lineLimitError(at: lines.position(at: position.offset + scan.start), syntax)
      }
      // The line is incomplete, but already too long.
      if syntax == .jsonLines, buffer.count > limits.lineSize, !input.hasEnded || input.failure != nil {
        throw limits.lineLimitError(at: position, syntax)
      }
      if let failure = input.failure { throw failure }
      if input.hasEnded {
        guard buffer.count > 0 else { return nil }
        input.append(UInt8(ascii: "\n"))
        wholeCount = scan.values
        return take(upTo: buffer.count - 1, hasSuccessor: false)
      }
      searched = buffer.count
      wanted = 2 * buffer.count
    }
  }

  /// Returns the end of the last whole line or value, or `nil` if there is none. The bytes up to `searched` were searched before.
  private func lastEnd(from searched: Int) -> Int? {
    let (bytes, count) = (buffer.base + searched, buffer.count - searched)
    if syntax == .sequence {
      scan.size_limit = limits.lineSize
      let end = coffer_scan_sequence(&scan, bytes, count, &wholeCount)
      return end > 0 ? searched + end : nil
    }
    let newline = coffer_find_last_newline(bytes, count)
    return newline < count ? searched + newline : nil
  }

  /// Returns the lines before the line break at `end` as a slice, or the values up to there; `nil` if there are only blanks.
  private func take(upTo end: Int, hasSuccessor: Bool) -> Slice? {
    var lines = 0
    let isSequence = syntax == .sequence
    let count = isSequence ? wholeCount : coffer_count_records(buffer.base, end + 1, &lines)
    var next = isSequence && hasSuccessor ? end : end + 1
    if end == buffer.count {
      // The reader of the slice overwrites the byte after it.
      input.append(UInt8(ascii: "\n"))
      next = end + 1
    }
    let slice = Slice(
      start: position, firstIndex: recordCount, recordCount: count, syntax: syntax, hasSuccessor: hasSuccessor,
      memory: input.take(keepingFrom: next, reserving: sliceSize), range: 0..<end)
    if hasSuccessor, !isSequence {
      position = TextPosition(offset: slice.end + 1, line: position.line + lines, column: 1)
    } else {
      var lines = slice.lines
      position = lines.position(at: slice.end)
    }
    recordCount += count
    scan = coffer_sequence_scan()
    // A blank line that is too long is left to the slice's reader.
    return count == 0 && end <= limits.lineSize ? nil : slice
  }

  private func skipByteOrderMark() {
    hasStarted = true
    fill(to: 3)
    guard input.hasByteOrderMark else { return }
    hasByteOrderMark = true
    input.dropFirst(3)
    position.offset = 3
  }

  /// Returns the error of the source that ended it, or that a checksum within the next `limit` bytes shows.
  package func damage(within limit: Int) -> CofferError? { input.damage(within: limit) }

  private var buffer: ByteView { input.buffer.view }

  /// Reads until the buffer holds `length` bytes; fewer only at the source's end.
  private func fill(to length: Int) {
    while !input.hasEnded, buffer.count < length { input.fill(length - buffer.count) }
  }
}

extension ReaderLimits {
  func lineLimitError(at position: TextPosition, _ syntax: JSONSyntax = .jsonLines) -> CofferError {
    CofferError(
      .lineLimit, "a \(syntax == .sequence ? "value" : "line") is longer than the limit of \(lineSize) bytes",
      at: .init(position: position))
  }
}

/// What a range of JSON Lines contributes to the place of everything after it: a monoid under `append(_:)`.
///
///     …45}⏎ {…}⏎ {…}⏎ ⏎ {…}⏎ {"id":…
///     |<-         range         ->|
///     head |  3 records       | tail          the head and the tail belong to lines of other ranges, too
///
/// A raw line break can't be in a string, so a range may begin at any byte, except in a byte order mark.
package struct LineSummary: Sendable, Equatable {
  package private(set) var extent = TextExtent()
  /// The number of bytes up to the end of the first line break, or 0 if there is none.
  package private(set) var firstBreak = 0
  /// The number of lines between two line breaks of the range that are not blank.
  package private(set) var recordCount = 0
  /// True if there are only blanks before the first line break.
  private(set) var hasBlankHead = true
  /// True if there are only blanks after the last line break.
  private(set) var hasBlankTail = true

  /// The empty summary.
  package init() {}

  /// Scans a range in memory.
  ///
  /// - Parameter isStart: true if the range begins the document, where a byte order mark isn't part of the first line.
  package init(of bytes: UnsafeRawBufferPointer, isStart: Bool = false) {
    var bytes = bytes
    if isStart, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      extent.byteCount = 3
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(3))
    }
    guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    let count = bytes.count
    let first = coffer_find_newline(base, count)
    hasBlankHead = coffer_is_blank(base, first) != 0
    var tail = 0
    if first < count {
      firstBreak = extent.byteCount + first + 1
      tail = coffer_find_last_newline(base, count) + 1
      var lines = 0
      recordCount = coffer_count_records(base + first + 1, tail - first - 1, &lines)
      extent.newlineCount = lines + 1
      hasBlankTail = coffer_is_blank(base + tail, count - tail) != 0
    } else {
      hasBlankTail = hasBlankHead
    }
    extent.byteCount += count
    extent.scalarCount = bytes[tail...].count { $0 & 0xC0 != 0x80 }
  }

  /// Appends the range that follows: the result is the summary of both ranges' bytes.
  package mutating func append(_ next: LineSummary) {
    let isJointBlank = hasBlankTail && next.hasBlankHead
    switch (firstBreak > 0, next.firstBreak > 0) {
    case (true, true):
      recordCount &+= next.recordCount &+ (isJointBlank ? 0 : 1)
      hasBlankTail = next.hasBlankTail
    case (true, false):
      hasBlankTail = isJointBlank
    case (false, true):
      firstBreak = extent.byteCount &+ next.firstBreak
      recordCount = next.recordCount
      hasBlankHead = isJointBlank
      hasBlankTail = next.hasBlankTail
    case (false, false):
      hasBlankHead = isJointBlank
      hasBlankTail = isJointBlank
    }
    extent = extent + next.extent
  }

  /// The summary of the bytes up to the first line break, or `nil` if there is none.
  package var upToFirstBreak: LineSummary? {
    if firstBreak == 0 { return nil }
    var summary = LineSummary()
    summary.extent = TextExtent(byteCount: firstBreak, newlineCount: 1)
    summary.firstBreak = firstBreak
    summary.hasBlankHead = hasBlankHead
    return summary
  }

  /// The number of records, if the range is the whole document.
  package var totalRecordCount: Int {
    (hasBlankHead ? 0 : 1) &+ (firstBreak == 0 ? 0 : recordCount &+ (hasBlankTail ? 0 : 1))
  }
}

/// The coding: a list of bytes, newlines, scalars after the last newline, first break, records, blank head and blank tail (0 or 1).
extension LineSummary: Codable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode([
      extent.byteCount, extent.newlineCount, extent.scalarCount, firstBreak, recordCount, hasBlankHead ? 1 : 0,
      hasBlankTail ? 1 : 0,
    ])
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let list = try container.decode([Int].self)
    // Values up to 2^52 can be added many times without overflow.
    guard list.count == 7, list.allSatisfy({ (0...1 << 52).contains($0) }), list[1] <= list[0], list[2] <= list[0] - list[1],
      list[3] <= list[0], (list[1] == 0) == (list[3] == 0), list[4] <= max(0, list[1] - 1), list[5] <= 1, list[6] <= 1
    else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "no summary of lines has these numbers") }
    extent = TextExtent(byteCount: list[0], newlineCount: list[1], scalarCount: list[2])
    firstBreak = list[3]
    recordCount = list[4]
    hasBlankHead = list[5] == 1
    hasBlankTail = list[6] == 1
  }
}
