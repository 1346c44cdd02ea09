/// Random keywords, with a function for each family.
extension RandomSchemas {
  private static let patterns = ["^a", "a$", "^.$", "b|c", "é", "^$", "/", "."]

  mutating func objectKeywords(_ keywords: inout [String: RandomTree], _ site: Site) {
    for _ in 0..<1 + values.below(3) {
      switch values.below(12) {
      case 0, 1, 2, 3: keywords["properties"] = schemas(of: values.names(1 + values.below(3)), site.below)
      case 4, 5: keywords["patternProperties"] = schemas(of: patterns(1 + values.below(2)), site.below)
      case 6: keywords["additionalProperties"] = values.chance(1, of: 3) ? .scalar("false") : schema(site.below)
      case 7: keywords["unevaluatedProperties"] = unevaluated(site)
      case 8: keywords["dependentSchemas"] = schemas(of: values.names(1 + values.below(2)), site.inPlace)
      case 9: keywords["propertyNames"] = names(site)
      case 10: keywords["dependentRequired"] = .object(values.names(1).map { ($0, list(values.names(1))) })
      default: keywords["required"] = list(values.names(1))
      }
    }
  }

  mutating func arrayKeywords(_ keywords: inout [String: RandomTree], _ site: Site) {
    for _ in 0..<1 + values.below(3) {
      switch values.below(9) {
      case 0, 1: keywords["prefixItems"] = schemas(1 + values.below(3), site.below)
      case 2: keywords["items"] = schema(site.below)
      case 3, 4, 5:
        keywords["contains"] = schema(site.below)
        if values.chance(1, of: 2) { keywords["minContains"] = .scalar("\(values.below(3))") }
        if values.chance(1, of: 3) { keywords["maxContains"] = .scalar("\(values.below(4))") }
      case 6, 7: keywords["unevaluatedItems"] = unevaluated(site)
      default: keywords["uniqueItems"] = .scalar("true")
      }
    }
  }

  /// Adds keywords that apply schemas to the same place. `unevaluated…` depends on their annotations.
  mutating func combiningKeywords(_ keywords: inout [String: RandomTree], _ site: Site) {
    switch values.below(9) {
    case 0, 1: keywords["anyOf"] = schemas(1 + values.below(3), site.inPlace)
    case 2: keywords["oneOf"] = schemas(1 + values.below(3), site.inPlace)
    case 3: keywords["allOf"] = schemas(1 + values.below(2), site.inPlace)
    case 4: keywords["not"] = schema(site.inPlace)
    case 5:
      let cousin: [(name: String, value: RandomTree)] = [
        ("unevaluatedProperties", unevaluated(site)), ("unevaluatedItems", unevaluated(site)),
      ]
      keywords["allOf"] = .array([schema(site.inPlace), .object([cousin[values.below(2)]])])
    default:
      keywords["if"] = schema(site.inPlace)
      if values.chance(3, of: 4) { keywords["then"] = schema(site.inPlace) }
      if values.chance(1, of: 2) { keywords["else"] = schema(site.inPlace) }
    }
  }

  mutating func scalarKeywords(_ keywords: inout [String: RandomTree]) {
    for _ in 0..<1 + values.below(2) {
      switch values.below(10) {
      case 0: keywords["minimum"] = .scalar(values.pick(RandomValues.numbers))
      case 1: keywords["maximum"] = .scalar(values.pick(RandomValues.numbers.reversed()))
      case 2: keywords["exclusiveMinimum"] = .scalar(values.pick(RandomValues.numbers))
      case 3: keywords["exclusiveMaximum"] = .scalar(values.pick(RandomValues.numbers.reversed()))
      case 4, 5:
        keywords["multipleOf"] = .scalar(values.pick(["1", "0.1", "2", "1e-7", "0.5", "3", "9007199254740993", "1e400"]))
      case 6: keywords["minLength"] = .scalar(values.pick(["1", "0", "2.0", "2"]))
      case 7: keywords["maxLength"] = .scalar(values.pick(["1", "2", "1.0", "0"]))
      case 8: keywords["format"] = .string(values.pick(["date", "email", "regex"]))
      default: keywords["pattern"] = .string(values.pick(Self.patterns))
      }
    }
  }

  mutating func valueKeywords(_ keywords: inout [String: RandomTree]) {
    switch values.below(8) {
    case 0: keywords["const"] = values.value(depth: values.below(3))
    case 1, 2: keywords["enum"] = .array((0..<2 + values.below(6)).map { _ in values.value(depth: values.below(3)) })
    case 3: keywords["type"] = .string(values.pick(["object", "array", "number", "string", "integer", "boolean", "null"]))
    default:
      var types = ["object", "array", "string", "integer", "boolean", "null"].shuffled(using: &values.random)
      if values.chance(1, of: 2) { types.append("number") }
      keywords["type"] = list(Array(types.prefix(2 + values.below(5))))
    }
  }

  mutating func sizeKeywords(_ keywords: inout [String: RandomTree]) {
    switch values.below(7) {
    case 0: keywords["minItems"] = .scalar("\(values.below(3))")
    case 1: keywords["maxItems"] = .scalar("\(1 + values.below(4))")
    case 2: keywords["minProperties"] = .scalar("\(values.below(3))")
    case 3: keywords["maxProperties"] = .scalar("\(1 + values.below(4))")
    case 4: keywords["uniqueItems"] = .scalar("true")
    case 5: keywords["required"] = list(values.names(1))
    default: keywords["description"] = .string("nothing")
    }
  }

  // MARK: Values of keywords

  private mutating func list(_ texts: [String]) -> RandomTree { .array(texts.map(RandomTree.string)) }

  private mutating func patterns(_ count: Int) -> [String] {
    Array(Self.patterns.shuffled(using: &values.random).prefix(count))
  }

  /// Returns a schema for `propertyNames`, usually one about text.
  private mutating func names(_ site: Site) -> RandomTree {
    switch values.below(5) {
    case 0: .object([("maxLength", .scalar("2"))])
    case 1: .object([("pattern", .string(values.pick(Self.patterns.reversed())))])
    case 2: .object([("enum", list(values.names(5)))])
    case 3: .object([("not", .object([("const", .string(values.pick(RandomValues.names)))]))])
    default: schema(site.below)
    }
  }
}
