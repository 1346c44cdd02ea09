import JSONEvents

extension JSONTree {
  /// Returns the value as compact JSON.
  func bytes(escapesSlashes: Bool) -> [UInt8] {
    var text: [UInt8] = []
    append(to: &text, TreeLayout(indent: nil, escapesSlashes: escapesSlashes), depth: 0)
    return text
  }

  func append(to text: inout [UInt8], _ layout: TreeLayout, depth: Int) {
    switch self {
    case .null: text += "null".utf8
    case .boolean(let value): text += (value ? "true" : "false").utf8
    case .number(let digits): text += digits.utf8
    case .string(let string): layout.append(string, to: &text)
    case .array(let items):
      text.append(UInt8(ascii: "["))
      for (index, item) in items.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        layout.breakLine(&text, depth + 1)
        item.append(to: &text, layout, depth: depth + 1)
      }
      if !items.isEmpty { layout.breakLine(&text, depth) }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        layout.breakLine(&text, depth + 1)
        layout.append(member.name, to: &text)
        text += (layout.indent == nil ? ":" : ": ").utf8
        member.value.append(to: &text, layout, depth: depth + 1)
      }
      if !members.isEmpty { layout.breakLine(&text, depth) }
      text.append(UInt8(ascii: "}"))
    }
  }
}

/// The layout of a document, the same as ``JSONEventWriter``'s.
struct TreeLayout: Sendable {
  /// Spaces per level. If `nil`, everything is on one line.
  var indent: Int?
  var escapesSlashes: Bool

  init(indent: Int?, escapesSlashes: Bool) {
    self.indent = indent
    self.escapesSlashes = escapesSlashes
  }

  init(_ layout: JSONEventWriter.Layout, escapesSlashes: Bool) {
    self.escapesSlashes = escapesSlashes
    indent =
      switch layout {
      case .compact: nil
      case .pretty(let indent): indent
      }
  }

  func breakLine(_ text: inout [UInt8], _ depth: Int) {
    guard let indent else { return }
    text.append(UInt8(ascii: "\n"))
    text += repeatElement(UInt8(ascii: " "), count: indent * depth)
  }

  /// Appends a quoted string, escaped as JSON requires (RFC 8259, section 7).
  func append(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): text += #"\""#.utf8
      case UInt8(ascii: "\\"): text += #"\\"#.utf8
      case UInt8(ascii: "/") where escapesSlashes: text += #"\/"#.utf8
      case UInt8(ascii: "\n"): text += #"\n"#.utf8
      case UInt8(ascii: "\r"): text += #"\r"#.utf8
      case UInt8(ascii: "\t"): text += #"\t"#.utf8
      case 0x08: text += #"\b"#.utf8
      case 0x0C: text += #"\f"#.utf8
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        text += (#"\u"# + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
