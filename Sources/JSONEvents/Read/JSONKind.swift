/// The kind of a JSON value.
///
/// The raw values are the numbers from 0: strings would be compared wherever two kinds are.
@frozen
public enum JSONKind: Int, Sendable, CaseIterable, BitwiseCopyable, Encodable {
  case null, boolean, number, string, array, object

  /// The kind of value that an event begins, unless it is an end.
  package init(_ kind: Event.Kind) {
    switch kind {
    case .null: self = .null
    case .true, .false: self = .boolean
    case .number: self = .number
    case .string, .key: self = .string
    case .arrayStart, .arrayEnd: self = .array
    case .objectStart, .objectEnd: self = .object
    }
  }

  /// The kind's name in JSON Schema: `array`.
  public var name: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .number: "number"
    case .string: "string"
    case .array: "array"
    case .object: "object"
    }
  }

  /// The kind in messages: `an array`.
  package var phrase: String {
    switch self {
    case .null: "null"
    case .array, .object: "an \(name)"
    case .boolean, .number, .string: "a \(name)"
    }
  }

  /// In reports, it is its name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}
