package import Rules

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
    case rename(to: MemberName)
    case drop
    /// Replaces strings by other values. Strings that aren't in the table become `otherwise`, or are kept if that is nil.
    case map([Mapping], otherwise: JSONValue?)
    /// Moves a member, at the first names from the object at the path, to the second names.
    case move([MemberName], to: [MemberName])
    /// Splits a string that the whole pattern matches into one member per group.
    case split(Pattern, into: [MemberName])
    case convert(from: StringFormat, to: StringFormat)
    case scale(ExactDecimal)
    /// Wraps the document's root, an array, in an object.
    case wrap(MemberName)
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
