import JSONEvents

/// A collection's records, evaluated slice by slice: by this evaluator's like, each for itself, and merged here.
extension RuleEvaluator {
  // MARK: Around the slices

  /// Where the records of the innermost open array are evaluated, so many of which have come; `nil` where they must be evaluated here, one by one.
  ///
  /// So it is where a record decides more than about itself: about a branch (`anyOf`, `oneOf`, `not`, `if`) of a schema around it, or where the array
  /// counts those that match (`contains`).
  package func collection(depth: Int, recordsBefore: Int) -> CollectionContext? {
    let top = frames.count - 1
    guard exceededAt == nil, top + skipDepth == depth else { return nil }
    if skipDepth == 0 {
      guard !frames[top].isObject, frames[top].index == recordsBefore else { return nil }
      let first = Int(frames[top].firstActive)
      for index in first..<first + Int(frames[top].activeCount) where decidesBranches(itemsOf: index) { return nil }
    }
    return CollectionContext(
      depth: depth, frames: frames.array, activeStates: activeStates.array, words: words.array, captures: captures.array,
      cells: cells, globalCells: globalCells, keyBytes: keyBytes.array, scopeHeight: scopeHeight,
      pendingCount: pending.count + outerPendingCount, skipDepth: skipDepth)
  }

  /// Whether an item's failure, or its not failing, goes further than into a finding.
  private func decidesBranches(itemsOf active: Int) -> Bool {
    let state = program.states[Int(activeStates[active].state)]
    if state.contains.count > 0 || state.items.indices.contains(where: { program.children[$0].slot != 0 }) { return true }
    var active = active
    while active > 0 {
      if activeStates[active].slot != 0 { return true }
      active = Int(activeStates[active].parent)
    }
    return false
  }

  /// The next slice of the innermost open array has been evaluated.
  mutating func merge(_ next: Partial) {
    partial.merge(next)
    deferred += next.outerDeferred
    if skipDepth == 0 { frames[frames.count - 1].index += next.itemCount }
  }

  // MARK: Within a slice

  /// Evaluates a slice of the collection; `nil` if it is no run of whole records, or more states are active than may be.
  ///
  /// Nothing but what makes guesses fast is left of a slice before.
  mutating func evaluate(
    _ slice: Slice, in context: CollectionContext, bounds: ReportBounds, limits: ReaderLimits
  ) -> Partial? {
    let keyCount = partial.keys.count
    partial = Partial(program, bounds)
    // Slices of one collection are much alike.
    partial.keys.reserveCapacity(keyCount + keyCount / 16)
    loggedContainer = (-1, 0)
    enter(context)
    frames[frames.count - 1].index = slice.firstIndex
    var reader = SliceReader(slice, depth: context.depth, limits: limits)
    lines = reader.lines
    while reader.next(), exceededAt == nil { take(reader.batch) }
    guard !reader.hasFailed, exceededAt == nil else { return nil }
    partial.itemCount = slice.recordCount
    partial.outerDeferred = deferred
    // Otherwise the scan has seen another structure than yajl.
    let isWhole = skipDepth > 0 || frames[frames.count - 1].index == slice.firstIndex + slice.recordCount
    return isWhole && skipDepth == context.skipDepth && frames.count == context.frames.count ? partial : nil
  }

  private mutating func enter(_ context: CollectionContext) {
    frames.replaceAll(with: context.frames)
    activeStates.replaceAll(with: context.activeStates)
    words.replaceAll(with: context.words)
    captures.replaceAll(with: context.captures)
    keyBytes.replaceAll(with: context.keyBytes)
    cells = context.cells
    globalCells = context.globalCells
    scopeHeight = context.scopeHeight
    outerPendingCount = context.pendingCount
    skipDepth = context.skipDepth
    pending = []
    deferred = []
    exceededAt = nil
  }
}
