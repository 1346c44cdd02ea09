package import ByteStreams
import CByteScan

/// Cuts a document, as it streams by, into its spine and slices of whole records.
///
/// It looks only for structure and never decides whether a document is well formed. As a source, it gives the spine's bytes; where a collection begins
/// that is larger than a slice, it stops behind the bracket, and the one who reads asks for slices until there are none:
///
///     { "cars": [ {…}, {…}, … {…}, {…} ], "settings": { … } }
///     |-- read -->|                    |-- read ------------>|
///                  slice   …   slice
///
/// Collections are arrays inside at most two other containers: the root array, and arrays one or two levels below the root.
/// What can't be cut, because it is malformed or because no rule of ours says how (`refuse()`), is spine to the end.
///
/// Cost: one pass of `CByteScan` (some gigabytes a second), no copy of slices but their last, unfinished record.
/// Memory: one slice, and those that were handed on.
package final class Slicer: ByteSource {
  package struct Options: Sendable {
    /// About how many bytes a slice has. A record that is larger makes a larger slice.
    package var sliceSize = 1 << 20
    /// What is larger runs as spine.
    package var largestSlice = 16 << 20

    package init() {}
  }

  private var source: any ByteSource
  private let options: Options
  private var scan = coffer_scan()
  private var hasStarted = false
  private var sourceEnded = false
  /// Why the source ended early: thrown when all bytes before have been handed out.
  private var failure: ByteStreamError?

  ///     buffer   | handed out | scanned | not yet |
  ///              0            taken     scanned   count
  private var buffer: SliceBuffer
  /// The offset in the document of the buffer's first byte.
  private var base = 0
  private var taken = 0
  /// How far the spine may be handed out before it must be seen whether a collection comes.
  private var limit = 0

  /// The array that was reached, or is being cut: its depth, and the place of the last cut.
  private var collection: (depth: Int, cut: coffer_scan_mark)?
  /// By depth less one, where the arrays began that are to be spine.
  private var refused = [-1, -1, -1]
  /// Nothing is cut any more, so nothing is scanned.
  private var passesOn = false
  /// Slices that were put back, which are spine before what is in the buffer, and how many bytes of the first have been handed out.
  private var returned: [Slice] = []
  private var returnedCount = 0

  /// Where the spine goes on, and whether a comma stands right before that place: once `nextSlice()` has given `nil`, or slices were put back.
  package private(set) var spine: (position: TextPosition, isBehindComma: Bool)

  package init(_ source: some ByteSource, options: Options = Options()) {
    precondition(options.sliceSize > 0 && options.largestSlice >= options.sliceSize, "slices have a size")
    self.source = source
    self.options = options
    buffer = SliceBuffer(capacity: options.sliceSize + 4096)
    spine = (TextPosition(offset: 0, line: 1, column: 1), false)
  }

  // MARK: Spine

  /// How many records came before the place that was reached, in the collection that can be cut from there on; `nil` elsewhere.
  package var recordsBefore: Int? {
    guard let collection, base + taken == Int(collection.cut.offset), returned.isEmpty else { return nil }
    return Int(collection.cut.commas)
  }

  /// How many brackets are open around the records of the collection that was reached.
  package var depth: Int? { collection?.depth }

  /// The collection that was reached is to be spine.
  package func refuse() {
    guard let depth = collection?.depth else { return }
    refused[depth - 1] = Int(level(depth).inside.offset)
    collection = nil
  }

  /// Nothing is to be cut any more.
  package func refuseAll() {
    collection = nil
    passesOn = true
  }

  package func read(into target: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    if !returned.isEmpty { return readReturned(into: target) }
    if taken == limit { findLimit() }
    if taken == buffer.count {
      if let failure { throw failure }
      return passesOn && !sourceEnded ? try source.read(into: target) : 0
    }
    let count = min(limit - taken, target.count)
    target.copyMemory(from: UnsafeRawBufferPointer(start: buffer.start + taken, count: count))
    taken += count
    return count
  }

  private func findLimit() {
    refuse()
    if !passesOn { fill(to: options.sliceSize) }
    if scan.is_suspect != 0 { passesOn = true }
    limit = passesOn ? buffer.count : scanned
    if let candidate {
      collection = candidate
      limit = Int(candidate.cut.offset) - base
    }
  }

  /// The outermost array that is still open where the scan stands, and the first place ahead where it could be cut.
  private var candidate: (depth: Int, cut: coffer_scan_mark)? {
    if passesOn { return nil }
    for depth in 1...Int(COFFER_SCAN_LEVELS) where depth <= Int(scan.depth) {
      let level = level(depth)
      guard level.is_array != 0, refused[depth - 1] != Int(level.inside.offset) else { continue }
      if Int(level.inside.offset) - base > taken { return (depth, level.inside) }
      // Its beginning was spine: a record came that was too large to be cut.
      if Int(level.latest.offset) - base > taken { return (depth, level.latest) }
    }
    return nil
  }

  private func level(_ depth: Int) -> coffer_scan_level {
    switch depth {
    case 1: scan.levels.0
    case 2: scan.levels.1
    default: scan.levels.2
    }
  }

  // MARK: Slices

  /// The next slice of the collection that was reached; `nil` where there are no more, and ``spine`` says where to go on.
  ///
  /// - Parameter leavesLargeRecords: whether a record larger than `sliceSize` ends the slices; otherwise only one larger than `largestSlice` does.
  package func nextSlice(leavesLargeRecords: Bool = false) -> Slice? {
    guard let (depth, cut) = collection else { return nil }
    if scan.watched == 0 {
      scan.watched = UInt64(depth)
      scan.end.offset = .max
    }
    while true {
      if scan.end.offset != .max {
        let slice = take(from: cut, to: scan.end, hasSuccessor: false)
        endSlices(TextPosition(slice == nil ? cut : scan.end), isBehindComma: false)
        return slice
      }
      let isComplete = sourceEnded || scan.is_suspect != 0
      let latest = level(depth).latest
      if latest.offset > cut.offset, isComplete || buffer.count - taken >= options.sliceSize {
        collection = (depth, latest)
        return take(from: cut, to: latest, hasSuccessor: true)
      }
      // What is left is broken, cut off, or one record that is too large.
      if isComplete || buffer.count - taken >= (leavesLargeRecords ? options.sliceSize : options.largestSlice) {
        endSlices(TextPosition(cut), isBehindComma: cut.commas > 0)
        return nil
      }
      fill(to: max(options.sliceSize, 2 * (buffer.count - taken)))
    }
  }

  private func endSlices(_ position: TextPosition, isBehindComma: Bool) {
    scan.watched = 0
    collection = nil
    limit = taken
    spine = (position, isBehindComma)
  }

  /// The bytes from the last cut to the separator at `mark` as a slice; `nil` if the collection is empty.
  private func take(from cut: coffer_scan_mark, to mark: coffer_scan_mark, hasSuccessor: Bool) -> Slice? {
    let separator = Int(mark.offset) - base - (hasSuccessor ? 1 : 0)
    if cut.commas == 0, !hasSuccessor, (taken..<separator).allSatisfy({ SyntaxDiagnosis.isSpace(buffer[$0]) }) { return nil }
    let slice = Slice(
      start: TextPosition(cut), firstIndex: Int(cut.commas), recordCount: Int(mark.commas - cut.commas) + (hasSuccessor ? 0 : 1),
      hasSuccessor: hasSuccessor, buffer: buffer, range: taken..<separator)
    // The slice keeps the separator, too: its reader needs a byte to end the records with.
    buffer = buffer.copy(from: separator, reserving: options.sliceSize)
    base += separator
    taken = hasSuccessor ? 1 : 0
    limit = taken
    return slice
  }

  /// Has slices, the last that were given and in their order, read as spine, and all that follows.
  package func putBack(_ slices: [Slice]) {
    guard let first = slices.first else { return }
    // What is empty, and ends the collection, has nothing to give.
    returned = slices.filter { $0.byteCount > 0 || $0.hasSuccessor }
    returnedCount = 0
    spine = (first.start, first.firstIndex > 0)
    refuseAll()
  }

  /// A slice's bytes, and then the comma behind them.
  private func readReturned(into target: UnsafeMutableRawBufferPointer) -> Int {
    guard let slice = returned.first else { return 0 }
    var count = min(slice.byteCount - returnedCount, target.count)
    if count > 0 {
      let start = slice.buffer.start + slice.range.lowerBound + returnedCount
      target.copyMemory(from: UnsafeRawBufferPointer(start: start, count: count))
    } else {
      target[0] = UInt8(ascii: ",")
      count = 1
    }
    returnedCount += count
    if returnedCount == slice.byteCount + (slice.hasSuccessor ? 1 : 0) {
      returned.removeFirst()
      returnedCount = 0
    }
    return count
  }

  // MARK: The buffer

  /// How many of the buffer's bytes have been scanned.
  private var scanned: Int { min(Int(scan.offset) - base, buffer.count) }

  /// Reads until the buffer holds so many bytes that have not been taken, and scans them; fewer only at the source's end.
  private func fill(to length: Int) {
    if taken > 0, !sourceEnded, buffer.count - taken < length {
      buffer.dropFirst(taken)
      base += taken
      taken = 0
    }
    while !sourceEnded, buffer.count - taken < length || scanned <= taken {
      let wanted = max(length - (buffer.count - taken), Int(COFFER_SCAN_BLOCK))
      do throws(ByteStreamError) {
        sourceEnded = try buffer.fill(from: &source, upTo: wanted) == 0
      } catch {
        sourceEnded = true
        failure = error
      }
      scanOn()
    }
  }

  private func scanOn() {
    if !hasStarted {
      guard buffer.count >= 3 || sourceEnded else { return }
      hasStarted = true
      let hasByteOrderMark = buffer.count >= 3 && buffer[0] == 0xEF && buffer[1] == 0xBB && buffer[2] == 0xBF
      coffer_scan_start(&scan, COFFER_SCAN_BEST, hasByteOrderMark ? 1 : 0)
    }
    let start = scanned
    let blocks = (buffer.count - start) & ~(Int(COFFER_SCAN_BLOCK) - 1)
    coffer_scan_blocks(&scan, buffer.start + start, blocks)
    if sourceEnded, start + blocks < buffer.count, scan.is_suspect == 0 {
      coffer_scan_finish(&scan, buffer.start + start + blocks, buffer.count - start - blocks)
    }
  }
}

extension TextPosition {
  fileprivate init(_ mark: coffer_scan_mark) {
    self.init(offset: Int(mark.offset), line: Int(mark.line), column: Int(mark.column))
  }
}
