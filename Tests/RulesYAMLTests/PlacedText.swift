import ByteStreams
import JSONEvents
import Rules

extension JSONValue.Located {
  /// The value as JSON without blanks, numbers by their own text, each value and key followed by `@line:column`.
  var placedText: String { text { "@\($0.line):\($0.column)" } }

  /// The same with byte offsets as places.
  var offsetText: String { text { "@\($0.offset)" } }

  /// The value without places.
  var plainText: String { text { _ in "" } }

  private func text(_ place: (TextPosition) -> String) -> String {
    let text =
      switch value {
      case .null: "null"
      case .boolean(let boolean): String(boolean)
      case .number(let text): text
      case .string(let text): Self.quoted(text)
      case .array(let items): "[\(items.map { $0.text(place) }.joined(separator: ","))]"
      case .object(let members):
        "{\(members.map { "\(Self.quoted($0.key))\(place($0.keyPosition)):\($0.value.text(place))" }.joined(separator: ","))}"
      }
    return text + place(position)
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\u{0}"..<" ": quoted += "\\u00\(scalar.value < 16 ? "0" : "")\(String(scalar.value, radix: 16))"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
