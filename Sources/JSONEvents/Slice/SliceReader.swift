import CYajlEvents

/// Parses one slice as the items of an array, batch by batch.
///
///     [ {…} , {…} , {…} ]     the brackets are the reader's own: the first is fed before the slice, the last replaces the byte behind it
///
/// It proves that the slice is a run of whole values, or it fails: what exactly is wrong, and where, is for a `JSONEventReader` to say that goes on
/// from the slice's start.
package struct SliceReader: ~Copyable {
  private let slice: Slice
  private let parser: OpaquePointer
  private var fed = 0
  /// So much is fed at once: the bytes and their events stay in a core's own cache.
  private static let chunkSize = 64 << 10

  /// Finds the lines of places in all of the slice.
  package let lines: LineCursor
  package private(set) var batch: EventBatch
  package private(set) var hasFailed = false
  private var isEmpty = true

  /// - Parameter depth: how many brackets are open around the slice's records.
  package init(_ slice: Slice, depth: Int, limits: ReaderLimits) {
    precondition(depth > 0, "the records stand in an array")
    self.slice = slice
    let start = slice.buffer.start + slice.range.lowerBound
    // One bracket stands for all that are open.
    guard let parser = coffer_parser_create(UInt32(max(1, limits.depth - depth + 1)), limits.tokenSize) else {
      fatalError("out of memory")
    }
    self.parser = parser
    lines = slice.lines
    batch = EventBatch(base: slice.start.offset, buffer: start, batch: coffer_parser_batch(parser).pointee)
    slice.buffer[slice.range.upperBound] = UInt8(ascii: "]")
    hasFailed = depth > limits.depth || coffer_parser_prime(parser, "[") != COFFER_OK
  }

  deinit { coffer_parser_destroy(parser) }

  /// Loads the next batch; false at the slice's end, or where it `hasFailed`.
  package mutating func next() -> Bool {
    let end = slice.byteCount + 1
    guard !hasFailed, fed < end else { return false }
    coffer_parser_clear(parser)
    let start = slice.buffer.start + slice.range.lowerBound
    let to = min(fed + Self.chunkSize, end)
    let status = coffer_parser_feed(parser, start, fed, to)
    fed = to
    var state = coffer_parser_batch(parser).pointee
    let isClosed = state.root_done != 0
    // The bracket must be closed by the last byte, and by no other; and it must hold something, for a comma or bracket stands on either side.
    hasFailed = status != COFFER_OK || isClosed != (to == end) || isClosed && state.last_end != end
    if isClosed {
      guard state.count > 0 else { preconditionFailure("the bracket that closed is an event") }
      state.count -= 1
    }
    isEmpty = isEmpty && state.count == 0
    if isClosed, isEmpty { hasFailed = true }
    batch = EventBatch(base: slice.start.offset, buffer: start, batch: state)
    return !hasFailed
  }
}
