import ByteStreams
import Findings
import JSONEvents

/// The start and end of arrays and objects.
extension RuleEvaluator {
  /// Starts an array or object: anew, or like the object before it in the same array.
  @inline(__always)
  mutating func open(_ kind: JSONKind, _ event: Event, _ batch: EventBatch) {
    if kind == .object, frames[frames.count &- 1].reopensObjects {
      reopen(at: batch.offset(of: event))
    } else {
      openNew(kind, at: batch.offset(of: event))
    }
  }

  /// Finds the states of an array or object, and pushes its frame. Without any states, it is skipped.
  @inline(never)
  private mutating func openNew(_ kind: JSONKind, at offset: Int) {
    let top = frames.count - 1
    frames[top].reopensObjects = false
    let outer = frames[top]
    let firstActive = activeStates.count
    var frame = Frame(
      isObject: kind == .object, firstActive: Int32(firstActive), activeCount: 0, keyStart: Int32(keyBytes.count),
      offset: offset, words: Int32(words.count), captures: Int32(captures.count), cells: Int32(cells.count),
      scopedSets: scopeHeight, uniqueSets: Int32(wholes.uniqueSets.count), aggregates: Int32(aggregates.count),
      requesters: Int32(requesters.count), pending: Int32(pending.count), branchFailures: branchFailures)
    var isDigested = outer.wantsDigests
    // True if a state takes many steps.
    var isCostly = false
    // Thousands of states may each have thousands of children. No more are started past the limit.
    for index in Int(outer.firstActive)..<Int(outer.firstActive + outer.activeCount) {
      if activeStates[index].keptMember >= 0 {
        keepContainer(at: frame.offset, member: Int(activeStates[index].keptMember), active: index)
      }
      for row in activeStates[index].next.indices where activeStates.count <= Self.activeStateLimit {
        let child = children[row]
        if !child.isRepeated { tallies[program.members.count + Int(child.state)].count += 1 }
        if child.dependsOnSlot, isDead(child.slot, of: index) { continue }
        if share(child, from: index, since: firstActive) { continue }
        latestActive[Int(child.state)] = Int32(push(state: child.state, parent: index, slot: Int(child.slot)))
        addMemory(of: Int(child.state))
        if program.states[Int(child.state)].isCostly { isCostly = true }
        if program.states[Int(child.state)].comparesContainers { isDigested = true }
      }
    }
    frame.activeCount = Int32(activeStates.count - firstActive)
    let started = activeStates.count - firstActive + requesters.count - Int(frame.requesters)
    if isCostly || started > StepBudget.small.states { countSteps(started, from: firstActive, of: &frame) }
    if activeStates.count > Self.activeStateLimit {
      exceed("more than \(Self.activeStateLimit) schemas apply to the open arrays and objects", at: position(at: frame.offset))
    }
    // If no rules apply, only the container's end matters. A member of the root object still gets a frame, because it may hold
    // records.
    if frame.activeCount == 0, frames.count > 2 || (frames.count == 2 && !frames[1].isObject), !isDigested {
      skipDepth = 1
      skippedPath.begin(at: frame.offset)
      return
    }
    if isDigested {
      frame.digest = Int32(wholes.digests.count)
      wholes.digests.append(ValueDigest(isObject: frame.isObject, key: options.key))
    }
    if frame.activeCount == 1 {
      frame.isPlain = frame.valueSteps == 0
      frame.required = activeStates[firstActive].words + program.states[Int(activeStates[firstActive].state)].requiredWord
    }
    frames.append(frame)
    for index in firstActive..<activeStates.count { begin(kind, active: index) }
    if kind == .object, !outer.isObject { frames[top].reopensObjects = canReopen(in: outer) }
  }

  /// Returns whether objects that follow this one, which has just begun, in the same array can be reopened: one state is active for
  /// it, the same for each item; its start does nothing but add memory; and it takes few steps.
  private func canReopen(in outer: Frame) -> Bool {
    let frame = frames[frames.count - 1]
    guard frame.isPlain, frame.requesters == requesters.count, outer.activeCount == 1, !outer.entersItems else { return false }
    let items = activeStates[Int(outer.firstActive)].next
    guard items.count == 1, !children[Int(items.start)].dependsOnSlot else { return false }
    let index = Int(children[Int(items.start)].state)
    let state = program.states[index]
    return state.plan < 0 && program.checks(of: index, .object).count == 0 && Int(state.activationSteps) < StepBudget.free
  }

  /// Starts an object like the one before it in the same array: its frame and active state are still above the stacks.
  ///
  /// Records are alike, and starting one anew takes as many instructions as checking four members.
  @inline(__always)
  private mutating func reopen(at offset: Int) {
    let top = frames.count
    frames.appendRemoved()
    assert(isAtHeights(of: frames[top]), "something is left of the last object, or of what came after it")
    frames[top].restart(at: offset, pending: pending.count, branchFailures: branchFailures)
    if frames[top].digest >= 0 { wholes.digests.append(ValueDigest(isObject: true, key: options.key)) }
    let active = activeStates.count
    activeStates.appendRemoved()
    activeStates[active].restart()
    let state = Int(activeStates[active].state)
    tallies[program.members.count &+ state].count &+= 1
    addWords(of: state)
    addMemory(of: state)
  }

  /// Returns whether all other stacks are as high as when a frame began.
  private func isAtHeights(of frame: Frame) -> Bool {
    frame.firstActive == activeStates.count && frame.keyStart == keyBytes.count && frame.words == words.count
      && frame.captures == captures.count && frame.cells == cells.count && frame.scopedSets == scopeHeight
      && frame.uniqueSets == wholes.uniqueSets.count && frame.aggregates == aggregates.count
      && frame.requesters == requesters.count
      && (frame.digest < 0 || frame.digest == wholes.digests.count)
  }

  /// Returns whether the state is already active for the value. If so, adds the requester to it.
  @inline(__always)
  private mutating func share(_ child: RuleProgram.Child, from active: Int, since first: Int) -> Bool {
    if activeStates.count == first || !program.states[Int(child.state)].isShareable { return false }
    let known = Int(latestActive[Int(child.state)])
    guard known >= first, known < activeStates.count, activeStates[known].state == child.state else { return false }
    let requester = Requester(active: Int32(active), slot: child.slot)
    requesters.append((requester, activeStates[known].requesters))
    activeStates[known].requesters = Int32(requesters.count - 1)
    if !activeStates[active].isMute, !isMute(Int(child.slot), of: active) { activeStates[known].isMute = false }
    return true
  }

  @inline(never)
  mutating func begin(_ kind: JSONKind, active index: Int) {
    let stateIndex = Int(activeStates[index].state)
    let state = program.states[stateIndex]
    if kind == .array {
      activeStates[index].next = state.prefixItems.count > 0 ? program.itemRanges[Int(state.prefixItems.start)] : state.items
      if state.contains.count > 0 { frames[frames.count - 1].visitsItems = true }
      if state.prefixItems.count > 0 || state.holdsDocuments { frames[frames.count - 1].entersItems = true }
      if state.uniqueRules.count > 0 {
        frames[frames.count - 1].hasUniqueItems = true
        activeStates[index].uniqueSets = Int32(wholes.uniqueSets.count)
        wholes.uniqueSets += Array(repeating: [], count: Int(state.uniqueRules.count))
        // The pointer of the array, for its keys.
        if frames.count > 32 { spend(8 * frames.count) { $0.program.uniqueRules[Int(state.uniqueRules.start)].rule } }
      }
    }
    if state.plan >= 0 {
      activeStates[index].scopedSets = scopeHeight
      let count = program.plans[Int(state.plan)].scopedSetCount
      if program.plans[Int(state.plan)].comparesRecords { frames[frames.count - 1].comparesRecords = true }
      if count > 0 { partial.keys.openScopes(count) }
      scopeHeight += count
    }
    if state.looksAtEachMember {
      frames[frames.count - 1].isPlain = false
      if state.isCollection, kind == .object {
        frames[frames.count - 1].isCollection = true
        if state.holdsDocuments { frames[frames.count - 1].entersItems = true }
      }
      if state.names.count > 0 { frames[frames.count - 1].visitsNames = true }
    }
    let range = program.checks(of: stateIndex, kind)
    for row in range.indices {
      let check = program.checks[row]
      if check.operation == .since {
        noteNewerMember(check, nil)
        continue
      }
      if check.operation == .place {
        notePlace(program.placeActions[Int(check.operand)], nil, in: Int(activeStates[index].parent))
        continue
      }
      if check.operation == .unusable {
        let offset = frames[frames.count - 1].offset
        meet(program.constants.obstacles[Int(check.operand)], at: position(at: offset))
        continue
      }
      // Containers fail all other checks.
      failContainer(kind, by: check, active: index, slot: Int(check.slot))
    }
  }

  /// Returns whether the frame is a collection: the root or a direct member of the root object, if it is an array, or an object of
  /// records according to the rules.
  private func holdsRecords(_ top: Int) -> Bool {
    guard top <= 2, !frames[top].isObject || frames[top].isCollection else { return false }
    return top == 1 || frames[1].isObject && !frames[1].isCollection
  }

  /// Counts the records of a collection that ends.
  @inline(never)
  private mutating func addCollection(_ top: Int) {
    partial.recordCount += frames[top].index
    partial.add(CollectionCount(pointer: pointer(depth: top), records: frames[top].index))
  }

  /// The number of ended records in collections that are still open; in an object, of those that have begun.
  var openRecordCount: Int {
    (1...2).reduce(0) { $0 + ($1 < frames.count && holdsRecords($1) ? frames[$1].index : 0) }
  }

  mutating func close() {
    let top = frames.count - 1
    let frame = frames[top]
    let first = Int(frame.firstActive)
    if frame.digest >= 0 {
      wholes.lastDigest = wholes.digests[Int(frame.digest)].finished()
      wholes.digests.removeAll(from: Int(frame.digest))
    }
    for index in first..<first + Int(frame.activeCount) {
      let state = Int(activeStates[index].state)
      if program.states[state].endChecks.count > 0 { runEndChecks(state, active: index, frame: frame) }
      if !deferred.isEmpty { compareDeferred(heldBy: index, from: frame.offset) }
      if !openEntries.isEmpty { claimDetails(heldBy: index) }
      if program.states[state].hasBranches {
        resolve(active: index, scalar: nil, pendingFrom: Int(frame.pending), failuresFrom: frame.branchFailures)
      }
      let plan = Int(program.states[state].recordPlan)
      if plan >= 0, frame.isObject { addKeys(of: index, plan: plan) }
      if program.states[state].countIndex >= 0 { partial.itemCounts[Int(program.states[state].countIndex)] += frame.index }
      if program.states[state].completion >= 0 {
        complete(program.placeActions[Int(program.states[state].completion)], of: index)
      }
    }
    if frame.isObject { frames[top - 1].holdsObjects = true }
    // No failure in it concerns a branch around it. Slices don't know the failures in others.
    if pending.count == Int(frame.pending) { branchFailures = frame.branchFailures }
    if holdsRecords(top) { addCollection(top) }
    activeStates.removeAll(from: first)
    requesters.removeAll(from: Int(frame.requesters))
    words.removeAll(from: Int(frame.words))
    captures.removeAll(from: Int(frame.captures))
    keyBytes.removeAll(from: Int(frame.keyStart))
    if cells.count > Int(frame.cells) { cells.removeLast(cells.count - Int(frame.cells)) }
    if scopeHeight > frame.scopedSets {
      scopeHeight = frame.scopedSets
      partial.keys.closeScopes(downTo: scopeHeight)
    }
    if aggregates.count > Int(frame.aggregates) { aggregates.removeLast(aggregates.count - Int(frame.aggregates)) }
    if wholes.uniqueSets.count > Int(frame.uniqueSets) {
      wholes.uniqueCount -= wholes.uniqueSets[Int(frame.uniqueSets)...].reduce(0) { $0 + $1.count }
      wholes.uniqueSets.removeLast(wholes.uniqueSets.count - Int(frame.uniqueSets))
    }
    frames.removeAll(from: top)
    if frames[top - 1].wantsDigests { endDigest(wholes.lastDigest, offset: frame.offset, line: frame.line, column: frame.column) }
    endValue(at: frame.offset)
  }

  /// Handles the end of a value in the innermost open container.
  ///
  /// - Parameter offset: the value's place, or `nil` if no rules apply to it.
  @inline(__always)
  mutating func endValue(at offset: Int?) {
    let top = frames.count - 1
    if frames[top].isObject {
      guard frames[top].isCollection else { return }
      if !deferred.isEmpty { checkWaiting() }
      if frames[top].entersItems { enterItem() }
      return
    }
    if frames[top].visitsItems { visitItem(in: frames[top], itemOffset: offset) }
    frames[top].index += 1
    if !deferred.isEmpty { checkWaiting() }
    if frames[top].entersItems { enterItem() }
  }

  mutating func runEndChecks(_ state: Int, active index: Int, frame: Frame) {
    let base = Int(activeStates[index].words)
    let required = base + Int(program.states[state].requiredWord)
    let counters = base + Int(program.states[state].counterWord)
    var rows = program.states[state].endChecks.indices
    let mask = program.states[state].requiredMask
    if !frame.isObject || mask == 0 || words[required] & mask == mask {
      rows = rows.dropFirst(Int(program.states[state].requiredNameChecks))
    }
    for row in rows {
      let endCheck = program.endChecks[row]
      let holds: Bool
      switch endCheck.kind {
      case .required:
        holds = !frame.isObject || words[required + Int(endCheck.operand >> 6)] >> UInt64(endCheck.operand & 63) & 1 == 1
      case .dependentRequired:
        func isThere(_ bit: Int) -> Bool { words[required + bit >> 6] >> UInt64(bit & 63) & 1 == 1 }
        holds = !frame.isObject || !isThere(endCheck.count) || isThere(Int(endCheck.operand))
      case .minimumMembers: holds = !frame.isObject || frame.index >= endCheck.count
      case .maximumMembers: holds = !frame.isObject || frame.index <= endCheck.count
      case .unchecked: holds = !frame.isObject || frame.index == 0 || frame.holdsObjects
      case .containerAmong:
        // If this kind is not among them, the value has already failed.
        holds = endCheck.count & (frame.isObject ? 2 : 1) == 0 || containerSet(Int(endCheck.operand)).contains(wholes.lastDigest)
      case .minimumItems: holds = frame.isObject || frame.index >= endCheck.count
      case .maximumItems: holds = frame.isObject || frame.index <= endCheck.count
      case .minimumContains: holds = frame.isObject || words[counters + Int(endCheck.operand)] >= endCheck.count
      case .maximumContains: holds = frame.isObject || words[counters + Int(endCheck.operand)] <= endCheck.count
      }
      // Usually a requirement of a `then` or `else` that doesn't apply: then this lookup is the only cost.
      if !holds, !isWithinDead(Int(endCheck.slot), of: index) {
        failAtEnd(by: endCheck, active: index, frame: frame, counters: counters)
      }
    }
  }
}

/// Arrays whose items are documents. Values are compared within one item; the state starts anew with each item.
extension RuleEvaluator {
  /// Returns whether an active state belongs to the containers around the document.
  func isAroundDocument(_ active: Int) -> Bool {
    program.documentDepth >= frames.count || active < Int(frames[program.documentDepth].firstActive)
  }

  /// Completes the checks of the item that has ended. Does nothing before the first one.
  @inline(never)
  mutating func endDocument() {
    if let subject = partial.waiting(after: waitingLimit) {
      exceed(Self.waitingMessage, at: subject.position)
    }
    if partial.waitingCount > 0 { compareWaiting() }
    compareRootAggregates()
    if program.versionRules.count > 0 {
      reportNewerMembers()
      for index in partial.newerMembers.indices { partial.newerMembers[index].removeAll() }
    }
    for index in globalCells.indices where globalCells[index].kind != .absent { globalCells[index] = DataValue() }
    for index in partial.itemCounts.indices { partial.itemCounts[index] = 0 }
    for index in partial.aggregates.indices { partial.aggregates[index] = Aggregate() }
  }
}
