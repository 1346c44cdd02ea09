import JSONEvents

/// Member names that need more than a lookup: they are checked by `propertyNames`, or matched with patterns.
extension RuleEvaluator {
  /// Checks a name against the schemas for names.
  @inline(never)
  mutating func judge(name: ByteView, offset: Int) {
    let frame = frames[frames.count - 1]
    let scalar = Scalar(.string, text: name, offset: offset)
    if frame.valueSteps > 0 { spend(Int(frame.valueSteps), on: scalar) { $0.costliestRule(of: $0.openStates, inValues: true) } }
    for index in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
      for row in program.states[Int(activeStates[index].state)].names.indices {
        judge(scalar, program.children[row], parent: index)
      }
    }
  }

  /// Finds the schemas of a member whose name is in no table, in a state with patterns.
  @inline(never)
  mutating func takeMatching(_ name: ByteView, offset: Int, active: Int) {
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
    for row in state.patternCovers.indices { takeUncovered(program.patternCovers[row]) }
    activeStates[active].next = RuleProgram.Range32(start: Int32(start), count: Int32(children.count - start))
  }

  private mutating func takeUncovered(_ cover: RuleProgram.PatternCover) {
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
