import JSONEvents

/// Adds what a schema asks of the value itself to a draft, its in-place subschemas (`$ref`, `allOf`, `anyOf`, `if` …) included.
struct KeywordAdder {
  let compiler: RuleCompiler
  let draft: StateDraft
  let sizeLimit: Int
  private var size = 0
  /// What has been added already: asking twice in the same slot is asking once.
  private var added: Set<Added> = []
  /// The schemas that are being added, to find references in a circle.
  private var path: Set<Int> = []

  private struct Added: Hashable {
    var schema: Int
    var slot: UInt16
  }

  init(compiler: RuleCompiler, draft: StateDraft, sizeLimit: Int) {
    self.compiler = compiler
    self.draft = draft
    self.sizeLimit = sizeLimit
  }

  mutating func add(schema index: Int, slot: UInt16) throws(RuleCompileError) {
    let schema = compiler.schemas[index]
    guard path.insert(index).inserted else {
      throw RuleCompileError(
        "this schema refers to itself without going into a member or an item", at: schema.pointer, schema.position)
    }
    defer { path.remove(index) }
    guard added.insert(Added(schema: index, slot: slot)).inserted else { return }
    size += 1
    guard size <= sizeLimit, draft.slots.count < 60_000, path.count <= 500 else {
      throw RuleCompileError(
        "too many schemas apply to one value here (more than \(sizeLimit))", at: schema.pointer, schema.position)
    }
    for keyword in schema.keywords { try add(keyword, slot: slot) }
  }

  private mutating func add(_ keyword: Schema.Keyword, slot: UInt16) throws(RuleCompileError) {
    switch keyword.assertion {
    case .never: addNever(rule(keyword, "nothing"), slot)
    case .types(let types): addTypes(types, keyword, slot)
    case .values(let values): try addValues(values, keyword, slot)
    case .equalsData(let data):
      let rule = rule(keyword, "the value of \(data.text)")
      for kind in [ValueKind.null, .boolean, .number, .string] {
        addCheck(.equalsData, slot, operand: dataOperand(data, nil, keyword, slot), rule: rule, kind)
      }
    case .bound(let comparison, .number(let bound)):
      compiler.builder.constants.decimals.append(bound)
      addCheck(
        .numericBound, slot, comparison, operand: compiler.builder.constants.decimals.count - 1,
        rule: rule(keyword, "\(comparison.words) \(bound)"), .number)
    case .bound(let comparison, .data(let data)):
      addCheck(
        .numericData, slot, comparison, operand: dataOperand(data, nil, keyword, slot),
        rule: rule(keyword, "\(comparison.words) the value of \(data.text)"), .number)
    case .multipleOf(let divisor):
      compiler.builder.constants.decimals.append(divisor)
      addCheck(
        .multipleOf, slot, operand: compiler.builder.constants.decimals.count - 1,
        rule: rule(keyword, "a multiple of \(divisor)"), .number)
    case .length(let comparison, let count):
      let characters = count == 1 ? "1 character" : "\(count) characters"
      addCheck(
        comparison == .atLeast ? .minimumLength : .maximumLength, slot, operand: min(count, Int(Int32.max)),
        rule: rule(keyword, "\(comparison.words) \(characters)"), .string)
    case .pattern(let pattern):
      compiler.builder.constants.patterns.append(pattern)
      addCheck(
        .pattern, slot, operand: compiler.builder.constants.patterns.count - 1,
        rule: rule(keyword, "text that matches \(pattern.source)"), .string)
    case .format(let format):
      // Bounds bring their format along: a value that misses it once has one fault, not two.
      let isKnown = draft.checks[ValueKind.string.rawValue].contains {
        $0.operation == .format && $0.slot == slot && $0.operand == Int32(format.rawValue)
      }
      if isKnown { return }
      addCheck(.format, slot, operand: Int(format.rawValue), rule: rule(keyword, format.noun), .string)
    case .formatBound(let format, let comparison, let operand): addFormatBound(format, comparison, operand, keyword, slot)

    case .properties(let properties, let additional):
      let schemas = Dictionary(properties.map { ($0.name, $0.schema) }) { $1 }
      draft.memberRules.append((slot, schemas, properties.map(\.name), additional))
    case .required(let names):
      for name in names {
        let bit = draft.requiredBit(of: name)
        draft.closers.append(
          RuleProgram.Closer(
            kind: .required, slot: slot, operand: bit,
            rule: compiler.builder.addRule(keyword, expectation: "the member '\(name)'", member: name)))
      }
    case .items(let schema): draft.itemRules.append((slot, schema))
    case .itemCount(let comparison, let count):
      let items = count == 1 ? "1 item" : "\(count) items"
      draft.closers.append(
        RuleProgram.Closer(
          kind: comparison == .atLeast ? .minimumItems : .maximumItems, slot: slot, operand: 0, count: count,
          rule: rule(keyword, "\(comparison.words) \(items)")))
    case .contains(let schema, let minimum, let maximum): addContains(schema, minimum, maximum, keyword, slot)

    case .reference(let target): try add(schema: target, slot: slot)
    case .allOf(let parts): for part in parts { try add(schema: part, slot: slot) }
    case .anyOf(let parts):
      let branches = try addBranches(parts, slot)
      resolve(.anyOf, branches, slot, rule(keyword, "what one of \(parts.count) alternatives asks"))
    case .oneOf(let parts):
      let branches = try addBranches(parts, slot)
      resolve(.oneOf, branches, slot, rule(keyword, "what exactly one of \(parts.count) alternatives asks"))
    case .not(let part):
      let branch = draft.addSlot(parent: slot, isMute: true)
      try add(schema: part, slot: branch)
      resolve(.not, [branch], slot, rule(keyword, "a value other than that"))
    case .condition(let condition, let then, let otherwise): try addCondition(condition, then, otherwise, keyword, slot)

    case .uniqueKey, .foreignKey:
      guard slot == 0, !draft.key.isConditional else {
        throw RuleCompileError(
          "\(keyword.name) can't stand under anyOf, oneOf, not, if or contains: keys hold for the whole document",
          at: keyword.pointer,
          compiler.schemaPosition(of: keyword))
      }
      draft.keyRules.append((keyword, keyword.pointer))
    case .since(let version):
      guard slot == 0, !draft.key.isConditional else {
        throw RuleCompileError(
          "since can't stand under anyOf, oneOf, not, if or contains: the version may come later", at: keyword.pointer,
          compiler.schemaPosition(of: keyword))
      }
      let rule = rule(keyword, "version \(version)")
      let index = compiler.builder.versionRules.count
      compiler.builder.versionRules.append(RuleProgram.VersionRule(version: version, rule: rule))
      for kind in ValueKind.allCases where kind != .null { addCheck(.since, slot, operand: index, rule: rule, kind) }
    case .countOf(let pointer):
      guard slot == 0, !draft.key.isConditional else {
        throw RuleCompileError(
          "countOf can't stand under anyOf, oneOf, not, if or contains: the array may come later", at: keyword.pointer,
          compiler.schemaPosition(of: keyword))
      }
      let name = pointer.map { "/" + $0 }.joined()
      addCheck(
        .count, slot, operand: compiler.locations.countIndex(of: pointer), rule: rule(keyword, "the number of items of \(name)"),
        .number)
    }
  }

  // MARK: Keyword by keyword

  private mutating func addNever(_ rule: Int32, _ slot: UInt16) {
    for kind in ValueKind.allCases { addCheck(.never, slot, rule: rule, kind) }
  }

  private mutating func addTypes(_ types: TypeSet, _ keyword: Schema.Keyword, _ slot: UInt16) {
    let rule = rule(keyword, types.description)
    for kind in ValueKind.allCases where !types.contains(kind.type) {
      addCheck(kind == .number && types.contains(.integer) ? .isInteger : .never, slot, rule: rule, kind, isType: true)
    }
  }

  private mutating func addValues(_ values: [JSONValue.Located], _ keyword: Schema.Keyword, _ slot: UInt16)
    throws(RuleCompileError)
  {
    let rule = rule(keyword, Self.list(values))
    var kinds: Set<ValueKind> = []
    var numbers: [ExactDecimal] = []
    var strings: [String] = []
    var booleans: Set<Bool> = []
    for value in values {
      switch value.value {
      case .null: kinds.insert(.null)
      case .boolean(let boolean): booleans.insert(boolean)
      case .number(let text): if let decimal = ExactDecimal(text) { numbers.append(decimal) }
      case .string(let text): strings.append(text)
      case .array, .object:
        throw RuleCompileError(
          "\(keyword.name) with arrays or objects among its values is not supported yet", at: keyword.pointer, value.position)
      }
    }
    if !numbers.isEmpty {
      kinds.insert(.number)
      compiler.builder.constants.numberSets.append(numbers)
      addCheck(.numberAmong, slot, operand: compiler.builder.constants.numberSets.count - 1, rule: rule, .number)
    }
    if !strings.isEmpty {
      kinds.insert(.string)
      addCheck(.stringAmong, slot, operand: compiler.builder.addStringTable(strings), rule: rule, .string)
    }
    if booleans.count == 2 { kinds.insert(.boolean) }
    if booleans.count == 1 {
      kinds.insert(.boolean)
      // The operand is the value that may not be.
      addCheck(.never, slot, operand: booleans.contains(true) ? 1 : 2, rule: rule, .boolean)
    }
    for kind in ValueKind.allCases where !kinds.contains(kind) { addCheck(.never, slot, rule: rule, kind) }
  }

  /// The values of an enumeration as a message lists them.
  private static func list(_ values: [JSONValue.Located]) -> String {
    let shown = values.prefix(16).map { value in
      switch value.value {
      case .null: "null"
      case .boolean(let boolean): String(boolean)
      case .number(let text): text
      case .string(let text): "'\(text)'"
      case .array: "[…]"
      case .object: "{…}"
      }
    }
    let more = values.count > shown.count ? " and \(values.count - shown.count) more" : ""
    return (shown.count == 1 ? "" : "one of ") + shown.joined(separator: ", ") + more
  }

  private mutating func addFormatBound(
    _ format: StringFormat, _ comparison: Comparison, _ operand: Schema.FormatOperand, _ keyword: Schema.Keyword, _ slot: UInt16
  ) {
    let words = format.isTemporal ? comparison.temporalWords : comparison.words
    switch operand {
    case .data(let data):
      addCheck(
        .formatData, slot, comparison, operand: dataOperand(data, format, keyword, slot),
        rule: rule(keyword, "\(words) the value of \(data.text)"), .string)
    case .instant(let instant): addBound(.instantBound, "\(words) \(instant)")
    case .now: addBound(.instantBound, words)
    case .decimal(let decimal): addBound(.decimalBound, "\(words) \(decimal)")
    }
    func addBound(_ operation: RuleProgram.Operation, _ expectation: String) {
      compiler.builder.constants.formatBounds.append((format, operand))
      addCheck(
        operation, slot, comparison, operand: compiler.builder.constants.formatBounds.count - 1, rule: rule(keyword, expectation),
        .string)
    }
  }

  private mutating func addContains(_ schema: Int, _ minimum: Int, _ maximum: Int?, _ keyword: Schema.Keyword, _ slot: UInt16) {
    let counted = draft.addSlot(parent: slot, isMute: true)
    let counter = Int32(draft.contains.count)
    draft.contains.append(RuleProgram.ContainsCount(slot: counted))
    draft.itemRules.append((counted, schema))
    func close(_ kind: RuleProgram.Closer.Kind, _ count: Int, _ name: String, _ words: String) {
      var named = keyword
      // minContains and maxContains stand beside `contains`; a finding names the one that was violated.
      if compiler.schemas.indices.contains(schema), name != "contains" {
        named.name = name
        named.pointer = String(keyword.pointer.dropLast("contains".count)) + name
      }
      let items = count == 1 ? "1 matching item" : "\(count) matching items"
      draft.closers.append(
        RuleProgram.Closer(kind: kind, slot: slot, operand: counter, count: count, rule: rule(named, "\(words) \(items)")))
    }
    if minimum > 0 { close(.minimumContains, minimum, minimum == 1 ? "contains" : "minContains", "at least") }
    if let maximum { close(.maximumContains, maximum, "maxContains", "at most") }
  }

  private mutating func addBranches(_ parts: [Int], _ slot: UInt16) throws(RuleCompileError) -> [UInt16] {
    var branches: [UInt16] = []
    for part in parts {
      let branch = draft.addSlot(parent: slot, isMute: false)
      branches.append(branch)
      try add(schema: part, slot: branch)
    }
    return branches
  }

  private mutating func addCondition(
    _ condition: Int, _ then: Int?, _ otherwise: Int?, _ keyword: Schema.Keyword, _ slot: UInt16
  ) throws(RuleCompileError) {
    if then == nil, otherwise == nil { return }
    let test = draft.addSlot(parent: slot, isMute: true)
    try add(schema: condition, slot: test)
    var branches: [UInt16?] = []
    for (schema, isThen) in [(then, true), (otherwise, false)] {
      guard let schema else {
        branches.append(nil)
        continue
      }
      let branch = draft.addSlot(parent: slot, isMute: false)
      if isThen { draft.slots[Int(branch)].test = test }
      branches.append(branch)
      try add(schema: schema, slot: branch)
    }
    resolve(.condition, [test] + branches.map { $0 ?? RuleProgram.Resolution.noBranch }, slot, rule(keyword, ""))
  }

  // MARK: Rows

  private mutating func rule(_ keyword: Schema.Keyword, _ expectation: String) -> Int32 {
    compiler.builder.addRule(keyword, expectation: expectation)
  }

  private func resolve(_ kind: RuleProgram.Resolution.Kind, _ branches: [UInt16], _ slot: UInt16, _ rule: Int32) {
    let run = ProgramBuilder.append(branches, to: &compiler.builder.branches)
    draft.resolutions.append(RuleProgram.Resolution(kind: kind, slot: slot, branches: run, rule: rule))
  }

  private func addCheck(
    _ operation: RuleProgram.Operation, _ slot: UInt16, _ comparison: Comparison = .atLeast, operand: Int = 0, rule: Int32,
    _ kind: ValueKind, isType: Bool = false
  ) {
    draft.checks[kind.rawValue].append(
      RuleProgram.Check(
        operation: operation, comparison: comparison, slot: slot, operand: Int32(operand), rule: rule, isType: isType,
        hasIntegerBound: hasIntegerBound(operation, operand)))
  }

  private func hasIntegerBound(_ operation: RuleProgram.Operation, _ operand: Int) -> Bool {
    let constants = compiler.builder.constants
    if operation == .numericBound { return constants.decimals[operand].int64 != nil }
    if operation == .decimalBound, case .decimal(let bound) = constants.formatBounds[operand].operand { return bound.isZero }
    return false
  }

  private mutating func dataOperand(
    _ data: Schema.DataReference, _ format: StringFormat?, _ keyword: Schema.Keyword, _ slot: UInt16
  ) -> Int {
    var operand = RuleProgram.DataOperand(reference: data, format: format)
    if case .root(let tokens) = data.origin { operand.globalCell = Int32(compiler.locations.cell(at: tokens)) }
    draft.dataLookups.append((data, slot, keyword))
    compiler.builder.constants.data.append(operand)
    return compiler.builder.constants.data.count - 1
  }
}

extension Comparison {
  /// The words for points in time.
  fileprivate var temporalWords: String {
    switch self {
    case .atLeast: "not before"
    case .moreThan: "after"
    case .atMost: "not after"
    case .lessThan: "before"
    }
  }
}
