import ByteStreams
import CByteScan
import CJSONEvents
import Platform

/// Parses one slice as the items of an array, batch by batch.
///
/// It verifies that the slice is a run of whole values, or of lines with one value each; otherwise it fails. To find the error
/// and its place, use a `JSONEventReader` that continues from the slice's start, or `Slice.firstBrokenLine(limits:)`: these read
/// with yajl.
package struct SliceReader: ~Copyable {
  private let slice: Slice
  /// Finds the lines of places anywhere in the slice.
  package let lines: LineCursor
  package private(set) var batch: EventBatch
  package private(set) var hasFailed = false
  private var isComplete = false

  // Exactly one of these two is set.
  private let lane: OpaquePointer?
  private var yajl: YajlSliceReader?

  /// - Parameters:
  ///   - depth: the number of open brackets around the slice's records; 1 for JSON Lines, which is not counted.
  ///   - keys: how to compare keys. If `nil`, they are not compared.
  package init(
    _ slice: Slice, depth: Int, limits: ReaderLimits, keys: KeyComparison? = nil, parser: SliceParser = .preferred
  ) {
    precondition(depth > 0, "the records are in an array")
    self.slice = slice
    lines = slice.lines
    slice.buffer[slice.range.upperBound] = UInt8(ascii: slice.syntax == .json ? "]" : "\n")
    // One bracket represents all open ones.
    let openCount = slice.syntax == .json ? depth : 0
    let depthLimit = max(1, limits.depth - openCount + 1)
    hasFailed = openCount > limits.depth
    guard let kernel = parser.kernel, limits.tokenSize >= Int(COFFER_LANE_TOKEN_LIMIT) else {
      lane = nil
      let reader = YajlSliceReader(slice, depth: depthLimit, limits: limits, keys: keys?.inside(depth - 1))
      batch = reader.batch
      hasFailed = hasFailed || reader.hasFailed
      yajl = consume reader
      return
    }
    guard let lane = coffer_lane_create(kernel, UInt32(depthLimit), limits.tokenSize) else { fatalError("out of memory") }
    keys?.inside(depth - 1).start(inLane: lane)
    self.lane = lane
    batch = EventBatch(base: slice.start.offset, buffer: slice.bytes, batch: coffer_lane_batch(lane).pointee)
    switch slice.syntax {
    case .json: coffer_lane_begin_run(lane, slice.bytes, slice.byteCount)
    case .jsonLines:
      // The text of lines has not been validated yet.
      var incomplete: CInt = 0
      hasFailed = coffer_utf8_prefix(slice.bytes, slice.byteCount, &incomplete) < slice.byteCount
      coffer_lane_begin_lines(lane, slice.bytes, slice.byteCount, limits.lineSize)
    }
  }

  deinit {
    if let lane { coffer_lane_destroy(lane) }
  }

  /// Loads the next batch. Returns false at the slice's end or if `hasFailed`.
  package mutating func next() -> Bool {
    if hasFailed || isComplete { return false }
    guard let lane else { return nextOfYajl() }
    let status = coffer_lane_next(lane)
    isComplete = status == COFFER_LANE_DONE
    hasFailed = status == COFFER_LANE_FAILED
    batch = EventBatch(base: slice.start.offset, buffer: slice.bytes, batch: coffer_lane_batch(lane).pointee)
    return !hasFailed
  }

  private mutating func nextOfYajl() -> Bool {
    let hasNext = yajl?.next() ?? false
    hasFailed = yajl?.hasFailed ?? true
    if hasNext, let next = yajl?.batch { batch = next }
    return hasNext
  }
}

extension Slice {
  /// Reads the slice to its end.
  ///
  /// - Returns: whether it is well formed.
  package func read(depth: Int, limits: ReaderLimits, _ body: (EventBatch) -> Void = { _ in }) -> Bool {
    var reader = SliceReader(self, depth: depth, limits: limits)
    while reader.next() { body(reader.batch) }
    return !reader.hasFailed
  }
}

/// The parser of slices: the lane, with the machine's instruction set, or yajl, which is slower and gives the same results.
package enum SliceParser: String, CaseIterable, Sendable {
  case lane, portable, sse2, avx2, neon
  case yajl

  /// An environment variable that can select another parser than the best one, for diagnosis.
  private static let variable = "COFFER_SLICE_PARSER"
  private static let named = getenv(variable).map { String(cString: $0) }

  package static let preferred: SliceParser = {
    let chosen = named.flatMap { SliceParser(rawValue: $0) } ?? .lane
    return chosen.isSupported ? chosen : .lane
  }()

  /// The reason why the selected parser can't be used, or `nil` if it can, or none is selected.
  package static let complaint: String? = named.flatMap { named in
    guard let parser = SliceParser(rawValue: named) else {
      return "\(variable) must be one of \(allCases.map(\.rawValue).joined(separator: ", "))"
    }
    return parser.isSupported ? nil : "\(variable): this machine does not support \(named)"
  }

  /// True if this machine supports the parser.
  package var isSupported: Bool { kernel.map { coffer_lane_supports($0) != 0 } ?? true }

  /// The lane's kernel, or `nil` for yajl.
  var kernel: coffer_lane_kernel? {
    switch self {
    case .lane: COFFER_LANE_BEST
    case .portable: COFFER_LANE_PORTABLE
    case .sse2: COFFER_LANE_SSE2
    case .avx2: COFFER_LANE_AVX2
    case .neon: COFFER_LANE_NEON
    case .yajl: nil
    }
  }
}

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
