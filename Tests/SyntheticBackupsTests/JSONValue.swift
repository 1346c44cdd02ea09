import Foundation

/// A document parsed by Foundation, without any of the tested code.
enum JSONValue: Decodable, Equatable {
  case null
  case boolean(Bool)
  case number(Decimal)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Decimal.self) {
      self = .number(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  init(parsing bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
  }

  subscript(member: String) -> JSONValue? {
    if case .object(let members) = self { members[member] } else { nil }
  }

  /// An object's members; none for any other value.
  var members: [String: JSONValue] {
    if case .object(let members) = self { members } else { [:] }
  }

  var items: [JSONValue] {
    if case .array(let items) = self { items } else { [] }
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var number: Decimal? {
    if case .number(let number) = self { number } else { nil }
  }

  /// The text that a ledger shows for a scalar.
  var text: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): text
    case .array, .object: "?"
    }
  }

  /// The value at a JSON Pointer without escapes.
  func value(at pointer: String) -> JSONValue? {
    pointer.split(separator: "/").reduce(JSONValue?.some(self)) { value, token in
      switch value {
      case .object(let members): members[String(token)]
      case .array(let items): Int(token).flatMap { items.indices.contains($0) ? items[$0] : nil }
      default: nil
      }
    }
  }
}
