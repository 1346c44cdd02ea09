import ByteStreams
import Findings
import JSONEvents

/// Collections whose records are evaluated slice by slice, each slice by a separate evaluator, and merged here.
extension RuleEvaluator {
  // MARK: Around the slices

  /// Returns the context in which other evaluators can evaluate slices of the innermost open collection, or `nil` if this
  /// evaluator must evaluate all records, in order.
  ///
  /// It must if a record decides about more than itself (`RuleProgram.State.decidesBranches`, `dependsOnMembers`), or if a rule
  /// compares the collection as a whole. An object must be one of records, by the rules.
  ///
  /// - Parameters:
  ///   - depth: the number of open brackets, including the collection's.
  ///   - recordsBefore: the number of its records that this evaluator has evaluated.
  package func collection(depth: Int, recordsBefore: Int) -> CollectionContext? {
    let top = frames.count - 1
    // A document is evaluated as a whole.
    guard !hasExceeded, top + skipDepth == depth, program.documentDepth == 1 || top < program.documentDepth else { return nil }
    if skipDepth == 0 {
      guard frames[top].digest < 0, frames[top].index == recordsBefore else { return nil }
      let isObject = frames[top].isObject
      if isObject, !frames[top].isCollection { return nil }
      let first = Int(frames[top].firstActive)
      for index in first..<first + Int(frames[top].activeCount) {
        let state = Int(activeStates[index].state)
        if program.states[state].decidesBranches || isObject && program.states[state].dependsOnMembers { return nil }
      }
    }
    return CollectionContext(
      depth: depth, frames: frames.array, activeStates: activeStates.array, requesters: requesters.array, words: words.array,
      captures: captures.array,
      cells: cells, globalCells: globalCells, aggregates: aggregates, globalAggregates: partial.aggregates,
      keyBytes: keyBytes.array, scopeHeight: scopeHeight,
      pendingCount: pending.count + outerPendingCount, skipDepth: skipDepth,
      skippedPath: skippedPath)
  }

  /// Merges the result of the next slice of the innermost open collection.
  mutating func merge(_ next: Partial) {
    partial.merge(next)
    for value in next.valueCounts { tallies[Int(value.index)].count += value.count }
    deferred += next.outerDeferred
    for index in aggregates.indices {
      aggregates[index].add(next.outerAggregates[index])
      merge(next.outerAggregates[index].runs, into: index)
    }
    if !deferred.isEmpty { checkWaiting() }
    let gathered = max(aggregates.map(\.items.count).max() ?? 0, partial.aggregates.map(\.items.count).max() ?? 0)
    if gathered > options.gatheredLimit { exceed(Self.longList, at: framePosition(frames.count - 1)) }
    guard skipDepth == 0 else { return skippedPath.advance(by: next.itemCount) }
    frames[frames.count - 1].index += next.itemCount
    if next.holdsObjects { frames[frames.count - 1].holdsObjects = true }
    if frames[frames.count - 1].entersItems { enterItem() }
  }

  /// Returns whether the result of the next slices belongs to the innermost open array, and follows what has been merged.
  mutating func accepts(_ next: borrowing CollectionPartial) -> Bool {
    let top = frames.count - 1
    let shape = next.shape
    guard
      shape.frameCount == frames.count, shape.skipDepth == skipDepth, shape.offset == frames[top].offset,
      shape.activeCount == activeStates.count, shape.cellCount == cells.count, shape.aggregateCount == aggregates.count
    else { return false }
    if skipDepth == 0, let first = next.firstIndex, first != frames[top].index { return false }
    return next.content.outerDeferred.allSatisfy { hasSlot($0.slot, of: $0.holder) }
  }

  private mutating func hasSlot(_ slot: Int, of active: Int) -> Bool {
    guard active > 0, active < activeStates.count else { return false }
    return slot == 0 || slot < program.states[Int(activeStates[active].state)].slots.count
  }

  /// Returns whether too many values would wait with those of the next slices.
  func exceedsLimits(with next: Partial) -> Bool {
    partial.exceedsLimits(options, frameCount: frames.count, deferred: deferred.count, aggregates, with: next)
  }

  // MARK: Within a slice

  /// Evaluates a slice of the collection; returns `nil` if it isn't a run of whole records, or if too many states are active, or its key
  /// operations take too much memory.
  ///
  /// Nothing is kept from an earlier slice, except data that speeds up guesses.
  ///
  /// - Parameter observe: called with each batch after its evaluation.
  @inline(__always)
  mutating func evaluate(
    _ slice: Slice, in context: CollectionContext, bounds: ReportBounds, limits: ReaderLimits, _ observe: (EventBatch) -> Void
  ) -> Partial? {
    partial = Partial(program, bounds)
    loggedContainer = (-1, 0, 0)
    loggedName = (-1, 0)
    // They are those of a slice that was given up.
    if hasValueCounts { _ = takeValueCounts() }
    hasValueCounts = true
    enter(context)
    // Rules may have many keys, and records few bytes. The limit keeps the memory proportional to the slice.
    partial.keys.reserveCapacity(min(slice.recordCount * keyStepCount, slice.byteCount / 32))
    frames[frames.count - 1].index = slice.firstIndex
    skippedPath.enter(index: slice.firstIndex, offset: slice.start.offset)
    if frames[frames.count - 1].entersItems { enterItem() }
    var reader = SliceReader(slice, depth: context.depth, limits: limits, keys: options.keyComparison)
    lines = reader.lines
    let bytes = slice.bytes(from: slice.start.offset, to: slice.end)
    while reader.next(), !hasExceeded {
      consume(reader.batch, lasting: bytes)
      observe(reader.batch)
      // As part of the envelope, operations are decided batch by batch.
      if partial.keys.size > Self.keyLogLimit { return nil }
    }
    guard !reader.hasFailed, !hasExceeded else { return nil }
    partial.itemCount = slice.recordCount
    partial.names = slice.isOfObject ? reader.names : nil
    partial.holdsObjects = skipDepth == 0 && frames[frames.count - 1].holdsObjects
    partial.valueCounts = takeValueCounts()
    partial.outerDeferred = deferred
    partial.outerAggregates = aggregates
    // Otherwise the scan and the parser disagree about the structure.
    let isWhole = skipDepth > 0 || frames[frames.count - 1].index == slice.firstIndex + slice.recordCount
    return isWhole && skipDepth == context.skipDepth && frames.count == context.frames.count ? partial : nil
  }

  /// Returns the slice's counts of values, and starts anew. A slice has values of few of a large program's members and states.
  private mutating func takeValueCounts() -> [ValueCount] {
    hasValueCounts = false
    var counts: [ValueCount] = []
    for index in 0..<tallies.count where tallies[index].count > 0 {
      counts.append(ValueCount(index: Int32(index), count: tallies[index].count))
      tallies[index].count = 0
    }
    return counts
  }

  /// The most memory for the key operations of a slice: twice as much as those of an array of digits take.
  private static let keyLogLimit = 64 << 20

  /// The number of key operations of a record in the innermost open array, if it has all fields.
  private var keyStepCount: Int {
    var count = 0
    let frame = frames[frames.count - 1]
    for index in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
      let plan = program.states[Int(activeStates[index].state)].plan
      if plan >= 0 { count += Int(program.plans[Int(plan)].steps.count) }
    }
    return count
  }

  private mutating func enter(_ context: CollectionContext) {
    frames.replaceAll(with: context.frames)
    // No object is above the stacks here. Frames further out don't become the innermost one in a slice.
    frames[frames.count - 1].reopensObjects = false
    activeStates.replaceAll(with: context.activeStates)
    requesters.replaceAll(with: context.requesters)
    words.replaceAll(with: context.words)
    captures.replaceAll(with: context.captures)
    keyBytes.replaceAll(with: context.keyBytes)
    cells = context.cells
    globalCells = context.globalCells
    aggregates = context.aggregates.map(\.emptied)
    partial.aggregates = context.globalAggregates.map(\.emptied)
    openEntries = []
    multivaluedReferences = []
    leftOut = []
    lastFault = (-1, .note)
    hasFaults = false
    scopeHeight = context.scopeHeight
    outerPendingCount = context.pendingCount
    skipDepth = context.skipDepth
    skippedPath = context.skippedPath
    pending = []
    deferred = []
    wholes.digests.removeAll(from: 0)
    wholes.uniqueSets = []
    forgetExcess()
  }
}
