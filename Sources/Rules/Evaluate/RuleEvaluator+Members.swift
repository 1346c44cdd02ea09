import ByteStreams
import Findings
import JSONEvents

/// Members and scalars: nearly all events.
extension RuleEvaluator {
  /// Takes keys, each with the scalar after it, as long as they follow each other, if only one state is active for the object and
  /// it knows the names. This is by far the most frequent case.
  ///
  /// - Parameter start: the first key.
  /// - Returns: the first event that it didn't take.
  @inline(never)
  mutating func consumeMembers(of batch: EventBatch, from start: Int) -> Int {
    let top = frames.count - 1
    guard frames[top].isPlain else { return start }
    let active = Int(frames[top].firstActive)
    let state = Int(activeStates[active].state)
    let isDigested = frames[top].digest >= 0
    var member = Int(frames[top].member)
    // The first 64 required names that were seen, as bits.
    var seen: UInt64 = 0
    var index = start
    while let (key, kind) = batch.scalarMember(at: index) {
      let name = batch.text(of: key)
      // Records are alike, so the member that followed last time is tried before the table is searched.
      var found = Int(tallies[tally(after: member, in: state)].successor)
      if found < 0 || !program.isMember(found, named: name) { found = lookUpMember(named: name, after: member, in: state) }
      guard found >= 0 else { break }
      index &+= 2
      member = found
      tallies[found].count &+= 1
      seen |= program.members[found].requiredMask
      if isDigested { digest(batch[index &- 1], of: batch, member: found) }
      // Many members only have their type checked, which leaves nothing to do here, and nearly all numbers are within their bounds.
      if program.members[found].regardedKinds >> kind.rawValue & 1 == 0 { continue }
      if kind == .number, program.members[found].passesShortUnsigned, batch.text(of: batch[index &- 1]).isShortUnsignedNumber {
        continue
      }
      validateMember(found, at: index &- 1, of: batch, active: active)
      if hasExceeded { break }
    }
    if seen != 0 { words[Int(frames[top].required)] |= seen }
    frames[top].member = Int32(member)
    return index
  }

  /// Keeps and checks a member's scalar, the event at `place`.
  @inline(never)
  private mutating func validateMember(_ index: Int, at place: Int, of batch: EventBatch, active: Int) {
    let scalar = Scalar(batch[place], batch)
    frames[frames.count &- 1].member = Int32(truncatingIfNeeded: index)
    if program.members[index].isKept { keep(scalar, member: index, active: active) }
    if scalar.kind == .number, scalar.isInteger, program.members[index].passingNumbers.least <= scalar.integer,
      scalar.integer <= program.members[index].passingNumbers.most
    {
      return
    }
    let range = program.memberCheckRanges[index &* RuleProgram.scalarKinds &+ scalar.kind.rawValue]
    if range.count < 0 { return validateByChildren(index, scalar, active: active) }
    var row = Int(range.start)
    let end = row &+ Int(range.count)
    while row < end {
      let next = program.memberChecks[row]
      if next.dependsOnSlot, isDead(next.slot, of: active) {
        row &+= Int(next.following)
      } else if !passes(next.check, scalar, parent: active, slot: Int(next.slot)) {
        if !next.isOnly || !failCondition(Int(next.slot), of: active) {
          let last = row &+ Int(next.following)
          fail(scalar, by: row...last, parent: active, slot: Int(next.slot)) { $0.memberChecks[$1].check }
          row = last
        }
      }
      row &+= 1
    }
  }

  /// Checks a member by visiting its children, because one of them has branches.
  @inline(never)
  private mutating func validateByChildren(_ index: Int, _ scalar: Scalar, active: Int) {
    let children = program.members[index].children
    var row = Int(children.start)
    let end = row &+ Int(children.count)
    while row < end {
      validateCounted(scalar, program.children[row], parent: active)
      row &+= 1
    }
  }

  /// Returns the row that tells which member followed `member`, which is -1 at the start of an object, or if no schema names it.
  @inline(__always)
  private func tally(after member: Int, in state: Int) -> Int { member < 0 ? program.members.count &+ state : member }

  /// Looks up a member by name, and remembers that it follows `last`. Returns -1 if no schema names it.
  @inline(never)
  private mutating func lookUpMember(named name: ByteView, after last: Int, in state: Int) -> Int {
    let found = program.member(named: name, keyTable: program.states[state].keyTable, keyMask: program.states[state].keyMask)
    tallies[tally(after: last, in: state)].successor = Int32(found)
    return found
  }

  @inline(__always)
  mutating func consumeKey(_ name: ByteView, offset: Int) {
    let top = frames.count - 1
    // The children for the last name are done.
    children.removeAll(from: program.children.count)
    frames[top].index += 1
    if frames[top].digest >= 0 { wholes.digests[Int(frames[top].digest)].setName(KeyValue(string: name, key: options.key)) }
    let first = Int(frames[top].firstActive)
    var member: Int32 = -1
    for index in first..<first + Int(frames[top].activeCount) {
      let state = Int(activeStates[index].state)
      let found = program.member(named: name, keyTable: program.states[state].keyTable, keyMask: program.states[state].keyMask)
      guard found >= 0 else {
        activeStates[index].next = program.states[state].otherMembers
        activeStates[index].keptMember = -1
        if program.states[state].patterns.count > 0 { consumeMatching(name, offset: offset, active: index) }
        continue
      }
      member = Int32(found)
      activeStates[index].next = program.members[found].children
      activeStates[index].keptMember = program.members[found].isKept ? member : -1
      if program.members[found].requiredBit >= 0 { noteRequired(program.members[found].requiredBit, in: index) }
    }
    frames[top].member = member
    if member < 0 { keepKey(name, top) }
    if frames[top].visitsNames { validate(name: name, offset: offset) }
  }

  @inline(never)
  mutating func keepKey(_ name: ByteView, _ top: Int) {
    let start = Int(frames[top].keyStart)
    keyBytes.removeAll(from: start)
    frames[top].keyLength = Int32(clamping: name.count)
    if name.count > ReportedPointer.nameLimit {
      for byte in name.shortened(to: ReportedPointer.nameLimit).utf8 { keyBytes.append(byte) }
    } else {
      name.withUnsafeBytes { keyBytes.append(contentsOf: $0.assumingMemoryBound(to: UInt8.self)) }
    }
    frames[top].keyCount = Int32(keyBytes.count - start)
  }

  @inline(__always)
  mutating func consume(_ scalar: Scalar) {
    let top = frames.count - 1
    let first = Int(frames[top].firstActive)
    for index in first..<first + Int(frames[top].activeCount) {
      if activeStates[index].keptMember >= 0 { keep(scalar, member: Int(activeStates[index].keptMember), active: index) }
      for row in activeStates[index].next.indices {
        validate(scalar, children[row], parent: index)
      }
    }
    if frames[top].wantsDigests { endDigest(KeyValue(scalar, key: options.key), scalar, offset: scalar.offset) }
    endValue(at: scalar.offset)
  }

  /// Checks a scalar against one state.
  @inline(__always)
  mutating func validate(_ scalar: Scalar, _ child: RuleProgram.Child, parent: Int) {
    if !child.isRepeated { tallies[program.members.count &+ Int(child.state)].count &+= 1 }
    validateCounted(scalar, child, parent: parent)
  }

  @inline(__always)
  private mutating func validateCounted(_ scalar: Scalar, _ child: RuleProgram.Child, parent: Int) {
    if child.hasBranches { return validateWithBranches(scalar, child, parent) }
    let range = program.checks(of: Int(child.state), scalar.kind)
    var row = Int(range.start)
    let end = row + Int(range.count)
    if row < end, child.dependsOnSlot, isDead(child.slot, of: parent) { return }
    while row < end {
      if !passes(program.checks[row], scalar, parent: parent, slot: Int(child.slot)) {
        return fail(scalar, by: row...end - 1, parent: parent, slot: Int(child.slot)) { $0.checks[$1] }
      }
      row += 1
    }
  }

  /// Fails a scalar by the first of some checks, and runs the others. After an error, checks below that severity are skipped.
  @inline(never)
  private mutating func fail(
    _ scalar: Scalar, by rows: ClosedRange<Int>, parent: Int, slot: Int, _ check: (RuleProgram, Int) -> RuleProgram.Check
  ) {
    var hasError = false
    for row in rows {
      let check = check(program, row)
      if hasError, check.isBelowError { continue }
      if row > rows.lowerBound, passesFurther(check, scalar, parent, slot) { continue }
      failScalar(scalar, by: check, active: parent, slot: slot)
      if check.endsValidation { return }
      if !check.isBelowError { hasError = true }
    }
  }

  @inline(never)
  private mutating func passesFurther(_ check: RuleProgram.Check, _ scalar: Scalar, _ parent: Int, _ slot: Int) -> Bool {
    passes(check, scalar, parent: parent, slot: slot)
  }

  @inline(never)
  mutating func validateWithBranches(_ scalar: Scalar, _ child: RuleProgram.Child, _ parent: Int) {
    if child.dependsOnSlot, isDead(child.slot, of: parent) { return }
    let wordHeight = words.count
    let pendingHeight = pending.count
    let failures = branchFailures
    let steps = Int(program.states[Int(child.state)].activationSteps)
    if steps > StepBudget.free { spend(steps, on: scalar) { $0.costliestRule(of: [Int(child.state)]) } }
    frames[frames.count - 1].reopensObjects = false
    let active = push(state: child.state, parent: parent, slot: Int(child.slot))
    var mistyped: [UInt16] = []
    var faulty: [UInt16] = []
    for row in program.checks(of: Int(child.state), scalar.kind).indices {
      let check = program.checks[row]
      // Thousands of slots may have failed, so the lists are searched only for one that has. Failures of slot 0 aren't marked.
      if !mistyped.isEmpty || !faulty.isEmpty, check.slot == 0 || hasFailed(Int(check.slot), of: active) {
        if mistyped.contains(check.slot) || check.isBelowError && faulty.contains(check.slot) { continue }
      }
      if !passesFurther(check, scalar, parent, Int(child.slot)) {
        failScalar(scalar, by: check, active: active, slot: Int(check.slot))
        if check.endsValidation {
          mistyped.append(check.slot)
        } else if !check.isBelowError, faulty.last != check.slot {
          faulty.append(check.slot)
        }
      }
    }
    resolve(active: active, scalar: scalar, pendingFrom: pendingHeight, failuresFrom: failures)
    if pending.count == pendingHeight { branchFailures = failures }
    activeStates.removeAll(from: active)
    words.removeAll(from: wordHeight)
  }

  /// Pushes a new active state and its words. A container also needs ``addMemory(of:)``; a scalar has no members to keep.
  mutating func push(state index: Int32, parent: Int, slot: Int) -> Int {
    activeStates.append(
      ActiveState(
        state: index, parent: Int32(parent), slot: UInt16(slot), isMute: activeStates[parent].isMute || isMute(slot, of: parent),
        words: Int32(words.count), captures: Int32(captures.count), cells: Int32(cells.count), aggregates: Int32(aggregates.count)
      ))
    addWords(of: Int(index))
    return activeStates.count - 1
  }

  @inline(__always)
  mutating func addWords(of index: Int) {
    let count = program.states[index].words
    if count > 0 { words.append(repeating: 0, count: Int(count)) }
  }

  /// Adds what a container keeps for an active state: captures, cells and aggregates.
  @inline(__always)
  mutating func addMemory(of index: Int) {
    let state = program.states[index]
    if state.captureCount > 0 { captures.append(repeating: Capture(), count: Int(state.captureCount)) }
    if state.cells.count > 0 { cells.append(contentsOf: repeatElement(DataValue(), count: Int(state.cells.count))) }
    if state.aggregates.count > 0 {
      aggregates.append(contentsOf: repeatElement(Aggregate(), count: Int(state.aggregates.count)))
    }
  }

  /// Notes that an object has a required member.
  @inline(__always)
  private mutating func noteRequired(_ bit: Int32, in active: Int) {
    let first = activeStates[active].words + program.states[Int(activeStates[active].state)].requiredWord
    words[Int(first + (bit >> 6))] |= 1 &<< UInt64(truncatingIfNeeded: bit & 63)
  }

  /// Keeps a scalar for the keys of its record, or for `$data`. Notes a required name that isn't one of the first 64.
  @inline(never)
  mutating func keep(_ scalar: Scalar, member index: Int, active: Int) {
    let member = program.members[index]
    if member.requiredBit >= 64 { noteRequired(member.requiredBit, in: active) }
    if member.capture >= 0 {
      captures[Int(activeStates[active].captures + member.capture)] = Capture(scalar, keyValue(of: scalar))
    }
    if member.cell >= 0 || member.globalCell >= 0 { keepCell(value(of: scalar), member, active) }
  }

  private mutating func value(of scalar: Scalar) -> DataValue {
    var value = DataValue(scalar)
    value.offset = scalar.offset
    if scalar.kind == .string, program.comparesNumbers { value.isDecimal = isDecimal(scalar) }
    if options.gathersEntries { value.position = position(at: scalar.offset) }
    return value
  }

  mutating func keepContainer(at offset: Int, member index: Int, active: Int) {
    let member = program.members[index]
    if member.capture >= 0 { captures[Int(activeStates[active].captures + member.capture)].status = .container }
    if member.cell >= 0 || member.globalCell >= 0 { keepCell(DataValue(kind: .container, offset: offset), member, active) }
  }
}

/// Member names that need more than a lookup: they are checked by `propertyNames`, or matched with patterns.
extension RuleEvaluator {
  /// Checks a name against the schemas for names.
  @inline(never)
  mutating func validate(name: ByteView, offset: Int) {
    let frame = frames[frames.count - 1]
    let scalar = Scalar(.string, text: name, offset: offset)
    if frame.valueSteps > 0 { spend(Int(frame.valueSteps), on: scalar) { $0.costliestRule(of: $0.openStates, inValues: true) } }
    for index in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
      for row in program.states[Int(activeStates[index].state)].names.indices {
        validate(scalar, program.children[row], parent: index)
      }
    }
  }

  /// Finds the schemas of a member whose name is in no table, in a state with patterns.
  @inline(never)
  mutating func consumeMatching(_ name: ByteView, offset: Int, active: Int) {
    let state = program.states[Int(activeStates[active].state)]
    patternMatches.removeAll(from: 0)
    // A match takes about ten steps.
    var steps = 10 * Int(state.patterns.count) + Int(state.patternRows.count)
    for row in state.patterns.indices {
      let pattern = program.constants.patterns[Int(program.statePatterns[row])]
      let outcome = matcher.match(pattern, in: name, addingSteps: &steps)
      if outcome == .tooCostly {
        exceed("matching a member name with \(pattern.source) takes too many steps", at: self.position(at: offset))
      }
      patternMatches.append(outcome == .match)
    }
    if steps > StepBudget.free {
      spend(steps, on: Scalar(.string, text: name, offset: offset)) { $0.costliestRule(of: [Int($0.activeStates[active].state)]) }
    }
    let start = children.count
    var group: Int32 = -1
    var isNamed = false
    for row in state.patternRows.indices {
      let pattern = program.patternRows[row]
      if pattern.group != group { (group, isNamed) = (pattern.group, false) }
      if pattern.pattern >= 0 {
        guard patternMatches[Int(pattern.pattern)] else { continue }
        isNamed = true
      } else if isNamed {
        continue
      }
      if pattern.child.state >= 0 { children.append(pattern.child) }
    }
    for row in state.patternCovers.indices { consumeUncovered(program.patternCovers[row]) }
    activeStates[active].next = RuleProgram.Range32(start: Int32(start), count: Int32(children.count - start))
  }

  private mutating func consumeUncovered(_ cover: RuleProgram.PatternCover) {
    for row in cover.always.indices where patternMatches[Int(program.patternTests[row].pattern)] { return }
    var child = cover.child
    var index = 0
    var bit = 1
    for row in cover.bits.indices {
      if patternMatches[Int(program.patternTests[row].pattern)] { index |= bit }
      if program.patternTests[row].isLast { bit <<= 1 }
    }
    child.slot = program.slotTable[Int(cover.slots.start) + index]
    children.append(child)
  }
}

/// Items that need more than individual checks: they are counted, or have schemas by index.
extension RuleEvaluator {
  /// Selects the schemas for the next item of the innermost array, if they depend on its index, and ends the document that the last
  /// item was. A member of an object is here only as a document.
  @inline(never)
  mutating func enterItem() {
    let top = frames.count - 1
    if frames[top].isObject { return endDocument() }
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

extension ByteView {
  /// True for a number of an `EventBatch`, if it has at most eight characters, and neither a sign nor an exponent.
  @inline(__always)
  fileprivate var isShortUnsignedNumber: Bool {
    let word = leadingWordOfPadded
    // Letters are lowercase here, and an e is zero. The lowest zero byte sets the highest bit of its byte.
    let bytes = (word | 0x2020_2020_2020_2020) ^ 0x6565_6565_6565_6565
    let exponents = (bytes &- 0x0101_0101_0101_0101) & ~bytes & 0x8080_8080_8080_8080
    return count <= 8 && exponents == 0 && word & 0xFF != UInt64(UInt8(ascii: "-"))
  }
}
