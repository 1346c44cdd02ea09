import ByteStreams
package import Rules

/// Writes rule documents as people write them: short objects on one line, the others with one member a line.
package struct DraftText {
  package enum Syntax: Sendable { case json, yaml }

  private static let width = 120
  private var text = ""

  /// Returns the document's text. In YAML, `$comment` becomes a comment.
  package static func text(of document: JSONValue.Located, as syntax: Syntax) -> String {
    var writer = DraftText()
    switch syntax {
    case .json:
      writer.write(document, indent: 0, column: 0, isRoot: true)
      return writer.text.printableJSON + "\n"
    case .yaml:
      writer.writeYAML(document, indent: 0)
      return writer.text.printableJSON
    }
  }

  // MARK: JSON

  private mutating func write(_ value: JSONValue.Located, indent: Int, column: Int, isRoot: Bool = false) {
    let line = Self.line(of: value)
    if !isRoot, column + line.utf8.count <= Self.width { return text += line }
    let inner = String(repeating: "  ", count: indent + 1)
    switch value.value {
    case .array(let items) where !items.isEmpty:
      text += "["
      // Lists of scalars fill their lines.
      if items.allSatisfy({ $0.array == nil && $0.object == nil }) {
        fill(items, inner)
      } else {
        for (index, item) in items.enumerated() {
          text += (index == 0 ? "\n" : ",\n") + inner
          write(item, indent: indent + 1, column: inner.count)
        }
      }
      text += "\n" + inner.dropLast(2) + "]"
    case .object(let members) where !members.isEmpty:
      text += "{"
      for (index, member) in members.enumerated() {
        let key = member.key.quoted + ": "
        text += (index == 0 ? "\n" : ",\n") + inner + key
        write(member.value, indent: indent + 1, column: inner.count + key.utf8.count + 1)
      }
      text += "\n" + inner.dropLast(2) + "}"
    default: text += line
    }
  }

  private mutating func fill(_ items: [JSONValue.Located], _ inner: String) {
    var column = Self.width
    for (index, item) in items.enumerated() {
      let word = item.text + (index < items.count - 1 ? "," : "")
      if column + word.utf8.count + 1 > Self.width {
        text += "\n" + inner + word
        column = inner.count + word.utf8.count
      } else {
        text += " " + word
        column += word.utf8.count + 1
      }
    }
  }

  private static func line(of value: JSONValue.Located) -> String {
    switch value.value {
    case .object(let members) where !members.isEmpty:
      "{ " + members.map { "\($0.key.quoted): \(line(of: $0.value))" }.joined(separator: ", ") + " }"
    case .array(let items): "[" + items.map(line(of:)).joined(separator: ", ") + "]"
    default: value.text
    }
  }

  // MARK: YAML

  private mutating func writeYAML(_ value: JSONValue.Located, indent: Int) {
    let space = String(repeating: "  ", count: indent)
    guard let members = value.object, !members.isEmpty else {
      text += space + value.text + "\n"
      return
    }
    if let comment = value["$comment"]?.string, indent == 0 { text += "# \(comment.printable)\n" }
    for member in members where member.key != "$comment" {
      if let comment = member.value["$comment"]?.string { text += "\(space)# \(comment.printable)\n" }
      writeYAML(member: space + Self.key(member.key) + ":", member.value, indent: indent)
    }
  }

  /// - Parameter start: the line's start, up to the colon.
  private mutating func writeYAML(member start: String, _ value: JSONValue.Located, indent: Int) {
    let bare = value.withoutComment
    switch bare.value {
    case .object(let members) where !members.isEmpty:
      text += start + "\n"
      writeYAML(bare, indent: indent + 1)
    case .array(let items) where items.contains { $0.object != nil }:
      text += start + "\n"
      let space = String(repeating: "  ", count: indent + 1)
      for item in items {
        if let comment = item["$comment"]?.string { text += "\(space)# \(comment.printable)\n" }
        text += space + "- " + item.withoutComment.text + "\n"
      }
    default: text += start + " " + bare.text + "\n"
    }
  }

  /// A key, in quotation marks if YAML could take it for something else.
  private static func key(_ key: String) -> String {
    let isPlain =
      key.utf8.first.map { $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") || $0 == UInt8(ascii: "$") } ?? false
    let hasOnlyWords = key.utf8.allSatisfy {
      $0 | 0x20 >= UInt8(ascii: "a") && $0 | 0x20 <= UInt8(ascii: "z") || $0 >= 0x30 && $0 <= 0x39
        || [UInt8(ascii: "$"), UInt8(ascii: "_")].contains($0)
    }
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
    return isPlain && hasOnlyWords && !reserved.contains(key.lowercased()) ? key : key.quoted
  }
}

extension JSONValue.Located {
  fileprivate var withoutComment: Self {
    guard let members = object else { return self }
    return Self(.object(members.filter { $0.key != "$comment" }))
  }
}
