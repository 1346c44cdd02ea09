import ByteStreams
import Findings
import JSONEvents

/// Finds values and keys by their offsets among the events of a document or a slice: where they end, and which records hold them.
///
///     offsets    13, 22                       ascending
///     events     { "id": 7, "km": 120 }       13: ends at 14 · 22: ends at 25 · both in the record with the key 7
///
/// Offsets must be those of events. Cost: one step for each event.
struct ValueLookup {
  struct Match: Sendable {
    var end: TextPosition?
    var record: RecordIdentity?
    /// The start of a string or number.
    var text: String?
  }

  /// The size from which a container has no end here: a region that large is useless, and its end may be that of the document.
  static let sizeLimit = 1 << 16

  private let offsets: ArraySlice<Int>
  /// The offset of the document's first error. Later events are ignored, because they depend on the chunks in which the document
  /// is read.
  private let errorOffset: Int
  /// The matches, by number of the offset.
  private(set) var matches: [Match]
  /// The number of offsets that are before the next event.
  private(set) var passedCount = 0
  /// The number of open brackets.
  private(set) var depth = 0
  private var open: [(start: Int, depth: Int, number: Int)] = []
  private var record: OpenRecord?
  /// The collection whose items are at `recordDepth`.
  private var collection: KeyedCollection?
  private(set) var recordDepth = 0

  private struct OpenRecord {
    /// The number of offsets before the record.
    let firstNumber: Int
    var keys: PointerTree
    var texts: [String?]
  }

  /// - Parameters:
  ///   - offsets: the offsets to find.
  ///   - errorOffset: the offset of the document's first error.
  ///   - collection: the collection, if the events are those of its items.
  init(_ offsets: ArraySlice<Int>, before errorOffset: Int, itemsOf collection: KeyedCollection? = nil) {
    self.offsets = offsets
    self.errorOffset = errorOffset
    self.collection = collection
    matches = Array(repeating: Match(), count: offsets.count)
  }

  /// The open collection if the next value is one of its items.
  var collectionOfNextItem: KeyedCollection? { record == nil && depth == recordDepth ? collection : nil }

  /// Returns whether everything was found that is still possible before `offset`.
  mutating func isComplete(at offset: Int) -> Bool {
    if offset >= errorOffset { return true }
    open.removeAll { offset - $0.start > Self.sizeLimit }
    return passedCount == offsets.count && open.isEmpty && record.map { $0.firstNumber == passedCount } ?? true
  }

  /// True if the end of an open container will add to what was found.
  var awaitsEnds: Bool { !open.isEmpty || record.map { $0.firstNumber < passedCount } ?? false }

  /// Takes over what was found in a slice.
  mutating func merge(_ found: [Match], from number: Int) {
    for (index, match) in found.enumerated() { matches[number + index] = match }
    passedCount = max(passedCount, number + found.count)
  }

  /// - Parameter collection: the collection that the value is, if its records have keys.
  mutating func consume(
    _ event: Event, of batch: EventBatch, isInText: Bool = true, _ lines: inout LineCursor,
    beginning collection: KeyedCollection? = nil
  ) {
    let kind = event.kind
    let offset = batch.offset(of: event)
    guard offset < errorOffset else { return }
    switch kind {
    case .objectEnd, .arrayEnd:
      depth -= 1
      follow(event, batch)
      if let last = open.last, last.depth == depth {
        open.removeLast()
        if offset - last.start < Self.sizeLimit { matches[last.number].end = lines.position(at: offset + 1) }
      }
      if record != nil, depth == recordDepth { endRecord() }
      if self.collection != nil, depth < recordDepth { self.collection = nil }
    case .objectStart, .arrayStart:
      let number = isInText ? number(of: offset) : nil
      if let number { open.append((offset, depth, number)) }
      if kind == .objectStart, let items = collectionOfNextItem {
        beginRecord(of: items, from: passedCount - (number == nil ? 0 : 1))
      }
      follow(event, batch)
      depth += 1
      if kind == .arrayStart, let collection, record == nil {
        self.collection = collection
        recordDepth = depth
      }
    case .key, .null, .false, .true, .number, .string:
      if let number = number(of: offset) {
        matches[number].end = lines.position(at: offset + batch.token(of: event).count)
        if kind == .string || kind == .number { matches[number].text = batch.text(of: event).shortened(to: Finding.excerptLimit) }
      }
      follow(event, batch)
    }
  }

  /// Returns the number of an offset, if it is sought. Forgets those before it.
  private mutating func number(of offset: Int) -> Int? {
    while passedCount < offsets.count, offsets[offsets.startIndex + passedCount] < offset { passedCount += 1 }
    guard passedCount < offsets.count, offsets[offsets.startIndex + passedCount] == offset else { return nil }
    passedCount += 1
    return passedCount - 1
  }

  // MARK: Records

  private mutating func beginRecord(of collection: KeyedCollection, from number: Int) {
    record = OpenRecord(
      firstNumber: number, keys: collection.keys, texts: Array(repeating: nil, count: collection.keyCount))
  }

  private mutating func follow(_ event: Event, _ batch: EventBatch) {
    for index in record?.keys.follow(event, of: batch) ?? [] {
      record?.texts[index] =
        switch event.kind {
        case .string: KeyText.string(batch.text(of: event).string)
        case .number: batch.text(of: event).string
        case .true: "true"
        case .false: "false"
        default: nil
        }
    }
  }

  private mutating func endRecord() {
    guard let record, let collection else { return }
    self.record = nil
    guard record.firstNumber < passedCount else { return }
    let texts = record.texts.compactMap(\.self)
    let key = texts.count == record.texts.count ? KeyText.text(of: texts) : nil
    let identity = RecordIdentity(collection: collection.pointer, title: collection.title, key: key)
    for number in record.firstNumber..<passedCount { matches[number].record = identity }
  }
}

/// A collection whose records have a primary key.
struct KeyedCollection: Sendable {
  let pointer: String
  /// Its title, if a format names it.
  let title: String?
  /// The fields of the key, and their number.
  fileprivate let keys: PointerTree
  fileprivate let keyCount: Int

  /// - Parameter keyFields: the tokens of their JSON Pointers.
  init(pointer: String, title: String?, keyFields: [[String]]) {
    self.pointer = pointer
    self.title = title
    keys = PointerTree(keyFields)
    keyCount = keyFields.count
  }
}

/// Finds values by their offsets in one pass over a document. Slices without such values are not parsed.
struct LookupConsumer: DocumentConsumer {
  private let offsets: [Int]
  private let errorOffset: Int
  private let collections: [KeyedCollection]
  private let limits: ReaderLimits
  private let syntax: JSONSyntax
  private var pointers: PointerTree
  private var lookup: ValueLookup
  private(set) var needsNoMore = false

  /// - Parameters:
  ///   - offsets: the offsets of values or keys, ascending.
  ///   - errorOffset: the offset of the document's first error.
  init(_ offsets: [Int], before errorOffset: Int, in collections: [KeyedCollection], syntax: JSONSyntax, limits: ReaderLimits) {
    self.offsets = offsets
    self.errorOffset = errorOffset
    self.collections = collections
    self.syntax = syntax
    self.limits = limits
    pointers = PointerTree(collections.map { $0.pointer.pointerTokens ?? [] })
    lookup = ValueLookup(offsets[...], before: errorOffset)
  }

  /// What was found so far, in the order of the offsets.
  var matches: [ValueLookup.Match] { lookup.matches }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    var lines = lines
    for index in 0..<batch.count {
      let event = batch[index]
      let collection = pointers.follow(event, of: batch).first.map { collections[$0] }
      // The brackets around JSON Lines are not in the text.
      let isInText = syntax == .json || lookup.depth > 0
      lookup.consume(event, of: batch, isInText: isInText, &lines, beginning: collection)
    }
    if batch.count > 0, lookup.isComplete(at: batch.offset(of: batch[batch.count - 1])) { needsNoMore = true }
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> Partial?)? {
    { [offsets, errorOffset, limits, collection = lookup.collectionOfNextItem] in
      { slice, _ in Self.partial(of: slice, offsets, before: errorOffset, itemsOf: collection, depth, limits) }
    }
  }

  /// Takes what was found in a record of the innermost open array.
  ///
  /// - Returns: false if the record is malformed.
  mutating func consume(_ record: Slice, depth: Int) throws -> Bool {
    guard let partial = workers(depth: depth, recordsBefore: 0)?()(record, ()) else { return false }
    try merge(partial, of: record)
    return true
  }

  /// The offsets that are still ahead.
  var pendingOffsets: ArraySlice<Int> { offsets[lookup.passedCount...] }

  /// True if the end of an open container will add to what was found.
  var awaitsEnds: Bool { lookup.awaitsEnds }

  mutating func merge(_ partial: Partial, of slice: Slice) throws {
    lookup.merge(partial.matches, from: partial.firstNumber)
    if lookup.isComplete(at: slice.end) { needsNoMore = true }
  }

  struct Partial: Sendable {
    /// The number of offsets before the slice.
    let firstNumber: Int
    var matches: [ValueLookup.Match] = []
  }

  private static func partial(
    of slice: Slice, _ offsets: [Int], before errorOffset: Int, itemsOf collection: KeyedCollection?, _ depth: Int,
    _ limits: ReaderLimits
  ) -> Partial? {
    let numbers = offsets.firstIndex(from: slice.start.offset)..<offsets.firstIndex(from: slice.end)
    if numbers.isEmpty { return Partial(firstNumber: numbers.lowerBound) }
    var lookup = ValueLookup(offsets[numbers], before: errorOffset, itemsOf: collection)
    var lines = slice.lines
    let isWellFormed = slice.read(depth: depth, limits: limits) { batch in
      for index in 0..<batch.count { lookup.consume(batch[index], of: batch, &lines) }
    }
    return isWellFormed ? Partial(firstNumber: numbers.lowerBound, matches: lookup.matches) : nil
  }
}

extension [Int] {
  /// Returns the index of the first element of a sorted array that is not less than `value`.
  fileprivate func firstIndex(from value: Int) -> Int {
    var range = 0..<count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = self[middle] < value ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
