import ByteStreams
import Findings
import JSONEvents

/// Collections whose records are evaluated slice by slice, each slice by a separate evaluator, and merged here.
extension RuleEvaluator {
  // MARK: Around the slices

  /// Returns the context in which other evaluators can evaluate slices of the innermost open array, or `nil` if this evaluator
  /// must evaluate all records, in order.
  ///
  /// It must if a record decides about more than itself (`RuleProgram.State.decidesBranches`), or if a rule compares the array as
  /// a whole.
  ///
  /// - Parameters:
  ///   - depth: the number of open brackets, including the array's.
  ///   - recordsBefore: the number of its records that this evaluator has evaluated.
  package func collection(depth: Int, recordsBefore: Int) -> CollectionContext? {
    let top = frames.count - 1
    guard !hasExceeded, top + skipDepth == depth else { return nil }
    if skipDepth == 0 {
      guard !frames[top].isObject, frames[top].digest < 0, frames[top].index == recordsBefore else { return nil }
      let first = Int(frames[top].firstActive)
      for index in first..<first + Int(frames[top].activeCount)
      where program.states[Int(activeStates[index].state)].decidesBranches {
        return nil
      }
    }
    return CollectionContext(
      depth: depth, frames: frames.array, activeStates: activeStates.array, askers: askers.array, words: words.array,
      captures: captures.array,
      cells: cells, globalCells: globalCells, gatherings: gatherings, globalGatherings: partial.gatherings,
      keyBytes: keyBytes.array, scopeHeight: scopeHeight,
      pendingCount: pending.count + outerPendingCount, skipDepth: skipDepth,
      skippedPath: skippedPath)
  }

  /// Merges the result of the next slice of the innermost open array.
  mutating func merge(_ next: Partial) {
    partial.merge(next)
    deferred += next.outerDeferred
    deferredGatherings += next.outerDeferredGatherings
    for index in gatherings.indices {
      gatherings[index].add(next.outerGatherings[index])
      merge(next.outerGatherings[index].runs, into: index)
    }
    if !deferred.isEmpty || !deferredGatherings.isEmpty { checkWaiting() }
    let gathered = max(gatherings.map(\.items.count).max() ?? 0, partial.gatherings.map(\.items.count).max() ?? 0)
    if gathered > options.memoryLimit / 64 { exceed(Self.longList, at: framePosition(frames.count - 1)) }
    guard skipDepth == 0 else { return skippedPath.advance(by: next.itemCount) }
    frames[frames.count - 1].index += next.itemCount
    if frames[frames.count - 1].hasPrefix { enterItem() }
  }

  // MARK: Within a slice

  /// Evaluates a slice of the collection; returns `nil` if it isn't a run of whole records, or too many states are active.
  ///
  /// Nothing is kept from an earlier slice, except data that speeds up guesses.
  ///
  /// - Parameter observe: called with each batch after its evaluation.
  @inline(__always)
  mutating func evaluate(
    _ slice: Slice, in context: CollectionContext, bounds: ReportBounds, limits: ReaderLimits, _ observe: (EventBatch) -> Void
  ) -> Partial? {
    partial = Partial(program, bounds)
    loggedContainer = (-1, 0)
    enter(context)
    // Rules may have many keys, and records few bytes. The limit keeps the memory proportional to the slice.
    partial.keys.reserveCapacity(min(slice.recordCount * keyStepCount, slice.byteCount / 32))
    frames[frames.count - 1].index = slice.firstIndex
    skippedPath.enter(index: slice.firstIndex, offset: slice.start.offset)
    if frames[frames.count - 1].hasPrefix { enterItem() }
    var reader = SliceReader(slice, depth: context.depth, limits: limits, keys: options.keyComparison)
    lines = reader.lines
    let bytes = slice.bytes(from: slice.start.offset, to: slice.end)
    while reader.next(), !hasExceeded {
      take(reader.batch, lasting: bytes)
      observe(reader.batch)
    }
    guard !reader.hasFailed, !hasExceeded else { return nil }
    partial.itemCount = slice.recordCount
    partial.outerDeferred = deferred
    partial.outerGatherings = gatherings
    partial.outerDeferredGatherings = deferredGatherings
    // Otherwise the scan and the parser disagree about the structure.
    let isWhole = skipDepth > 0 || frames[frames.count - 1].index == slice.firstIndex + slice.recordCount
    return isWhole && skipDepth == context.skipDepth && frames.count == context.frames.count ? partial : nil
  }

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
    activeStates.replaceAll(with: context.activeStates)
    askers.replaceAll(with: context.askers)
    words.replaceAll(with: context.words)
    captures.replaceAll(with: context.captures)
    keyBytes.replaceAll(with: context.keyBytes)
    cells = context.cells
    globalCells = context.globalCells
    gatherings = context.gatherings.map(\.emptied)
    partial.gatherings = context.globalGatherings.map(\.emptied)
    deferredGatherings = []
    openEntries = []
    fannedReferences = []
    lastFault = (-1, .note)
    hasFaults = false
    scopeHeight = context.scopeHeight
    outerPendingCount = context.pendingCount
    skipDepth = context.skipDepth
    skippedPath = context.skippedPath
    pending = []
    deferred = []
    digests.removeAll(from: 0)
    uniqueSets = []
    forgetExcess()
  }
}
