import ByteStreams
import JSONEvents

/// Which values are allowed: by their types, or one by one.
extension Keyword {
  static let values: [Keyword] = [
    Keyword("type", .validation) { _, member, reader throws(CofferError) in .types(try reader.types(member.value)) },
    Keyword("enum", .validation) { _, member, reader throws(CofferError) in try reader.enumeration(member.value) },
    Keyword("const", .validation, since: .draft6) { _, member, reader throws(CofferError) in
      if let data = try reader.dataReference(member.value, options: ["prefix"]) { return .equalsData(data) }
      return .values([member.value.json])
    },
  ]
}

extension KeywordReader {
  func types(_ value: RuleValue) throws(CofferError) -> TypeSet {
    var types: TypeSet = []
    let items = value.items ?? [value]
    if items.isEmpty { throw value.error("type must name at least one type") }
    for item in items {
      guard let name = item.string, let type = TypeSet.names.first(where: { $0.name == name })?.type else {
        let names = TypeSet.names.map(\.name)
        let suggestion = item.string.map { Suggestion.text(for: $0, among: names) } ?? ""
        throw item.error("type must be \(names.joined(separator: ", ")) or a list of them\(suggestion)")
      }
      types.insert(type)
    }
    return types
  }

  func enumeration(_ value: RuleValue) throws(CofferError) -> Schema.Assertion {
    if let data = try dataReference(value) { return .amongData(data) }
    guard let values = value.json.array else { throw value.unexpected("a list of values") }
    return .values(values)
  }
}

extension Keyword.Rule {
  /// The schema `false`.
  static let never = Keyword.Rule(words: { $0?.inQuotationMarks }) { adder, keyword, slot in
    let rule = adder.rule(keyword, "nothing")
    for kind in JSONKind.allCases { adder.append(.never, slot, rule: rule, kind) }
  }

  static func unusable(_ error: CofferError) -> Keyword.Rule {
    Keyword.Rule { adder, keyword, slot in
      let obstacle = adder.constant(error, in: \.obstacles)
      let rule = adder.rule(keyword, "a schema that can be used")
      for kind in JSONKind.allCases {
        adder.append(.unusable, slot, operand: obstacle, rule: rule, kind)
      }
    }
  }

  static func types(_ types: TypeSet) -> Keyword.Rule {
    Keyword.Rule { adder, keyword, slot in
      let rule = adder.rule(keyword, types.description)
      for kind in JSONKind.allCases where !types.contains(kind.type) {
        let isInteger = kind == .number && types.contains(.integer)
        adder.append(isInteger ? .isInteger : .never, slot, rule: rule, kind, isType: true)
      }
    }
  }

  static func values(_ values: [JSONValue.Located]) -> Keyword.Rule {
    Keyword.Rule(words: { _ in "one of " + values.map(\.text).joined(separator: ", ") }) { $0.addValues(values, $1, $2) }
  }
}

extension KeywordAdder {
  fileprivate func addValues(_ values: [JSONValue.Located], _ keyword: Schema.Keyword, _ slot: UInt16) {
    let rule = rule(keyword, Self.list(values))
    var kinds: Set<JSONKind> = []
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
      append(.numberAmong, slot, operand: constant(NumberSet(numbers), in: \.numberSets), rule: rule, .number)
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
    for kind in JSONKind.allCases where !kinds.contains(kind) { append(.never, slot, rule: rule, kind) }
  }

  /// Adds a check of arrays and objects, which are compared when they end.
  private func addContainers(_ values: [JSONValue.Located], _ kinds: Set<JSONKind>, _ rule: Int32, _ slot: UInt16) {
    draft.comparesContainers = true
    endCheck(
      .containerAmong, slot, operand: Int32(constant(values, in: \.containerSets)),
      // The kinds that may match; a value of another kind has failed already.
      count: (kinds.contains(.array) ? 1 : 0) | (kinds.contains(.object) ? 2 : 0), rule: rule)
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
}

extension String {
  /// A message of the rules' own.
  var inQuotationMarks: String { "\"\(self)\"" }
}
