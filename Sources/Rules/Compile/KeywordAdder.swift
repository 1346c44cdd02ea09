import ByteStreams
import JSONEvents

/// Adds the rules of a schema for the value itself to a draft, including its in-place subschemas (`$ref`, `allOf`, `anyOf`, `if`
/// …).
struct KeywordAdder {
  let compiler: RuleCompiler
  let draft: StateDraft
  let sizeLimit: Int
  private var size = 0
  /// The schemas already added, and what they evaluate: adding one twice to a slot has no further effect.
  private var added: [Added: Set<StateDraft.Cover>] = [:]
  /// The schemas being added, to detect circular references.
  private var path: Set<Entered> = []
  /// The maximum chain of schemas for the same value: each takes up to 2 KiB of the stack, and some threads have only 512 KiB.
  private static let pathLimit = 200

  private struct Entered: Hashable {
    var schema: Int
    var scope: Int
  }

  private struct Added: Hashable {
    var entered: Entered
    var slot: UInt16
  }

  typealias Covers = Set<StateDraft.Cover>

  /// The slot of the keyword that is being added.
  private var currentSlot: UInt16 = 0

  init(compiler: RuleCompiler, draft: StateDraft, sizeLimit: Int) {
    self.compiler = compiler
    self.draft = draft
    self.sizeLimit = sizeLimit
  }

  /// - Parameter scope: the dynamic scope around the schema.
  /// - Returns: the members and items of the value that the schema evaluates, if evaluation is tracked.
  @discardableResult
  mutating func add(schema index: Int, slot: UInt16, scope: Int) throws(CofferError) -> Covers {
    let schema = compiler.schemas[index]
    let scope = compiler.scopes.scope(scope, entering: schema.resource)
    let entered = Entered(schema: index, scope: scope)
    guard path.insert(entered).inserted else {
      throw schema.origin.error("this schema refers to itself without descending into a member or an item")
    }
    defer { path.remove(entered) }
    let place = Added(entered: entered, slot: slot)
    if let known = added[place] { return known }
    size += 1
    guard size <= sizeLimit, draft.slots.count < 60_000, path.count <= Self.pathLimit else {
      throw schema.origin.error(
        path.count > Self.pathLimit
          ? "a chain of more than \(Self.pathLimit) schemas applies to one value here"
          : "too many schemas apply to one value here (more than \(sizeLimit))")
    }
    var covers: Covers = []
    for keyword in schema.keywords where !keyword.isUnevaluated {
      let added = try add(keyword, slot: slot, scope: scope)
      if compiler.tracksEvaluation { covers.formUnion(added) }
    }
    // These come last, because they apply to what all others leave.
    for keyword in schema.keywords where keyword.isUnevaluated { covers.insert(addUnevaluated(keyword, slot, scope, covers)) }
    added[place] = covers
    return covers
  }

  private mutating func add(_ keyword: Schema.Keyword, slot: UInt16, scope: Int) throws(CofferError) -> Covers {
    let outerSlot = currentSlot
    currentSlot = slot
    defer { currentSlot = outerSlot }
    switch keyword.assertion {
    case .reference(let target): return try add(schema: target, slot: slot, scope: scope)
    case .dynamicReference(let target, let anchor):
      return try add(schema: compiler.scopes.target(of: anchor, in: scope) ?? target, slot: slot, scope: scope)
    case .allOf(let parts): return try addAll(parts, slot, scope)
    case .anyOf(let parts):
      return try addAlternatives(.anyOf, parts, "a match for one of \(parts.count) alternatives", keyword, slot, scope)
    case .oneOf(let parts):
      return try addAlternatives(.oneOf, parts, "a match for exactly one of \(parts.count) alternatives", keyword, slot, scope)
    case .not(let part):
      let branch = draft.addSlot(parent: slot, isMute: true)
      try add(schema: part, slot: branch, scope: scope)
      let rule = rule(keyword, "another value")
      if compiler.schemas[part].keywords.isEmpty { compiler.builder.ruleDetails[Int(rule)].states = [] }
      resolve(.not, [branch], slot, rule)
      return []
    case .condition(let condition, let then, let otherwise):
      return try addCondition(condition, then, otherwise, keyword, slot, scope)
    case .dependentSchemas(let dependencies): return try addDependentSchemas(dependencies, keyword, slot, scope)

    case .members(let members):
      draft.memberRules.append(StateDraft.MemberRule(members, slot: slot, scope: scope))
      return [.members(draft.memberRules.count - 1)]
    case .memberNames(let schema): draft.nameRules.append((slot, scope, schema))
    case .items(let prefix, let rest):
      draft.itemRules.append(StateDraft.ItemRule(slot: slot, scope: scope, prefix: prefix, rest: rest))
      return [.items(draft.itemRules.count - 1)]
    case .contains(let contains): return addContains(contains, keyword, slot, scope)
    case .unevaluatedMembers, .unevaluatedItems: preconditionFailure("added last")

    case .memberCount, .required, .dependentRequired, .itemCount, .uniqueItems: addEndChecks(keyword, slot)
    case .uniqueKey, .foreignKey, .since, .countOf, .sumOf, .containerEntry: try addDocumentRule(keyword, slot)
    case .sortedBy(let order): try addOrder(order, keyword, slot)
    default: addCheck(keyword, slot)
    }
    return []
  }

  // MARK: Subschemas for the same value

  private mutating func addAll(_ parts: [Int], _ slot: UInt16, _ scope: Int) throws(CofferError) -> Covers {
    var covers: Covers = []
    for part in parts {
      let added = try add(schema: part, slot: slot, scope: scope)
      if compiler.tracksEvaluation { covers.formUnion(added) }
    }
    return covers
  }

  private mutating func addAlternatives(
    _ kind: RuleProgram.Resolution.Kind, _ parts: [Int], _ expectation: String, _ keyword: Schema.Keyword, _ slot: UInt16,
    _ scope: Int
  ) throws(CofferError) -> Covers {
    var branches: [UInt16] = []
    var covers: Covers = []
    for part in parts {
      let branch = draft.addSlot(parent: slot, isMute: false, isAlternative: true)
      branches.append(branch)
      covers.formUnion(try add(schema: part, slot: branch, scope: scope))
    }
    let rule = rule(keyword, expectation)
    compiler.builder.ruleDetails[Int(rule)].alternatives = parts.prefix(Self.namedAlternatives).map { compiler.name(of: $0) }
    resolve(kind, branches, slot, rule)
    return covers
  }

  /// The most alternatives whose names are kept for messages.
  private static let namedAlternatives = 64

  private mutating func addCondition(
    _ condition: Int, _ then: Int?, _ otherwise: Int?, _ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int
  ) throws(CofferError) -> Covers {
    // On its own, `if` validates nothing, but it may evaluate members and items.
    if then == nil, otherwise == nil, !compiler.tracksEvaluation { return [] }
    let test = draft.addSlot(parent: slot, isMute: true)
    var covers = try add(schema: condition, slot: test, scope: scope)
    var branches: [UInt16?] = []
    for (schema, isThen) in [(then, true), (otherwise, false)] {
      guard let schema else {
        branches.append(nil)
        continue
      }
      let branch = draft.addSlot(parent: slot, isMute: false)
      draft.slots[Int(branch)].test = test
      draft.slots[Int(branch)].isElse = !isThen
      if isThen { draft.slots[Int(test)].then = branch }
      branches.append(branch)
      covers.formUnion(try add(schema: schema, slot: branch, scope: scope))
    }
    resolve(.condition, [test, branches[0], branches[1]], slot, rule(keyword, "the condition"))
    return covers
  }

  /// Adds `if` the member is present, `then` the schema.
  private mutating func addDependentSchemas(
    _ dependencies: [(name: String, schema: Int)], _ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int
  ) throws(CofferError) -> Covers {
    var covers: Covers = []
    for dependency in dependencies {
      let test = draft.addSlot(parent: slot, isMute: true)
      let rule = rule(keyword, "an object with '\(dependency.name)'")
      for kind in ValueKind.allCases where kind != .object {
        draft.checks[kind.rawValue].append(RuleProgram.Check(operation: .never, slot: test, rule: rule))
      }
      draft.endChecks.append(
        RuleProgram.EndCheck(kind: .required, slot: test, operand: draft.requiredBit(of: dependency.name), rule: rule))
      let branch = draft.addSlot(parent: slot, isMute: false)
      draft.slots[Int(branch)].test = test
      draft.slots[Int(test)].then = branch
      covers.formUnion(try add(schema: dependency.schema, slot: branch, scope: scope))
      resolve(.condition, [test, branch, nil], slot, rule)
    }
    return covers
  }

  private func addContains(_ contains: Schema.Contains, _ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int) -> Covers {
    let counted = draft.addSlot(parent: slot, isMute: true)
    let counter = Int32(draft.contains.count)
    draft.contains.append(
      StateDraft.ContainsRule(
        counted: counted, slot: slot, evaluates: contains.evaluates,
        rule: StateDraft.ItemRule(slot: counted, scope: scope, prefix: [], rest: contains.schema),
        ruleRow: rule(keyword, "an item that matches")))
    func close(_ kind: RuleProgram.EndCheck.Kind, _ count: Int, _ name: String, _ words: String) {
      // minContains and maxContains are siblings of `contains`; a finding names the violated keyword.
      var named = keyword
      named.name = name
      named.origin.pointer = String(keyword.origin.pointer.dropLast("contains".count)) + name
      let items = count == 1 ? "1 matching item" : "\(count) matching items"
      draft.endChecks.append(
        RuleProgram.EndCheck(kind: kind, slot: slot, operand: counter, count: count, rule: rule(named, "\(words) \(items)")))
    }
    if contains.minimum > 0 {
      close(.minimumContains, contains.minimum, contains.minimum == 1 ? "contains" : "minContains", "at least")
    }
    if let maximum = contains.maximum { close(.maximumContains, maximum, "maxContains", "at most") }
    return [.contains(Int(counter))]
  }

  private func addUnevaluated(_ keyword: Schema.Keyword, _ slot: UInt16, _ scope: Int, _ covers: Covers) -> StateDraft.Cover {
    let schema: Int
    let concernsItems: Bool
    switch keyword.assertion {
    case .unevaluatedItems(let items): (schema, concernsItems) = (items, true)
    case .unevaluatedMembers(let members): (schema, concernsItems) = (members, false)
    default: preconditionFailure("another keyword")
    }
    let index = draft.unevaluated.count
    draft.unevaluated.append(
      StateDraft.UnevaluatedRule(
        slot: slot, scope: scope, schema: schema, concernsItems: concernsItems, covers: covers, keyword: keyword))
    draft.resolutions.append(
      RuleProgram.Resolution(
        kind: .unevaluated, slot: slot, branches: RuleProgram.Range32(start: Int32(index), count: 0),
        rule: rule(keyword, "nothing")))
    return .unevaluated(index)
  }

  // MARK: Building blocks

  func resolve(_ kind: RuleProgram.Resolution.Kind, _ branches: [UInt16?], _ slot: UInt16, _ rule: Int32) {
    let row = ProgramBuilder.append(branches.map { $0 ?? RuleProgram.Resolution.noBranch }, to: &compiler.builder.branches)
    draft.resolutions.append(RuleProgram.Resolution(kind: kind, slot: slot, branches: row, rule: rule))
  }

  func rule(_ keyword: Schema.Keyword, _ expectation: String) -> Int32 {
    compiler.builder.addRule(keyword, in: draft, expectation: expectation, isCondition: draft.isMute(currentSlot))
  }
}

extension RuleCompiler {
  /// Returns the title of an alternative, or the last name in its reference; empty if it has neither.
  fileprivate func name(of schema: Int) -> String {
    if let title = schemas[schema].title { return title.shortened(to: 80) }
    for keyword in schemas[schema].keywords {
      guard case .reference(let target) = keyword.assertion else { continue }
      let name = schemas[target].title ?? schemas[target].origin.pointer.pointerTokens?.last ?? ""
      return name.shortened(to: 80)
    }
    return ""
  }
}

extension Schema.Keyword {
  /// True if the keyword depends on what others have evaluated.
  var isUnevaluated: Bool {
    switch assertion {
    case .unevaluatedItems, .unevaluatedMembers: true
    default: false
    }
  }
}
