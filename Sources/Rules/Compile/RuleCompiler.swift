public import ByteStreams
import Findings
import JSONEvents

extension RuleDocument {
  /// Compiles the document once, to evaluate any number of streams.
  ///
  /// - Throws: `CofferError` for rules that refer to each other endlessly, or that can't be decided in a stream.
  public func compiled() throws(CofferError) -> RuleProgram {
    try compiled(watching: [])
  }

  /// - Parameter places: the places whose values must be known at the end of a document.
  package func compiled(watching places: [WatchedPlace]) throws(CofferError) -> RuleProgram {
    try RuleCompiler(self, watching: places).compile()
  }
}

/// Builds states from schemas: first all drafts, from the root, then the fields that `$data` needs, then the tables.
final class RuleCompiler {
  /// The document's set that claims a rule's keys, by the rule's place.
  var commonKeySets: [String: Int] = [:]
  let schemas: [Schema]
  private let document: RuleDocument
  private let rootSchema: Int
  /// The schema of the array whose items are documents, or `nil` if there is one document.
  let documentsSchema: Int?
  /// True if any schema depends on what others have evaluated.
  let tracksEvaluation: Bool
  var builder = ProgramBuilder()
  var locations: LocationTree
  var scopes: DynamicScopes
  let matcher = Pattern.Matcher()
  /// The trees of places that some state's value is watched for.
  var attachedRoots: Set<Int> = []
  /// The schemas that a plan's steps are conditional on: by plan, then by step index.
  var planConditions: [Int: [Int: Int]] = [:]
  private var drafts: [StateDraft.Key: StateDraft] = [:]
  private(set) var order: [StateDraft] = []
  private var unexpanded: [StateDraft] = []
  /// The maximum number of schemas per state: nested `anyOf`s over shared definitions could need exponentially many.
  private static let stateSizeLimit = 20_000
  /// The maximum number of states: more than any real rules need, and than fits in memory.
  private static let stateLimit = 1_000_000
  /// The number of links between states: thousands of branches may each apply to thousands of names.
  private var childCount = 0
  private static let childLimit = 4_000_000

  init(_ document: RuleDocument, watching places: [WatchedPlace]) {
    self.document = document
    schemas = document.schemas
    rootSchema = document.root
    documentsSchema = document.documentsSchema
    locations = LocationTree(document.schemas, documentPath: document.documentPath)
    scopes = DynamicScopes(document.dynamicAnchors)
    tracksEvaluation = document.schemas.contains { $0.keywords.contains(where: \.isUnevaluated) }
    builder.documentDepth = document.documentPath.count + 1
    if let pointer = document.versionPointer { builder.versionCell = Int32(locations.cell(at: pointer)) }
    for place in places {
      switch place {
      case .value(let tokens): builder.watches.append(.cell(Int32(locations.cell(at: tokens))))
      case .count(let tokens): builder.watches.append(.count(Int32(locations.countIndex(of: tokens))))
      }
    }
  }

  func compile() throws(CofferError) -> RuleProgram {
    let key = StateDraft.Key(
      schema: rootSchema, location: locations.isEmpty ? -1 : 0, recordPlan: -1, isConditional: false,
      scope: DynamicScopes.outermost)
    let root = draft(key)
    repeat {
      while let draft = unexpanded.popLast() { try expand(draft) }
      for draft in order { try placeLookups(of: draft) }
    } while !unexpanded.isEmpty
    for draft in order { try checkKeyLookups(of: draft) }
    markShareable()
    for draft in order { emit(draft) }
    placeRules()
    countRecords()
    builder.keySetCount = locations.keySetCount
    builder.countNames = locations.countNames
    builder.globalCellCount = locations.cellCount
    builder.aggregateCount = locations.aggregateCount
    let rootChild = ProgramBuilder.append([Self.row(StateDraft.Child(state: root, slot: 0))], to: &builder.children)
    return RuleProgram(builder, root: rootChild)
  }

  /// Marks the states that may be shared: those that depend only on the value, and whose children all do, too.
  private func markShareable() {
    var unshareable = order.filter(\.dependsOnPlace)
    for draft in unshareable { draft.isShareable = false }
    while let draft = unshareable.popLast() {
      for parent in draft.parents where parent.state.isShareable {
        parent.state.isShareable = false
        unshareable.append(parent.state)
      }
    }
  }

  /// Tells each rule its place in documents, if there is only one.
  private func placeRules() {
    var places: [Int: String?] = [:]
    func place(of draft: StateDraft) -> String? {
      // From the first state whose place is known downwards. A state that is its own ancestor has another parent, or is the root:
      // it has no token, so this ends.
      var path: [StateDraft] = []
      var current = draft
      while places[current.index] == nil, let parent = current.parents.first?.state, current.token != nil {
        path.append(current)
        current = parent
      }
      var place = places[current.index] ?? (current.parents.isEmpty ? "" : nil)
      places[current.index] = .some(place)
      for state in path.reversed() {
        place = place.flatMap { place in state.token.map { "\(place)/\($0 == "*" ? $0 : $0.pointerToken)" } }
        places[state.index] = .some(place)
      }
      return place
    }
    for (index, draft) in builder.ruleDrafts.enumerated() {
      builder.ruleDetails[index].place = place(of: draft).map { $0 + (builder.ruleDetails[index].place ?? "") }
    }
  }

  /// Tells each rule about an array's records their states.
  private func countRecords() {
    var states: [Int: [Int32]] = [:]
    for draft in order where draft.key.recordPlan >= 0 { states[draft.key.recordPlan, default: []].append(Int32(draft.index)) }
    for (number, plan) in builder.plans.enumerated() {
      for step in plan.steps where step.row.rule >= 0 { builder.ruleDetails[Int(step.row.rule)].states = states[number] ?? [] }
    }
  }

  // MARK: States

  /// Returns the draft of a state, and starts it if it is new.
  private func draft(_ key: StateDraft.Key) -> StateDraft {
    if let known = drafts[key] { return known }
    let draft = StateDraft(index: order.count, key: key)
    drafts[key] = draft
    order.append(draft)
    unexpanded.append(draft)
    return draft
  }

  /// Returns the child that validates a value with `schema`, or `nil` if no rule applies to it.
  ///
  /// - Parameters:
  ///   - scope: the dynamic scope in the schema that contains `schema`.
  ///   - token: the name of the member, or `*`.
  func child(
    of parent: StateDraft, slot: UInt16, schema: Int, scope: Int = DynamicScopes.outermost, location: Int = -1,
    recordPlan: Int = -1, token: String = "*"
  ) throws(CofferError) -> StateDraft.Child? {
    let (schema, scope) = referent(of: schema, scope)
    let isUnrestricted = schema < 0 || schemas[schema].keywords.isEmpty
    if isUnrestricted, location < 0, recordPlan < 0 { return nil }
    let key = StateDraft.Key(
      schema: isUnrestricted ? -1 : schema, location: location, recordPlan: recordPlan,
      isConditional: parent.key.isConditional || slot != 0,
      scope: isUnrestricted ? DynamicScopes.outermost : scopes.scope(scope, entering: schemas[schema].resource))
    let state = draft(key)
    guard order.count <= Self.stateLimit else {
      throw schemas[max(0, schema)].origin.error("these rules need more than \(Self.stateLimit) states")
    }
    childCount += 1
    guard childCount <= Self.childLimit else {
      throw schemas[max(0, schema)].origin.error(
        "these rules apply more than \(Self.childLimit) schemas to members and items in total")
    }
    state.addParent(StateDraft.Child(state: parent, slot: slot), token: token)
    return StateDraft.Child(state: state, slot: slot)
  }

  /// Resolves a schema that only refers to another, so that all references to one schema share a state.
  private func referent(of schema: Int, _ scope: Int) -> (schema: Int, scope: Int) {
    var (target, inner) = (schema, scope)
    // Endless references are rejected when a state is made of them.
    for _ in 0..<16 {
      guard target >= 0, schemas[target].keywords.count == 1, case .reference(let next) = schemas[target].keywords[0].assertion
      else { return (target, inner) }
      inner = scopes.scope(inner, entering: schemas[target].resource)
      target = next
    }
    return (schema, scope)
  }

  private func expand(_ draft: StateDraft) throws(CofferError) {
    if draft.key.schema >= 0 { try add(schema: draft.key.schema, to: draft, slot: 0, scope: draft.key.scope) }
    if draft.key.recordPlan >= 0 { try addConditions(ofPlan: draft.key.recordPlan, to: draft) }
    if draft.key.location >= 0 {
      let node = locations.nodes[draft.key.location]
      draft.countIndex = node.countIndex
      if node.countIndex != nil { draft.countsMembers = true }
      draft.globalCells = node.cells
      for name in node.cells.keys.map(\.text).sorted() { draft.addName(name) }
      addActions(node.actions, to: draft)
      draft.completion = node.completion
      if let names = node.memberNames { draft.nameRoots.append(names) }
      for definition in node.definitions {
        draft.recordKeywords.append(
          (definition.keyword, definition.request.fields.map(\.fieldText).joined(separator: ", ")))
      }
    }
    try addRecordPlan(to: draft)
    try addMembers(to: draft)
    try addPatterns(to: draft)
    for root in draft.nameRoots {
      if let child = try child(of: draft, slot: 0, schema: -1, location: root) { draft.nameChildren.append(child) }
    }
    for rule in draft.nameRules {
      if let child = try child(of: draft, slot: rule.slot, schema: rule.schema, scope: rule.scope) {
        draft.nameChildren.append(child)
      }
    }
    try addItems(to: draft)
  }

  /// Adds all rules of a schema for the value itself.
  private func add(schema index: Int, to draft: StateDraft, slot: UInt16, scope: Int) throws(CofferError) {
    var adder = KeywordAdder(compiler: self, draft: draft, sizeLimit: Self.stateSizeLimit)
    try adder.add(schema: index, slot: slot, scope: scope)
  }

  /// Adds the plan for the records of a collection. An object also captures their names.
  private func addRecordPlan(to draft: StateDraft) throws(CofferError) {
    let node = draft.key.location >= 0 ? locations.nodes[draft.key.location] : nil
    guard let plan = try recordPlan(of: draft, node: node) else { return }
    draft.plan = plan
    if builder.plans[plan].hasRecords { draft.planOfRecords = plan }
    draft.nameCaptures = draft.captureCount
    if draft.refuses(.object) { return }
    for row in builder.plans[plan].names.indices {
      var action = builder.placeActions[row]
      action.index = Int32(draft.captureCount)
      draft.captureCount += 1
      let root = locations.newRoot()
      locations.add(action, at: [], from: root)
      draft.nameRoots.append(root)
    }
  }

  private func addConditions(ofPlan plan: Int, to draft: StateDraft) throws(CofferError) {
    let captures = builder.plans[plan].captures
    draft.captureCount = captures.count
    for (index, capture) in captures.enumerated() where capture.isPlain {
      draft.captures[capture.path[0]] = index
      draft.addName(capture.path[0].text)
    }
    draft.roots += builder.plans[plan].keyRoots
    if let root = builder.plans[plan].root { draft.roots.append(root) }
    for (index, schema) in planConditions[plan, default: [:]].sorted(by: { $0.key < $1.key }) {
      let slot = draft.addSlot(parent: 0, isMute: true)
      try add(schema: schema, to: draft, slot: slot, scope: DynamicScopes.outermost)
      builder.plans[plan].steps[index].row.condition = slot
    }
  }
}

/// Turns drafts into the program's tables.
extension RuleCompiler {
  func emit(_ draft: StateDraft) {
    var state = RuleProgram.State()
    state.isCollection = isObjectOfRecords(draft)
    if state.isCollection {
      draft.countsMembers = true
      state.dependsOnMembers = dependsOnMembers(draft)
    }
    addCheckOfObjects(to: draft)
    for checks in draft.checks {
      let ordered = checks.filter(\.isAlwaysDone) + checks.filter(\.isType) + checks.filter { !$0.isAlwaysDone && !$0.isType }
      builder.checkRanges.append(ProgramBuilder.append(ordered, to: &builder.checks))
    }
    emitNames(of: draft, to: &state)
    emitPatterns(of: draft, to: &state)
    state.otherMembers = rows(draft.otherChildren)
    state.names = rows(draft.nameChildren)
    state.itemCovers = ProgramBuilder.append(draft.itemCovers, to: &builder.itemCovers)
    var items = draft.itemChildren.map(rows)
    state.items = items.removeLast()
    state.prefixItems = ProgramBuilder.append(items, to: &builder.itemRanges)
    let unconditional = draft.endChecks.filter(\.isUnconditionalName)
    state.endChecks = ProgramBuilder.append(
      unconditional + draft.endChecks.filter { !$0.isUnconditionalName }, to: &builder.endChecks)
    state.requiredNameChecks = Int32(unconditional.count)
    state.requiredMask = unconditional.reduce(0) { $0 | 1 << UInt64($1.operand) }
    state.resolutions = ProgramBuilder.append(draft.resolutions.map { resolution($0, of: draft) }, to: &builder.resolutions)
    state.contains = ProgramBuilder.append(
      draft.contains.map { RuleProgram.ContainsCount(slot: $0.counted, rule: $0.ruleRow) }, to: &builder.contains)
    state.uniqueRules = ProgramBuilder.append(uniqueRules(of: draft), to: &builder.uniqueRules)
    state.slots = ProgramBuilder.append(draft.slotsWithEnds, to: &builder.slots)
    state.cells = ProgramBuilder.append(draft.cells, to: &builder.cells)
    state.requiredWord = draft.slots.count > 1 ? Int32((draft.slots.count + 63) / 64) : 0
    state.counterWord = state.requiredWord + Int32((draft.requiredNames.count + 63) / 64)
    state.words = state.counterWord + Int32(draft.contains.count)
    state.deadWord = state.words
    state.words += state.requiredWord
    state.isShareable = draft.isShareable
    state.plan = Int32(draft.plan ?? -1)
    state.recordPlan = Int32(draft.key.recordPlan)
    state.captureCount = Int32(draft.captureCount)
    state.nameCaptures = Int32(draft.nameCaptures)
    state.countIndex = Int32(draft.countIndex ?? -1)
    state.aggregates = ProgramBuilder.append(draft.aggregates.map(Int32.init), to: &builder.aggregates)
    if let completion = draft.completion {
      state.completion = Int32(builder.placeActions.count)
      builder.placeActions.append(completion)
    }
    state.looksAtEachMember = draft.countsMembers || !draft.nameChildren.isEmpty
    state.comparesContainers = draft.comparesContainers
    state.decidesBranches =
      draft.key.isConditional || !draft.contains.isEmpty || draft.uniqueSteps.contains(-1)
      || draft.itemChildren.contains { $0.contains { $0.slot != 0 || refersOutward($0.state, depth: 1) } }
    state.holdsDocuments = draft.key.schema == documentsSchema && comparesWithinDocuments
    builder.states.append(state)
  }

  /// Returns true if a draft is for the root, or a member of it, that is an object of records, or for an object of documents.
  private func isObjectOfRecords(_ draft: StateDraft) -> Bool {
    if draft.key.schema >= 0, draft.key.schema == documentsSchema { return true }
    return draft.key.schema >= 0 && (draft.index == 0 || draft.parents.contains { $0.state.index == 0 })
      && !document.recordsOfObject(draft.key.schema).isEmpty
  }

  /// Returns true if a member of an object affects more than itself, so that its slices can't be evaluated apart.
  private func dependsOnMembers(_ draft: StateDraft) -> Bool {
    let isKept = !draft.captures.isEmpty || !draft.cells.isEmpty || !draft.globalCells.isEmpty
    // A pattern's covers choose the slot of each member at run time.
    if isKept || !draft.requiredNames.isEmpty || !draft.patternCovers.isEmpty { return true }
    if draft.key.location >= 0, hasCells(below: draft.key.location) { return true }
    return draft.memberChildren.contains { child in
      child.slot != 0 || refersOutward(child.state, depth: 1)
        || child.state.checks.joined().contains { $0.operation == .entry }
    }
  }

  /// Returns true if a cell of the document holds a value below a place.
  private func hasCells(below place: Int) -> Bool {
    locations.nodes[place].children.values.contains { !locations.nodes[$0].cells.isEmpty || hasCells(below: $0) }
  }

  /// Adds a warning about an object where a collection is expected, but no member is a record, unless it has a finding already.
  private func addCheckOfObjects(to draft: StateDraft) {
    guard let first = draft.recordKeywords.first, !draft.refuses(.object) else { return }
    var names: [String] = []
    var targets: Set<String> = []
    for (keyword, target) in draft.recordKeywords {
      if let target { targets.insert(target) } else if !names.contains(keyword.name) { names.append(keyword.name) }
    }
    var words = targets.sorted().map { "a reference looks for \($0) in records" }
    if !names.isEmpty {
      words.insert("\(names.joined(separator: ", ")) \(names.count == 1 ? "applies" : "apply") to records", at: 0)
    }
    var keyword = first.keyword
    let severity = draft.recordKeywords.map(\.keyword.grading.severity).max() ?? .warning
    keyword.grading = Schema.Grading(severity: min(severity, .warning), code: "not-checked")
    let rule = builder.addRule(keyword, in: draft, expectation: words.joined(separator: "; "))
    builder.ruleDetails[Int(rule)].states = []
    draft.countsMembers = true
    draft.endChecks.append(RuleProgram.EndCheck(kind: .unchecked, slot: 0, operand: 0, rule: rule))
  }

  /// True if something is kept until the end of a document.
  private var comparesWithinDocuments: Bool {
    locations.cellCount > 0 || locations.aggregateCount > 0 || !locations.countNames.isEmpty || !builder.versionRules.isEmpty
  }

  /// Returns true if a value that many levels below a collection makes a reference, or a part of a key, of a record around that
  /// collection: a slice of it would not contain that record.
  private func refersOutward(_ draft: StateDraft, depth: Int) -> Bool {
    let isHere = draft.checks.joined().contains { check in
      guard check.operation == .place else { return false }
      let action = builder.placeActions[Int(check.operand)]
      return (action.kind == .reference || action.kind == .capture) && Int(action.levels) >= depth
    }
    // Fields have at most 16 names.
    if isHere || depth > 16 { return isHere }
    let below = draft.memberChildren + draft.itemChildren.joined()
    // Requests from places have their own states, without a schema.
    return below.contains { $0.state.key.schema < 0 && refersOutward($0.state, depth: depth + 1) }
  }

  private func emitNames(of draft: StateDraft, to state: inout RuleProgram.State) {
    if draft.memberNames.isEmpty { return }
    var required: [ExactText: Int32] = [:]
    for (bit, name) in draft.requiredNames.enumerated() { required[ExactText(name)] = Int32(bit) }
    var entries: [(name: String, member: RuleProgram.Member)] = []
    for name in draft.memberNames {
      var member = RuleProgram.Member()
      let children = draft.children(named: name)
      member.children = rows(children)
      member.requiredBit = required[ExactText(name)] ?? -1
      member.requiredMask = (0..<64).contains(member.requiredBit) ? 1 << UInt64(member.requiredBit) : 0
      member.capture = draft.captures[ExactText(name)].map(Int32.init) ?? -1
      member.cell = draft.cells.firstIndex { ExactText($0) == ExactText(name) }.map(Int32.init) ?? -1
      member.globalCell = draft.globalCells[ExactText(name)].map(Int32.init) ?? -1
      member.isKept = member.capture >= 0 || member.cell >= 0 || member.globalCell >= 0 || member.requiredBit >= 64
      for (event, kind) in Self.scalarEvents where member.isKept || children.contains(where: { $0.state.tests(kind) }) {
        member.regardedKinds |= 1 << event.rawValue
      }
      entries.append((name, member))
    }
    state.members = RuleProgram.Range32(start: Int32(builder.members.count), count: Int32(entries.count))
    (state.keyTable, state.keyMask) = builder.addKeyTable(entries)
  }

  private func emitPatterns(of draft: StateDraft, to state: inout RuleProgram.State) {
    let first = builder.constants.patterns.count
    builder.constants.patterns += draft.patterns
    state.patterns = ProgramBuilder.append(draft.patterns.indices.map { Int32(first + $0) }, to: &builder.statePatterns)
    state.patternRows = ProgramBuilder.append(
      draft.patternRows.map {
        RuleProgram.PatternRow(group: $0.group, pattern: $0.pattern, child: $0.child.map(Self.row) ?? .none)
      }, to: &builder.patternRows)
    state.patternCovers = ProgramBuilder.append(
      draft.patternCovers.map { child, row in
        var row = row
        row.child = Self.row(child)
        return row
      }, to: &builder.patternCovers)
  }

  private func uniqueRules(of draft: StateDraft) -> [RuleProgram.UniqueRule] {
    draft.uniqueItems.enumerated().map { index, unique in
      RuleProgram.UniqueRule(
        slot: unique.slot, ignoresCase: unique.ignoresCase, step: Int32(draft.uniqueSteps[index]),
        rule: builder.addRule(unique.keyword, in: draft, place: "/*", expectation: "a unique item"))
    }
  }

  /// Returns an `unevaluated…` resolution with the branches that it depends on.
  private func resolution(_ resolution: RuleProgram.Resolution, of draft: StateDraft) -> RuleProgram.Resolution {
    guard resolution.kind == .unevaluated else { return resolution }
    let rule = draft.unevaluated[Int(resolution.branches.start)]
    let rows = rule.uncovered.map { uncovered in
      var links: [RuleProgram.CoverLink] = []
      for cover in uncovered.covers {
        var slot = cover
        while slot != rule.slot {
          let row = draft.slots[Int(slot)]
          links.append(RuleProgram.CoverLink(slot: slot, mustHaveFailed: false, isLast: false))
          if row.test != 0 { links.append(RuleProgram.CoverLink(slot: row.test, mustHaveFailed: row.isElse, isLast: false)) }
          slot = row.parent
        }
        links[links.count - 1].isLast = true
      }
      return RuleProgram.Uncovered(slot: uncovered.slot, links: ProgramBuilder.append(links, to: &builder.coverLinks))
    }
    var resolution = resolution
    resolution.branches = ProgramBuilder.append(rows, to: &builder.uncovered)
    return resolution
  }

  private func rows(_ children: [StateDraft.Child]) -> RuleProgram.Range32 {
    var rows = children.map(Self.row)
    var states: Set<Int32> = []
    for index in rows.indices { rows[index].isRepeated = !states.insert(rows[index].state).inserted }
    return ProgramBuilder.append(rows, to: &builder.children)
  }

  private static let scalarEvents: [(Event.Kind, JSONKind)] = [
    (.null, .null), (.false, .boolean), (.true, .boolean), (.number, .number), (.string, .string),
  ]

  static func row(_ child: StateDraft.Child) -> RuleProgram.Child {
    RuleProgram.Child(
      state: Int32(child.state.index), slot: child.slot, hasBranches: child.state.slots.count > 1,
      dependsOnSlot: child.slot != 0 && child.state.isShareable)
  }
}

extension RuleProgram.Check {
  var dependsOnPlace: Bool {
    switch operation {
    case .numericData, .formatData, .equalsData, .amongData, .sum, .count, .place, .entry, .since: true
    default: false
    }
  }

  /// True if it records something and validates nothing, or gives no verdict. Such checks come first, because a wrong type ends the
  /// others.
  fileprivate var isAlwaysDone: Bool {
    switch operation {
    case .place, .since, .entry, .unusable: true
    default: false
    }
  }
}

extension RuleProgram.EndCheck {
  /// True if it requires one of the names in a state's mask.
  fileprivate var isUnconditionalName: Bool { kind == .required && slot == 0 && operand < 64 }
}
