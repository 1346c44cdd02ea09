import ByteStreams
import CByteScan
import CJSONEvents

/// Parses one slice as the items of an array or the members of an object, batch by batch, with the lane.
///
/// It verifies that the slice is a run of whole values or members, of lines with one value each, or of a sequence; otherwise it
/// fails. To find the error and its place, use a `JSONEventReader` that continues from the slice's start, or
/// `Slice.firstBrokenUnit(limits:)`: these read with yajl.
package struct SliceReader: ~Copyable {
  /// The instructions of the lane: the best ones of the machine, or others that give the same events, for tests.
  package enum Kernel: String, CaseIterable, Sendable {
    case best, portable, avx2, neon

    /// True if this machine has the instructions.
    package var isSupported: Bool { coffer_lane_supports(code) != 0 }

    fileprivate var code: coffer_lane_kernel {
      switch self {
      case .best: COFFER_LANE_BEST
      case .portable: COFFER_LANE_PORTABLE
      case .avx2: COFFER_LANE_AVX2
      case .neon: COFFER_LANE_NEON
      }
    }
  }

  private let slice: Slice
  private let lane: OpaquePointer
  /// The limit of the tokens if it is too small for the lane.
  private let tinyTokenSize: Int?
  /// Finds the lines of places anywhere in the slice.
  package let lines: LineCursor
  package private(set) var batch: EventBatch
  package private(set) var hasFailed: Bool
  /// True if the current batch is the last one, or there are no more.
  package private(set) var isComplete = false

  /// - Parameters:
  ///   - depth: the number of open brackets around the slice's records; 1 for lines and sequences, which is not counted.
  ///   - keys: how to compare keys. If `nil`, they are not compared.
  package init(_ slice: Slice, depth: Int, limits: ReaderLimits, keys: KeyComparison? = nil, kernel: Kernel = .best) {
    precondition(depth > 0, "the records are in a collection")
    self.slice = slice
    lines = slice.lines
    slice.bytes[slice.byteCount] = UInt8(ascii: slice.syntax != .json ? "\n" : slice.isOfObject ? "}" : "]")
    // One bracket represents all open ones.
    let openCount = slice.syntax == .json ? depth : 0
    let smallest = Int(COFFER_LANE_TOKEN_LIMIT)
    tinyTokenSize = limits.tokenSize < smallest ? limits.tokenSize : nil
    guard
      let lane = coffer_lane_create(
        kernel.code, UInt32(max(1, limits.depth - openCount + 1)), max(limits.tokenSize, smallest))
    else { fatalError("out of memory") }
    keys?.inside(depth - 1).start(inLane: lane)
    self.lane = lane
    batch = EventBatch(base: slice.start.offset, buffer: slice.bytes, batch: coffer_lane_batch(lane).pointee)
    hasFailed = openCount > limits.depth
    switch slice.syntax {
    case .json where slice.isOfObject:
      guard coffer_lane_begin_members(lane, slice.bytes, slice.byteCount) != 0 else { fatalError("out of memory") }
    case .json: coffer_lane_begin_run(lane, slice.bytes, slice.byteCount)
    case .jsonLines:
      // The text of lines has not been validated yet.
      hasFailed = !slice.isUTF8
      coffer_lane_begin_lines(lane, slice.bytes, slice.byteCount, limits.lineSize)
    case .sequence:
      hasFailed = !slice.isUTF8
      coffer_lane_begin_sequence(lane, slice.bytes, slice.byteCount)
    }
  }

  deinit { coffer_lane_destroy(lane) }

  /// Loads the next batch. Returns false at the slice's end or if `hasFailed`.
  package mutating func next() -> Bool {
    if hasFailed || isComplete { return false }
    let status = coffer_lane_next(lane)
    isComplete = status == COFFER_LANE_DONE
    batch = EventBatch(base: slice.start.offset, buffer: slice.bytes, batch: coffer_lane_batch(lane).pointee)
    hasFailed = status == COFFER_LANE_FAILED
    if let limit = tinyTokenSize, hasToken(longerThan: limit) { hasFailed = true }
    return !hasFailed
  }

  /// The names of the members that were read, for `OpenObject.takeNames`; `nil` if keys are not compared, or there are none.
  package var names: MemberNames? {
    var size = 0
    guard let names = coffer_lane_names(lane, &size), size > 0 else { return nil }
    // 16 bytes more than are used, because whole words are compared.
    return MemberNames(bytes: Array(UnsafeBufferPointer(start: names, count: size + 16)))
  }

  private func hasToken(longerThan limit: Int) -> Bool {
    (0..<batch.count).contains { index in
      let event = batch[index]
      let length = batch.token(of: event).count
      switch event.kind {
      case .string, .key: return length - 2 > limit
      case .number: return length > limit
      default: return false
      }
    }
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
