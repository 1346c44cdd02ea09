import CByteScan

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
  package private(set) var hasBlankHead = true
  /// True if there are only blanks after the last line break.
  package private(set) var hasBlankTail = true

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
