package import Rules

/// One change to the values at a place of a document.
public struct MigrationStep: Sendable {
  /// The word that the descriptor says it by: `default`, `rename`, …
  public let name: String
  /// Where the values stand, as a JSON Pointer, `*` standing for every item of an array.
  public let pointer: String
  /// What is done, for people: `"electric" filled in`.
  public let summary: String
  package let path: [MigrationPath.Token]
  package let operation: Operation
  /// What the object around the value must be like; `nil`: whatever it is like.
  package let condition: MigrationCondition?

  /// What is done to a value, or to the object that holds it as a member.
  package enum Operation: Sendable {
    /// A member that is absent gets a value.
    case fill(Value, replacesNull: Bool)
    /// A member gets a value, whatever it had.
    case set(Value)
    case rename(to: MemberName)
    case drop
    /// Strings are replaced by other values; those that the table doesn't have are kept, unless they are to become `otherwise`.
    case map([Mapping], otherwise: JSONValue?)
    /// From the object at the path, along the first names to a member, which then stands at the end of the others.
    case move([MemberName], to: [MemberName])
    /// A string that the pattern matches as a whole becomes a member for each group.
    case split(Pattern, into: [MemberName])
    case convert(from: StringFormat, to: StringFormat)
    case scale(ExactDecimal)
    /// The document's root, an array, becomes a member of an object.
    case wrap(MemberName)
  }

  /// What a member gets.
  package enum Value: Sendable {
    case literal(JSONValue)
    /// The run's present time, as this format writes it.
    case now(StringFormat)
  }

  package struct Mapping: Sendable {
    package let text: [UInt8]
    package let value: JSONValue
  }

  /// How many names of the path lead to what the operation is done to: the value itself, or the object that has it as a member.
  package var reach: Int {
    switch operation {
    case .map, .convert, .scale, .move, .wrap: path.count
    case .fill, .set, .rename, .drop, .split: path.count - 1
    }
  }
}
