import ByteStreams

/// Children for an array's items. Each of the first items may have its own.
extension RuleCompiler {
  func addItems(to draft: StateDraft) throws(CofferError) {
    let node = draft.key.location >= 0 ? locations.nodes[draft.key.location] : nil
    let place = node?.children[ExactText("*")] ?? -1
    let plan = try recordPlan(of: draft, node: node)
    draft.plan = plan
    let recordPlan = plan.map { builder.plans[$0].hasRecords ? $0 : -1 } ?? -1
    let prefix = draft.itemRules.map(\.prefix.count).max() ?? 0
    let covers = try itemCovers(of: draft)
    var children: [[StateDraft.Child]] = []
    for index in 0...prefix {
      children.append(try items(of: draft, at: index, place, recordPlan, covers))
    }
    draft.itemChildren = children
    try addItemCovers(to: draft, covers)
  }

  private func items(
    of draft: StateDraft, at index: Int, _ place: Int, _ recordPlan: Int, _ covers: [Int: UInt16]
  ) throws(CofferError) -> [StateDraft.Child] {
    var children: [StateDraft.Child] = []
    var (place, recordPlan) = (place, recordPlan)
    for rule in draft.itemRules + draft.contains.map(\.rule) {
      guard let schema = rule.schema(at: index) else { continue }
      let isFirst = rule.slot == 0
      let child = try child(
        of: draft, slot: rule.slot, schema: schema, scope: rule.scope, location: isFirst ? place : -1,
        recordPlan: isFirst ? recordPlan : -1)
      if let child { children.append(child) }
      if isFirst { (place, recordPlan) = (-1, -1) }
    }
    for number in draft.unevaluated.indices where draft.unevaluated[number].concernsItems {
      guard let slots = coverSlots(of: number, in: draft, at: index) else { continue }
      if let slot = covers[number] {
        let rule = draft.unevaluated[number]
        if let child = try child(of: draft, slot: slot, schema: rule.schema, scope: rule.scope) { children.append(child) }
      } else if let child = try uncoveredChild(of: draft, number, slots) {
        children.append(child)
      }
    }
    if place >= 0 || recordPlan >= 0,
      let child = try child(of: draft, slot: 0, schema: -1, location: place, recordPlan: recordPlan)
    {
      children.append(child)
    }
    for root in draft.roots { try addPlace("*", from: root, of: draft, to: &children) }
    return children
  }

  // MARK: Unevaluated items

  /// Returns the slots of the branches that evaluate the item if they hold, or `nil` if it is always evaluated.
  private func coverSlots(of number: Int, in draft: StateDraft, at index: Int) -> [UInt16]? {
    let rule = draft.unevaluated[number]
    var slots: Set<UInt16> = []
    for cover in rule.covers {
      switch cover {
      case .items(let item) where draft.itemRules[item].schema(at: index) != nil: slots.insert(draft.itemRules[item].slot)
      case .unevaluated(let other) where draft.unevaluated[other].concernsItems: slots.insert(draft.unevaluated[other].slot)
      default: break
      }
    }
    return slots.contains(rule.slot) ? nil : slots.sorted()
  }

  /// Returns, by rule number, the slots that items first fail for an `unevaluatedItems` if a `contains` may still evaluate them.
  private func itemCovers(of draft: StateDraft) throws(CofferError) -> [Int: UInt16] {
    var slots: [Int: UInt16] = [:]
    for number in draft.unevaluated.indices where draft.unevaluated[number].concernsItems {
      let rule = draft.unevaluated[number]
      if containsCovers(of: rule, in: draft).isEmpty { continue }
      slots[number] = draft.addSlot(parent: rule.slot, isMute: draft.isMute(rule.slot))
    }
    return slots
  }

  private func containsCovers(of rule: StateDraft.UnevaluatedRule, in draft: StateDraft) -> [Int] {
    var counters: [Int] = []
    for case .contains(let counter) in rule.covers where draft.contains[counter].evaluates { counters.append(counter) }
    return counters.sorted()
  }

  private func addItemCovers(to draft: StateDraft, _ covers: [Int: UInt16]) throws(CofferError) {
    for (number, slot) in covers.sorted(by: { $0.key < $1.key }) {
      let rule = draft.unevaluated[number]
      let counters = containsCovers(of: rule, in: draft)
      let always = counters.filter { draft.contains[$0].slot == rule.slot }
      let bits = Dictionary(grouping: counters.filter { draft.contains[$0].slot != rule.slot }) { draft.contains[$0].slot }
      guard bits.count <= Self.conditionLimit else {
        throw rule.keyword.origin.error(
          "\(rule.keyword.name) applies to more than \(Self.conditionLimit) branches with contains")
      }
      let branches = bits.keys.sorted()
      var table: [UInt16] = []
      for index in draft.itemChildren.indices {
        let base = coverSlots(of: number, in: draft, at: index)
        for mask in 0..<1 << branches.count {
          let matched = branches.indices.filter { mask >> $0 & 1 == 1 }.map { branches[$0] }
          table.append(
            try base.map { base throws(CofferError) in
              try uncoveredSlot(of: number, in: draft, Set(base + matched).sorted())
            } ?? rule.slot)
        }
      }
      draft.itemCovers.append(
        RuleProgram.ItemCover(
          slot: slot, always: tests(always.map(Int32.init)), bits: joined(branches.map { (bits[$0] ?? []).map(Int32.init) }),
          slots: ProgramBuilder.append(table, to: &builder.slotTable), width: Int32(1 << branches.count)))
    }
  }
}
