package import Findings
import JSONEvents

extension RuleDocument {
  /// A value that the rules describe, and its checks in words.
  package struct Field: Sendable, Encodable {
    /// The path to the field: names separated by `/`; `*` matches any item.
    package var path: String
    /// The allowed types, or `nil` if all are allowed.
    package var types: TypeSet?
    /// The types of the values that `enum` and `const` allow, at any severity, or `nil` if there is neither keyword.
    package var valueTypes: TypeSet?
    /// The severity of a finding if the value is missing, or `nil` if it is optional.
    package var missing: Severity?
    package var checks: [Check]

    package func encode(to encoder: any Encoder) throws {
      let types = types.map { types in TypeSet.names.filter { types.contains($0.type) }.map(\.name) }
      try encoder.encode(["path": path, "types": IfPresent(types), "required": missing == .error, "checks": checks])
    }
  }

  /// A check of a value, or its custom message in quotation marks.
  package struct Check: Sendable, Hashable, Encodable {
    package var severity: Severity
    package var words: String
  }

  /// The fields of the root, without the records of its collections.
  package var rootFields: [Field] {
    var fields: [Field] = []
    let collections = Set(collections.map(\.pointer))
    addMembers(of: root, below: "", depth: 0, to: &fields) { collections.contains("/" + $0.pointerToken) }
    return fields
  }

  /// The checks of the root as a whole.
  package var rootChecks: [Check] { checks(of: root, depth: 0) }

  /// Returns the fields of a collection's records, and the checks of each record as a whole.
  package func recordFields(of collection: Collection) -> (fields: [Field], checks: [Check]) {
    guard let record = collection.record else { return ([], []) }
    var fields: [Field] = []
    addMembers(of: record, below: "", depth: 0, to: &fields) { _ in false }
    return (fields, checks(of: record, depth: 0))
  }

  // MARK: Walking

  private static let depthLimit = 6
  private static let fieldLimit = 4096

  private func addMembers(
    of schema: Int, below prefix: String, depth: Int, to fields: inout [Field], except isLeftOut: (String) -> Bool
  ) {
    let keywords = inPlaceKeywords(of: schema)
    var missing: [String: Severity] = [:]
    for keyword in keywords {
      guard case .required(let names) = keyword.assertion else { continue }
      for name in names { missing[name] = max(missing[name] ?? .note, keyword.grading.severity) }
    }
    for member in members(of: schema) where !isLeftOut(member.name) {
      add(member.schema, at: prefix + member.name.pointerToken, missing: missing[member.name], depth: depth, to: &fields)
    }
  }

  private func add(_ schema: Int, at path: String, missing: Severity?, depth: Int, to fields: inout [Field]) {
    guard depth < Self.depthLimit, fields.count < Self.fieldLimit else { return }
    let keywords = inPlaceKeywords(of: schema)
    var types: TypeSet?
    for case .types(let found) in keywords.map(\.assertion) { types = types?.meet(found) ?? found }
    var valueTypes: TypeSet?
    for case .values(let values) in keywords.map(\.assertion) {
      let found = values.reduce(into: TypeSet()) { $0.formUnion($1.value.narrowestType) }
      valueTypes = valueTypes.map { $0.intersection(found) } ?? found
    }
    fields.append(
      Field(path: path, types: types, valueTypes: valueTypes, missing: missing, checks: checks(of: schema, depth: 0)))
    addMembers(of: schema, below: path + "/", depth: depth + 1, to: &fields) { _ in false }
    for case .items(_, let item?) in keywords.map(\.assertion) {
      add(item, at: path + "/*", missing: nil, depth: depth + 1, to: &fields)
    }
  }

  // MARK: Words

  private func checks(of schema: Int, depth: Int) -> [Check] {
    guard depth < Self.depthLimit else { return [] }
    var checks: [Check] = []
    let keywords = inPlaceKeywords(of: schema)
    for keyword in keywords {
      for check in ranges(of: keyword, among: keywords) ?? self.checks(of: keyword, depth: depth) {
        // A check reported as an error is not repeated as a warning.
        if !checks.contains(where: { $0.words == check.words && $0.severity >= check.severity }) { checks.append(check) }
      }
    }
    return checks
  }

  /// Merges two bounds of the same severity into a range, such as `0 to 100`, at the place of the first. Returns `nil` for any
  /// other keyword.
  private func ranges(of keyword: Schema.Keyword, among keywords: [Schema.Keyword]) -> [Check]? {
    func bound(_ comparison: Comparison) -> ExactDecimal? {
      for other in keywords where other.grading.severity == keyword.grading.severity {
        if case .bound(comparison, .number(let number)) = other.assertion { return number }
      }
      return nil
    }
    guard case .bound(let comparison, .number) = keyword.assertion, comparison == .atLeast || comparison == .atMost,
      let low = bound(.atLeast), let high = bound(.atMost)
    else { return nil }
    let words = low == high ? "\(low)" : Self.widths["\(low) to \(high)"] ?? "\(low) to \(high)"
    return [Check(severity: keyword.grading.severity, words: words)]
  }

  private static let widths = [
    "\(Int16.min) to \(Int16.max)": "a 16-bit integer", "\(Int32.min) to \(Int32.max)": "a 32-bit integer",
    "\(Int64.min) to \(Int64.max)": "a 64-bit integer",
  ]

  private func checks(of keyword: Schema.Keyword, depth: Int) -> [Check] {
    func check(_ words: String) -> [Check] { [Check(severity: keyword.grading.severity, words: words)] }
    let message = keyword.grading.message
    switch keyword.assertion {
    case .anyOf, .oneOf, .not, .contains: return message.map { check($0.inQuotationMarks) } ?? []
    case .condition(_, let then, let otherwise):
      return [then, otherwise].compactMap(\.self).flatMap { conditions(in: $0, depth: depth) }
    case .dependentSchemas(let schemas): return schemas.flatMap { conditions(in: $0.schema, depth: depth) }
    default: return keyword.assertion.rule?.words(message).map(check) ?? []
    }
  }

  /// Returns the checks of the value and its members if a condition holds. Only custom messages are listed, because they describe
  /// the fault.
  private func conditions(in schema: Int, depth: Int) -> [Check] {
    guard depth < Self.depthLimit else { return [] }
    return inPlaceKeywords(of: schema).flatMap { keyword -> [Check] in
      switch keyword.assertion {
      case .members(let members): members.named.flatMap { conditions(in: $0.schema, depth: depth + 1) }
      case .condition(_, let then, let otherwise):
        [then, otherwise].compactMap(\.self).flatMap { conditions(in: $0, depth: depth + 1) }
      default: keyword.grading.message.map { [Check(severity: keyword.grading.severity, words: "\"\($0)\"")] } ?? []
      }
    }
  }
}

extension JSONValue {
  /// The narrowest type of the value.
  var narrowestType: TypeSet {
    if case .number(let text) = self, ExactDecimal(text)?.isInteger == true { .integer } else { kind.type }
  }
}

extension RuleDocument {
  /// The rules for the members of an object.
  package struct ObjectShape: Sendable {
    /// The members that the rules name, in order.
    package var members: [Member] = []
    /// The required members.
    package var required: [String] = []
    /// The patterns for member names.
    package var patterns: [Pattern] = []
    /// True if members of other names are rejected or graded as unknown: no value is valid there.
    package var isClosed = false

    package init() {}

    package struct Member: Sendable {
      package var name: String
      /// True if the rules describe an array of objects there.
      package var holdsRecords: Bool
      /// The prefix of the container entry that the text names, or `nil` if it names no entry.
      package var entryPrefix: String?
    }
  }

  package var rootShape: ObjectShape { shape(of: root) }

  /// Returns the rules for an object that is a member of the root.
  package func shape(ofMember name: String) -> ObjectShape {
    combined(members(of: root).filter { $0.name == name }.map { shape(of: $0.schema) })
  }

  /// Returns the rules for the records of a collection: the root itself, or a member of the root.
  package func recordShape(at pointer: String) -> ObjectShape {
    let schemas = pointer.isEmpty ? [root] : members(of: root).filter { pointer == "/" + $0.name.pointerToken }.map(\.schema)
    return combined(
      schemas.flatMap { schema in
        let items = itemSchemas(of: schema)
        return items.isEmpty ? recordsOfObject(schema) : items
      }.map { shape(of: $0) })
  }

  private func itemSchemas(of schema: Int) -> [Int] {
    inPlaceKeywords(of: schema).compactMap { if case .items(_, let item) = $0.assertion { item } else { nil } }
  }

  private func combined(_ shapes: [ObjectShape]) -> ObjectShape {
    var result = ObjectShape()
    for shape in shapes {
      result.members += shape.members.filter { member in !result.members.contains { $0.name == member.name } }
      result.required += shape.required
      result.patterns += shape.patterns
      result.isClosed = result.isClosed || shape.isClosed
    }
    return result
  }

  private func shape(of schema: Int) -> ObjectShape {
    var shape = ObjectShape()
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .members(let members):
        for member in members.named where !shape.members.contains(where: { $0.name == member.name }) {
          shape.members.append(
            ObjectShape.Member(
              name: member.name, holdsRecords: holdsRecords(member.schema), entryPrefix: entryPrefix(member.schema)))
        }
        shape.patterns += members.patterns.map(\.pattern)
        shape.isClosed = shape.isClosed || members.additional.map(refusesAll) ?? false
      case .unevaluatedMembers(let others): shape.isClosed = shape.isClosed || refusesAll(others)
      case .required(let names): shape.required += names
      default: break
      }
    }
    return shape
  }

  private func entryPrefix(_ schema: Int) -> String? {
    for case .containerEntry(let entry) in inPlaceKeywords(of: schema).map(\.assertion) { return entry.prefix }
    return nil
  }

  private func holdsRecords(_ schema: Int) -> Bool {
    itemSchemas(of: schema).contains { item in
      inPlaceKeywords(of: item).contains { if case .members = $0.assertion { true } else { false } }
    }
  }

  /// Returns true if certainly no value satisfies the schema: `false`, or `"not": {}`.
  private func refusesAll(_ schema: Int) -> Bool {
    inPlaceKeywords(of: schema).contains { keyword in
      switch keyword.assertion {
      case .never: true
      case .not(let other): schemas[other].keywords.isEmpty
      default: false
      }
    }
  }
}
