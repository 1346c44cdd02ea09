/// The memory that rules need.
extension CostSurvey {
  mutating func addNeeds(of index: Int, at place: String) {
    let state = program.states[index]
    if state.plan >= 0, !state.describesObjects {
      for row in program.plans[Int(state.plan)].steps.indices { addNeed(of: program.steps[row], at: place) }
    }
    for row in state.uniqueRules.indices where program.uniqueRules[row].step < 0 {
      add(.itemsInBranch, place, program.uniqueRules[row].rule)
    }
    for row in state.endChecks.indices where program.endChecks[row].kind == .containerAmong {
      add(.digests, place, program.endChecks[row].rule)
    }
    for kind in ValueKind.allCases {
      for row in program.checkRanges[index * 6 + kind.rawValue].indices { addNeed(of: program.checks[row], at: place) }
    }
    addFindings(of: index, at: place)
    if !state.isShareable, let rule = branchAskingAgain(in: index) { add(.answers, place, rule) }
  }

  /// Returns the rule whose branches apply the same schema to a member or item and recurse to this state, so that no branch can
  /// reuse another's answer.
  private func branchAskingAgain(in index: Int) -> Int32? {
    let state = program.states[index]
    for group in groups(of: index) {
      let repeated = group.filter { !program.states[Int($0.state)].isShareable }
      guard repeated.count > 1, repeated.allSatisfy({ reaches(index, from: Int($0.state)) }) else { continue }
      let slots = Set(repeated.map(\.slot))
      for row in state.resolutions.indices {
        let resolution = program.resolutions[row]
        if resolution.kind != .unevaluated, resolution.branches.indices.contains(where: { slots.contains(program.branches[$0]) })
        {
          return resolution.rule
        }
      }
    }
    return nil
  }

  /// Returns the children for a value's members of each name and for its items, under a state.
  private func groups(of index: Int) -> [[RuleProgram.Child]] {
    let state = program.states[index]
    let ranges =
      [state.otherMembers, state.items] + state.prefixItems.indices.map { program.itemRanges[$0] }
      + state.members.indices.map { program.members[$0].children }
    return ranges.map(children)
  }

  private func reaches(_ target: Int, from start: Int) -> Bool {
    var waiting = [start]
    var known: Set<Int> = [start]
    while let index = waiting.popLast() {
      if index == target { return true }
      for child in groups(of: index).joined() where known.insert(Int(child.state)).inserted { waiting.append(Int(child.state)) }
    }
    return false
  }

  private mutating func addNeed(of step: RuleProgram.Step, at place: String) {
    switch step.kind {
    case .primaryKey, .uniqueKey, .equalRecord: add(.keys, place, step.rule)
    case .uniqueItem: add(.items, place, step.rule)
    case .reference: add(.references, place, step.rule)
    case .definition:
      // These keys are kept because of the reference that looks for them.
      let reference = (0..<program.steps.count).first {
        program.steps[$0].kind == .reference && program.steps[$0].keySet == step.keySet
      }
      add(.definitions, place, reference.map { program.steps[$0].rule } ?? -1)
    }
  }

  private mutating func addNeed(of check: RuleProgram.Check, at place: String) {
    switch check.operation {
    case .sum, .amongData:
      if asksOutOfArray(program.constants.aggregates[Int(check.operand)].levels, at: place) {
        add(.comparisons, place, check.rule)
      }
    case .numericData, .formatData, .equalsData:
      if case .ancestor(let levels, _) = program.constants.data[Int(check.operand)].reference.origin {
        if asksOutOfArray(levels, at: place) { add(.comparisons, place, check.rule) }
        return
      }
      if program.constants.data[Int(check.operand)].globalCell >= 0 { add(.comparisons, place, check.rule) }
    case .count:
      if place.split(separator: "/").contains("*") { add(.counts, place, check.rule) }
    case .entry: add(.entries, place, check.rule)
    default: break
    }
  }

  /// Adds branches whose findings may be shown, and that look into members or items.
  private mutating func addFindings(of index: Int, at place: String) {
    let state = program.states[index]
    var slots: Set<UInt16> = []
    let rows = groups(of: index).joined() + state.patternRows.indices.map { program.patternRows[$0].child }
    for child in rows {
      var slot = child.slot
      while slot != 0, slots.insert(slot).inserted { slot = program.slots[Int(state.slots.start) + Int(slot)].parent }
    }
    for row in state.resolutions.indices.map({ program.resolutions[$0] }) where row.kind != .unevaluated && row.kind != .not {
      let shown = row.branches.indices.map { program.branches[$0] }.filter { branch in
        branch != RuleProgram.Resolution.noBranch && !program.slots[Int(state.slots.start) + Int(branch)].isMute
      }
      if shown.contains(where: slots.contains) { add(.findings, place, row.rule) }
    }
  }

  private mutating func add(_ kind: RuleCost.Need.Kind, _ place: String, _ rule: Int32) {
    let need = RuleCost.Need(kind: kind, place: place, origin: origin(of: rule))
    // One rule may produce several states.
    if knownNeeds.insert(RuleCost.Need(kind: kind, place: "", origin: need.origin)).inserted { needs.append(need) }
  }

  /// Returns true if a value's comparison waits for the end of an array around the value: then each of the array's items may
  /// wait.
  ///
  /// - Parameter levels: the level of the compared container: 1 for the value's own, -1 for the document.
  private func asksOutOfArray(_ levels: Int, at place: String) -> Bool {
    let containers = place.split(separator: "/").dropLast()
    return containers.suffix(levels < 0 ? containers.count : levels - 1).contains("*")
  }
}
