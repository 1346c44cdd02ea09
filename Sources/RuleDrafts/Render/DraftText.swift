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
      // YAML refuses these two, which occur only in quotation marks.
      return writer.text.printableJSON.escaping({ $0 == "\u{FFFE}" || $0 == "\u{FFFF}" }) { "\\u" + $0 }
    }
  }

  // MARK: JSON

  private mutating func write(_ value: JSONValue.Located, indent: Int, column: Int, isRoot: Bool = false) {
    if !isRoot, let line = Self.line(of: value, within: Self.width - column) { return text += line }
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
    default: text += value.text
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

  /// Returns the value on one line, or `nil` if it is wider than `width`. Cost: at most that of the width.
  private static func line(of value: JSONValue.Located, within width: Int) -> String? {
    var line: String
    switch value.value {
    case .object(let members) where !members.isEmpty:
      line = "{"
      for (index, member) in members.enumerated() {
        line += (index == 0 ? " " : ", ") + member.key.quoted + ": "
        guard let text = Self.line(of: member.value, within: width - line.utf8.count) else { return nil }
        line += text
      }
      line += " }"
    case .array(let items):
      line = "["
      for (index, item) in items.enumerated() {
        if index > 0 { line += ", " }
        guard let text = Self.line(of: item, within: width - line.utf8.count) else { return nil }
        line += text
      }
      line += "]"
    default: line = value.text
    }
    return line.utf8.count <= width ? line : nil
  }

  // MARK: YAML

  /// The keywords whose values aren't rules, and have no comments.
  private static let dataKeywords: Set = ["const", "default", "enum", "examples"]
  /// The keywords whose members are names of the documents, not keywords.
  private static let nameKeywords: Set = ["$defs", "dependentSchemas", "patternProperties", "properties"]

  /// - Parameter hasNames: true if the value's members are names of the documents.
  private mutating func writeYAML(_ value: JSONValue.Located, indent: Int, hasNames: Bool = false) {
    let space = String(repeating: "  ", count: indent)
    guard let members = value.object, !members.isEmpty else {
      text += space + value.text + "\n"
      return
    }
    if indent == 0, let comment = value["$comment"]?.string { text += "# \(comment.printable)\n" }
    for member in members where !member.isComment {
      if !hasNames, Self.dataKeywords.contains(member.key) {
        text += space + Self.key(member.key) + ": " + member.value.text + "\n"
        continue
      }
      if let comment = member.value["$comment"]?.string { text += "\(space)# \(comment.printable)\n" }
      let key = Self.key(member.key)
      // A key of more than 1024 characters must be explicit.
      let start = key.utf8.count < 1000 ? key + ":" : "? \(key)\n\(space):"
      let hasNames = !hasNames && Self.nameKeywords.contains(member.key)
      writeYAML(member: space + start, member.value, indent: indent, hasNames: hasNames)
    }
  }

  /// - Parameter start: the line's start, up to the colon.
  private mutating func writeYAML(member start: String, _ value: JSONValue.Located, indent: Int, hasNames: Bool) {
    let bare = value.withoutComment
    switch bare.value {
    case .object(let members) where !members.isEmpty:
      text += start + "\n"
      writeYAML(bare, indent: indent + 1, hasNames: hasNames)
    case .array(let items) where items.contains { $0.object != nil }:
      text += start + "\n"
      let space = String(repeating: "  ", count: indent + 1)
      for item in items {
        if let comment = item["$comment"]?.string { text += "\(space)# \(comment.printable)\n" }
        text += space + "- " + entry(item.withoutComment, indent: indent + 2)
      }
    default: text += start + " " + bare.text + "\n"
    }
  }

  /// An entry of a list: on one line, or a member a line if it is too wide.
  ///
  /// - Parameter indent: the indentation of further lines.
  private func entry(_ item: JSONValue.Located, indent: Int) -> String {
    let line = item.text
    if item.object?.isEmpty != false || line.utf8.count + 2 * indent <= Self.width { return line + "\n" }
    var writer = DraftText()
    writer.writeYAML(item, indent: indent)
    return String(writer.text.dropFirst(2 * indent))
  }

  /// A key, in quotation marks if YAML could take it for something else.
  private static func key(_ key: String) -> String {
    func begins(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "$") }
    let isPlain =
      key.utf8.first.map(begins) ?? false
      && key.utf8.allSatisfy { begins($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "_") }
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
    return isPlain && !reserved.contains(key.lowercased()) ? key : key.quoted
  }
}

extension JSONValue.Located {
  fileprivate var withoutComment: Self {
    guard let members = object else { return self }
    return Self(.object(members.filter { !$0.isComment }))
  }
}

extension JSONValue.Member {
  /// False for the rules of a member that has this name.
  fileprivate var isComment: Bool { key == "$comment" && value.string != nil }
}
