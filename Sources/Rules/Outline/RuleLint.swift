import ByteStreams
package import Findings
import JSONEvents

/// Looks for rules that can't mean what they say, as ajv's strict mode and `jsonschema lint` do:
///
///     {"type": "string", "minimum": 3}                                 never-applies
///     {"minLength": 5, "maxLength": 3}                                 empty-range
///     {"type": "integer", "enum": [1, 1, "2"]}                         useless-value, twice
///     {"required": ["a"], "additionalProperties": false}               contradiction
///     {"type": "string", "anyOf": [{"type": "integer"}, {…}]}          contradiction
///     {"primaryKey": "idd", "items": {"properties": {"id": {}}}}       unknown-place
///
/// It judges only what is certain from one schema, the schemas that apply to the same value, and the members that these name. An
/// object without `properties` may have any members, and a field that the rules don't describe is only named if it is like another.
///
/// Cost: proportional to the document, but for fields and places: at most 20,000 places with up to 1,000 schemas.
package struct RuleLint {
  /// The codes of its findings.
  package static let codes = ["never-applies", "empty-range", "useless-value", "contradiction", "unknown-place"]

  private static let placeLimit = 20_000

  private let document: RuleDocument
  private let matcher = Pattern.Matcher()
  private var findings: [Finding] = []
  /// The warnings so far, by place and message: a schema may be read several times.
  private var known: Set<String> = []

  /// Returns warnings about the rules, in no particular order.
  package static func findings(in document: RuleDocument) -> [Finding] {
    var lint = RuleLint(document: document)
    for schema in document.schemas { lint.check(schema) }
    lint.checkPlaces()
    return lint.findings
  }

  private init(document: RuleDocument) { self.document = document }

  private mutating func warn(_ code: String, _ keyword: Schema.Keyword, _ message: String) {
    guard known.insert("\(keyword.origin.location)\n\(message)").inserted else { return }
    findings.append(keyword.origin.finding(code: code, keyword: keyword.name, message))
  }

  private mutating func check(_ schema: Schema) {
    let types = schema.types
    if let types { checkTypes(of: schema, types) }
    checkRanges(of: schema)
    checkRequired(of: schema)
    for keyword in schema.keywords {
      switch keyword.assertion {
      case .values(let values): checkValues(values, keyword, types)
      case .anyOf(let branches), .oneOf(let branches): checkBranches(branches, keyword, types)
      case .allOf(let parts):
        let allowed = parts.reduce(types) { meet($0, self.types(of: $1)) }
        if let allowed, allowed.isEmpty { warn("contradiction", keyword, "no value has the types of all these schemas") }
      default: break
      }
    }
  }

  // MARK: Types

  private mutating func checkTypes(of schema: Schema, _ types: TypeSet) {
    for keyword in schema.keywords {
      guard let target = keyword.assertion.types, let words = Self.words(for: target), types.meet(target).isEmpty else {
        continue
      }
      // `format: decimal` makes numbers of strings for these.
      let isDecimal = schema.keywords.contains { if case .format(.decimal) = $0.assertion { true } else { false } }
      if isDecimal, ["sumOf", "countOf"].contains(keyword.name) { continue }
      warn("never-applies", keyword, "\(keyword.name) applies to \(words), but the type is \(types.description)")
    }
  }

  private static func words(for types: TypeSet) -> String? {
    switch types {
    case .number: "numbers"
    case .string: "strings"
    case .object: "objects"
    case .array: "arrays"
    case .collection: "arrays and objects"
    default: nil
    }
  }

  /// Returns the types that all schemas for the same value allow, or `nil` if none limits them.
  private func types(of schema: Int) -> TypeSet? {
    document.inPlaceKeywords(of: schema).reduce(nil) { known, keyword in
      // A lesser finding is meant for values that occur.
      guard keyword.grading.severity == .error else { return known }
      return switch keyword.assertion {
      case .types(let types): meet(known, types)
      case .never: []
      default: known
      }
    }
  }

  private func meet(_ a: TypeSet?, _ b: TypeSet?) -> TypeSet? {
    guard let a, let b else { return a ?? b }
    return a.meet(b)
  }

  private mutating func checkBranches(_ branches: [Int], _ keyword: Schema.Keyword, _ types: TypeSet?) {
    guard branches.count > 1 else { return }
    for (index, branch) in branches.enumerated() {
      guard let own = self.types(of: branch) else { continue }
      if own.isEmpty {
        warn("contradiction", keyword, "alternative \(index + 1) never matches")
      } else if let types, own.meet(types).isEmpty {
        warn(
          "contradiction", keyword,
          "alternative \(index + 1) never matches: its type is \(own.description), but the type is \(types.description)")
      }
    }
  }

  // MARK: Values

  private mutating func checkValues(_ values: [JSONValue.Located], _ keyword: Schema.Keyword, _ types: TypeSet?) {
    var seen: Set<String> = []
    for value in values {
      if values.count > 1, !seen.insert(value.identity).inserted {
        warn("useless-value", keyword, "\(keyword.name) has \(value.shortText) twice")
      }
      if let types, !types.allows(value.value.narrowestType) {
        warn("useless-value", keyword, "\(value.shortText) can't occur: the type is \(types.description)")
      }
    }
  }

  // MARK: Ranges

  private mutating func checkRanges(of schema: Schema) {
    let limits = schema.keywords.compactMap { keyword in keyword.assertion.rule?.limit.map { (keyword: keyword, limit: $0) } }
    for lower in limits where [.atLeast, .moreThan].contains(lower.limit.comparison) {
      for upper in limits where [.atMost, .lessThan].contains(upper.limit.comparison) {
        let (least, most) = (lower.limit, upper.limit)
        let isClosed = least.comparison == .atLeast && most.comparison == .atMost
        // Each character has at least one byte.
        let isComparable = least.measure == most.measure || least.measure == .characters && most.measure == .bytes
        guard isComparable, least.value > most.value || least.value == most.value && !isClosed else { continue }
        warn("empty-range", lower.keyword, "no value satisfies both \(lower.keyword.name) and \(upper.keyword.name)")
      }
    }
    for keyword in schema.keywords {
      guard case .contains(let contains) = keyword.assertion, let maximum = contains.maximum, maximum < contains.minimum else {
        continue
      }
      warn("empty-range", keyword, "no array has at least \(contains.minimum) and at most \(maximum) matching items")
    }
  }

  // MARK: Members

  private mutating func checkRequired(of schema: Schema) {
    for keyword in schema.keywords {
      guard case .required(let names) = keyword.assertion else { continue }
      for other in schema.keywords {
        guard case .members(let members) = other.assertion else { continue }
        for name in names {
          if let own = members.named.first(where: { $0.name == name }) {
            if isNever(own.schema) { warn("contradiction", keyword, "'\(name)' is required, but its schema is false") }
          } else if members.additional.map(isNever) == true,
            !members.patterns.contains(where: { $0.pattern.matches(name, matcher) })
          {
            let hint = Suggestion.text(for: name, among: members.named.map(\.name))
            warn("contradiction", keyword, "'\(name)' is required, but additionalProperties forbids it\(hint)")
          }
        }
      }
    }
  }

  private func isNever(_ schema: Int) -> Bool {
    document.schemas[schema].keywords.contains { if case .never = $0.assertion { true } else { false } }
  }

  // MARK: Places

  /// The schemas that apply to one value.
  private typealias Place = [Int]

  /// What the rules say about a place below a value.
  private enum Description {
    case described(Place)
    /// Nothing, but the value may be there.
    case unknown
    /// The object has other members: the name that it doesn't have, and those that it has. Only if it is closed, it can't have more.
    case missing(String, among: [String], isClosed: Bool)
  }

  /// Returns all keywords for a value, and whether each always applies: those of alternatives don't.
  ///
  /// - Returns: `nil` if there are too many schemas.
  private func keywords(of place: Place) -> [(keyword: Schema.Keyword, isCertain: Bool)]? {
    var keywords: [(keyword: Schema.Keyword, isCertain: Bool)] = []
    var seen: Set<Int> = []
    func add(_ schema: Int, isCertain: Bool) {
      guard seen.count < 1000, seen.insert(schema).inserted else { return }
      for keyword in document.schemas[schema].keywords {
        keywords.append((keyword, isCertain))
        for part in keyword.assertion.inPlace where part.application != .tested {
          add(part.schema, isCertain: isCertain && part.application != .sometimes)
        }
      }
    }
    for schema in place { add(schema, isCertain: true) }
    return seen.count < 1000 ? keywords : nil
  }

  /// Returns what the rules say about a member or an item; about any of them if the name is `*`.
  private func member(_ name: String, of place: Place) -> Description {
    guard let keywords = keywords(of: place) else { return .unknown }
    var next: [Int] = []
    var names: [String] = []
    var (isOpen, isClosed) = (false, false)
    for (keyword, isCertain) in keywords {
      switch keyword.assertion {
      case .members(let members):
        names += members.named.map(\.name)
        next += members.named.filter { $0.name == name || name == "*" }.map(\.schema)
        next += members.patterns.filter { name == "*" || $0.pattern.matches(name, matcher) }.map(\.schema)
        // Names of other members are known to no schema.
        if !members.patterns.isEmpty || members.additional.map({ !isNever($0) }) == true { isOpen = true }
        if isCertain, members.additional.map(isNever) == true { isClosed = true }
        if let additional = members.additional, !isNever(additional), !members.named.contains(where: { $0.name == name }) {
          next.append(additional)
        }
      case .required(let required): names += required
      case .items(let prefix, let rest):
        if name == "*" || name.mayBeIndex { next += prefix + [rest].compactMap(\.self) }
      case .unevaluatedMembers(let schema): if !isNever(schema) { isOpen = true }
      case .never, .unusable: isOpen = true
      default: break
      }
    }
    if !next.isEmpty { return .described(next) }
    if name == "*" || isOpen || names.isEmpty || names.contains(name) { return .unknown }
    return .missing(name, among: names, isClosed: isClosed)
  }

  private func place(_ tokens: [String], from place: Place) -> Description {
    var place = place
    for token in tokens {
      switch member(token, of: place) {
      case .described(let next): place = next
      case let other: return other
      }
    }
    return .described(place)
  }

  /// Checks the fields and places that keywords name, from the root downwards.
  private mutating func checkPlaces() {
    let root = [document.root]
    var visited: Set<[Int]> = []
    var waiting: [(place: Place, parent: Place?)] = [(root, nil)]
    // A field of the object around the value may be known in one of several places.
    var absent: [String: (keyword: Schema.Keyword, message: String)] = [:]
    var present: Set<String> = []
    var read = 0
    while read < waiting.count {
      let (place, parent) = waiting[read]
      read += 1
      if visited.count == Self.placeLimit {
        findings.append(
          Finding(
            code: "unknown-place", keyword: "", severity: .note,
            message: "after \(Self.placeLimit) places of values, names of fields and places are not looked up",
            place: Findings.Place.start, schemaLocation: ""))
        break
      }
      guard visited.insert(place + [-1] + (parent ?? [])).inserted else { continue }
      var next: [Int] = []
      for (keyword, _) in keywords(of: place) ?? [] {
        switch keyword.assertion {
        case .members(let members):
          for child in members.named.map(\.schema) + members.patterns.map(\.schema) + [members.additional].compactMap(\.self) {
            waiting.append(([child], place))
          }
        case .items(let prefix, let rest): next += prefix + [rest].compactMap(\.self)
        case .contains(let contains): waiting.append(([contains.schema], nil))
        default: break
        }
        let rule = keyword.assertion.rule
        for field in rule?.fields ?? [] { checkField(field, of: place, keyword) }
        for place in rule?.places ?? [] { checkRoot(place, keyword) }
        if case .foreignKey(let key) = keyword.assertion { for target in key.targets { checkTarget(target, keyword) } }
        for data in rule?.data ?? [] {
          switch data.origin {
          case .root(let tokens): checkRoot(tokens, keyword)
          case .ancestor(1, let field):
            guard let parent else { continue }
            let id = keyword.origin.location
            if let missing = undescribed(member(field, of: parent), "beside this value") {
              absent[id] = (keyword, missing)
            } else {
              present.insert(id)
            }
          default: break
          }
        }
      }
      // All items: tuples are rare, and their members are looked for in each.
      if !next.isEmpty { waiting.append((next, nil)) }
    }
    for (id, warning) in absent.sorted(by: { $0.key < $1.key }) where !present.contains(id) {
      warn("unknown-place", warning.keyword, warning.message)
    }
  }

  /// Checks a field of the records in a collection.
  private mutating func checkField(_ field: Schema.FieldPath, of collection: Place, _ keyword: Schema.Keyword) {
    guard !field.endsInName, case .described(let record) = member("*", of: collection) else { return }
    if let missing = undescribed(place(field, from: record), "in these records") { warn("unknown-place", keyword, missing) }
  }

  /// Returns a message about a field that the rules don't describe: one that can't be there, or whose name is like that of another.
  /// Rules needn't describe all fields.
  private func undescribed(_ description: Description, _ place: String) -> String? {
    guard case .missing(let name, let names, let isClosed) = description else { return nil }
    let hint = Suggestion.text(for: name, among: names)
    return isClosed || !hint.isEmpty ? "the rules describe no '\(name)' \(place)\(hint)" : nil
  }

  private mutating func checkTarget(_ target: Schema.ForeignKey.Target, _ keyword: Schema.Keyword) {
    guard case .root(let tokens) = target.resource else { return }
    checkRoot(tokens, keyword)
    guard case .described(let collection) = place(tokens, from: [document.root]) else { return }
    for field in target.fields where !field.endsInName {
      guard case .described(let record) = member("*", of: collection),
        let missing = undescribed(place(field, from: record), "in the records of \(target.resource.text)")
      else { continue }
      warn("unknown-place", keyword, missing)
    }
  }

  /// Checks a place from the root of the document.
  private mutating func checkRoot(_ tokens: [String], _ keyword: Schema.Keyword) {
    // With rules for each item of an array, the root is the item's.
    guard document.documentPath.isEmpty else { return }
    if case .missing(let name, let names, _) = place(tokens, from: [document.root]) {
      let hint = Suggestion.text(for: name, among: names)
      warn(
        "unknown-place", keyword,
        "the rules describe no '\(name)' at \(tokens.pointer)\(hint)")
    }
  }
}

extension Schema {
  /// The types that the schema itself allows.
  fileprivate var types: TypeSet? {
    keywords.lazy.compactMap { keyword -> TypeSet? in
      if case .types(let types) = keyword.assertion, keyword.grading.severity == .error { types } else { nil }
    }.first
  }
}

extension TypeSet {
  /// Returns whether a value of one type is allowed: an integer also as a number.
  fileprivate func allows(_ type: TypeSet) -> Bool { contains(type) || type == .integer && contains(.number) }
}

extension JSONValue.Located {
  /// A text that equal values have in common.
  fileprivate var identity: String {
    switch value {
    case .number(let number): ExactDecimal(number).map { "\($0)" } ?? number
    default: text
    }
  }

  fileprivate var shortText: String { text.shortened(to: 60) }
}
