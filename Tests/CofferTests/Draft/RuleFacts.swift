import Rules

/// The rules of a document as a set of statements, to compare drafts with the rules that ship.
struct RuleFacts {
  struct Fact: Hashable, Comparable, CustomStringConvertible {
    let kind: String
    let pointer: String
    let value: String

    var description: String { "\(kind) \(pointer.isEmpty ? "root" : pointer) \(value)" }

    static func < (a: Fact, b: Fact) -> Bool { (a.kind, a.pointer, a.value) < (b.kind, b.pointer, b.value) }
  }

  private(set) var facts: Set<Fact> = []
  /// The places that have rules.
  private(set) var places: Set<String> = []
  private let definitions: JSONValue.Located?

  init(_ document: JSONValue.Located) {
    definitions = document["$defs"]
    walk(document, "", isWeak: false, depth: 0)
  }

  private mutating func add(_ kind: String, _ pointer: String, _ value: String) {
    facts.insert(Fact(kind: kind, pointer: pointer, value: value))
  }

  /// - Parameter isWeak: true inside of rules that give warnings and notes: enums, formats and relations count there, too.
  private mutating func walk(_ schema: JSONValue.Located, _ pointer: String, isWeak: Bool, depth: Int) {
    guard schema.object != nil, depth < 40 else { return }
    let isWeak = isWeak || schema["severity"] != nil
    places.insert(pointer)
    if let name = schema["$ref"]?.string?.split(separator: "/").last, !["unknown", "otherDialect"].contains(name),
      let definition = definitions?[String(name)]
    {
      walk(definition, pointer, isWeak: isWeak, depth: depth + 1)
    }
    addValueRules(of: schema, pointer, isWeak: isWeak)
    addKeys(of: schema, pointer)
    for member in schema["properties"]?.object ?? [] {
      walk(member.value, pointer + "/" + member.key, isWeak: isWeak, depth: depth + 1)
    }
    if let items = schema["items"] { walk(items, pointer + "/*", isWeak: isWeak, depth: depth + 1) }
    // Records that are stored by id.
    if let others = schema["additionalProperties"], others["$ref"] == nil {
      walk(others, pointer + "/*", isWeak: isWeak, depth: depth + 1)
    }
    for part in schema["allOf"]?.array ?? [] {
      walk(part, pointer, isWeak: isWeak, depth: depth + 1)
      addCondition(part, pointer)
    }
  }

  /// Members that are present for some values of another one.
  private mutating func addCondition(_ part: JSONValue.Located, _ pointer: String) {
    guard let kind = part["if"]?["required"]?.array?.first?.string else { return }
    let branches = ["then", "else"].compactMap { part[$0] }
    let names = branches.flatMap { branch in
      (branch["required"]?.array?.compactMap(\.string) ?? []) + (branch["properties"]?.object?.map(\.key) ?? [])
    }
    var members: [String] = []
    for name in names where !members.contains(name) { members.append(name) }
    add("condition", pointer, "\(kind): \(members.joined(separator: ", "))")
  }

  private mutating func addValueRules(of schema: JSONValue.Located, _ pointer: String, isWeak: Bool) {
    if !isWeak {
      let types = (schema["type"]?.string.map { [$0] } ?? schema["type"]?.array?.compactMap(\.string) ?? []).filter {
        $0 != "null"
      }
      if !types.isEmpty { add("type", pointer, types.sorted().joined(separator: "|")) }
      for name in schema["required"]?.array?.compactMap(\.string) ?? [] { add("required", pointer, name) }
    }
    if schema["enum"]?.array != nil { add("enum", pointer, "") }
    // The apps' formats have both, and a draft the narrower one.
    if let format = schema["format"]?.string {
      add("format", pointer, format == "apple-date-time" ? "date-time-seconds" : format)
    }
    if let array = schema["countOf"]?.string { add("count", pointer, array) }
    if let order = schema["sortedBy"] { add("sorted", pointer, order.string ?? order["field"]?.string ?? "") }
    if let values = schema["sumOf"]?["values"]?.string { add("sum", pointer, values) }
    for keyword in ["minimum", "formatMinimum"] {
      if let other = schema[keyword]?["$data"]?.string, other.hasPrefix("1/") { add("order", pointer, other) }
    }
  }

  private mutating func addKeys(of schema: JSONValue.Located, _ pointer: String) {
    if let key = schema["primaryKey"], let field = key.string ?? key["fields"]?.string { add("key", pointer, field) }
    for key in schema["uniqueKeys"]?.array ?? [] {
      guard let field = key.string ?? key["fields"]?.string else { continue }
      // Formats whose ids may be missing have their primary keys here.
      add(key["code"]?.string == "primary-key" ? "key" : "unique", pointer, field)
    }
    for key in schema["foreignKeys"]?.array ?? [] {
      guard let field = key["fields"]?.string, key["when"] == nil, let reference = key["reference"] else { continue }
      let targets = (reference.array ?? [reference]).filter {
        $0["where"] == nil && $0["resource"]?.string?.hasPrefix("/") == true
      }
      if targets.isEmpty { continue }
      let names = targets.map { "\($0["resource"]?.string ?? "") by \($0["fields"]?.string ?? "")" }.sorted()
      add("reference", pointer, "\(field) to \(names.joined(separator: ", "))")
    }
  }
}
