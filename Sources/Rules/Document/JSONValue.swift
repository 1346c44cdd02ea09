package import ByteStreams
package import JSONEvents

/// A small JSON document in memory, with the place of each value. Used for rule documents, never for backups.
package enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  /// The number's source text.
  case number(String)
  case string(String)
  case array([Located])
  /// An object with its members in document order. If a key occurs twice, which rule documents forbid, the last one wins.
  case object([Member])

  package struct Located: Sendable {
    package var value: JSONValue
    package var position: TextPosition

    package init(value: JSONValue, position: TextPosition) {
      self.value = value
      self.position = position
    }

    /// Creates a value that no document holds.
    package init(_ value: JSONValue) { self.init(value: value, position: TextPosition(offset: 0, line: 1, column: 1)) }
  }

  package struct Member: Sendable {
    package var key: String
    package var keyPosition: TextPosition
    package var value: Located

    package init(key: String, keyPosition: TextPosition, value: Located) {
      self.key = key
      self.keyPosition = keyPosition
      self.value = value
    }
  }
}

extension JSONValue.Located {
  package var object: [JSONValue.Member]? {
    if case .object(let members) = value { members } else { nil }
  }

  package var array: [JSONValue.Located]? {
    if case .array(let items) = value { items } else { nil }
  }

  package var string: String? {
    if case .string(let text) = value { text } else { nil }
  }

  package var number: String? {
    if case .number(let text) = value { text } else { nil }
  }

  package var boolean: Bool? {
    if case .boolean(let value) = value { value } else { nil }
  }

  package subscript(key: String) -> JSONValue.Located? {
    object?.last { $0.key == key }?.value
  }

  /// The name of the value's type in messages.
  var typeName: String { value.kind.phrase }
}

extension JSONValue {
  package var kind: JSONKind {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }
}

extension JSONValue {
  /// Limits on the size and depth of a rule document: it is kept in memory and walked by recursive functions.
  package static let sizeLimit = 32 << 20
  package static let depthLimit = 256

  /// Reads a rule document, or one that it refers to.
  ///
  /// Memory: up to about forty times the document's size.
  /// - Throws: `CofferError` if it is not JSON, or too large.
  package static func readRules(_ source: some ByteSource) throws(CofferError) -> Located {
    var limits = ReaderLimits()
    limits.depth = depthLimit
    return try read(source, limits: limits, sizeLimit: sizeLimit, refusesDuplicates: true)
  }

  /// Reads a whole document.
  package static func read(
    _ source: some ByteSource, limits: ReaderLimits = ReaderLimits(), sizeLimit: Int = .max, refusesDuplicates: Bool = false
  ) throws(CofferError) -> Located {
    var reader = JSONEventReader(source, limits: limits)
    var builder = Builder()
    while try reader.next() {
      guard reader.bytesRead <= sizeLimit else { throw CofferError.rulesTooLarge }
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        builder.consume(event, text: reader.batch.text(of: event), at: reader.lines.position(at: reader.batch.offset(of: event)))
      }
    }
    if refusesDuplicates, let (member, earlier, object) = builder.duplicate {
      let place = "line \(earlier.keyPosition.line), column \(earlier.keyPosition.column)"
      throw CofferError(
        rules: "duplicate key '\(member.key)': first at \(place)", at: object + "/" + member.key.pointerToken,
        member.keyPosition)
    }
    guard let root = builder.root else { preconditionFailure("a complete document has a value") }
    return root
  }

  /// Reads one member of a document's root object, then stops. Returns `nil` if there is no such member.
  package static func read(member name: String, of source: some ByteSource) throws(CofferError) -> Located? {
    var reader = JSONEventReader(source)
    var builder: Builder?
    var depth = 0
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let text = reader.batch.text(of: event)
        builder?.consume(event, text: text, at: reader.lines.position(at: reader.batch.offset(of: event)))
        switch event.kind {
        case .objectStart, .arrayStart: depth += 1
        case .objectEnd, .arrayEnd: depth -= 1
        default: break
        }
        if let root = builder?.root { return root }
        if depth == 1, event.kind == .key, text.string == name { builder = Builder() }
      }
    }
    return nil
  }

  fileprivate struct Builder {
    private struct Open {
      var position: TextPosition
      var items: [Located]?
      var members: [Member] = []
      var key: (String, TextPosition)?
    }

    private(set) var root: Located?
    /// The first member with the same key as an earlier one in its object, that earlier member, and the object's pointer.
    private(set) var duplicate: (Member, earlier: Member, object: String)?
    private var stack: [Open] = []

    mutating func consume(_ event: Event, text: ByteView, at position: TextPosition) {
      switch event.kind {
      case .null: add(.null, position)
      case .false: add(.boolean(false), position)
      case .true: add(.boolean(true), position)
      case .number: add(.number(text.string), position)
      case .string: add(.string(text.string), position)
      case .key: stack[stack.count - 1].key = (text.string, position)
      case .arrayStart: stack.append(Open(position: position, items: []))
      case .objectStart: stack.append(Open(position: position, items: nil))
      case .arrayEnd, .objectEnd:
        let closed = stack.removeLast()
        if closed.items == nil, duplicate == nil { duplicate = Self.duplicate(in: closed.members).map { ($0.0, $0.1, pointer) } }
        add(closed.items.map(JSONValue.array) ?? .object(closed.members), closed.position)
      }
    }

    /// The pointer of the next value.
    private var pointer: String {
      stack.map { "/" + ($0.key?.0.pointerToken ?? String($0.items?.count ?? 0)) }.joined()
    }

    private static func duplicate(in members: [Member]) -> (Member, Member)? {
      var known: [ExactText: Int] = [:]
      for (index, member) in members.enumerated() {
        if let earlier = known.updateValue(index, forKey: ExactText(member.key)) { return (member, members[earlier]) }
      }
      return nil
    }

    private mutating func add(_ value: JSONValue, _ position: TextPosition) {
      let located = Located(value: value, position: position)
      guard var open = stack.popLast() else {
        root = located
        return
      }
      if let (key, keyPosition) = open.key {
        open.members.append(Member(key: key, keyPosition: keyPosition, value: located))
        open.key = nil
      } else {
        open.items?.append(located)
      }
      stack.append(open)
    }
  }
}

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

/// Text that is equal only byte for byte, as JSON names are. Swift's own strings also compare equal if they differ only in
/// Unicode normalisation.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: ExactText, b: ExactText) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package func hash(into hasher: inout Hasher) {
    var text = text
    // Hash all bytes in one call: names may be long and are hashed often.
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
