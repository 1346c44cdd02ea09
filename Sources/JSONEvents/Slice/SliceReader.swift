import ByteStreams
import CByteScan
import CJSONEvents

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
