import ByteStreams
import Findings
import JSONEvents

/// Counts the steps that rules take, where they may multiply.
extension RuleEvaluator {
  /// Counts steps for a scalar of the current batch, or else for the innermost open container.
  ///
  /// The number of steps depends only on the rules and the document: not on options, slices or batches. A container that is open
  /// around a slice takes no steps in it.
  ///
  /// - Parameter rule: returns a rule that takes them.
  @inline(never)
  mutating func spend(_ steps: Int, on scalar: Scalar? = nil, by rule: (inout RuleEvaluator) -> Int32?) {
    guard let scalar else { return spend(steps, at: frames[frames.count - 1].offset, by: rule) }
    partial.budget.add(steps, at: scalar.offset + scalar.text.count)
    if partial.budget.exceeds(options.stepLimit) { endBudget(at: position(at: scalar.offset), by: rule) }
  }

  /// Counts steps for a value in the innermost open container.
  @inline(never)
  mutating func spend(_ steps: Int, at offset: Int, by rule: (inout RuleEvaluator) -> Int32?) {
    partial.budget.add(steps, at: offset)
    if partial.budget.exceeds(options.stepLimit) { endBudget(at: framePosition(frames.count - 1), by: rule) }
  }

  private mutating func endBudget(at position: TextPosition, by rule: (inout RuleEvaluator) -> Int32?) {
    if hasExceeded { return }
    let keyword = rule(&self).map { index in
      let rule = program.rules[Int(index)]
      return "\(rule.keyword) (\(rule.pointer.shortened(to: Finding.schemaLocationLimit)), line \(rule.line) of the rules)"
    }
    exceed("evaluating \(keyword ?? "the rules") takes too many steps for a document of this size", at: position)
  }

  /// Counts the steps for activating the states of a container, from `first` on, and `started` steps for finding them. Then has its
  /// members or items visited if they take many steps.
  @inline(never)
  mutating func countSteps(_ started: Int, from first: Int, of frame: inout Frame) {
    var (steps, valueSteps) = (started, 0)
    for active in first..<activeStates.count {
      let state = program.states[Int(activeStates[active].state)]
      steps += Int(state.activationSteps)
      valueSteps += 1 + Int(state.valueSteps)
    }
    if steps > StepBudget.free {
      spend(steps, at: frame.offset) { evaluator in
        evaluator.costliestRule(of: (first..<evaluator.activeStates.count).map { Int(evaluator.activeStates[$0].state) })
      }
    }
    if valueSteps > StepBudget.free {
      frame.valueSteps = Int32(clamping: valueSteps)
      (frame.visitsItems, frame.visitsNames) = (!frame.isObject, frame.isObject)
    }
  }

  /// The states of the innermost open container.
  var openStates: [Int] {
    mutating get {
      let frame = frames[frames.count - 1]
      return (frame.firstActive..<frame.firstActive + frame.activeCount).map { Int(activeStates[Int($0)].state) }
    }
  }

  /// Returns a rule of the states, for the message: of the costliest one, or of its costliest member or item.
  mutating func costliestRule(of states: [Int], inValues: Bool = false) -> Int32? {
    let order = states.sorted {
      let (a, b) = (program.states[$0], program.states[$1])
      return inValues ? a.valueSteps > b.valueSteps : a.activationSteps > b.activationSteps
    }
    for state in order.prefix(1000) {
      if let rule = inValues ? ruleOfValues(state) ?? ownRule(state) : ownRule(state) ?? ruleOfValues(state) { return rule }
    }
    return nil
  }

  private mutating func ownRule(_ state: Int) -> Int32? {
    for row in program.states[state].resolutions.indices where program.resolutions[row].rule >= 0 {
      return program.resolutions[row].rule
    }
    for row in program.states[state].endChecks.indices { return program.endChecks[row].rule }
    for kind in JSONKind.allCases { for row in program.checks(of: state, kind).indices { return program.checks[row].rule } }
    return nil
  }

  private mutating func ruleOfValues(_ index: Int) -> Int32? {
    let state = program.states[index]
    if state.contains.count > 0 { return program.contains[Int(state.contains.start)].rule }
    if state.uniqueRules.count > 0 { return program.uniqueRules[Int(state.uniqueRules.start)].rule }
    var rows = [state.names, state.items, state.otherMembers] + state.prefixItems.indices.map { program.itemRanges[$0] }
    rows += state.members.indices.map { program.members[$0].children }
    var children = rows.max { $0.count < $1.count }?.indices.map { program.children[$0] } ?? []
    children += state.patternRows.indices.map { program.patternRows[$0].child }
    for child in children.prefix(1000) where child.state >= 0 {
      if let rule = ownRule(Int(child.state)) { return rule }
    }
    return nil
  }
}
