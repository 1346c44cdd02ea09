extension JSONValue.Located {
  /// The value as JSON. Numbers keep their source text.
  package var text: String {
    switch value {
    case .null: "null"
    case .boolean(let boolean): String(boolean)
    case .number(let text): text
    case .string(let text): text.quoted
    case .array(let items): "[\(items.map(\.text).joined(separator: ", "))]"
    case .object(let members): "{\(members.map { "\($0.key.quoted): \($0.value.text)" }.joined(separator: ", "))}"
    }
  }
}

extension String {
  /// The string as JSON: in quotation marks, with escapes.
  package var quoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case "\u{0}"..<" ":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}
