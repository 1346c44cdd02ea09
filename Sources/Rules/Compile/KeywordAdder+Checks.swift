import ByteStreams
import Findings
import JSONEvents

/// Keywords that depend only on the value: one check, or one for each kind of value.
extension KeywordAdder {
  func addCheck(_ keyword: Schema.Keyword, _ slot: UInt16) {
    switch keyword.assertion {
    case .never: addNever(keyword, slot)
    case .unusable(let error):
      compiler.builder.constants.obstacles.append(error)
      let rule = rule(keyword, "a schema that can be used")
      for kind in ValueKind.allCases {
        append(.unusable, slot, operand: compiler.builder.constants.obstacles.count - 1, rule: rule, kind)
      }
    case .types(let types): addTypes(types, keyword, slot)
    case .values(let values): addValues(values, keyword, slot)
    case .equalsData(let data):
      let rule = rule(keyword, (data.prefix.map { "'\($0)' followed by " } ?? "") + data.name)
      for kind in [ValueKind.null, .boolean, .number, .string] {
        append(.equalsData, slot, operand: dataOperand(data, nil, keyword, slot), rule: rule, kind)
      }
      for kind in [ValueKind.array, .object] { append(.never, slot, rule: rule, kind) }
    case .amongData(let data):
      let rule = rule(keyword, "one of the items of \(data.name)")
      for kind in [ValueKind.null, .boolean, .number, .string] {
        append(.amongData, slot, operand: aggregate(.items, data.items, nil, keyword, slot), rule: rule, kind)
      }
      for kind in [ValueKind.array, .object] { append(.never, slot, rule: rule, kind) }
    case .bound(let comparison, .number(let bound)):
      append(
        .numericBound, slot, comparison, operand: constant(bound), rule: rule(keyword, "\(comparison.words) \(bound)"), .number)
    case .bound(let comparison, .data(let data)):
      append(
        .numericData, slot, comparison, operand: dataOperand(data, nil, keyword, slot),
        rule: rule(keyword, "\(comparison.words) \(data.name)"), .number)
    case .multipleOf(let divisor):
      append(.multipleOf, slot, operand: constant(divisor), rule: rule(keyword, "a multiple of \(divisor)"), .number)
    case .length(let comparison, let count):
      let characters = count == 1 ? "1 character" : "\(count) characters"
      append(
        comparison == .atLeast ? .minimumLength : .maximumLength, slot, operand: min(count, Int(Int32.max)),
        rule: rule(keyword, "\(comparison.words) \(characters)"), .string)
    case .pattern(let pattern):
      compiler.builder.constants.patterns.append(pattern)
      append(
        .pattern, slot, operand: compiler.builder.constants.patterns.count - 1,
        rule: rule(keyword, "text that matches \(pattern.source)"), .string)
    case .format(let format): addFormat(format, keyword, slot)
    case .formatBound(let format, let comparison, let operand): addFormatBound(format, comparison, operand, keyword, slot)
    default: preconditionFailure("not a check of the value")
    }
  }

  private func constant(_ decimal: ExactDecimal) -> Int {
    compiler.builder.constants.decimals.append(decimal)
    return compiler.builder.constants.decimals.count - 1
  }

  private func addNever(_ keyword: Schema.Keyword, _ slot: UInt16) {
    let rule = rule(keyword, "nothing")
    for kind in ValueKind.allCases { append(.never, slot, rule: rule, kind) }
  }

  private func addTypes(_ types: TypeSet, _ keyword: Schema.Keyword, _ slot: UInt16) {
    let rule = rule(keyword, types.description)
    for kind in ValueKind.allCases where !types.contains(kind.type) {
      append(kind == .number && types.contains(.integer) ? .isInteger : .never, slot, rule: rule, kind, isType: true)
    }
  }

  // MARK: Values among others

  private func addValues(_ values: [JSONValue.Located], _ keyword: Schema.Keyword, _ slot: UInt16) {
    let rule = rule(keyword, Self.list(values))
    var kinds: Set<ValueKind> = []
    var numbers: Set<ExactDecimal> = []
    var strings: [String] = []
    var booleans: Set<Bool> = []
    var containers: [JSONValue.Located] = []
    for value in values {
      switch value.value {
      case .null: kinds.insert(.null)
      case .boolean(let boolean): booleans.insert(boolean)
      case .number(let text): if let decimal = ExactDecimal(text) { numbers.insert(decimal) }
      case .string(let text): strings.append(text)
      case .array:
        kinds.insert(.array)
        containers.append(value)
      case .object:
        kinds.insert(.object)
        containers.append(value)
      }
    }
    if !numbers.isEmpty {
      kinds.insert(.number)
      compiler.builder.constants.numberSets.append(NumberSet(numbers))
      append(.numberAmong, slot, operand: compiler.builder.constants.numberSets.count - 1, rule: rule, .number)
    }
    if !strings.isEmpty {
      kinds.insert(.string)
      append(.stringAmong, slot, operand: compiler.builder.addStringTable(strings), rule: rule, .string)
    }
    if booleans.count == 2 { kinds.insert(.boolean) }
    if booleans.count == 1 {
      kinds.insert(.boolean)
      // The operand is the excluded value.
      append(.never, slot, operand: booleans.contains(true) ? 1 : 2, rule: rule, .boolean)
    }
    if !containers.isEmpty { addContainers(containers, kinds, rule, slot) }
    for kind in ValueKind.allCases where !kinds.contains(kind) { append(.never, slot, rule: rule, kind) }
  }

  /// Adds a check of arrays and objects, which are compared when they end.
  private func addContainers(_ values: [JSONValue.Located], _ kinds: Set<ValueKind>, _ rule: Int32, _ slot: UInt16) {
    compiler.builder.constants.containerSets.append(values)
    draft.comparesContainers = true
    draft.endChecks.append(
      RuleProgram.EndCheck(
        kind: .containerAmong, slot: slot, operand: Int32(compiler.builder.constants.containerSets.count - 1),
        // The kinds that may match; a value of another kind has failed already.
        count: (kinds.contains(.array) ? 1 : 0) | (kinds.contains(.object) ? 2 : 0), rule: rule))
  }

  /// Returns the values of an enumeration as a message lists them.
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

  // MARK: Formats

  private func addFormat(_ format: StringFormat, _ keyword: Schema.Keyword, _ slot: UInt16) {
    let kind: ValueKind = format.appliesToNumbers ? .number : .string
    // Bounds bring their own format check: a value with a wrong format has one fault, not two.
    func severity(_ check: RuleProgram.Check) -> Severity { compiler.builder.rules[Int(check.rule)].severity }
    let isKnown = draft.checks[kind.rawValue].contains {
      $0.isFormat(format, slot) && severity($0) >= keyword.grading.severity
    }
    if isKnown { return }
    append(.format, slot, operand: Int(format.rawValue), rule: rule(keyword, format.noun), kind)
    // A value that isn't even the more general of these formats has one fault, too.
    guard format == .dateTimeSeconds || format == .appleDateTime,
      let wide = draft.checks[kind.rawValue].first(where: { $0.isFormat(.appleDateTime, slot) }),
      let narrow = draft.checks[kind.rawValue].firstIndex(where: { $0.isFormat(.dateTimeSeconds, slot) }),
      severity(wide) >= severity(draft.checks[kind.rawValue][narrow])
    else { return }
    let narrowed = draft.checks[kind.rawValue].remove(at: narrow)
    append(.wholeSeconds, slot, operand: Int(narrowed.operand), rule: narrowed.rule, kind)
  }

  private func addFormatBound(
    _ format: StringFormat, _ comparison: Comparison, _ operand: Schema.FormatOperand, _ keyword: Schema.Keyword, _ slot: UInt16
  ) {
    let words = format.isTemporal ? comparison.temporalWords : comparison.words
    let kind: ValueKind = format.appliesToNumbers ? .number : .string
    switch operand {
    case .data(let data):
      append(
        .formatData, slot, comparison, operand: dataOperand(data, format, keyword, slot),
        rule: rule(keyword, "\(words) \(data.name)"), kind)
    case .instant(let instant): addBound(.instantBound, "\(words) \(instant)")
    case .now(let shift):
      addBound(.instantBound, "\(words) now" + (shift.map { " \($0.isNegative ? "minus" : "plus") \($0.text)" } ?? ""))
    case .decimal(let decimal): addBound(.decimalBound, "\(words) \(decimal)")
    }
    func addBound(_ operation: RuleProgram.Operation, _ expectation: String) {
      compiler.builder.constants.formatBounds.append((format, operand))
      append(
        operation, slot, comparison, operand: compiler.builder.constants.formatBounds.count - 1, rule: rule(keyword, expectation),
        kind)
    }
  }

  // MARK: Rows

  func append(
    _ operation: RuleProgram.Operation, _ slot: UInt16, _ comparison: Comparison = .atLeast, operand: Int = 0, rule: Int32,
    _ kind: ValueKind, isType: Bool = false
  ) {
    draft.checks[kind.rawValue].append(
      RuleProgram.Check(
        operation: operation, comparison: comparison, slot: slot, operand: Int32(operand), rule: rule, isType: isType,
        hasIntegerBound: hasIntegerBound(operation, operand), isBelowError: compiler.builder.rules[Int(rule)].severity < .error))
  }

  private func hasIntegerBound(_ operation: RuleProgram.Operation, _ operand: Int) -> Bool {
    if operation == .numericBound { return compiler.builder.constants.decimals[operand].int64 != nil }
    guard operation == .decimalBound, case .decimal(let bound) = compiler.builder.constants.formatBounds[operand].operand else {
      return false
    }
    return bound.isZero
  }

  private func dataOperand(
    _ data: Schema.DataReference, _ format: StringFormat?, _ keyword: Schema.Keyword, _ slot: UInt16
  ) -> Int {
    var cell: Int32 = -1
    if case .root(let tokens) = data.origin { cell = Int32(compiler.locations.cell(at: tokens)) }
    let operand = RuleProgram.DataOperand(reference: data, format: format, globalCell: cell)
    draft.dataLookups.append((data, slot, keyword))
    compiler.builder.constants.data.append(operand)
    return compiler.builder.constants.data.count - 1
  }
}

extension KeywordAdder {
  /// Returns the operand of a comparison with values gathered from several places.
  func aggregate(
    _ kind: LocationTree.AggregateRequest.Kind, _ resource: Schema.Resource, _ tolerance: ExactDecimal?,
    _ keyword: Schema.Keyword, _ slot: UInt16
  ) -> Int {
    let number = compiler.locations.aggregate(kind, of: resource)
    var operand = RuleProgram.AggregateOperand(number: Int32(number), levels: -1, tolerance: tolerance)
    if case .relative(let levels, _) = resource { operand.levels = levels }
    draft.aggregateLookups.append((operand.levels, number, slot, keyword))
    compiler.builder.constants.aggregates.append(operand)
    return compiler.builder.constants.aggregates.count - 1
  }
}

extension Comparison {
  /// The words for points in time.
  var temporalWords: String {
    switch self {
    case .atLeast: "no earlier than"
    case .moreThan: "after"
    case .atMost: "no later than"
    case .lessThan: "before"
    }
  }
}

extension Schema.DataReference {
  /// The place and the duration in messages: `startTime plus P1D`, `the outer limit`, `/settings/start`.
  fileprivate var name: String {
    let place =
      switch origin {
      case .ancestor(1, let field): field
      case .ancestor(_, let field): "the outer \(field)"
      case .root: text
      }
    return place + (plus.map { " \($0.isNegative ? "minus" : "plus") \($0.text)" } ?? "")
  }
}

extension RuleProgram.Check {
  fileprivate func isFormat(_ format: StringFormat, _ slot: UInt16) -> Bool {
    self.slot == slot && (operation == .format || operation == .wholeSeconds) && operand == Int32(format.rawValue)
  }
}

/// Keywords that are decided at the end of an array, an object or the document.
extension KeywordAdder {
  func addEndChecks(_ keyword: Schema.Keyword, _ slot: UInt16) {
    switch keyword.assertion {
    case .required(let names):
      for name in names {
        draft.endChecks.append(
          RuleProgram.EndCheck(
            kind: .required, slot: slot, operand: draft.requiredBit(of: name),
            rule: compiler.builder.addRule(
              keyword, in: draft, expectation: "the member '\(name)'", member: name, isCondition: draft.isMute(slot))))
      }
    case .dependentRequired(let dependencies):
      for dependency in dependencies {
        let trigger = draft.requiredBit(of: dependency.name)
        for name in dependency.required {
          let expectation = "the member '\(name)', which '\(dependency.name)' requires"
          draft.endChecks.append(
            RuleProgram.EndCheck(
              kind: .dependentRequired, slot: slot, operand: draft.requiredBit(of: name), count: Int(trigger),
              rule: compiler.builder.addRule(
                keyword, in: draft, expectation: expectation, member: name, cause: dependency.name,
                isCondition: draft.isMute(slot))))
        }
      }
    case .itemCount(let comparison, let count):
      let items = count == 1 ? "1 item" : "\(count) items"
      draft.endChecks.append(
        RuleProgram.EndCheck(
          kind: comparison == .atLeast ? .minimumItems : .maximumItems, slot: slot, operand: 0, count: count,
          rule: rule(keyword, "\(comparison.words) \(items)")))
    case .memberCount(let comparison, let count):
      draft.countsMembers = true
      let members = count == 1 ? "1 member" : "\(count) members"
      draft.endChecks.append(
        RuleProgram.EndCheck(
          kind: comparison == .atLeast ? .minimumMembers : .maximumMembers, slot: slot, operand: 0, count: count,
          rule: rule(keyword, "\(comparison.words) \(members)")))
    case .uniqueItems(let ignoresCase): draft.uniqueItems.append((slot, ignoresCase, keyword))
    default: preconditionFailure("another kind of keyword")
    }
  }

  /// Adds a rule about other parts of the document. They may come later, and no branch can wait for them.
  func addDocumentRule(_ keyword: Schema.Keyword, _ slot: UInt16) throws(CofferError) {
    try refuseInBranches(keyword, slot)
    switch keyword.assertion {
    case .since(let version):
      let rule = rule(keyword, "in versions from \(version) on")
      let index = compiler.builder.versionRules.count
      compiler.builder.versionRules.append(RuleProgram.VersionRule(version: version, rule: rule))
      for kind in ValueKind.allCases where kind != .null { append(.since, slot, operand: index, rule: rule, kind) }
    case .countOf(let pointer):
      let name = pointer.map { "/" + $0.pointerToken }.joined()
      addTotal(.count, compiler.locations.countIndex(of: pointer), rule(keyword, "the number of items of \(name)"), slot)
    case .sumOf(let sum):
      let operand = aggregate(.sum, sum.values, sum.tolerance, keyword, slot)
      addTotal(.sum, operand, rule(keyword, "the sum of \(sum.words)"), slot)
    case .containerEntry(let entry): addEntry(entry, keyword, slot)
    case .uniqueKey, .foreignKey:
      draft.keyRules.append(keyword)
      draft.recordKeywords.append((keyword, nil))
    default: preconditionFailure("another kind of keyword")
    }
  }

  /// Adds a comparison of a number, or of a decimal string, with a total. Null stands for a missing value; any other value isn't
  /// the total.
  private func addTotal(_ operation: RuleProgram.Operation, _ operand: Int, _ rule: Int32, _ slot: UInt16) {
    for kind in [ValueKind.number, .string] { append(operation, slot, operand: operand, rule: rule, kind) }
    for kind in [ValueKind.boolean, .array, .object] { append(.never, slot, rule: rule, kind) }
  }

  func refuseInBranches(_ keyword: Schema.Keyword, _ slot: UInt16) throws(CofferError) {
    guard slot == 0, !draft.key.isConditional else {
      throw keyword.origin.error(
        "\(keyword.name) is not allowed under anyOf, oneOf, not, if or contains: it needs parts of the document that may come "
          + "after the branch is decided")
    }
  }

  private func addEntry(_ entry: Schema.ContainerEntry, _ keyword: Schema.Keyword, _ slot: UInt16) {
    func operand(_ field: Schema.ContainerEntry.Field?) -> RuleProgram.EntryOperand.Field? {
      guard let field else { return nil }
      let data = Schema.DataReference(origin: .ancestor(levels: 1, field: field.name), text: field.name)
      draft.dataLookups.append((data, slot, keyword))
      var named = keyword
      named.grading = field.grading
      named.origin.pointer = field.origin.pointer
      return RuleProgram.EntryOperand.Field(name: field.name, rule: rule(named, "the entry's declared value"))
    }
    var named = keyword
    named.grading.code = keyword.grading.code ?? "file-missing"
    compiler.builder.constants.entries.append(
      RuleProgram.EntryOperand(
        prefix: entry.prefix, size: operand(entry.size), digest: operand(entry.digest), algorithm: entry.algorithm))
    append(.entry, slot, operand: compiler.builder.constants.entries.count - 1, rule: rule(named, "an entry's name"), .string)
  }
}
