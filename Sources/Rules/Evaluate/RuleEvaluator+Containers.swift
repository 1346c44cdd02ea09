import JSONEvents

/// Arrays and objects: how they begin and end.
extension RuleEvaluator {
  mutating func open(_ kind: ValueKind, _ event: Event, _ batch: EventBatch) {
    let top = frames.count - 1
    let outer = frames[top]
    let firstActive = activeStates.count
    var frame = Frame(
      isObject: kind == .object, firstActive: Int32(firstActive), activeCount: 0, keyStart: Int32(keyBytes.count),
      offset: batch.offset(of: event), words: Int32(words.count), captures: Int32(captures.count), cells: Int32(cells.count),
      scopedSets: scopeHeight, pending: Int32(pending.count))
    for index in Int(outer.firstActive)..<Int(outer.firstActive + outer.activeCount) {
      if activeStates[index].keptMember >= 0 { keepContainer(member: Int(activeStates[index].keptMember), active: index) }
      for row in activeStates[index].next.indices {
        let child = program.children[row]
        _ = push(state: child.state, parent: index, slot: Int(child.slot))
      }
    }
    frame.activeCount = Int32(activeStates.count - firstActive)
    if activeStates.count > Self.activeStateLimit, exceededAt == nil { exceededAt = position(at: frame.offset) }
    // Where no rule looks, nothing need be known but the end. The outermost frames stay, to count records.
    if frame.activeCount == 0, frames.count > 2 {
      skipDepth = 1
      return
    }
    frames.append(frame)
    for index in firstActive..<activeStates.count { begin(kind, active: index) }
  }

  @inline(never)
  mutating func begin(_ kind: ValueKind, active index: Int) {
    let stateIndex = Int(activeStates[index].state)
    let state = program.states[stateIndex]
    if kind == .array {
      activeStates[index].next = state.items
      if state.contains.count > 0 { frames[frames.count - 1].hasContains = true }
      if state.plan >= 0 {
        activeStates[index].scopedSets = scopeHeight
        let count = program.plans[Int(state.plan)].scopedSetCount
        if count > 0 { partial.keys.openScopes(count) }
        scopeHeight += count
      }
    }
    let range = program.checkRanges[stateIndex * 6 + kind.rawValue]
    for row in range.indices {
      let check = program.checks[row]
      if check.operation == .since {
        noteNewerMember(check, nil)
        continue
      }
      // Of the other checks that containers have, none can pass.
      failContainer(kind, by: check, active: index, slot: Int(check.slot))
    }
  }

  mutating func close() {
    let top = frames.count - 1
    let frame = frames[top]
    let first = Int(frame.firstActive)
    for index in first..<first + Int(frame.activeCount) {
      let state = Int(activeStates[index].state)
      if program.states[state].closers.count > 0 { runClosers(state, active: index, frame: frame) }
      if !deferred.isEmpty { compareDeferred(heldBy: index) }
      if program.states[state].hasBranches { resolve(active: index, scalar: nil, pendingFrom: Int(frame.pending)) }
      if frame.isObject {
        let plan = Int(program.states[state].recordPlan)
        if plan >= 0 { takeKeys(of: index, plan: plan) }
      } else if program.states[state].countIndex >= 0 {
        partial.itemCounts[Int(program.states[state].countIndex)] += frame.index
      }
    }
    if !frame.isObject, top <= 2, top == 1 || frames[1].isObject { partial.recordCount += frame.index }
    activeStates.removeAll(from: first)
    words.removeAll(from: Int(frame.words))
    captures.removeAll(from: Int(frame.captures))
    keyBytes.removeAll(from: Int(frame.keyStart))
    if cells.count > Int(frame.cells) { cells.removeLast(cells.count - Int(frame.cells)) }
    if scopeHeight > frame.scopedSets {
      scopeHeight = frame.scopedSets
      partial.keys.closeScopes(downTo: scopeHeight)
    }
    frames.removeAll(from: top)
    endValue()
  }

  /// A value of the innermost open container has ended.
  @inline(__always)
  mutating func endValue() {
    let top = frames.count - 1
    if frames[top].isObject { return }
    if frames[top].hasContains { countMatches(in: frames[top]) }
    frames[top].index += 1
  }

  /// For each `contains`: the item that has ended counts if nothing failed in its slot.
  @inline(never)
  mutating func countMatches(in frame: Frame) {
    for index in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
      let state = program.states[Int(activeStates[index].state)]
      for counter in 0..<Int(state.contains.count) {
        let slot = Int(program.contains[Int(state.contains.start) + counter].slot)
        if !hasFailed(slot, of: index) { words[Int(activeStates[index].words + state.counterWord) + counter] += 1 }
        words[Int(activeStates[index].words) + slot >> 6] &= ~(1 << UInt64(slot & 63))
      }
    }
  }

  mutating func runClosers(_ state: Int, active index: Int, frame: Frame) {
    let base = Int(activeStates[index].words)
    let required = base + Int(program.states[state].requiredWord)
    let counters = base + Int(program.states[state].counterWord)
    var rows = program.states[state].closers.indices
    let mask = program.states[state].requiredMask
    if !frame.isObject || mask == 0 || words[required] & mask == mask {
      rows = rows.dropFirst(Int(program.states[state].requiredClosers))
    }
    for row in rows {
      let closer = program.closers[row]
      let holds: Bool
      switch closer.kind {
      case .required:
        holds = !frame.isObject || words[required + Int(closer.operand >> 6)] >> UInt64(closer.operand & 63) & 1 == 1
      case .minimumItems: holds = frame.isObject || frame.index >= closer.count
      case .maximumItems: holds = frame.isObject || frame.index <= closer.count
      case .minimumContains: holds = frame.isObject || words[counters + Int(closer.operand)] >= closer.count
      case .maximumContains: holds = frame.isObject || words[counters + Int(closer.operand)] <= closer.count
      }
      // What a `then` or `else` asks that is left out is the usual case: no more than this look.
      if !holds, closer.slot == 0 || !isLeftOut(Int(closer.slot), of: index) {
        failClosing(by: closer, active: index, frame: frame, counters: counters)
      }
    }
  }
}
