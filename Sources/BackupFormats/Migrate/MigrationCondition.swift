import ByteStreams
import JSONEvents
package import Rules

/// The condition of a step: a schema with a few keywords, which have the same meaning as in rules.
///
///     {"required": ["units"], "properties": {"units": {"enum": ["liters", "l"]}}}
package enum MigrationCondition: Sendable {
  case all([MigrationCondition])
  case any([MigrationCondition])
  indirect case not(MigrationCondition)
  /// The names of JSON Schema types.
  case type(Set<String>)
  /// Any of these scalars.
  case equals([Scalar])
  indirect case bound(Bound, ExactDecimal)
  indirect case pattern(Pattern)
  case required(MemberName)
  indirect case property(MemberName, MigrationCondition)

  package enum Bound: String, Sendable, CaseIterable { case minimum, exclusiveMinimum, maximum, exclusiveMaximum }

  package enum Scalar: Sendable {
    case null
    case boolean(Bool)
    case number(ExactDecimal)
    case string([UInt8])
  }

  private static let words =
    ["required", "properties", "type", "const", "enum", "pattern", "not", "anyOf", "allOf", "$comment"]
    + Bound.allCases.map(\.rawValue)

  init(_ schema: JSONValue.Located, at pointer: String) throws(CofferError) {
    guard let members = schema.object else {
      throw CofferError(rules: "expected a schema, such as {\"required\": [\"units\"]}", at: pointer, schema.position)
    }
    var parts: [MigrationCondition] = []
    for member in members {
      let place = pointer + "/" + member.key.pointerToken
      guard Self.words.contains(member.key) else {
        throw CofferError(
          rules:
            "unknown member '\(member.key)' in 'where': expected \(Self.words.dropLast(5).joined(separator: ", ")) or a bound",
          at: place,
          member.keyPosition)
      }
      parts += try Self.conditions(member, at: place)
    }
    self = parts.count == 1 ? parts[0] : .all(parts)
  }

  private static func conditions(_ member: JSONValue.Member, at place: String) throws(CofferError) -> [MigrationCondition] {
    let value = member.value
    func mistake(_ expected: String) -> CofferError { CofferError(rules: "expected \(expected)", at: place, value.position) }
    if let bound = Bound(rawValue: member.key) {
      guard let number = value.number.flatMap({ ExactDecimal($0) }) else { throw mistake("a number") }
      return [.bound(bound, number)]
    }
    switch member.key {
    case "required":
      guard let names = value.array?.compactMap(\.string), names.count == value.array?.count else {
        throw mistake("a list of member names")
      }
      return names.map { .required(MemberName($0)) }
    case "properties":
      guard let properties = value.object else { throw mistake("an object of schemas") }
      var parts: [MigrationCondition] = []
      for property in properties {
        let condition = try MigrationCondition(property.value, at: place + "/" + property.key.pointerToken)
        parts.append(.property(MemberName(property.key), condition))
      }
      return parts
    case "type":
      let names = (value.array ?? [value]).compactMap(\.string)
      guard names.count == value.array?.count ?? 1, !names.isEmpty else { throw mistake("a type name or a list of type names") }
      return [.type(Set(names))]
    case "const": return [.equals([try scalar(value, at: place)])]
    case "enum":
      guard let items = value.array else { throw mistake("a list of values") }
      var scalars: [Scalar] = []
      for (index, item) in items.enumerated() { scalars.append(try scalar(item, at: "\(place)/\(index)")) }
      return [.equals(scalars)]
    case "pattern":
      guard let source = value.string else { throw mistake("a pattern") }
      do {
        return [.pattern(try Pattern(source))]
      } catch {
        throw CofferError(rules: "invalid pattern: \(error.message)", at: place, value.position)
      }
    case "not": return [.not(try MigrationCondition(value, at: place))]
    case "allOf", "anyOf":
      guard let items = value.array, !items.isEmpty else { throw mistake("a list of schemas") }
      var parts: [MigrationCondition] = []
      for (index, item) in items.enumerated() { parts.append(try MigrationCondition(item, at: "\(place)/\(index)")) }
      return [member.key == "allOf" ? .all(parts) : .any(parts)]
    default: return []
    }
  }

  private static func scalar(_ value: JSONValue.Located, at place: String) throws(CofferError) -> Scalar {
    switch value.value {
    case .null: return .null
    case .boolean(let boolean): return .boolean(boolean)
    case .string(let text): return .string(Array(text.utf8))
    case .number(let text):
      if let number = ExactDecimal(text) { return .number(number) }
    case .array, .object: break
    }
    throw CofferError(rules: "expected a string, number, boolean or null", at: place, value.position)
  }
}
