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

  init(_ schema: RuleValue) throws(CofferError) {
    guard let members = schema.members else {
      throw schema.error("expected a schema, such as {\"required\": [\"units\"]}")
    }
    var parts: [MigrationCondition] = []
    for member in members {
      guard Self.words.contains(member.key) else {
        let known = Self.words.dropLast(5).joined(separator: ", ")
        throw member.error("unknown member '\(member.key)' in 'where': expected \(known) or a bound")
      }
      parts += try Self.conditions(member)
    }
    self = parts.count == 1 ? parts[0] : .all(parts)
  }

  private static func conditions(_ member: RuleValue.Member) throws(CofferError) -> [MigrationCondition] {
    let value = member.value
    if let bound = Bound(rawValue: member.key) { return [.bound(bound, try value.expectNumber())] }
    switch member.key {
    case "required": return try value.expectNames().map { .required(MemberName($0)) }
    case "properties":
      return try value.expectMembers(of: "schemas").map { property throws(CofferError) in
        .property(MemberName(property.key), try MigrationCondition(property.value))
      }
    case "type":
      let items = value.items ?? [value]
      let names = items.compactMap(\.string)
      guard names.count == items.count, !names.isEmpty else { throw value.error("expected a type name or a list of type names") }
      return [.type(Set(names))]
    case "const": return [.equals([try scalar(value)])]
    case "enum":
      return [.equals(try value.expectItems(of: "values").map { item throws(CofferError) in try scalar(item) })]
    case "pattern": return [.pattern(try value.expectPattern())]
    case "not": return [.not(try MigrationCondition(value))]
    case "allOf": return [.all(try parts(value))]
    case "anyOf": return [.any(try parts(value))]
    default: return []
    }
  }

  private static func parts(_ value: RuleValue) throws(CofferError) -> [MigrationCondition] {
    try value.expectItems(of: "schemas", allowsNone: false).map { item throws(CofferError) in try MigrationCondition(item) }
  }

  private static func scalar(_ value: RuleValue) throws(CofferError) -> Scalar {
    switch value.json.value {
    case .null: return .null
    case .boolean(let boolean): return .boolean(boolean)
    case .string(let text): return .string(Array(text.utf8))
    case .number(let text):
      if let number = ExactDecimal(text) { return .number(number) }
    case .array, .object: break
    }
    throw value.error("expected a string, number, boolean or null")
  }
}
