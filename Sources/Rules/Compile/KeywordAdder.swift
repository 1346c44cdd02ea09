import ByteStreams
import Findings
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
  /// The schemas being added in any slot, to detect circular references.
  private var path: Set<Added> = []
  /// The maximum chain of schemas for the same value: each takes up to 2 KiB of the stack, and some threads have only 512 KiB.
  private static let pathLimit = 200

  private struct Added: Hashable {
    var schema: Int
    var scope: Int
    var slot: UInt16 = 0
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
    let entered = Added(schema: index, scope: scope)
    guard path.insert(entered).inserted else {
      throw schema.origin.error("this schema refers to itself without descending into a member or an item")
    }
    defer { path.remove(entered) }
    let place = Added(schema: index, scope: scope, slot: slot)
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

    default: try keyword.assertion.rule?.add(self, keyword, slot)
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

  // MARK: Building blocks

  func resolve(_ kind: RuleProgram.Resolution.Kind, _ branches: [UInt16?], _ slot: UInt16, _ rule: Int32) {
    let row = ProgramBuilder.append(branches.map { $0 ?? RuleProgram.Resolution.noBranch }, to: &compiler.builder.branches)
    draft.resolutions.append(RuleProgram.Resolution(kind: kind, slot: slot, branches: row, rule: rule))
  }

  func rule(_ keyword: Schema.Keyword, _ expectation: String) -> Int32 {
    compiler.builder.addRule(keyword, in: draft, expectation: expectation, isCondition: draft.isMute(currentSlot))
  }
}

/// Rows of the state, and what they refer to.
extension KeywordAdder {
  func append(
    _ operation: RuleProgram.Operation, _ slot: UInt16, _ comparison: Comparison = .atLeast, operand: Int = 0, rule: Int32,
    _ kind: JSONKind, isType: Bool = false
  ) {
    draft.checks[kind.rawValue].append(
      RuleProgram.Check(
        operation: operation, comparison: comparison, slot: slot, operand: Int32(operand), rule: rule, isType: isType,
        hasIntegerBound: hasIntegerBound(operation, operand), isBelowError: compiler.builder.rules[Int(rule)].severity < .error))
  }

  func hasIntegerBound(_ operation: RuleProgram.Operation, _ operand: Int) -> Bool {
    if operation == .numericBound { return compiler.builder.constants.decimals[operand].int64 != nil }
    guard operation == .decimalBound, case .decimal(let bound) = compiler.builder.constants.formatBounds[operand].operand else {
      return false
    }
    return bound.isZero
  }

  func dataOperand(
    _ data: Schema.DataReference, _ format: StringFormat?, _ keyword: Schema.Keyword, _ slot: UInt16
  ) -> Int {
    var cell: Int32 = -1
    if case .root(let tokens) = data.origin { cell = Int32(compiler.locations.cell(at: tokens)) }
    let operand = RuleProgram.DataOperand(reference: data, format: format, globalCell: cell)
    draft.dataLookups.append((data, slot, keyword))
    return constant(operand, in: \.data)
  }

  /// Adds a constant, and returns its number.
  func constant<Value>(_ value: Value, in table: WritableKeyPath<RuleProgram.Constants, [Value]>) -> Int {
    compiler.builder.constants[keyPath: table].append(value)
    return compiler.builder.constants[keyPath: table].count - 1
  }

  /// Adds a check without an operation of its own.
  func append(
    _ slot: UInt16, rule: Int32, _ kind: JSONKind, passing test: @escaping @Sendable (Scalar) -> Bool
  ) {
    append(.test, slot, operand: constant(test, in: \.tests), rule: rule, kind)
  }

  func endCheck(_ kind: RuleProgram.EndCheck.Kind, _ slot: UInt16, operand: Int32 = 0, count: Int = 0, rule: Int32) {
    draft.endChecks.append(RuleProgram.EndCheck(kind: kind, slot: slot, operand: operand, count: count, rule: rule))
  }

  /// Returns the operand of a comparison with values gathered from several places.
  func aggregate(
    _ kind: LocationTree.AggregateRequest.Kind, _ resource: Schema.Resource, _ tolerance: ExactDecimal?,
    _ keyword: Schema.Keyword, _ slot: UInt16
  ) -> Int {
    let number = compiler.locations.aggregate(kind, of: resource)
    var operand = RuleProgram.AggregateOperand(number: Int32(number), levels: -1, tolerance: tolerance)
    if case .relative(let levels, _) = resource { operand.levels = levels }
    draft.aggregateLookups.append((operand.levels, number, slot, keyword))
    return constant(operand, in: \.aggregates)
  }

  /// Refuses a rule about other parts of the document: they may come later, and no branch can wait for them.
  func refuseInBranches(_ keyword: Schema.Keyword, _ slot: UInt16) throws(CofferError) {
    guard slot == 0, !draft.key.isConditional else {
      throw keyword.origin.error(
        "\(keyword.name) is not allowed under anyOf, oneOf, not, if or contains: it needs parts of the document that may come "
          + "after the branch is decided")
    }
  }
}
