import JSONEvents

/// Finds values by their offsets in one pass over a document. Slices without such values are not parsed.
struct LookupConsumer: DocumentConsumer {
  /// Thrown when everything has been found, to end the pass.
  struct Complete: Error {}

  private let offsets: [Int]
  private let errorOffset: Int
  private let collections: [KeyedCollection]
  private let limits: ReaderLimits
  private let syntax: JSONSyntax
  private var pointers: PointerTree
  private var lookup: ValueLookup

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
      lookup.take(event, of: batch, isInText: isInText, &lines, beginning: collection)
    }
    if batch.count > 0, lookup.isComplete(at: batch.offset(of: batch[batch.count - 1])) { throw Complete() }
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> Worker)? {
    { [offsets, errorOffset, limits, collection = lookup.collectionOfNextItem] in
      Worker(offsets: offsets, errorOffset: errorOffset, collection: collection, depth: depth, limits: limits)
    }
  }

  /// Takes what was found in a record of the innermost open array.
  ///
  /// - Returns: false if the record is malformed.
  mutating func take(_ record: Slice, depth: Int) throws -> Bool {
    guard let partial = workers(depth: depth, recordsBefore: 0)?().work(on: record, workerContext: ()) else { return false }
    try merge(partial, of: record)
    return true
  }

  /// The offsets that are still ahead.
  var pendingOffsets: ArraySlice<Int> { offsets[lookup.passedCount...] }

  /// True if the end of an open container will add to what was found.
  var awaitsEnds: Bool { lookup.awaitsEnds }

  var workerContext: Void { () }

  mutating func merge(_ partial: Partial, of slice: Slice) throws {
    lookup.merge(partial.matches, from: partial.firstNumber)
    if lookup.isComplete(at: slice.end) { throw Complete() }
  }

  mutating func finish() {}

  struct Partial: Sendable {
    /// The number of offsets before the slice.
    let firstNumber: Int
    var matches: [ValueLookup.Match] = []
  }

  struct Worker: SliceWorker {
    fileprivate let offsets: [Int]
    fileprivate let errorOffset: Int
    fileprivate let collection: KeyedCollection?
    fileprivate let depth: Int
    fileprivate let limits: ReaderLimits

    func work(on slice: Slice, workerContext: Void) -> Partial? {
      let numbers = offsets.firstIndex(from: slice.start.offset)..<offsets.firstIndex(from: slice.end)
      var partial = Partial(firstNumber: numbers.lowerBound)
      if numbers.isEmpty { return partial }
      var reader = SliceReader(slice, depth: depth, limits: limits)
      var lookup = ValueLookup(offsets[numbers], before: errorOffset, itemsOf: collection)
      var lines = reader.lines
      while reader.next() {
        for index in 0..<reader.batch.count { lookup.take(reader.batch[index], of: reader.batch, &lines) }
      }
      partial.matches = lookup.matches
      return reader.hasFailed ? nil : partial
    }
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
