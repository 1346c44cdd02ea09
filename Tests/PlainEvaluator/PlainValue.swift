package import Rules

/// A JSON value by its meaning: exact numbers, members without order, the last of duplicate keys, text by its code points.
///
/// Equality is JSON Schema's (core, section 4.2.2).
package indirect enum PlainValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case number(ExactDecimal)
  case string(PlainText)
  case array([PlainValue])
  case object([PlainText: PlainValue])

  package init(_ located: JSONValue.Located) {
    switch located.value {
    case .null: self = .null
    case .boolean(let value): self = .boolean(value)
    case .number(let text):
      guard let number = ExactDecimal(text) else { preconditionFailure("the reader lets only numbers pass: \(text)") }
      self = .number(number)
    case .string(let text): self = .string(PlainText(text))
    case .array(let items): self = .array(items.map(PlainValue.init))
    case .object(let members):
      self = .object(
        Dictionary(members.map { (PlainText($0.key), PlainValue($0.value)) }, uniquingKeysWith: { _, last in last }))
    }
  }

  subscript(name: PlainText) -> PlainValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  var text: PlainText? {
    if case .string(let text) = self { text } else { nil }
  }

  /// Returns the value that one token of a JSON Pointer (RFC 6901, section 4) refers to.
  func child(_ token: PlainText) -> PlainValue? {
    switch self {
    case .object(let members): members[token]
    case .array(let items):
      if let index = Int(token.string), items.indices.contains(index), String(index) == token.string { items[index] } else { nil }
    default: nil
    }
  }
}

/// Text that is compared by its code points: to Swift, "é" and "e" with an accent are equal.
package struct PlainText: Hashable, Sendable, ExpressibleByStringLiteral {
  let bytes: [UInt8]

  package init(_ string: String) { bytes = Array(string.utf8) }
  package init(stringLiteral string: String) { self.init(string) }

  var string: String { String(decoding: bytes, as: UTF8.self) }

  /// The length in code points: JSON Schema validation, section 6.3.1.
  var length: Int { string.unicodeScalars.count }
}
