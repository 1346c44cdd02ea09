import ByteStreams

/// Children for an object's members: by table for names in the rules, by pattern for all others.
extension RuleCompiler {
  func addMembers(to draft: StateDraft) throws(CofferError) {
    for rule in draft.memberRules { for name in rule.names { draft.addName(name) } }
    if draft.key.location >= 0 {
      for name in locations.nodes[draft.key.location].names { draft.addName(name) }
    }
    for root in draft.roots { for name in locations.nodes[root].names { draft.addName(name) } }
    for name in draft.memberNames { try addChildren(of: draft, named: name) }
    guard draft.memberRules.allSatisfy(\.patterns.isEmpty) else { return }
    for rule in draft.memberRules {
      guard let schema = rule.additional else { continue }
      if let child = try child(of: draft, slot: rule.slot, schema: schema, scope: rule.scope) {
        draft.otherChildren.append(child)
      }
    }
    for index in draft.unevaluated.indices where !draft.unevaluated[index].concernsItems {
      let covers = coverSlots(of: index, in: draft, draft.memberRules.indices) { $0.additional != nil }
      if let child = try uncoveredChild(of: draft, index, covers) { draft.otherChildren.append(child) }
    }
  }

  /// Sets the children for members of one name.
  func addChildren(of draft: StateDraft, named name: String) throws(CofferError) {
    var children: [StateDraft.Child] = []
    var place = draft.key.location >= 0 ? locations.nodes[draft.key.location].children[ExactText(name)] ?? -1 : -1
    let rules = draft.memberRules(concerning: name)
    for rule in rules.map({ draft.memberRules[$0] }) {
      for schema in rule.schemas(for: name, matcher) {
        let location = rule.slot == 0 ? place : -1
        guard
          let child = try child(of: draft, slot: rule.slot, schema: schema, scope: rule.scope, location: location, token: name)
        else {
          continue
        }
        children.append(child)
        if location >= 0 { place = -1 }
      }
    }
    for index in draft.unevaluated.indices where !draft.unevaluated[index].concernsItems {
      let covers = coverSlots(of: index, in: draft, rules) { !$0.schemas(for: name, matcher).isEmpty }
      if let child = try uncoveredChild(of: draft, index, covers) { children.append(child) }
    }
    if place >= 0, let child = try child(of: draft, slot: 0, schema: -1, location: place, token: name) { children.append(child) }
    for root in draft.roots { try addPlace(name, from: root, of: draft, to: &children) }
    draft.setChildren(children, named: name)
  }

  // MARK: Unevaluated members

  /// Returns the slots of the branches that evaluate a member if they hold, or `nil` if it is always evaluated.
  private func coverSlots(
    of index: Int, in draft: StateDraft, _ members: some Sequence<Int>, _ evaluates: (StateDraft.MemberRule) -> Bool
  ) -> [UInt16]? {
    let rule = draft.unevaluated[index]
    var slots: Set<UInt16> = []
    for member in members where rule.covers.contains(.members(member)) && evaluates(draft.memberRules[member]) {
      slots.insert(draft.memberRules[member].slot)
    }
    for (other, unevaluated) in draft.unevaluated.enumerated() where !unevaluated.concernsItems {
      if rule.covers.contains(.unevaluated(other)) { slots.insert(unevaluated.slot) }
    }
    return slots.contains(rule.slot) ? nil : slots.sorted()
  }

  /// Returns the child for `unevaluated…` if only these branches may have evaluated the value.
  func uncoveredChild(
    of draft: StateDraft, _ index: Int, _ covers: [UInt16]?
  ) throws(CofferError) -> StateDraft.Child? {
    guard let covers else { return nil }
    let rule = draft.unevaluated[index]
    return try child(of: draft, slot: try uncoveredSlot(of: index, in: draft, covers), schema: rule.schema, scope: rule.scope)
  }

  /// Returns the slot for failures of values that these branches, and no others, could have evaluated.
  func uncoveredSlot(of index: Int, in draft: StateDraft, _ covers: [UInt16]) throws(CofferError) -> UInt16 {
    let rule = draft.unevaluated[index]
    if covers.isEmpty { return rule.slot }
    if let known = rule.uncovered.first(where: { $0.covers == covers }) { return known.slot }
    guard draft.slots.count < 60_000 else { throw rule.keyword.origin.error("too many combinations of branches here") }
    let slot = draft.addSlot(parent: rule.slot, isMute: draft.isMute(rule.slot))
    draft.unevaluated[index].uncovered.append((covers, slot))
    return slot
  }

  // MARK: Names that only patterns know

  /// The maximum number of branches with patterns per `unevaluated…`: each combination needs a slot.
  static let conditionLimit = 8

  func addPatterns(to draft: StateDraft) throws(CofferError) {
    if draft.memberRules.allSatisfy(\.patterns.isEmpty) { return }
    var numbers: [ExactText: Int32] = [:]
    func number(of pattern: Pattern) -> Int32 {
      if let known = numbers[ExactText(pattern.source)] { return known }
      let number = Int32(draft.patterns.count)
      numbers[ExactText(pattern.source)] = number
      draft.patterns.append(pattern)
      return number
    }
    for (group, rule) in draft.memberRules.enumerated() {
      func add(_ pattern: Int32, _ schema: Int) throws(CofferError) {
        draft.patternRows.append(
          (Int32(group), pattern, try child(of: draft, slot: rule.slot, schema: schema, scope: rule.scope)))
      }
      for (pattern, schema) in rule.patterns { try add(number(of: pattern), schema) }
      if let schema = rule.additional { try add(-1, schema) }
    }
    for index in draft.unevaluated.indices where !draft.unevaluated[index].concernsItems {
      if let cover = try patternCover(of: index, in: draft, number) { draft.patternCovers.append(cover) }
    }
  }

  private func patternCover(
    of index: Int, in draft: StateDraft, _ number: (Pattern) -> Int32
  ) throws(CofferError) -> StateDraft.PatternCover? {
    guard let base = coverSlots(of: index, in: draft, draft.memberRules.indices, { $0.additional != nil }) else { return nil }
    let rule = draft.unevaluated[index]
    var always: [Int32] = []
    var bits: [UInt16: [Int32]] = [:]
    // In the order of the rules: that of a set's members differs from one process to another.
    for member in draft.memberRules.indices where rule.covers.contains(.members(member)) {
      let members = draft.memberRules[member]
      let numbers = members.patterns.map { number($0.pattern) }
      if members.slot == rule.slot {
        always += numbers
      } else if !numbers.isEmpty, !base.contains(members.slot) {
        bits[members.slot, default: []] += numbers
      }
    }
    guard bits.count <= Self.conditionLimit else {
      throw rule.keyword.origin.error(
        "\(rule.keyword.name) applies to more than \(Self.conditionLimit) branches with patternProperties")
    }
    let slots = bits.keys.sorted()
    var table: [UInt16] = []
    for mask in 0..<1 << slots.count {
      let matched = slots.indices.filter { mask >> $0 & 1 == 1 }.map { slots[$0] }
      table.append(try uncoveredSlot(of: index, in: draft, (base + matched).sorted()))
    }
    guard let child = try child(of: draft, slot: rule.slot, schema: rule.schema, scope: rule.scope) else { return nil }
    return StateDraft.PatternCover(
      child: child, always: tests(always), bits: joined(slots.map { bits[$0] ?? [] }),
      slots: ProgramBuilder.append(table, to: &builder.slotTable))
  }

  func tests(_ numbers: [Int32]) -> RuleProgram.Range32 {
    ProgramBuilder.append(numbers.map { RuleProgram.PatternTest(pattern: $0, isLast: false) }, to: &builder.patternTests)
  }

  /// Returns one run of tests for each bit of an index.
  func joined(_ runs: [[Int32]]) -> RuleProgram.Range32 {
    let rows = runs.flatMap { run in
      run.enumerated().map { RuleProgram.PatternTest(pattern: $1, isLast: $0 == run.count - 1) }
    }
    return ProgramBuilder.append(rows, to: &builder.patternTests)
  }
}
