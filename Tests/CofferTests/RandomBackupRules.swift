import TestSupport

/// Random rule documents of backups: collections that refer to each other, with keys, counts, sums and values of all kinds.
struct RandomBackupRules {
  private var random: SeededRandom
  private var names: [String] = []

  private init(_ seed: UInt64) { random = SeededRandom(seed: seed) }

  static func text(seed: UInt64) -> String {
    var rules = RandomBackupRules(seed &* 0x9E37_79B9_7F4A_7C15)
    return rules.document()
  }

  private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
  private mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
  private mutating func one<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  private static func object(_ members: [(String, String)]) -> String {
    "{\(members.map { #""\#($0.0)": \#($0.1)"# }.joined(separator: ", "))}"
  }

  private static func list(_ names: [String]) -> String { "[\(names.map { #""\#($0)""# }.joined(separator: ", "))]" }

  // MARK: The document

  private mutating func document() -> String {
    names = Array(["cars", "trips", "tags", "notes"].prefix(1 + below(4)))
    let nested = chance(20)
    var properties: [(String, String)] = []
    var required: [String] = []
    for name in names {
      properties.append((name, collection(name, nested ? "/data" : "")))
      if chance(80) { required.append(name) }
    }
    if nested {
      let data = Self.object([
        ("type", #""object""#), ("required", Self.list(required)), ("properties", Self.object(properties)),
      ])
      (properties, required) = ([("data", data)], ["data"])
    }
    let path = (nested ? "/data" : "") + "/" + names[0]
    if chance(40) { properties.append(("count", #"{"type": "integer", "countOf": "\#(path)"}"#)) }
    if chance(40) { properties.append(("total", #"{"type": "number", "sumOf": {"values": "\#(path)/*/amount"}}"#)) }
    if chance(50) { properties.append(("settings", record(depth: 1, unknown: chance(50)))) }
    if chance(50) { properties.append(("title", value(depth: 0))) }
    for (name, _) in properties where !["data"].contains(name) && !required.contains(name) && chance(60) { required.append(name) }
    var document = [("type", #""object""#), ("required", Self.list(required)), ("properties", Self.object(properties))]
    if chance(60) { document.append(("additionalProperties", "false")) }
    return Self.object(document)
  }

  private mutating func collection(_ name: String, _ parent: String) -> String {
    var fields: [(String, String)] = [("id", id()), ("amount", number())]
    var required = ["id"]
    if chance(70) { required.append("amount") }
    for name in ["a", "b", "c", "d", "e"].prefix(below(6)) {
      fields.append((name, value(depth: 0)))
      if chance(50) { required.append(name) }
    }
    var keywords: [(String, String)] = [("type", #""array""#), ("primaryKey", #""id""#)]
    var references: [String] = []
    if chance(60) {
      let target = one(names)
      fields.append(("ref", #"{"type": ["integer", "string"\#(chance(50) ? #", "null""# : "")]}"#))
      if chance(50) { required.append("ref") }
      references.append(#"{"fields": "ref", "reference": {"resource": "\#(parent)/\#(target)", "fields": "id"}}"#)
    }
    if chance(20) {
      fields.append(("refs", #"{"type": "array", "items": {"type": ["integer", "string"]}}"#))
      references.append(#"{"fields": "refs/*", "reference": {"resource": "\#(parent)/\#(one(names))", "fields": "id"}}"#)
    }
    if !references.isEmpty { keywords.append(("foreignKeys", "[\(references.joined(separator: ", "))]")) }
    if chance(25) {
      fields.append(("code", id()))
      required.append("code")
      keywords.append(("uniqueKeys", one([#"["code"]"#, #"[["amount", "code"]]"#])))
    }
    if chance(20) {
      keywords.append(("sortedBy", #"{"field": "amount", "order": "\#(one(["ascending", "descending"]))"}"#))
    }
    if chance(40) { between(&fields, &required) }
    if chance(30) { kinds(&fields, &required) }
    if chance(25) {
      fields.append(
        (
          "items",
          #"{"type": "array", "primaryKey": "k", "items": {"type": "object", "required": ["k", "n"], "properties": {"k": \#(id()), "n": \#(number())}}}"#
        ))
      if chance(50) {
        fields.append(("sum", #"{"type": "number", "sumOf": {"values": "1/items/*/n"}}"#))
        required += ["items", "sum"]
      }
    }
    var item = [("type", #""object""#), ("required", Self.list(required)), ("properties", Self.object(fields))]
    if chance(60) { item.append(("additionalProperties", "false")) }
    if chance(15) { item.append(("minProperties", "\(required.count + below(2))")) }
    if chance(15), let last = fields.last?.0 { item.append(("dependentRequired", #"{"\#(last)": ["amount"]}"#)) }
    if chance(30) { keywords.append(("minItems", "\(below(12))")) }
    if chance(20) { keywords.append(("maxItems", "\(12 + below(30))")) }
    return Self.object(keywords + [("items", Self.object(item))])
  }

  /// Adds two values that must be in order.
  private mutating func between(_ fields: inout [(String, String)], _ required: inout [String]) {
    if chance(50) {
      let format = one(["date", "date-time"])
      fields.append(("from", #"{"type": "string", "format": "\#(format)"\#(chance(50) ? #", "formatMaximum": "now""# : "")}"#))
      fields.append(("to", #"{"type": "string", "format": "\#(format)", "formatMinimum": {"$data": "1/from"}}"#))
    } else {
      let bound = one(["minimum", "exclusiveMinimum"])
      fields.append(("from", number()))
      fields.append(("to", #"{"type": "\#(one(["integer", "number"]))", "\#(bound)": {"$data": "1/from"}}"#))
    }
    if chance(70) { required += ["from", "to"] }
  }

  /// Adds a kind of record and a nested object.
  private mutating func kinds(_ fields: inout [(String, String)], _ required: inout [String]) {
    fields.append(("kind", #"{"enum": ["fuel", "repair", "other"]}"#))
    required.append("kind")
    let name = "x"
    fields.append((name, #"{"type": "object", "properties": {"y": \#(value(depth: 2))}}"#))
  }

  // MARK: Values

  private mutating func id() -> String {
    one([
      #"{"type": "integer"}"#, #"{"type": "integer", "minimum": 1, "maximum": 40}"#, #"{"type": "integer", "multipleOf": 5}"#,
      #"{"type": "string", "format": "uuid"}"#, #"{"type": "string"}"#, #"{"type": "string", "minLength": 1, "maxLength": 12}"#,
      #"{"type": "string", "pattern": "^[a-z]{2}-[0-9]{3}$"}"#, #"{"enum": ["red", "green", "blue", "white", "black"]}"#,
      #"{"type": "string", "format": "date"}"#, #"{"type": "integer", "minimum": 7}"#, #"{"type": "number"}"#,
    ])
  }

  private mutating func number() -> String {
    var keywords = [("type", one([#""integer""#, #""number""#]))]
    if chance(50) { keywords.append((one(["minimum", "exclusiveMinimum"]), one(["-20", "0", "0.5", "3", "1000", "1e15"]))) }
    if chance(40) { keywords.append((one(["maximum", "exclusiveMaximum"]), one(["-5", "1", "3.5", "99", "2000", "1e17"]))) }
    if chance(20) { keywords.append(("multipleOf", one(["1", "0.25", "7", "0.01", "10"]))) }
    return Self.object(keywords)
  }

  private mutating func text() -> String {
    var keywords = [("type", #""string""#)]
    switch below(5) {
    case 0:
      keywords.append(
        ("format", #""\#(one(["date", "date-time", "time", "uuid", "email", "uri", "decimal", "currency", "color-hex"]))""#))
    case 1:
      keywords.append(("pattern", #""\#(one(["^[A-Z]{3}$", "^[0-9]+$", "^(a|b)c*$", "[.]jpg$", "^\\\\S", "^https?://"]))""#))
    case 2: keywords.append(("minLength", "\(below(30))"))
    case 3: keywords.append(("maxLength", "\(below(30))"))
    default: break
    }
    return Self.object(keywords)
  }

  private mutating func value(depth: Int) -> String {
    switch below(depth > 2 ? 6 : 12) {
    case 0, 1: return number()
    case 2, 3: return text()
    case 4: return #"{"type": "boolean"}"#
    case 5: return #"{"enum": [1, "a", null, false, 2.5]}"#
    case 6: return #"{"type": ["\#(one(["integer", "string", "boolean", "number"]))", "null"]}"#
    case 7, 8: return record(depth: depth + 1, unknown: chance(50))
    case 9: return #"{"anyOf": [\#(value(depth: depth + 1)), \#(value(depth: depth + 1))]}"#
    case 10: return #"{"const": \#(one(["1", #""fixed""#, "true", "null"]))}"#
    default:
      var keywords = [("type", #""array""#), ("items", value(depth: depth + 1))]
      if chance(40) { keywords.append(("minItems", "\(below(4))")) }
      if chance(40) { keywords.append(("maxItems", "\(4 + below(4))")) }
      if chance(20) { keywords.append(("uniqueItems", "true")) }
      return Self.object(keywords)
    }
  }

  private mutating func record(depth: Int, unknown: Bool) -> String {
    let fields = ["p", "q", "r"].prefix(1 + below(3)).map { ($0, value(depth: depth)) }
    let required = fields.map(\.0).filter { _ in chance(60) }
    var keywords = [("type", #""object""#), ("required", Self.list(required)), ("properties", Self.object(fields))]
    if !unknown { keywords.append(("additionalProperties", "false")) }
    return Self.object(keywords)
  }
}
