import ByteStreams
import JSONEvents
import RuleDrafts
import Rules

/// Rules that would find what a test of rules shows to be missed, as a patch of the rule document.
///
///     --- my-app.json
///     +++ my-app.json
///     @@ -12,3 +12,4 @@
///          "amount": {
///     +      "maximum": 10000,
///            "type": "number",
///
/// Text is only inserted, so that comments, order and layout stay. A keyword that is there already with another value is repeated in an `allOf`. A
/// definition that several places share stays as it is: what is added for one of them is added beside its `$ref`.
public struct RuleSuggestions: Sendable {
  /// The patch, for `git apply -p0` or `patch -p0`; empty if there is nothing to add.
  public let patch: [UInt8]
  /// The rule document with the patch.
  public let document: [UInt8]
  /// The keywords that were added, by the places of values, such as `/expenses/*/amount: maximum`.
  public let additions: [String]
  /// What must be changed by hand, and why.
  public let leftOut: [String]

  /// - Parameters:
  ///   - text: the text of the rule document.
  ///   - root: the same document, read.
  ///   - refused: the places to which nothing can be added, because the backups would be refused.
  init(
    for score: RuleScore, _ text: [UInt8], _ root: JSONValue.Located, isYAML: Bool, named name: String,
    refusedAt refused: Set<String> = []
  ) {
    var writer = SuggestionWriter(root, text: text, draft: score.draft.document, isYAML: isYAML, refused: refused)
    for cell in score.gaps { for location in cell.locations { writer.add(cell, location) } }
    let patched = TextPatch(writer.insertions, in: text)
    patch = patched.diff(named: name)
    document = patched.text
    additions = writer.additions
    leftOut = writer.leftOut
  }

  /// Nothing is suggested.
  init(_ text: [UInt8], because reason: String) { (patch, document, additions, leftOut) = ([], text, [], [reason]) }

  /// Returns the place of the value that a keyword is about, by the keyword's place in the document.
  static func place(ofKeywordAt location: String) -> String? {
    guard let tokens = location.pointerTokens else { return nil }
    return SuggestionWriter.split(tokens).steps.pointer
  }
}

/// A step from a value to one in it.
private enum SchemaStep {
  case member(String)
  case items
  /// The members of an object that stores values by id.
  case values

  var token: String { if case .member(let name) = self { name } else { "*" } }

  /// The keywords that lead to the schema of the value.
  var keywords: [String] {
    switch self {
    case .member(let name): ["properties", name]
    case .items: ["items"]
    case .values: ["additionalProperties"]
    }
  }
}

extension [SchemaStep] {
  fileprivate var pointer: String { map(\.token).pointer }
}

/// Collects what to add to each schema of a rule document.
private struct SuggestionWriter {
  private let document: JSONValue.Located
  private let text: [UInt8]
  private let draft: JSONValue.Located
  private let isYAML: Bool
  private let refused: Set<String>
  private let isCoffers: Bool
  /// True for dialects that ignore what is beside a `$ref`.
  private let ignoresSiblings: Bool
  /// What to add, by the place of a schema in the document. Nothing has the place of anything that is there.
  private var members: [String: [(key: String, value: JSONValue.Located)]] = [:]
  /// The items to add at the starts of lists.
  private var items: [String: [JSONValue.Located]] = [:]
  private var order: [String] = []
  private var seen: Set<String> = []
  private(set) var additions: [String] = []
  private var reasons: [(text: String, whats: [String])] = []

  private static let lists: Set = ["required", "allOf", "uniqueKeys", "foreignKeys"]
  private static let coffersKeywords: Set = ["primaryKey", "uniqueKeys", "foreignKeys", "countOf", "sumOf", "sortedBy"]
  private static let references = ["$ref", "$dynamicRef", "$recursiveRef"]

  init(_ document: JSONValue.Located, text: [UInt8], draft: JSONValue.Located, isYAML: Bool, refused: Set<String>) {
    (self.document, self.text, self.draft, self.isYAML, self.refused) = (document, text, draft, isYAML, refused)
    let dialect = document["$schema"]?.string ?? "urn:coffer:rules:1"
    isCoffers = dialect == "urn:coffer:rules:1"
    ignoresSiblings = ["draft-04", "draft-06", "draft-07"].contains { dialect.contains($0) }
  }

  /// What isn't added, by reason.
  var leftOut: [String] { reasons.map { "\($0.whats.joined(separator: ", ")) (\($0.text))" } }

  private mutating func leaveOut(_ what: String, _ reason: String) {
    if let index = reasons.firstIndex(where: { $0.text == reason }) {
      if !reasons[index].whats.contains(what) { reasons[index].whats.append(what) }
    } else {
      reasons.append((reason, [what]))
    }
  }

  mutating func add(_ cell: RuleScore.Cell, _ location: String) {
    guard let tokens = location.pointerTokens else { return }
    if cell.kind == .future { return limitToNow(cell.field.pointerTokens ?? []) }
    if cell.keyword == "additionalProperties" { return close(cell.field.pointerTokens ?? []) }
    let (steps, schema, rest) = Self.split(tokens)
    guard let keyword = rest.first, let value = draft.value(at: schema + [keyword]) else { return }
    switch keyword {
    case "required":
      let field = cell.field.pointerTokens ?? []
      if let name = field.last, field.dropLast().pointer == steps.pointer {
        add(keyword, JSONValue.Located(.string(name)), at: steps)
      } else {
        // A container around it is missing.
        for item in value.array ?? [] { add(keyword, item, at: steps) }
      }
    case "uniqueKeys", "foreignKeys", "allOf":
      guard let index = rest.dropFirst().first.flatMap({ Int($0) }), let items = value.array, items.indices.contains(index) else {
        return
      }
      add(keyword, items[index], at: steps)
    case "maximum" where value.object == nil, "minimum" where value.object == nil:
      add(keyword, bound(value, isMaximum: keyword == "maximum"), at: steps)
    case "primaryKey": add(keyword, value["fields"] ?? value, at: steps)
    default: add(keyword, value, at: steps)
    }
  }

  /// Allows no times in the future, but another time zone. A bound needs its format beside it.
  private mutating func limitToNow(_ field: [String]) {
    guard let (steps, schema) = draftedSchema(of: field), let format = draft.value(at: schema + ["format"]) else {
      return leaveOut("\(field.pointer): formatMaximum", "the backups don't show which format the times have")
    }
    add("allOf", .members([("format", format), ("formatMaximum", JSONValue.Located(.string("now+P1D")))]), at: steps)
  }

  /// Allows no other members than the backups have.
  private mutating func close(_ field: [String]) {
    guard let (steps, schema) = draftedSchema(of: field) else { return }
    let what = "\(steps.isEmpty ? "the root" : steps.pointer): additionalProperties"
    if case .success(let target) = target(of: steps), target.rest.isEmpty {
      let known = document.value(at: target.schema)
      let others =
        ["additionalProperties", "patternProperties", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "if"] + Self.references
      if known?.object?.contains(where: { others.contains($0.key) }) == true {
        return leaveOut(what, "other schemas describe members there, too")
      }
      for member in draft.value(at: schema + ["properties"])?.object ?? [] where known?["properties"]?[member.key] == nil {
        add("properties", .members([(member.key, .members([]))]), at: steps)
      }
    } else {
      add(
        "properties", .members((draft.value(at: schema + ["properties"])?.object ?? []).map { ($0.key, .members([])) }), at: steps
      )
    }
    add("additionalProperties", JSONValue.Located(.boolean(false)), at: steps)
  }

  /// Returns a bound with room for further values: a power of ten, or zero.
  private func bound(_ value: JSONValue.Located, isMaximum: Bool) -> JSONValue.Located {
    guard let text = value.number, let number = Double(text), number.isFinite, abs(number) < 1e15 else { return value }
    if isMaximum == (number <= 0) || number == 0 { return JSONValue.Located(.number("0")) }
    var power = 1
    while Double(power) < abs(number) { power *= 10 }
    return JSONValue.Located(.number(number < 0 ? "-\(power)" : "\(power)"))
  }

  // MARK: Places

  /// Splits a place in rules into that of a schema, as steps between values and as keywords, and what follows.
  static func split(_ tokens: [String]) -> (steps: [SchemaStep], schema: [String], rest: ArraySlice<String>) {
    var (steps, index): ([SchemaStep], Int) = ([], 0)
    loop: while index + 1 < tokens.count {
      switch tokens[index] {
      case "properties": steps.append(.member(tokens[index + 1]))
      case "items": steps.append(.items)
      case "additionalProperties": steps.append(.values)
      default: break loop
      }
      index += steps[steps.count - 1].keywords.count
    }
    index = min(index, tokens.count)
    return (steps, Array(tokens[..<index]), tokens[index...])
  }

  /// Returns the draft's schema of a field, and the steps that lead there.
  private func draftedSchema(of field: [String]) -> (steps: [SchemaStep], schema: [String])? {
    var (steps, schema): ([SchemaStep], [String]) = ([], [])
    for token in field {
      let candidates: [SchemaStep] = [.member(token)] + (token == "*" ? [.items, .values] : [])
      guard let step = candidates.first(where: { draft.value(at: schema + $0.keywords)?.object != nil }) else { return nil }
      steps.append(step)
      schema += step.keywords
    }
    return (steps, schema)
  }

  private struct Failure: Error { let reason: String }

  /// Returns the schema of a value, or of the innermost container around it that has one of its own, and the steps that are left.
  private func target(of steps: [SchemaStep]) -> Result<(schema: [String], rest: ArraySlice<SchemaStep>), Failure> {
    func failure(_ reason: String) -> Result<(schema: [String], rest: ArraySlice<SchemaStep>), Failure> {
      .failure(Failure(reason: reason))
    }
    var schema: [String] = []
    var count = 0
    for step in steps {
      let next = document.value(at: schema + step.keywords)
      if let next, next.object == nil {
        return failure("there is \(next.array == nil ? "true or false" : "a list") in place of a schema")
      }
      guard next != nil else {
        let current = document.value(at: schema)
        let covers = ["additionalProperties", "patternProperties", "unevaluatedProperties"].contains {
          current?[$0]?.object != nil
        }
        if case .member = step, covers { return failure("additionalProperties or patternProperties describe it") }
        break
      }
      schema += step.keywords
      count += 1
    }
    guard let target = document.value(at: schema), target.object != nil else {
      return failure("there is true or false in place of a schema")
    }
    if ignoresSiblings, Self.references.contains(where: { target[$0] != nil }) {
      return failure("this dialect ignores what is beside a $ref")
    }
    if !isEditable(target) { return failure("an alias, an anchor or a tag of YAML is there") }
    return .success((schema, steps[count...]))
  }

  /// True for a container whose first byte is at its position.
  private func isEditable(_ container: JSONValue.Located) -> Bool {
    let offset = container.position.offset
    return text.indices.contains(offset) && !"*&!".utf8.contains(text[offset])
  }

  private mutating func add(_ keyword: String, _ value: JSONValue.Located, at steps: [SchemaStep]) {
    let value = value.withoutComments
    let place = steps.isEmpty ? "the root" : steps.pointer
    let what = "\(place): \(keyword)" + (keyword == "required" ? " \(value.text)" : "")
    guard seen.insert("\(what) \(value.text)").inserted else { return }
    if refused.contains(steps.pointer) { return leaveOut(place, "the backups would be refused, or the rules be wrong") }
    if !isCoffers, Self.coffersKeywords.contains(keyword) || value.text.contains("\"$data\"") || value.text.contains("\"formatM")
    {
      return leaveOut(what, "it needs \"$schema\": \"urn:coffer:rules:1\"")
    }
    let target: (schema: [String], rest: ArraySlice<SchemaStep>)
    switch self.target(of: steps) {
    case .success(let found): target = found
    case .failure(let failure): return leaveOut(place, failure.reason)
    }
    var (key, content) = (keyword, Self.lists.contains(keyword) ? JSONValue.Located(.array([value])) : value)
    // Schemas around it that are missing.
    for step in target.rest.reversed() {
      for name in step.keywords.reversed() {
        content = .members([(key, content)])
        key = name
      }
    }
    if !insert(key, content, into: target.schema) { return leaveOut(what, "\(key) is there already, with other contents") }
    if keyword != "properties" { additions.append(what) }
  }

  /// - Returns: false if a keyword is there that can't be repeated.
  private mutating func insert(_ key: String, _ value: JSONValue.Located, into schema: [String]) -> Bool {
    let place = schema.pointer
    if let known = document.value(at: schema + [key]) {
      if !isEditable(known), known.array != nil || known.object != nil { return false }
      if Self.lists.contains(key), known.array?.isEmpty == false, let new = value.array {
        insert(items: new, into: schema + [key])
        return true
      }
      if key == "primaryKey" {
        return insert("uniqueKeys", JSONValue.Located(.array([.members([("fields", value)])])), into: schema)
      }
      if key == "properties", known.object != nil, let members = value.object {
        return members.allSatisfy { known[$0.key] == nil && insert($0.key, $0.value, into: schema + [key]) }
      }
      if ["additionalProperties", "items", "properties"].contains(key) || schema.last == "properties" { return false }
      return insert("allOf", JSONValue.Located(.array([.members([(key, value)])])), into: schema)
    }
    if members[place] == nil { order.append(place) }
    var known = members[place] ?? []
    if let index = known.firstIndex(where: { $0.key == key }) {
      guard let merged = known[index].value.merged(with: value) else { return false }
      known[index].value = merged
    } else {
      known.append((key, value))
    }
    members[place] = known
    return true
  }

  private mutating func insert(items new: [JSONValue.Located], into list: [String]) {
    let place = list.pointer
    if items[place] == nil { order.append(place) }
    items[place, default: []] += new
  }

  // MARK: Text

  /// The texts to insert, by their offsets.
  var insertions: [(offset: Int, text: String)] {
    let lineBreak = text.contains(UInt8(ascii: "\r")) ? "\r\n" : "\n"
    return order.compactMap { place in
      guard let tokens = place.pointerTokens, let target = document.value(at: tokens) else { return nil }
      let parts = members[place].map { $0.map { "\(name($0.key)): \($0.value.text)" } } ?? items[place, default: []].map(\.text)
      let isList = members[place] == nil
      let start = target.position.offset
      if text[start] == UInt8(ascii: "{") || text[start] == UInt8(ascii: "[") {
        let (blank, isEmpty) = gap(after: start)
        let separator = blank.isEmpty ? ", " : ","
        return (start + 1, parts.map { blank + $0 }.joined(separator: separator) + (isEmpty ? "" : separator))
      }
      // A block of YAML, whose first key or dash is here.
      let indent = lineBreak + String(repeating: " ", count: max(0, target.position.column - 1))
      return (start, parts.map { (isList ? "- " : "") + $0 + indent }.joined())
    }.sorted { $0.offset < $1.offset }
  }

  /// Returns a member's name as the document's syntax writes it.
  private func name(_ key: String) -> String { isYAML && Keyword.all.contains { $0.name == key } ? key : key.quoted }

  /// Returns the white space after a bracket, up to the next value, and whether the container is empty.
  private func gap(after bracket: Int) -> (String, isEmpty: Bool) {
    var end = bracket + 1
    while end < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[end]) { end += 1 }
    let isEmpty = end < text.count && (text[end] == UInt8(ascii: "}") || text[end] == UInt8(ascii: "]"))
    return (isEmpty ? "" : String(decoding: text[bracket + 1..<end], as: UTF8.self), isEmpty)
  }
}

extension JSONValue.Located {
  /// Without the draft's evidence.
  fileprivate var withoutComments: Self {
    if let members = object {
      return .members(members.filter { $0.key != "$comment" }.map { ($0.key, $0.value.withoutComments) })
    }
    return array.map { Self(.array($0.map(\.withoutComments))) } ?? self
  }

  /// Returns this value with what another one adds, or `nil` if they contradict each other.
  fileprivate func merged(with other: Self) -> Self? {
    if let items = array, let more = other.array {
      let known = Set(items.map(\.text))
      return Self(.array(items + more.filter { !known.contains($0.text) }))
    }
    guard var members = object, let more = other.object else { return text == other.text ? self : nil }
    for member in more {
      if let index = members.firstIndex(where: { $0.key == member.key }) {
        guard let merged = members[index].value.merged(with: member.value) else { return nil }
        members[index].value = merged
      } else {
        members.append(member)
      }
    }
    return Self(.object(members))
  }
}
