package import ByteStreams
import CByteScan

/// Splits a document into its envelope and slices of whole records while reading.
///
/// It only looks for structure and never decides whether a document is well formed. As a source, it returns the envelope's bytes.
/// If a collection larger than a slice begins, it stops after the bracket, and the reader requests slices until there are none:
///
///     { "cars": [ {…}, {…}, … {…}, {…} ], "settings": { … } }
///     |-- read -->|                    |-- read ------------>|
///                  slice   …   slice
///
/// Collections are inside at most two other containers: the root, or one or two levels below it. They are arrays, and if the
/// reader takes them, objects, which are cut between members. The reader is asked at the start of each large one. Then an object
/// is scanned again, because commas are only counted in arrays. The root of a document that is smaller than a slice is a collection, too,
/// in a single slice: that is a faster way to read small documents.
///
/// Anything that can't be sliced, because it is malformed or because no rule applies to it (`refuse()`), is part of the envelope
/// to the end.
///
/// Cost: one pass of `CByteScan` (a few gigabytes per second); slices are not copied, except for their last, unfinished record.
/// Memory: one slice, and those that were passed on.
package final class Slicer: ByteSource {
  package struct Options: Sendable {
    /// The approximate number of bytes of a slice. A larger record makes a larger slice.
    package var sliceSize = 1 << 20
    /// Larger records are part of the envelope.
    package var largestSlice = 16 << 20

    package init() {}
  }

  private let options: Options
  private var scan = coffer_scan()
  private var hasStarted = false

  ///     buffer   | returned | scanned | not yet |
  ///              0          taken     scanned   count
  private var input: SliceInput
  /// The document offset of the buffer's first byte.
  private var base = 0
  private var taken = 0
  /// The end of the envelope bytes that may be returned before checking for a collection.
  private var limit = 0

  /// True if objects are collections, too.
  package var takesObjects = false
  /// The collection reached or being sliced: its depth, and the place of the last cut.
  private var collection: (depth: Int, cut: coffer_scan_mark)?
  /// The starts of the containers that are part of the envelope, by depth minus one.
  private var refused = [-1, -1, -1]
  /// Slicing has ended, so that the rest is not scanned.
  private var passesThrough = false
  /// Slices that were put back, which are part of the envelope before the buffer, and the number of bytes returned from the first
  /// one.
  private var returned: [Slice] = []
  private var returnedCount = 0

  /// The place at which the envelope continues, and whether a comma immediately precedes it; set when `nextSlice()` has returned
  /// `nil` or slices were put back.
  package private(set) var envelope: (position: TextPosition, followsComma: Bool)

  package convenience init(_ source: some ByteSource, options: Options = Options()) {
    self.init(SliceInput(source, options), options: options)
  }

  package init(_ input: consuming SliceInput, options: Options) {
    precondition(options.sliceSize > 0 && options.largestSlice >= options.sliceSize, "the slice sizes are out of range")
    self.options = options
    self.input = input
    envelope = (TextPosition(offset: 0, line: 1, column: 1), false)
    // A short document has been read completely.
    if self.input.hasEnded { scanNext() }
  }

  /// Splits a part of one collection, which begins at a cut and has no envelope.
  ///
  /// - Parameters:
  ///   - source: the bytes from the cut on. The part ends with the collection's bracket, or where the source ends.
  ///   - depth: the number of open brackets around a record, at most 3.
  ///   - position: the place of the cut: after the opening bracket, or after a comma.
  ///   - firstIndex: the number of records before it.
  ///   - isObject: true if the records are members of an object.
  package convenience init(
    _ source: some ByteSource, options: Options, depth: Int, from position: TextPosition, firstIndex: Int, isObject: Bool = false
  ) {
    precondition((1...Int(COFFER_SCAN_LEVELS)).contains(depth), "collections have up to three brackets around a record")
    self.init(source, options: options)
    coffer_scan_start(&scan, COFFER_SCAN_BEST, 0)
    hasStarted = true
    base = position.offset
    place(at: position, depth)
    let cut = coffer_scan_mark(
      offset: UInt64(position.offset), line: UInt64(position.line), column: UInt64(position.column), commas: UInt64(firstIndex))
    setLevel(depth, coffer_scan_level(inside: cut, latest: cut, is_array: isObject ? Self.countedObject : Self.array))
    collection = (depth, cut)
    self.isObject = isObject
  }

  // MARK: Envelope

  /// The number of records before the current place in the collection that can be sliced from there, or `nil` elsewhere.
  package var recordsBefore: Int? {
    guard let collection, base + taken == Int(collection.cut.offset), returned.isEmpty else { return nil }
    return Int(collection.cut.commas)
  }

  /// The number of open brackets around the records of the collection reached.
  package var depth: Int? { collection?.depth }

  /// True if the collection reached is the root of a small document: its only slice has the whole content.
  package var isWholeDocument: Bool { collection?.depth == 1 && scan.depth == 0 && input.hasEnded }

  /// True if the collection reached is an object. The scan may be in another container of its depth, behind its end.
  package private(set) var isObject = false

  /// The values of `coffer_scan_level.is_array`, which tells whether commas are counted.
  private static let array: UInt64 = 1
  private static let countedObject: UInt64 = 2

  /// Makes the collection reached part of the envelope.
  package func refuse() {
    guard let depth = collection?.depth else { return }
    refused[depth - 1] = Int(level(depth).inside.offset)
    collection = nil
  }

  /// Ends all slicing.
  package func refuseAll() {
    collection = nil
    passesThrough = true
  }

  package func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if !returned.isEmpty { return readReturned(into: target) }
    if taken == limit { findLimit() }
    if taken == buffer.count {
      if let failure = input.failure { throw failure }
      return passesThrough && !input.hasEnded ? try input.read(into: target) : 0
    }
    let count = min(limit - taken, target.count)
    target.copyMemory(from: UnsafeRawBufferPointer(start: buffer.base + taken, count: count))
    taken += count
    return count
  }

  private func findLimit() {
    refuse()
    // A fault ends the scan at the start of its block, but the last cut may be later in that block.
    if !passesThrough, scan.is_suspect == 0 { fill(to: options.sliceSize) }
    if scan.is_suspect != 0 { passesThrough = true }
    limit = passesThrough ? buffer.count : scanned
    if let candidate {
      collection = candidate
      isObject = level(candidate.depth).is_array == 0
      limit = Int(candidate.cut.offset) - base
    }
  }

  /// The outermost collection that is open at the end of the scan, and the first place ahead at which it can be cut.
  private var candidate: (depth: Int, cut: coffer_scan_mark)? {
    if passesThrough { return nil }
    if scan.depth == 0 { return wholeDocument.map { (1, $0) } }
    for depth in 1...Int(COFFER_SCAN_LEVELS) where depth <= Int(scan.depth) {
      let level = level(depth)
      guard level.is_array != 0 || takesObjects && !isInLargeMember(of: depth), refused[depth - 1] != Int(level.inside.offset)
      else { continue }
      if Int(level.inside.offset) - base > taken { return (depth, level.inside) }
      // The collection's beginning was part of the envelope, because a record was too large to be sliced.
      if level.is_array != 0, Int(level.latest.offset) - base > taken { return (depth, level.latest) }
    }
    return nil
  }

  /// The place after the root's opening bracket, if a whole small document has been scanned and nothing returned but white space.
  private var wholeDocument: coffer_scan_mark? {
    let root = level(1)
    guard input.hasEnded, scan.is_suspect == 0, base == 0, taken == 0, root.inside.offset > 0, root.is_array != 0 || takesObjects,
      refused[0] != Int(root.inside.offset)
    else { return nil }
    return root.inside
  }

  /// True if the scan ends in a large member of an object, as in most documents, whose root holds a few collections: counting the
  /// object's members, which takes another scan, would gain nothing.
  private func isInLargeMember(of depth: Int) -> Bool {
    guard depth < Int(scan.depth), depth < Int(COFFER_SCAN_LEVELS) else { return false }
    return Int(scan.offset) - Int(level(depth + 1).inside.offset) > max(options.sliceSize / 2, 4096)
  }

  private func level(_ depth: Int) -> coffer_scan_level {
    switch depth {
    case 1: scan.levels.0
    case 2: scan.levels.1
    default: scan.levels.2
    }
  }

  private func setLevel(_ depth: Int, _ level: coffer_scan_level) {
    switch depth {
    case 1: scan.levels.0 = level
    case 2: scan.levels.1 = level
    default: scan.levels.2 = level
    }
  }

  /// Scans again from the start of a collection, counts its commas, and looks for its end.
  private func scanAgain(_ depth: Int, from start: coffer_scan_mark) {
    var scan = coffer_scan()
    coffer_scan_start(&scan, COFFER_SCAN_BEST, 0)
    scan.levels = self.scan.levels
    self.scan = scan
    place(at: TextPosition(start), depth)
    setLevel(depth, coffer_scan_level(inside: start, latest: start, is_array: isObject ? Self.countedObject : Self.array))
    // Its blocks lie differently, so it may get a little further than the first scan.
    watch(depth)
    scanNext()
  }

  /// Looks for the end of the container with that many open brackets.
  private func watch(_ depth: Int) {
    scan.watched = UInt64(depth)
    scan.end.offset = .max
  }

  /// Continues the scan at a place outside strings.
  private func place(at position: TextPosition, _ depth: Int) {
    scan.offset = UInt64(position.offset)
    scan.lines = UInt64(position.line - 1)
    scan.scalars = UInt64(position.column - 1)
    scan.depth = UInt64(depth)
  }

  // MARK: Slices

  /// Returns the next slice of the collection reached, or `nil` if there are no more, and ``envelope`` is the place to continue.
  ///
  /// - Parameter leavesLargeRecords: if true, a record larger than `sliceSize` ends the slices; otherwise only one larger than
  ///   `largestSlice` does.
  package func nextSlice(leavesLargeRecords: Bool = false) -> Slice? {
    guard let (depth, cut) = collection else { return nil }
    if level(depth).is_array == 0 || scan.depth < depth && scan.watched == 0 { scanAgain(depth, from: cut) }
    if scan.watched == 0 { watch(depth) }
    while true {
      if scan.end.offset != .max {
        let slice = take(from: cut, to: scan.end, hasSuccessor: false)
        endSlices(TextPosition(slice == nil ? cut : scan.end), followsComma: false)
        return slice
      }
      let isComplete = input.hasEnded || scan.is_suspect != 0
      let latest = level(depth).latest
      if latest.offset > cut.offset, isComplete || buffer.count - taken >= options.sliceSize {
        collection = (depth, latest)
        return take(from: cut, to: latest, hasSuccessor: true)
      }
      // The rest is malformed, truncated, or one record that is too large.
      if isComplete || buffer.count - taken >= (leavesLargeRecords ? options.sliceSize : options.largestSlice) {
        endSlices(TextPosition(cut), followsComma: cut.commas > 0)
        return nil
      }
      fill(to: max(options.sliceSize, 2 * (buffer.count - taken)))
    }
  }

  private func endSlices(_ position: TextPosition, followsComma: Bool) {
    scan.watched = 0
    collection = nil
    limit = taken
    envelope = (position, followsComma)
  }

  /// Returns the bytes from the last cut to the separator at `mark` as a slice, or `nil` if the collection is empty.
  private func take(from cut: coffer_scan_mark, to mark: coffer_scan_mark, hasSuccessor: Bool) -> Slice? {
    let separator = Int(mark.offset) - base - (hasSuccessor ? 1 : 0)
    if cut.commas == 0, !hasSuccessor, (taken..<separator).allSatisfy({ SyntaxDiagnosis.isSpace(buffer[$0]) }) { return nil }
    // The slice keeps the separator, too: its reader overwrites it with a terminator.
    let slice = Slice(
      start: TextPosition(cut), firstIndex: Int(cut.commas), recordCount: Int(mark.commas - cut.commas) + (hasSuccessor ? 0 : 1),
      isOfObject: isObject, hasSuccessor: hasSuccessor,
      memory: input.take(keepingFrom: separator, reserving: input.hasEnded ? 1 : options.sliceSize),
      range: taken..<separator)
    base += separator
    taken = hasSuccessor ? 1 : 0
    limit = taken
    return slice
  }

  /// Puts back the last slices returned, in order, to be read as part of the envelope together with everything after them.
  package func putBack(_ slices: [Slice]) {
    guard let first = slices.first else { return }
    // An empty slice at the end of the collection has no bytes.
    returned = slices.filter { $0.byteCount > 0 || $0.hasSuccessor }
    returnedCount = 0
    envelope = (first.start, first.firstIndex > 0)
    refuseAll()
  }

  /// Returns the bytes of a slice and then the comma after it.
  private func readReturned(into target: UnsafeMutableRawBufferPointer) -> Int {
    guard let slice = returned.first else { return 0 }
    var count = min(slice.byteCount - returnedCount, target.count)
    if count > 0 {
      let start = slice.bytes + returnedCount
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

  /// Returns the error of the source that ended it, or that a checksum within the next `limit` bytes shows.
  package func damage(within limit: Int) -> CofferError? { input.damage(within: limit) }

  // MARK: The buffer

  private var buffer: ByteView { input.buffer.view }

  /// The number of scanned bytes in the buffer.
  private var scanned: Int { min(Int(scan.offset) - base, buffer.count) }

  /// Reads and scans until the buffer holds `length` bytes that have not been taken; fewer only at the source's end. At least one of them
  /// is scanned, unless the scan has stopped at a fault.
  private func fill(to length: Int) {
    if taken > 0, !input.hasEnded, buffer.count - taken < length {
      input.dropFirst(taken)
      base += taken
      taken = 0
    }
    while !input.hasEnded, buffer.count - taken < length || scanned <= taken && scan.is_suspect == 0 {
      input.fill(max(length - (buffer.count - taken), Int(COFFER_SCAN_BLOCK)))
      scanNext()
    }
  }

  private func scanNext() {
    if !hasStarted {
      guard buffer.count >= 3 || input.hasEnded else { return }
      hasStarted = true
      coffer_scan_start(&scan, COFFER_SCAN_BEST, input.hasByteOrderMark ? 1 : 0)
    }
    let rest = buffer.dropFirst(scanned)
    let blocks = rest.count & ~(Int(COFFER_SCAN_BLOCK) - 1)
    coffer_scan_blocks(&scan, rest.base, blocks)
    if input.hasEnded, blocks < rest.count, scan.is_suspect == 0 {
      coffer_scan_finish(&scan, rest.base + blocks, rest.count - blocks)
    }
  }
}

extension TextPosition {
  fileprivate init(_ mark: coffer_scan_mark) {
    self.init(offset: Int(mark.offset), line: Int(mark.line), column: Int(mark.column))
  }
}

/// A source that is read into memory of which slices are made: what both slicers have in common.
package struct SliceInput: ~Copyable {
  private var source: any ByteSource
  private(set) var buffer: ByteBuffer
  private(set) var hasEnded = false
  /// The error that ended the source: thrown after all preceding bytes have been returned.
  private(set) var failure: CofferError?

  package init(_ source: some ByteSource, _ options: Slicer.Options) {
    self.source = source
    buffer = ByteBuffer(capacity: options.sliceSize + 4096)
  }

  /// True if the document is a sequence: it begins with a record separator, which no other syntax allows. Reads its first bytes.
  package var isSequence: Bool {
    mutating get {
      while true {
        if let first = JSONSyntax.firstByte(of: buffer.bytes) { return first == JSONSyntax.recordSeparator }
        if hasEnded || buffer.count >= JSONSyntax.prefixSize { return false }
        fill(Int(COFFER_SCAN_BLOCK))
      }
    }
  }

  var hasByteOrderMark: Bool { buffer.count >= 3 && buffer[0] == 0xEF && buffer[1] == 0xBB && buffer[2] == 0xBF }

  /// Reads up to `length` more bytes.
  mutating func fill(_ length: Int) {
    do throws(CofferError) {
      hasEnded = try buffer.fill(from: &source, upTo: length) == 0
    } catch {
      hasEnded = true
      failure = error
    }
  }

  /// Reads the next bytes past the buffer.
  mutating func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int { try source.read(into: target) }

  mutating func append(_ byte: UInt8) { buffer.append(byte) }

  mutating func dropFirst(_ length: Int) { buffer.dropFirst(length) }

  /// Gives the buffer away, and continues with a copy of the bytes from `index`, which has room for `length` more.
  mutating func take(keepingFrom index: Int, reserving length: Int) -> SliceMemory {
    var rest = ByteBuffer(capacity: buffer.count - index + length)
    rest.append(UnsafeRawBufferPointer(rebasing: buffer.bytes[index...]))
    swap(&rest, &buffer)
    return SliceMemory(rest)
  }

  /// Returns the error of the source that ended it, or that a checksum within the next `limit` bytes shows.
  mutating func damage(within limit: Int) -> CofferError? {
    if let failure { return failure }
    guard var source = source as? any ChecksummedSource else { return nil }
    defer { self.source = source }
    return source.damage(within: limit)
  }
}

/// The memory of slices.
///
/// Passed on: the slicer fills it before it makes a slice of it, one worker reads the slice, and the merging thread reads it
/// after the worker has finished.
final class SliceMemory: Sendable {
  let bytes: ByteBuffer

  init(_ bytes: consuming ByteBuffer) { self.bytes = bytes }

  var start: UnsafeMutablePointer<UInt8> { bytes.start }
}
