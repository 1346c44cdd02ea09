import JSONEvents

extension RuleCost {
  /// Computes the cost of a compiled rule document.
  ///
  /// - Parameter schemas: the number of schemas in the document; the program has only states.
  package init(of program: RuleProgram, schemas: Int) {
    var survey = CostSurvey(program)
    survey.run()
    self.init(
      schemas: schemas, states: program.states.count, namePatterns: program.statePatterns.count, needs: survey.needs,
      collections: survey.collections)
  }
}

/// Walks a program as evaluation would walk a document that contains everything the rules describe: from the root, level by
/// level, with all states that are active for a value at the same time.
struct CostSurvey {
  /// A state that applies to a value.
  fileprivate struct Active {
    var state: Int
    /// The keyword of the first branch on the path from the root, or `nil` if there is none.
    var branch: RuleCost.Obstacle?
  }

  private struct Value {
    /// Token by token.
    var place: [String]
    var actives: [Active]
    /// The rule that makes this value's content be digested.
    var comparison: RuleCost.Origin?
  }

  let program: RuleProgram
  private let matcher = Pattern.Matcher()
  private var visited: Set<Int> = []
  private var waiting: [Value] = []
  var needs: [RuleCost.Need] = []
  var knownNeeds: Set<RuleCost.Need> = []
  private(set) var collections: [RuleCost.Collection] = []
  private var knownCollections: Set<String> = []
  /// The maximum number of containers around a sliced array (`Slicer`).
  private static let collectionDepth = 2
  /// Deeper than any document that rules are written for; a chain of references might continue for long.
  private static let depthLimit = 256
  /// The maximum number of values visited without new states.
  private static let valueLimit = 10_000

  init(_ program: RuleProgram) { self.program = program }

  mutating func run() {
    enter([], program.root.indices.map { Active(state: Int(program.children[$0].state), branch: nil) }, comparison: nil)
    var next = 0
    while next < waiting.count {
      let value = waiting[next]
      next += 1
      let isNew = value.actives.filter { visited.insert($0.state).inserted }
      for active in isNew { addNeeds(of: active.state, at: value.place.pointer) }
      if value.place.count <= Self.collectionDepth { addCollection(value) }
      expand(value)
    }
  }

  /// Visits a value if it has a state that was not visited before, or may be a collection.
  private mutating func enter(_ place: [String], _ actives: [Active], comparison: RuleCost.Origin?) {
    let mayBeCollection = place.count <= Self.collectionDepth && waiting.count < Self.valueLimit
    guard !actives.isEmpty, place.count <= Self.depthLimit,
      mayBeCollection || actives.contains(where: { !visited.contains($0.state) })
    else { return }
    waiting.append(Value(place: place, actives: actives, comparison: comparison))
  }

  // MARK: The way down

  private mutating func expand(_ value: Value) {
    let inner = value.comparison ?? comparison(by: value.actives, includesItems: true)
    func enter(_ token: String, _ rows: (RuleProgram.State, Int) -> [RuleProgram.Child]) {
      let actives = value.actives.flatMap { active in
        rows(program.states[active.state], active.state).map { child in
          Active(state: Int(child.state), branch: active.branch ?? branch(of: Int(child.slot), in: active.state))
        }
      }
      self.enter(value.place + [token], actives.distinct, comparison: inner)
    }
    var names: [String] = []
    var known: Set<ExactText> = []
    for active in value.actives {
      for name in program.memberNames(of: active.state) where known.insert(ExactText(name)).inserted { names.append(name) }
    }
    for name in names { enter(name) { state, index in members(named: name, of: state, index) } }
    enter("*") { state, _ in members(named: nil, of: state) }
    let prefix = value.actives.map { Int(program.states[$0.state].prefixItems.count) }.max() ?? 0
    for index in 0..<prefix { enter(String(index)) { state, _ in items(of: state, at: index) } }
    enter("*") { state, _ in children(state.items) }
  }

  func children(_ range: RuleProgram.Range32) -> [RuleProgram.Child] { range.indices.map { program.children[$0] } }

  private func items(of state: RuleProgram.State, at index: Int) -> [RuleProgram.Child] {
    children(index < Int(state.prefixItems.count) ? program.itemRanges[Int(state.prefixItems.start) + index] : state.items)
  }

  private func members(named name: String, of state: RuleProgram.State, _ index: Int) -> [RuleProgram.Child] {
    let entry = ByteView.with(name) { program.member(named: $0, keyTable: state.keyTable, keyMask: state.keyMask) }
    return entry >= 0 ? children(program.members[entry].children) : members(named: name, of: state)
  }

  /// Returns the children for members that are not in the state's table. Without a name: all that may apply to any name.
  private func members(named name: String?, of state: RuleProgram.State) -> [RuleProgram.Child] {
    var result = children(state.otherMembers)
    var matched: Set<Int32> = []
    for row in state.patternRows.indices.map({ program.patternRows[$0] }) where row.child.state >= 0 {
      guard let name else {
        result.append(row.child)
        continue
      }
      if row.pattern < 0 {
        if !matched.contains(row.group) { result.append(row.child) }
        continue
      }
      let pattern = program.constants.patterns[Int(program.statePatterns[Int(state.patterns.start + row.pattern)])]
      if ByteView.with(name, { matcher.match(pattern, in: $0) == .match }) {
        matched.insert(row.group)
        result.append(row.child)
      }
    }
    for row in state.patternCovers.indices {
      var child = program.patternCovers[row].child
      child.slot = program.slotTable[Int(program.patternCovers[row].slots.start)]
      result.append(child)
    }
    return result
  }

  // MARK: Arrays

  private mutating func addCollection(_ value: Value) {
    guard value.actives.contains(where: { looksIntoArrays($0.state) }),
      !value.actives.contains(where: {
        $0.branch == nil && (program.states[$0.state].describesObjects || isRefused(.array, $0.state))
      })
    else { return }
    let place = value.place.pointer
    guard knownCollections.insert(place).inserted else { return }
    collections.append(RuleCost.Collection(place: place, obstacle: obstacle(of: value)))
  }

  private func looksIntoArrays(_ index: Int) -> Bool {
    let state = program.states[index]
    if state.items.count > 0 || state.prefixItems.count > 0 || state.contains.count > 0 || state.uniqueRules.count > 0 {
      return true
    }
    return state.plan >= 0 || isRefused(.object, index) && !isRefused(.array, index)
  }

  /// Returns true if no value of that kind can be valid.
  private func isRefused(_ kind: ValueKind, _ state: Int) -> Bool {
    program.checkRanges[state * 6 + kind.rawValue].indices.contains {
      program.checks[$0].operation == .never && program.checks[$0].slot == 0
    }
  }

  private func obstacle(of value: Value) -> RuleCost.Obstacle? {
    if let origin = value.comparison ?? comparison(by: value.actives, includesItems: false) {
      return RuleCost.Obstacle(reason: .comparison, origin: origin)
    }
    // This flag of the program decides, as it does for evaluation. The rest only finds the reason.
    for active in value.actives where program.states[active.state].decidesBranches {
      if let branch = active.branch { return branch }
      let state = program.states[active.state]
      if let row = state.contains.indices.first { return obstacle(.counts, program.contains[row].rule) }
      for row in state.uniqueRules.indices where program.uniqueRules[row].step < 0 {
        return obstacle(.uniqueItems, program.uniqueRules[row].rule)
      }
      let ranges = [state.items] + state.prefixItems.indices.map { program.itemRanges[$0] }
      for child in ranges.flatMap(children) where child.slot != 0 { return branch(of: Int(child.slot), in: active.state) }
    }
    return nil
  }

  private func obstacle(_ reason: RuleCost.Obstacle.Reason, _ rule: Int32) -> RuleCost.Obstacle {
    RuleCost.Obstacle(reason: reason, origin: origin(of: rule))
  }

  /// Returns the rule that requires digests of arrays or objects, including rules about their items on request.
  private func comparison(by actives: [Active], includesItems: Bool) -> RuleCost.Origin? {
    for active in actives {
      let state = program.states[active.state]
      for row in state.endChecks.indices where program.endChecks[row].kind == .containerAmong {
        return origin(of: program.endChecks[row].rule)
      }
      if includesItems, let row = state.uniqueRules.indices.first { return origin(of: program.uniqueRules[row].rule) }
    }
    return nil
  }

  func origin(of rule: Int32) -> RuleCost.Origin {
    guard rule >= 0 else { return RuleCost.Origin(location: "", line: 1) }
    return RuleCost.Origin(location: program.rules[Int(rule)].pointer, line: program.rules[Int(rule)].line)
  }

  // MARK: Branches

  /// Returns the keyword that a state's slot is a branch of, or `nil` for slot 0.
  private func branch(of slot: Int, in index: Int) -> RuleCost.Obstacle? {
    let state = program.states[index]
    var slot = slot
    while slot != 0 {
      for row in state.resolutions.indices.map({ program.resolutions[$0] }) {
        if row.kind == .unevaluated {
          if row.branches.indices.contains(where: { Int(program.uncovered[$0].slot) == slot }) {
            return obstacle(.unevaluated, row.rule)
          }
        } else if row.branches.indices.contains(where: { Int(program.branches[$0]) == slot }) {
          return obstacle(.branch, row.rule)
        }
      }
      for row in state.contains.indices where Int(program.contains[row].slot) == slot {
        return obstacle(.counts, program.contains[row].rule)
      }
      for row in state.itemCovers.indices where Int(program.itemCovers[row].slot) == slot {
        if let rule = state.resolutions.indices.map({ program.resolutions[$0] }).first(where: { $0.kind == .unevaluated }) {
          return obstacle(.unevaluated, rule.rule)
        }
      }
      if state.recordPlan >= 0 {
        for step in program.plans[Int(state.recordPlan)].steps.indices where Int(program.steps[step].condition) == slot {
          return obstacle(.branch, program.steps[step].rule)
        }
      }
      slot = Int(program.slots[Int(state.slots.start) + slot].parent)
    }
    return nil
  }
}

extension [CostSurvey.Active] {
  /// The states without duplicates. If a state is active both inside and outside a branch, the branch is kept.
  fileprivate var distinct: Self {
    var known: [Int: Int] = [:]
    var result: Self = []
    for active in self {
      if let place = known[active.state] {
        if active.branch != nil { result[place].branch = active.branch }
      } else {
        known[active.state] = result.count
        result.append(active)
      }
    }
    return result
  }
}

extension [String] {
  fileprivate var pointer: String { map { "/" + $0.pointerToken }.joined() }
}

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
