import JSONEvents

/// Items that need more than individual checks: they are counted, or have schemas by index.
extension RuleEvaluator {
  /// Selects the schemas for the next item of the innermost array, if they depend on its index, and ends the document that the last
  /// item was.
  @inline(never)
  mutating func enterItem() {
    let top = frames.count - 1
    var hasMore = false
    var holdsDocuments = false
    for active in Int(frames[top].firstActive)..<Int(frames[top].firstActive + frames[top].activeCount) {
      let state = program.states[Int(activeStates[active].state)]
      let isPrefix = frames[top].index < Int(state.prefixItems.count)
      activeStates[active].next = isPrefix ? program.itemRanges[Int(state.prefixItems.start) + frames[top].index] : state.items
      if isPrefix { hasMore = true }
      if state.holdsDocuments { holdsDocuments = true }
    }
    if holdsDocuments { endDocument() }
    frames[top].entersItems = hasMore || holdsDocuments
  }

  /// Counts the item that has ended for each `contains` whose slot has not failed, and its steps.
  ///
  /// - Parameter itemOffset: the item's place, or `nil` if no rules apply to it.
  @inline(never)
  mutating func visitItem(in frame: Frame, itemOffset: Int?) {
    if frame.valueSteps > 0, let itemOffset {
      spend(Int(frame.valueSteps), at: itemOffset) { $0.costliestRule(of: $0.openStates, inValues: true) }
    }
    for active in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
      let state = program.states[Int(activeStates[active].state)]
      for row in state.itemCovers.indices { decide(program.itemCovers[row], state, frame, active) }
      for counter in 0..<Int(state.contains.count) {
        let slot = Int(program.contains[Int(state.contains.start) + counter].slot)
        if !hasFailed(slot, of: active) { words[Int(activeStates[active].words + state.counterWord) + counter] += 1 }
        revive(slot, of: active)
      }
    }
  }

  /// Handles the findings of an `unevaluatedItems` in the item that has ended: drops them if a `contains` has matched it,
  /// otherwise moves them to the slot where they wait for branches that may evaluate it.
  private mutating func decide(_ cover: RuleProgram.ItemCover, _ state: RuleProgram.State, _ frame: Frame, _ active: Int) {
    let slot = Int(cover.slot)
    guard hasFailed(slot, of: active) else { return }
    let searches = Int(min(branchFailures &- frame.branchFailures, 1000)) / 4
    if searches > 8 { spend(searches) { $0.costliestRule(of: [Int($0.activeStates[active].state)]) } }
    let first = Int(state.contains.start)
    func matches(_ counter: Int32) -> Bool { !hasFailed(Int(program.contains[first + Int(counter)].slot), of: active) }
    var isEvaluated = false
    for row in cover.always.indices where matches(program.patternTests[row].pattern) { isEvaluated = true }
    var index = min(frame.index, Int(state.prefixItems.count)) * Int(cover.width)
    var mask = 0
    var bit = 1
    for row in cover.bits.indices {
      if matches(program.patternTests[row].pattern) { mask |= bit }
      if program.patternTests[row].isLast { bit <<= 1 }
    }
    index += mask
    settle(
      cover.slot, active, to: program.slotTable[Int(cover.slots.start) + index], shows: !isEvaluated, from: Int(frame.pending))
    revive(slot, of: active)
  }
}
