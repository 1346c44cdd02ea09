import Findings
import JSONEvents

extension RuleDocument {
  /// Compiles the document: once, to evaluate any number of streams with it.
  ///
  /// - Throws: `RuleCompileError` for rules that refer to each other without end, or ask for what can't be decided in a stream.
  public func compiled() throws(RuleCompileError) -> RuleProgram {
    try RuleCompiler(self).compile()
  }
}

/// Builds states from schemas: first all drafts, from the root on, then the fields that `$data` needs, then the tables.
final class RuleCompiler {
  let schemas: [Schema]
  private let rootSchema: Int
  var builder = ProgramBuilder()
  var locations: LocationTree
  private var drafts: [StateDraft.Key: StateDraft] = [:]
  private var order: [StateDraft] = []
  private var unexpanded: [StateDraft] = []
  /// A state may combine at most so many schemas; nested `anyOf`s over shared definitions could ask for exponentially many.
  private static let stateSizeLimit = 20_000

  init(_ document: RuleDocument) {
    schemas = document.schemas
    rootSchema = document.root
    locations = LocationTree(document.schemas)
    if let pointer = document.versionPointer { builder.versionCell = Int32(locations.cell(at: pointer)) }
  }

  func compile() throws(RuleCompileError) -> RuleProgram {
    let key = StateDraft.Key(
      schema: rootSchema, location: locations.isEmpty ? -1 : 0, recordPlan: -1, isConditional: false)
    let root = draft(key)
    while let draft = unexpanded.popLast() { try expand(draft) }
    for draft in order { try placeCells(for: draft) }
    for draft in order { emit(draft) }
    builder.keySetCount = locations.keySetCount
    builder.countNames = locations.countNames
    builder.globalCellCount = locations.cellCount
    let rootChild = ProgramBuilder.append([Self.row((root, 0))], to: &builder.children)
    return RuleProgram(builder, root: rootChild)
  }

  /// The draft of a state, begun if it is new.
  private func draft(_ key: StateDraft.Key) -> StateDraft {
    if let known = drafts[key] { return known }
    let draft = StateDraft(index: order.count, key: key)
    drafts[key] = draft
    order.append(draft)
    unexpanded.append(draft)
    return draft
  }

  /// The child that judges a value by `schema`; `nil` where nothing is asked of it.
  private func child(
    of parent: StateDraft, slot: UInt16, schema: Int, location: Int = -1, recordPlan: Int = -1
  ) -> StateDraft.Child? {
    let asksNothing = schema < 0 || schemas[schema].keywords.isEmpty
    if asksNothing, location < 0, recordPlan < 0 { return nil }
    let key = StateDraft.Key(
      schema: asksNothing ? -1 : schema, location: location, recordPlan: recordPlan,
      isConditional: parent.key.isConditional || slot != 0)
    let state = draft(key)
    state.parents.append((parent, slot))
    return (state, slot)
  }

  // MARK: From a schema to a draft

  private func expand(_ draft: StateDraft) throws(RuleCompileError) {
    if draft.key.schema >= 0 { try add(schema: draft.key.schema, to: draft, slot: 0) }
    if draft.key.recordPlan >= 0 { try addConditions(ofPlan: draft.key.recordPlan, to: draft) }
    if draft.key.location >= 0 {
      let node = locations.nodes[draft.key.location]
      draft.countIndex = node.countIndex
      draft.globalCells = node.cells
      for name in node.cells.keys.sorted() { draft.addName(name) }
    }
    addMembers(to: draft)
    try addItems(to: draft)
  }

  /// Adds all that a schema asks of the value itself.
  private func add(schema index: Int, to draft: StateDraft, slot: UInt16) throws(RuleCompileError) {
    var adder = KeywordAdder(compiler: self, draft: draft, sizeLimit: Self.stateSizeLimit)
    try adder.add(schema: index, slot: slot)
  }

  private func addConditions(ofPlan plan: Int, to draft: StateDraft) throws(RuleCompileError) {
    draft.captures = builder.plans[plan].captureNames
    for name in draft.captures { draft.addName(name) }
    for (index, schema) in planConditions[plan, default: [:]].sorted(by: { $0.key < $1.key }) {
      let slot = draft.addSlot(parent: 0, isMute: true)
      try add(schema: schema, to: draft, slot: slot)
      builder.plans[plan].steps[index].condition = slot
    }
  }

  /// The schemas that steps of a plan are conditional on, by the step's index.
  private var planConditions: [Int: [Int: Int]] = [:]

  private func addMembers(to draft: StateDraft) {
    let node = draft.key.location >= 0 ? locations.nodes[draft.key.location] : nil
    for rule in draft.memberRules { for name in rule.names { draft.addName(name) } }
    let places = node?.children.filter { $0.key != "*" } ?? [:]
    for name in places.keys.sorted() { draft.addName(name) }
    for name in draft.memberNames {
      var children: [StateDraft.Child] = []
      var place = places[name] ?? -1
      for rule in draft.memberRules {
        guard let schema = rule.schemas[name] ?? rule.additional else { continue }
        let location = rule.slot == 0 ? place : -1
        guard let child = child(of: draft, slot: rule.slot, schema: schema, location: location) else { continue }
        children.append(child)
        if location >= 0 { place = -1 }
      }
      if place >= 0, let child = child(of: draft, slot: 0, schema: -1, location: place) { children.append(child) }
      draft.memberChildren[name] = children
    }
    for rule in draft.memberRules {
      if let schema = rule.additional, let child = child(of: draft, slot: rule.slot, schema: schema) {
        draft.otherChildren.append(child)
      }
    }
  }

  private func addItems(to draft: StateDraft) throws(RuleCompileError) {
    let node = draft.key.location >= 0 ? locations.nodes[draft.key.location] : nil
    var place = node?.children["*"] ?? -1
    var plan = try recordPlan(of: draft, node: node) ?? -1
    if plan >= 0 { draft.plan = plan }
    for rule in draft.itemRules {
      let isFirst = rule.slot == 0
      let child = child(
        of: draft, slot: rule.slot, schema: rule.schema, location: isFirst ? place : -1, recordPlan: isFirst ? plan : -1)
      if let child { draft.itemChildren.append(child) }
      if isFirst {
        place = -1
        plan = -1
      }
    }
    if place >= 0 || plan >= 0, let child = child(of: draft, slot: 0, schema: -1, location: place, recordPlan: plan) {
      draft.itemChildren.append(child)
    }
  }

  // MARK: Keys of records

  private func recordPlan(of draft: StateDraft, node: LocationTree.Node?) throws(RuleCompileError) -> Int? {
    var plan = PlanDraft()
    var conditions: [Int: Int] = [:]
    func capture(_ name: String) -> Int {
      if let index = plan.captureNames.firstIndex(of: name) { return index }
      plan.captureNames.append(name)
      return plan.captureNames.count - 1
    }
    var defined = node?.keySets ?? []
    var references: [(key: Schema.ForeignKey, step: Int)] = []
    for rule in draft.keyRules {
      switch rule.keyword.assertion {
      case .uniqueKey(let fields, let ignoresCase, let isPrimary):
        var step = PlanDraft.Step(
          kind: isPrimary ? .primaryKey : ignoresCase ? .foldedUniqueKey : .uniqueKey, fields: fields.map(capture),
          fieldNames: fields,
          keySet: plan.scopedSetCount, isScoped: true)
        step.rule = builder.addRule(rule.keyword, expectation: fields.joined(separator: ", "))
        step.findingCapture = step.fields[0]
        step.findingField = fields[0]
        // The set that references look into serves here too, if it is this array's alone.
        if !ignoresCase, node?.isSingle == true,
          let shared = defined.firstIndex(where: { $0.request == LocationTree.KeyRequest(fields: fields, whereSchema: nil) })
        {
          step.keySet = defined[shared].keySet
          step.isScoped = false
          defined.remove(at: shared)
        } else {
          plan.scopedSetCount += 1
        }
        plan.steps.append(step)
      case .foreignKey(let key):
        let resource = key.resource.map { "/" + $0.pointerToken }.joined()
        var step = PlanDraft.Step(
          kind: .reference, fields: key.fields.map(capture), fieldNames: key.fields,
          keySet: locations.keySet(of: key.request, in: key.resource), isScoped: false)
        step.rule = builder.addRule(rule.keyword, expectation: resource)
        step.resource = resource
        step.findingField = key.findingField
        step.findingCapture = capture(key.findingField)
        step.base = references.last { key.refines($0.key) }?.step ?? -1
        if let schema = key.whenSchema { conditions[plan.steps.count] = schema }
        references.append((key, plan.steps.count))
        plan.steps.append(step)
      default: preconditionFailure("not a rule about keys")
      }
    }
    for (request, keySet) in defined {
      let step = PlanDraft.Step(
        kind: .definition, fields: request.fields.map(capture), fieldNames: request.fields, keySet: keySet, isScoped: false)
      if let schema = request.whereSchema { conditions[plan.steps.count] = schema }
      plan.steps.append(step)
    }
    if plan.steps.isEmpty { return nil }
    builder.plans.append(plan)
    planConditions[builder.plans.count - 1] = conditions
    return builder.plans.count - 1
  }

  // MARK: Fields that $data names

  /// Has the objects around a state's value keep the fields that its checks compare with.
  private func placeCells(for draft: StateDraft) throws(RuleCompileError) {
    for lookup in draft.dataLookups {
      guard case .ancestor(let levels, let field) = lookup.reference.origin else {
        if lookup.slot != 0 || draft.key.isConditional { throw conditionalData(lookup) }
        continue
      }
      if lookup.slot != 0 { throw conditionalData(lookup) }
      var holders: [ObjectIdentifier: StateDraft] = [:]
      for (parent, _) in draft.parents { holders[ObjectIdentifier(parent)] = parent }
      for _ in 1..<levels {
        var next: [ObjectIdentifier: StateDraft] = [:]
        for holder in holders.values {
          for (parent, slot) in holder.parents {
            // A branch below the holder would be decided before the field is known.
            if slot != 0 { throw conditionalData(lookup) }
            next[ObjectIdentifier(parent)] = parent
          }
        }
        holders = next
      }
      for holder in holders.values {
        holder.addName(field)
        if !holder.cells.contains(field) { holder.cells.append(field) }
      }
    }
  }

  private func conditionalData(
    _ lookup: (reference: Schema.DataReference, slot: UInt16, keyword: Schema.Keyword)
  ) -> RuleCompileError {
    RuleCompileError(
      "$data '\(lookup.reference.text)' looks out of an anyOf, oneOf, not or if that is decided before that value is known",
      at: lookup.keyword.pointer, schemaPosition(of: lookup.keyword))
  }

  func schemaPosition(of keyword: Schema.Keyword) -> TextPosition {
    let holder = schemas.filter { keyword.pointer.hasPrefix($0.pointer) }.max { $0.pointer.count < $1.pointer.count }
    return holder?.position ?? TextPosition(offset: 0, line: 1, column: 1)
  }

  // MARK: From a draft to the tables

  private func emit(_ draft: StateDraft) {
    var state = RuleProgram.State()
    for checks in draft.checks { builder.checkRanges.append(ProgramBuilder.append(checks, to: &builder.checks)) }
    var required: [String: Int32] = [:]
    for (bit, name) in draft.requiredNames.enumerated() { required[name] = Int32(bit) }
    if !draft.memberNames.isEmpty {
      var entries: [(name: String, member: RuleProgram.Member)] = []
      for name in draft.memberNames {
        var member = RuleProgram.Member(word: 0, nameStart: 0, nameLength: 0)
        // A name that only `$data` or a key asks for is still one of the other members to every schema.
        var children = draft.memberChildren[name] ?? []
        if children.isEmpty, !draft.memberRules.contains(where: { $0.schemas[name] != nil }) { children = draft.otherChildren }
        member.children = ProgramBuilder.append(children.map(Self.row), to: &builder.children)
        member.requiredBit = required[name] ?? -1
        member.capture = draft.captures.firstIndex(of: name).map(Int32.init) ?? -1
        member.cell = draft.cells.firstIndex(of: name).map(Int32.init) ?? -1
        member.globalCell = draft.globalCells[name].map(Int32.init) ?? -1
        member.isKept = member.capture >= 0 || member.cell >= 0 || member.globalCell >= 0
        for (event, kind) in Self.scalarEvents where member.isKept || children.contains(where: { $0.state.tests(kind) }) {
          member.regardedKinds |= 1 << event.rawValue
        }
        entries.append((name, member))
      }
      (state.keyTable, state.keyMask) = builder.addKeyTable(entries)
    }
    state.otherMembers = ProgramBuilder.append(draft.otherChildren.map(Self.row), to: &builder.children)
    state.items = ProgramBuilder.append(draft.itemChildren.map(Self.row), to: &builder.children)
    let unconditional = draft.closers.filter(\.isUnconditionalName)
    state.closers = ProgramBuilder.append(unconditional + draft.closers.filter { !$0.isUnconditionalName }, to: &builder.closers)
    state.requiredClosers = Int32(unconditional.count)
    state.requiredMask = unconditional.reduce(0) { $0 | 1 << UInt64($1.operand) }
    state.resolutions = ProgramBuilder.append(draft.resolutions, to: &builder.resolutions)
    state.contains = ProgramBuilder.append(draft.contains, to: &builder.contains)
    state.slots = ProgramBuilder.append(draft.slots, to: &builder.slots)
    state.cells = ProgramBuilder.append(draft.cells.map { RuleProgram.Cell(name: $0) }, to: &builder.cells)
    state.requiredWord = draft.slots.count > 1 ? Int32((draft.slots.count + 63) / 64) : 0
    state.counterWord = state.requiredWord + Int32((draft.requiredNames.count + 63) / 64)
    state.words = state.counterWord + Int32(draft.contains.count)
    state.plan = Int32(draft.plan ?? -1)
    state.recordPlan = Int32(draft.key.recordPlan)
    state.captureCount = Int32(draft.captures.count)
    state.countIndex = Int32(draft.countIndex ?? -1)
    builder.states.append(state)
  }

  private static let scalarEvents: [(Event.Kind, ValueKind)] = [
    (.null, .null), (.false, .boolean), (.true, .boolean), (.number, .number), (.string, .string),
  ]

  private static func row(_ child: StateDraft.Child) -> RuleProgram.Child {
    RuleProgram.Child(state: Int32(child.state.index), slot: child.slot, hasBranches: child.state.slots.count > 1)
  }
}

extension Schema.ForeignKey {
  /// Whether this key asks more of a record that `other` already asks to exist: then it says nothing where that one fails.
  fileprivate func refines(_ other: Schema.ForeignKey) -> Bool {
    resource == other.resource && other.whereSchema == nil && other.whenSchema == nil
      && zip(other.fields, other.referencedFields).allSatisfy { pair in
        zip(fields, referencedFields).contains { $0 == pair }
      }
  }
}

extension RuleProgram.Closer {
  /// Whether it asks for one of the names that a state's mask holds.
  fileprivate var isUnconditionalName: Bool { kind == .required && slot == 0 && operand < 64 }
}
