import ByteStreams
package import JSONEvents
package import Rules

/// A migration from an older version or another format: a list of steps in a descriptor's `backup.migrations`.
public struct Migration: Sendable {
  /// A title for people.
  public let title: String?
  /// The resulting version, or `nil` if it is unchanged: some formats change without a new number.
  public let to: Int?
  /// The name of the resulting format, or `nil` if it is unchanged.
  public let becomes: String?
  public let steps: [MigrationStep]
  /// The criterion that a document's start must satisfy, or `nil` if there is none.
  let criterion: DetectionCriterion?

  /// Returns whether a step changes one of these places.
  ///
  /// - Parameter places: Paths of values, token by token.
  func changesAny(of places: [[String]]) -> Bool {
    steps.contains { step in
      let tokens = step.pointer.pointerTokens ?? []
      return places.contains { $0.count == tokens.count && zip($0, tokens).allSatisfy { $1 == "*" || $0 == $1 } }
    }
  }
}

/// One change to the values at a path.
public struct MigrationStep: Sendable {
  /// The step's keyword in the descriptor: `default`, `rename`, …
  public let name: String
  /// The JSON Pointer of the values, with `*` for every item of an array.
  public let pointer: String
  /// A description for people: `filled with "electric"`.
  public let summary: String
  package let path: [MigrationPath.Token]
  package let operation: Operation
  /// The condition on the enclosing object, or `nil` if there is none.
  package let condition: MigrationCondition?

  /// The operation on a value, or on the object that contains it.
  package enum Operation: Sendable {
    /// Adds a missing member.
    case fill(Value, replacesNull: Bool)
    /// Sets a member, with or without an existing value.
    case set(Value)
    case rename(to: KnownName)
    case drop
    /// Replaces strings by other values. Strings that aren't in the table become `otherwise`, or are kept if that is nil.
    case map([Mapping], otherwise: JSONValue?)
    /// Moves a member, at the first names from the object at the path, to the second names.
    case move([KnownName], to: [KnownName])
    /// Splits a string that the whole pattern matches into one member per group.
    case split(Pattern, into: [KnownName])
    case convert(from: StringFormat, to: StringFormat)
    case scale(ExactDecimal)
    /// Wraps the document's root, an array, in an object.
    case wrap(KnownName)
  }

  /// The new value of a member.
  package enum Value: Sendable {
    case literal(JSONValue)
    /// The current time of the run, in this format.
    case now(StringFormat)
  }

  package struct Mapping: Sendable {
    package let text: [UInt8]
    package let value: JSONValue
  }

  /// The number of path names that lead to the operation's target: the value itself, or the object that contains it.
  package var reach: Int {
    switch operation {
    case .map, .convert, .scale, .move, .wrap: path.count
    case .fill, .set, .rename, .drop, .split: path.count - 1
    }
  }
}

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
  case required(KnownName)
  indirect case property(KnownName, MigrationCondition)

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
    case "required": return try value.expectNames().map { .required(KnownName($0)) }
    case "properties":
      return try value.expectMembers(of: "schemas").map { property throws(CofferError) in
        .property(KnownName(property.key), try MigrationCondition(property.value))
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

/// A path to one or more values: a JSON Pointer, with `*` for every item of an array.
package enum MigrationPath {
  package enum Token: Sendable, Hashable {
    case member(KnownName)
    case items
  }

  /// Longer paths occur in no format, and recursive functions walk them.
  private static let limit = 64

  static func tokens(of value: RuleValue) throws(CofferError) -> [Token] {
    guard let tokens = value.string?.pointerTokens, !tokens.isEmpty else {
      throw value.error("expected a JSON Pointer such as \"/cars/*/name\" ('*': every item of an array)")
    }
    guard tokens.count <= limit else { throw value.error("expected a path of at most \(limit) names") }
    return tokens.map { $0 == "*" ? .items : .member(KnownName($0)) }
  }
}

extension [MigrationPath.Token] {
  /// The names, if the path has no `*`.
  var memberNames: [KnownName]? {
    var names: [KnownName] = []
    for token in self {
      guard case .member(let name) = token else { return nil }
      names.append(name)
    }
    return names
  }
}
