import TestSupport

/// Random rule documents over the names that `RandomDocument` uses: everything that slices could get wrong, at every level.
struct RandomRules {
  private var random: SeededRandom
  /// Schemas that may still be added: keeps the rules small.
  private var remaining = 25
  private let names = ["id", "name", "a", "tags", "items", "ref", "é"]

  private init(_ seed: UInt64) { random = SeededRandom(seed: seed) }

  static func text(seed: UInt64) -> String {
    var rules = RandomRules(seed)
    let backup = #""backup": {"name": "random", "version": {"pointer": "/a"}}"#
    return "{\(backup), \(rules.members(depth: 0).joined(separator: ", "))}"
  }

  private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
  private mutating func name() -> String { names[below(names.count)] }

  private mutating func schema(_ depth: Int) -> String {
    remaining -= 1
    return "{\(members(depth: remaining > 0 ? depth : 6).joined(separator: ", "))}"
  }

  /// Returns the keywords of one schema; `depth` counts the schemas around it.
  private mutating func members(depth: Int) -> [String] {
    var members: [String: String] = [:]
    for _ in 0..<(depth < 2 ? 3 : 1 + below(3)) {
      switch below(depth > 5 ? 6 : 28) {
      case 0: members["type"] = #"["\#(["string", "integer", "number", "null"][below(4)])", "object", "array"]"#
      case 1: members["enum"] = #"[1, 2, 3, "a", "word ", null, true]"#
      case 2: members["minimum"] = "\(below(30))"
      case 3: members["maxLength"] = "\(below(8))"
      case 4: members["required"] = #"["\#(name())"]"#
      case 5: data(&members)
      case 6...9: members["properties"] = properties(depth)
      case 10, 11: members["items"] = schema(depth + 1)
      case 12: members["additionalProperties"] = below(2) == 0 ? "false" : schema(depth + 1)
      case 13: keys(&members)
      case 14: members["minItems"] = "\(below(20))"
      case 15: members[["anyOf", "oneOf", "allOf"][below(3)]] = "[\(schema(depth + 1)), \(schema(depth + 1))]"
      case 16:
        members["if"] = schema(depth + 1)
        members["then"] = schema(depth + 1)
        if below(2) == 0 { members["else"] = schema(depth + 1) }
      case 17:
        members["contains"] = schema(depth + 1)
        members["maxContains"] = "\(below(5))"
      case 18: members["since"] = "\(below(40))"
      case 19: members["uniqueItems"] = "true"
      case 20: members["patternProperties"] = #"{"^[a-n]": \#(schema(depth + 1)), "e": \#(schema(depth + 1))}"#
      case 21: members["propertyNames"] = #"{"maxLength": \#(1 + below(5))}"#
      case 22: members["prefixItems"] = "[\(schema(depth + 1)), \(schema(depth + 1))]"
      case 23: members["unevaluatedProperties"] = below(2) == 0 ? "false" : schema(depth + 1)
      case 24: members["unevaluatedItems"] = below(2) == 0 ? "false" : schema(depth + 1)
      case 25:
        members["dependentRequired"] = #"{"\#(name())": ["\#(name())"]}"#
        members["maxProperties"] = "\(1 + below(6))"
      case 26: members["const"] = #"[{"id": 1}, [], "a"]"#
      default: members["not"] = #"{"type": "string", "minLength": \#(3 + below(8))}"#
      }
    }
    if depth < 3, below(3) > 0 { members["properties"] = properties(depth) }
    if depth < 4, below(2) == 0 {
      members["items"] = schema(depth + 1)
      keys(&members)
    }
    if depth < 4, below(3) == 0 {
      members["additionalProperties"] = schema(depth + 1)
      keys(&members)
    }
    if below(6) == 0 { members["severity"] = #""\#(["warning", "note"][below(2)])""# }
    return members.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }
  }

  private mutating func properties(_ depth: Int) -> String {
    var properties: [String: String] = [:]
    for _ in 0..<2 + below(4) { properties[name()] = schema(depth + 1) }
    return "{\(properties.sorted { $0.key < $1.key }.map { #""\#($0.key)": \#($0.value)"# }.joined(separator: ", "))}"
  }

  private mutating func data(_ members: inout [String: String]) {
    let places = ["1/id", "1/a", "2/a", "2/id", "3/a", "/a", "/id"]
    members["maximum"] = #"{"$data": "\#(places[below(places.count)])"}"#
    if below(4) == 0 { members["format"] = #""decimal""# }
    if below(3) == 0 { members["countOf"] = #""/\#(name())""# }
    if below(3) == 0 {
      let values = ["1/tags/*", "2/items/*/a", "/items/*/id", "/\(name())/*/a"][below(4)]
      members["sumOf"] = #"{"values": "\#(values)", "tolerance": "\#(below(9))"}"#
    }
    if below(4) == 0 { members["enum"] = #"{"$data": "\#(["1/tags", "/\(name())", "3/tags"][below(3)])"}"# }
  }

  private mutating func keys(_ members: inout [String: String]) {
    switch below(4) {
    case 0: members["primaryKey"] = #""\#(name())""#
    case 1: members["uniqueKeys"] = #"[["id"], {"fields": ["name"], "ignoreCase": true}, ["a", "0#"]]"#
    case 2: members["primaryKey"] = #"{"fields": "\#(name())", "ignoreCase": true, "acrossArrays": true}"#
    default: members["uniqueKeys"] = #"["\#(name())", {"fields": "\#(name())", "acrossArrays": true}]"#
    }
    if below(4) == 0 {
      let order = ["ascending", "descending"][below(2)]
      members["sortedBy"] =
        below(3) == 0 ? #""0#""# : below(2) == 0 ? #""\#(name())""# : #"{"field": "\#(name())", "order": "\#(order)"}"#
    }
    guard below(2) == 0 else { return }
    let resource = ["", "/items", "/tags", "/\(name())", "/\(name())/\(name())"][below(5)]
    let simple = #"{"fields": "ref", "reference": {"resource": "\#(resource)", "fields": "id"}}"#
    let refined = #"""
      {"fields": ["ref", "a"], "at": "a", "severity": "warning",
       "reference": {"resource": "\#(resource)", "fields": ["id", "a"]}}
      """#
    let conditional = #"""
      {"fields": "ref", "when": {"required": ["a"]},
       "reference": {"resource": "\#(resource)", "fields": "id", "where": {"required": ["name"]}}}
      """#
    let multivalued =
      #"{"fields": "\#(["tags/*", "items/*/id"][below(2)])", "reference": {"resource": "\#(resource)", "fields": "id"}}"#
    let local = #"{"fields": "a", "reference": {"resource": "\#(["1/tags", "3/items", "2/*/items"][below(3)])", "fields": "id"}}"#
    let either = #"""
      {"fields": "ref", "reference": [{"resource": "\#(resource)", "fields": "id", "ifEmpty": "note"},
       {"resource": "/name", "fields": "items/id"}]}
      """#
    let folded = #"{"fields": "ref", "ignoreCase": true, "reference": {"resource": "\#(resource)", "fields": "name"}}"#
    let listed = #"""
      {"fields": "ref", "reference": {"resource": "\#(resource)", "fields": "id"}},
      {"fields": "ref", "reference": {"resource": "\#(["/tags", "1/tags", "3/tags"][below(3)])"}, "severity": "warning"}
      """#
    let named = #"""
      {"fields": "0#", "reference": {"resource": "\#(resource)", "fields": "id"}},
      {"fields": "ref", "reference": {"resource": "\#(resource)", "fields": "0#"}},
      {"fields": "items/*/0#", "reference": {"resource": "\#(resource)"}}
      """#
    let choices = [
      named, simple, "\(simple), \(refined)", conditional, "\(simple), \(multivalued)", "\(multivalued), \(local)", either,
      folded,
      listed,
      "\(multivalued), \(listed)",
    ]
    members["foreignKeys"] = "[\(choices[below(choices.count)])]"
  }
}
