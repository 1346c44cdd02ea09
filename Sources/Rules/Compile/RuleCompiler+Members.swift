import ByteStreams
import JSONEvents

/// Children for an object's members: by table for names in the rules, by pattern for all others.
extension RuleCompiler {
  func addMembers(to draft: StateDraft) throws(CofferError) {
    for rule in draft.memberRules { for name in rule.names { draft.addName(name) } }
    if draft.key.location >= 0 {
      for name in locations.nodes[draft.key.location].names { draft.addName(name) }
    }
    for root in draft.roots { for name in locations.nodes[root].names { draft.addName(name) } }
    for name in draft.memberNames { try addChildren(of: draft, named: name) }
    guard draft.hasNoPatterns else { return }
    var roles = memberRoles(of: draft)
    for rule in draft.memberRules {
      guard let schema = rule.additional else { continue }
      let role = roles.next(inSlot: rule.slot)
      let child = try child(
        of: draft, slot: rule.slot, schema: schema, scope: rule.scope, location: role.location, recordPlan: role.recordPlan)
      if let child { draft.otherChildren.append(child) }
    }
    for index in draft.unevaluated.indices where !draft.unevaluated[index].concernsItems {
      let covers = coverSlots(of: index, in: draft, draft.memberRules.indices) { $0.additional != nil }
      if let child = try uncoveredChild(of: draft, index, covers) { draft.otherChildren.append(child) }
    }
    draft.otherChildren += try children(of: draft, for: roles)
    for root in draft.roots { try addPlace("*", from: root, of: draft, to: &draft.otherChildren) }
  }

  /// What a member or an item is apart from the schemas that describe it: places that others refer to, and a record. The first schema that
  /// always applies to it gets the first role, because one state then does for both.
  private struct Roles {
    var locations: [Int]
    var recordPlan: Int

    /// Removes and returns the roles for the state of a schema.
    mutating func next(inSlot slot: UInt16) -> (location: Int, recordPlan: Int) {
      guard slot == 0 else { return (-1, -1) }
      let role = (locations.isEmpty ? -1 : locations.removeFirst(), recordPlan)
      recordPlan = -1
      return role
    }
  }

  /// Returns the roles of a member; of one that isn't named if there is no name.
  private func memberRoles(of draft: StateDraft, named name: String? = nil) -> Roles {
    let node = draft.key.location >= 0 ? locations.nodes[draft.key.location] : nil
    let own = name.flatMap { $0 == "*" ? nil : node?.children[ExactText($0)] }
    let each = node?.children[ExactText("*")]
    return Roles(
      locations: [own, each].compactMap(\.self), recordPlan: draft.refuses(.object) ? -1 : draft.planOfRecords)
  }

  /// Returns children for the roles that no schema's state has.
  private func children(of draft: StateDraft, for roles: Roles, token: String = "*") throws(CofferError) -> [StateDraft.Child] {
    var roles = roles
    var children: [StateDraft.Child] = []
    while !roles.locations.isEmpty || roles.recordPlan >= 0 {
      let role = roles.next(inSlot: 0)
      let child = try child(
        of: draft, slot: 0, schema: -1, location: role.location, recordPlan: role.recordPlan, token: token)
      if let child { children.append(child) }
    }
    return children
  }

  /// Sets the children for members of one name.
  func addChildren(of draft: StateDraft, named name: String) throws(CofferError) {
    var children: [StateDraft.Child] = []
    var roles = memberRoles(of: draft, named: name)
    let rules = draft.memberRules(concerning: name)
    for rule in rules.map({ draft.memberRules[$0] }) {
      for schema in rule.schemas(for: name, matcher) {
        let role = roles.next(inSlot: rule.slot)
        let child = try child(
          of: draft, slot: rule.slot, schema: schema, scope: rule.scope, location: role.location, recordPlan: role.recordPlan,
          token: name)
        if let child { children.append(child) }
      }
    }
    for index in draft.unevaluated.indices where !draft.unevaluated[index].concernsItems {
      let covers = coverSlots(of: index, in: draft, rules) { !$0.schemas(for: name, matcher).isEmpty }
      if let child = try uncoveredChild(of: draft, index, covers) { children.append(child) }
    }
    children += try self.children(of: draft, for: roles, token: name)
    for root in draft.roots { try addPlaces(name, from: root, of: draft, to: &children) }
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

  /// Returns the slot for each combination of branches that match, as the bits of an index.
  ///
  /// - Parameter base: the branches that could have evaluated the values anyway, or `nil` if they are always evaluated.
  private func slotTable(
    of index: Int, in draft: StateDraft, _ base: [UInt16]?, _ branches: [UInt16]
  ) throws(CofferError) -> [UInt16] {
    var table: [UInt16] = []
    for mask in 0..<1 << branches.count {
      let matched = branches.indices.filter { mask >> $0 & 1 == 1 }.map { branches[$0] }
      let covers = base.map { Set($0 + matched).sorted() }
      table.append(
        try covers.map { covers throws(CofferError) in try uncoveredSlot(of: index, in: draft, covers) }
          ?? draft.unevaluated[index].slot)
    }
    return table
  }

  // MARK: Names that only patterns know

  /// The maximum number of branches with patterns per `unevaluated…`: each combination needs a slot.
  static let conditionLimit = 8

  func addPatterns(to draft: StateDraft) throws(CofferError) {
    if draft.hasNoPatterns { return }
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
    var others = try children(of: draft, for: memberRoles(of: draft))
    for root in draft.roots { try addPlace("*", from: root, of: draft, to: &others) }
    for child in others { draft.addPatternRow(child) }
  }

  private func patternCover(
    of index: Int, in draft: StateDraft, _ number: (Pattern) -> Int32
  ) throws(CofferError) -> (child: StateDraft.Child, row: RuleProgram.PatternCover)? {
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
    let table = try slotTable(of: index, in: draft, base, slots)
    guard let child = try child(of: draft, slot: rule.slot, schema: rule.schema, scope: rule.scope) else { return nil }
    // The row gets its child when all states are known.
    let row = RuleProgram.PatternCover(
      child: .none, always: tests(always), bits: joined(slots.map { bits[$0] ?? [] }),
      slots: ProgramBuilder.append(table, to: &builder.slotTable))
    return (child, row)
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

/// Children for an array's items. Each of the first items may have its own.
extension RuleCompiler {
  func addItems(to draft: StateDraft) throws(CofferError) {
    let node = draft.key.location >= 0 ? locations.nodes[draft.key.location] : nil
    let roles = Roles(
      locations: [node?.children[ExactText("*")], node?.items].compactMap(\.self), recordPlan: draft.planOfRecords)
    let prefix = draft.itemRules.map(\.prefix.count).max() ?? 0
    let covers = try itemCovers(of: draft)
    var children: [[StateDraft.Child]] = []
    for index in 0...prefix {
      children.append(try items(of: draft, at: index, roles, covers))
    }
    draft.itemChildren = children
    try addItemCovers(to: draft, covers)
  }

  private func items(
    of draft: StateDraft, at index: Int, _ roles: Roles, _ covers: [Int: UInt16]
  ) throws(CofferError) -> [StateDraft.Child] {
    var children: [StateDraft.Child] = []
    var roles = roles
    for rule in draft.itemRules + draft.contains.map(\.rule) {
      guard let schema = rule.schema(at: index) else { continue }
      let role = roles.next(inSlot: rule.slot)
      let child = try child(
        of: draft, slot: rule.slot, schema: schema, scope: rule.scope, location: role.location, recordPlan: role.recordPlan)
      if let child { children.append(child) }
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
    children += try self.children(of: draft, for: roles)
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
        table += try slotTable(of: number, in: draft, coverSlots(of: number, in: draft, at: index), branches)
      }
      draft.itemCovers.append(
        RuleProgram.ItemCover(
          slot: slot, always: tests(always.map(Int32.init)), bits: joined(branches.map { (bits[$0] ?? []).map(Int32.init) }),
          slots: ProgramBuilder.append(table, to: &builder.slotTable), width: Int32(1 << branches.count)))
    }
  }
}

/// Lookups in the containers around a value: fields that they keep, and places below them that they watch.
extension RuleCompiler {
  func placeLookups(of draft: StateDraft) throws(CofferError) {
    for lookup in draft.dataLookups {
      guard case .ancestor(let levels, let field) = lookup.reference.origin else {
        if lookup.slot != 0 || draft.key.isConditional { throw conditional(lookup.keyword, lookup.reference.text) }
        continue
      }
      for holder in try holders(of: draft, levels, lookup.slot, lookup.keyword, lookup.reference.text) {
        if holder.addName(field) { try addChildren(of: holder, named: field) }
        if !holder.cells.contains(where: { ExactText($0) == ExactText(field) }) { holder.cells.append(field) }
      }
    }
    for lookup in draft.aggregateLookups {
      guard let root = locations.aggregateRoots[lookup.number] else {
        if lookup.slot != 0 || draft.key.isConditional { throw conditional(lookup.keyword, "") }
        continue
      }
      for holder in try holders(of: draft, lookup.levels, lookup.slot, lookup.keyword, "") {
        if !holder.aggregates.contains(lookup.number) { holder.aggregates.append(lookup.number) }
        try attach(root, to: holder)
      }
    }
    for lookup in draft.keyLookups {
      // A field's first container is the record, its second is this array.
      let holders = lookup.levels == 2 ? [draft] : try holders(of: draft, lookup.levels - 2, 0, lookup.keyword, "")
      for holder in holders { try attach(lookup.root, to: holder) }
    }
  }

  /// Rejects keys that look up a container that can't exist, above all records that the rules reach.
  func checkKeyLookups(of draft: StateDraft) throws(CofferError) {
    for lookup in draft.keyLookups where !attachedRoots.contains(lookup.root) {
      throw lookup.keyword.origin.error("there is no container \(lookup.levels) levels above a field of these records")
    }
  }

  /// Returns the states of the container that many levels above a state's value.
  private func holders(
    of draft: StateDraft, _ levels: Int, _ slot: UInt16, _ keyword: Schema.Keyword, _ text: String
  ) throws(CofferError) -> [StateDraft] {
    if slot != 0 { throw conditional(keyword, text) }
    var holders: [ObjectIdentifier: StateDraft] = [:]
    for parent in outer(draft) { holders[ObjectIdentifier(parent.state)] = parent.state }
    for _ in 1..<max(1, levels) {
      var next: [ObjectIdentifier: StateDraft] = [:]
      for holder in holders.values {
        for parent in outer(holder) {
          // A branch below the holder would be decided before the requested value is known.
          if parent.slot != 0 { throw conditional(keyword, text) }
          next[ObjectIdentifier(parent.state)] = parent.state
        }
      }
      holders = next
    }
    return holders.values.sorted { $0.index < $1.index }
  }

  /// Returns the parents of a state in the same document.
  private func outer(_ draft: StateDraft) -> [StateDraft.Child] {
    draft.parents.filter { $0.state.key.schema != documentsSchema }
  }

  private func conditional(_ keyword: Schema.Keyword, _ text: String) -> CofferError {
    let name = text.isEmpty ? keyword.name : "$data '\(text)'"
    return keyword.origin.error("\(name) refers out of an anyOf, oneOf, not or if that is decided before that value is known")
  }

  // MARK: Places that are counted from a container

  /// Watches the values below a container in the places of a tree.
  private func attach(_ root: Int, to holder: StateDraft) throws(CofferError) {
    if holder.roots.contains(root) { return }
    attachedRoots.insert(root)
    holder.roots.append(root)
    let known = holder.memberNames
    for name in locations.nodes[root].names where holder.addName(name) { try addChildren(of: holder, named: name) }
    for name in known {
      var children = holder.children(named: name)
      try addPlaces(name, from: root, of: holder, to: &children)
      holder.setChildren(children, named: name)
    }
    var others: [StateDraft.Child] = []
    try addPlace("*", from: root, of: holder, to: &others)
    if holder.hasNoPatterns { holder.otherChildren += others } else { for child in others { holder.addPatternRow(child) } }
    for index in holder.itemChildren.indices { try addPlace("*", from: root, of: holder, to: &holder.itemChildren[index]) }
  }

  /// Adds the children for the places that a tree has below `holder`: one of that name, and one for each member.
  private func addPlaces(
    _ name: String, from root: Int, of holder: StateDraft, to children: inout [StateDraft.Child]
  ) throws(CofferError) {
    if name != "*" { try addPlace(name, from: root, of: holder, to: &children) }
    try addPlace("*", from: root, of: holder, to: &children, token: name)
  }

  /// Adds the child for a place that a tree has below `holder`, if there is one of that name.
  private func addPlace(
    _ name: String, from root: Int, of holder: StateDraft, to children: inout [StateDraft.Child], token: String? = nil
  ) throws(CofferError) {
    guard let place = locations.nodes[root].children[ExactText(name)] else { return }
    if let child = try child(of: holder, slot: 0, schema: -1, location: place, token: token ?? name) { children.append(child) }
  }

  func addActions(_ actions: [RuleProgram.PlaceAction], to draft: StateDraft) {
    for action in actions {
      builder.placeActions.append(action)
      let check = RuleProgram.Check(operation: .place, slot: 0, operand: Int32(builder.placeActions.count - 1), rule: 0)
      for kind in action.kind.kinds where action.kind != .noItems || !draft.refuses(kind) {
        draft.checks[kind.rawValue].append(check)
      }
    }
  }
}
