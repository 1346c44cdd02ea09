import ByteStreams
import JSONEvents
import Rules

/// A small JSON value: a constant of the rules, a hint, or a record that gets a defect.
enum JSONTree: Sendable, Equatable {
  case null
  case boolean(Bool)
  /// The number's token.
  case number(String)
  case string(String)
  case array([JSONTree])
  case object([Member])

  struct Member: Sendable, Equatable {
    var name: String
    var value: JSONTree
  }

  init(_ value: JSONValue.Located) {
    self =
      switch value.value {
      case .null: .null
      case .boolean(let boolean): .boolean(boolean)
      case .number(let text): .number(text)
      case .string(let text): .string(text)
      case .array(let items): .array(items.map(JSONTree.init))
      case .object(let members): .object(members.map { Member(name: $0.key, value: JSONTree($0.value)) })
      }
  }

  /// Parses the generator's own output.
  init(parsing bytes: [UInt8]) {
    // Allocating a reader's default buffers takes longer than reading a record.
    var limits = ReaderLimits()
    limits.chunkSize = max(1, min(limits.chunkSize, bytes.count))
    do {
      self.init(try JSONValue.read(MemorySource(bytes), limits: limits))
    } catch {
      preconditionFailure("a generated record is not JSON: \(error)")
    }
  }

  /// Returns true if both are the same value: numbers are compared by value.
  func equals(_ other: JSONTree) -> Bool {
    if case .number(let a) = self, case .number(let b) = other, let first = ExactDecimal(a), let second = ExactDecimal(b) {
      return first == second
    }
    return self == other
  }

  var type: TypeSet {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  /// The value as a ledger shows it: a string's content, or any other scalar's token.
  var ledgerText: String? {
    switch self {
    case .string(let text): text
    case .number(let text): text
    case .boolean(let value): String(value)
    case .null: "null"
    case .array, .object: nil
    }
  }
}

// MARK: Places in it

extension JSONTree {
  /// Returns the value at a path of names and indices.
  func value(at path: some Collection<String>) -> JSONTree? {
    guard let token = path.first else { return self }
    switch self {
    case .object(let members): return members.first { $0.name == token }?.value.value(at: path.dropFirst())
    case .array(let items):
      guard let index = Int(token), items.indices.contains(index) else { return nil }
      return items[index].value(at: path.dropFirst())
    default: return nil
    }
  }

  /// Sets the value at a path. A new member is inserted in name order if `sorted`. `nil` removes the value.
  ///
  /// - Returns: True if the value was set or removed; false if the path doesn't exist.
  mutating func set(_ value: JSONTree?, at path: some Collection<String>, sorted: Bool) -> Bool {
    guard let token = path.first else {
      guard let value else { return false }
      self = value
      return true
    }
    let rest = path.dropFirst()
    switch self {
    case .object(var members):
      let index = members.firstIndex { $0.name == token }
      if rest.isEmpty {
        switch (index, value) {
        case (let index?, let value?): members[index].value = value
        case (let index?, nil): members.remove(at: index)
        case (nil, let value?):
          let place = sorted ? members.firstIndex { $0.name > token } ?? members.endIndex : members.endIndex
          members.insert(Member(name: token, value: value), at: place)
        case (nil, nil): return false
        }
      } else {
        guard let index, members[index].value.set(value, at: rest, sorted: sorted) else { return false }
      }
      self = .object(members)
    case .array(var items):
      guard let index = Int(token), items.indices.contains(index) else { return false }
      if rest.isEmpty, value == nil {
        items.remove(at: index)
      } else if !items[index].set(value, at: rest, sorted: sorted) {
        return false
      }
      self = .array(items)
    default: return false
    }
    return true
  }
}

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
