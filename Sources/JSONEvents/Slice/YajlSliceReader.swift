import ByteStreams
import CByteScan
import CJSONEvents

/// Reads a slice with yajl: if the lane does not support the machine or a limit, and for comparison.
///
///     [ {…} , {…} , {…} ]     the reader adds the brackets: one is fed before the slice, one replaces the byte after it
///     [ {…} , {…} , {…} ,     for lines, it feeds a comma for each line break, and no closing bracket
struct YajlSliceReader: ~Copyable {
  private let slice: Slice
  private let limits: ReaderLimits
  private let parser: OpaquePointer
  private var fed = 0
  /// The number of bytes fed at a time: they and their events fit into a core's own cache.
  private static let chunkSize = 64 << 10

  private(set) var batch: EventBatch
  private(set) var hasFailed = false
  private var isEmpty = true

  /// The end of the lines known to contain only text that JSON allows.
  private var checked = 0
  /// The current line.
  private var line = Line()

  private struct Line {
    /// The offset after its line break.
    var end = 0
    /// The number of open brackets in it.
    var depth = 0
    /// The number of complete values in it.
    var valueCount = 0
    /// The number of its bytes to feed at a time.
    var pieceSize = YajlSliceReader.chunkSize
  }

  /// The byte after the slice has already been set.
  init(_ slice: Slice, depth: Int, limits: ReaderLimits, keys: KeyComparison?) {
    self.slice = slice
    self.limits = limits
    guard let parser = coffer_parser_create(UInt32(depth), limits.tokenSize) else { fatalError("out of memory") }
    keys?.start(inParser: parser)
    self.parser = parser
    batch = EventBatch(base: slice.start.offset, buffer: slice.bytes, batch: coffer_parser_batch(parser).pointee)
    hasFailed = coffer_parser_prime(parser, "[") != COFFER_OK
  }

  deinit { coffer_parser_destroy(parser) }

  mutating func next() -> Bool {
    guard !hasFailed, fed < end else { return false }
    coffer_parser_clear(parser)
    switch slice.syntax {
    case .json: feedRun()
    case .jsonLines: feedLines()
    }
    return !hasFailed
  }

  private var start: UnsafeMutablePointer<UInt8> { slice.bytes }
  private var end: Int { slice.byteCount + 1 }

  // MARK: A run of values

  private mutating func feedRun() {
    let to = min(fed + Self.chunkSize, end)
    let status = coffer_parser_feed(parser, start, fed, to)
    fed = to
    var state = coffer_parser_batch(parser).pointee
    let isClosed = state.root_done != 0
    // Only the last byte may close the bracket, and the array must not be empty, because a comma or bracket is on either side of
    // the slice.
    hasFailed = status != COFFER_OK || isClosed != (to == end) || isClosed && state.last_end != end
    if isClosed {
      guard state.count > 0 else { preconditionFailure("the bracket that closed is an event") }
      state.count -= 1
    }
    isEmpty = isEmpty && state.count == 0
    if isClosed, isEmpty { hasFailed = true }
    batch = EventBatch(base: slice.start.offset, buffer: start, batch: state)
  }

  // MARK: Lines

  private mutating func feedLines() {
    if fed == checked { checkText() }
    let limit = min(fed + Self.chunkSize, checked)
    while !hasFailed, fed < limit { feedLine() }
    batch = EventBatch(base: slice.start.offset, buffer: start, batch: coffer_parser_batch(parser).pointee)
  }

  /// Checks what yajl does not, one chunk of whole lines ahead.
  private mutating func checkText() {
    let last = min(fed + Self.chunkSize, end) - 1
    let count = last + coffer_find_newline(start + last, end - last) + 1 - fed
    var incomplete: CInt = 0
    hasFailed =
      coffer_utf8_prefix(start + fed, count, &incomplete) < count || coffer_find_vertical_space(start + fed, count) < count
    checked = fed + count
  }

  /// Feeds the next line, or a piece of a long one, and verifies that it contains exactly one whole value.
  private mutating func feedLine() {
    if fed == line.end {
      line = Line()
      line.end = fed + coffer_find_newline(start + fed, end - fed) + 1
      hasFailed = line.end - 1 - fed > limits.lineSize
      if coffer_is_blank(start + fed, line.end - 1 - fed) != 0 {
        fed = line.end
        return
      }
    }
    let to = min(fed + line.pieceSize, line.end)
    let isWhole = to == line.end
    let known = coffer_parser_batch(parser).pointee.count
    // The line break is restored before any code counts lines.
    if isWhole { start[to - 1] = UInt8(ascii: ",") }
    let status = coffer_parser_feed(parser, start, fed, to)
    if isWhole { start[to - 1] = UInt8(ascii: "\n") }
    fed = to
    let state = coffer_parser_batch(parser).pointee
    if let events = state.events { countValues(events + known, count: state.count - known) }
    // yajl would lex a long string from its start with every piece, so pieces grow until one contains its end.
    line.pieceSize = state.count > known ? Self.chunkSize : 2 * line.pieceSize
    hasFailed = hasFailed || status != COFFER_OK || state.root_done != 0
    if isWhole, !hasFailed { hasFailed = !endsAfterOneValue(state) }
  }

  private mutating func countValues(_ events: UnsafePointer<coffer_event>, count: Int) {
    for index in 0..<count {
      let kind = Int(events[index].kind)
      if kind == COFFER_OBJECT_START || kind == COFFER_ARRAY_START { line.depth += 1 }
      if kind == COFFER_OBJECT_END || kind == COFFER_ARRAY_END { line.depth -= 1 }
      if line.depth == 0 { line.valueCount += 1 }
    }
  }

  /// Returns true if the line had one value and nothing after it: neither the comma that yajl would accept between two values nor
  /// the start of a string.
  private func endsAfterOneValue(_ state: coffer_batch) -> Bool {
    line.valueCount == 1 && line.depth == 0 && state.last_end < line.end
      && coffer_is_blank(start + state.last_end, line.end - 1 - state.last_end) != 0
  }
}
