package import ByteStreams
package import JSONEvents

/// A small JSON document in memory, each value with its place: rule documents are read so. Backups never are.
package enum JSONValue: Sendable {
  case null
  case boolean(Bool)
  /// The number's own text.
  case number(String)
  case string(String)
  case array([Located])
  /// In the document's order. Of equal keys, which rule documents may not have, the last one wins.
  case object([Member])

  package struct Located: Sendable {
    package var value: JSONValue
    package var position: TextPosition

    package init(value: JSONValue, position: TextPosition) {
      self.value = value
      self.position = position
    }
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

  /// What a message calls the value's type.
  package var typeName: String {
    switch value {
    case .null: "null"
    case .boolean: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  /// How large a rule document may be, and how deeply nested: it is kept in memory, and walked by functions that call themselves.
  package static let sizeLimit = 32 << 20
  package static let depthLimit = 256

  /// Reads a rule document, or one that it refers to.
  ///
  /// Memory: up to some forty times the document's size.
  /// - Throws: `RuleCompileError` if it is too large, `JSONReadError`, `ByteStreamError`.
  package static func readRules(_ source: some ByteSource) throws -> Located {
    var limits = ReaderLimits()
    limits.depth = depthLimit
    return try read(source, limits: limits, sizeLimit: sizeLimit, refusesDuplicates: true)
  }

  /// Reads a whole document.
  ///
  /// - Throws: `JSONReadError`, `ByteStreamError`.
  package static func read(
    _ source: some ByteSource, limits: ReaderLimits = ReaderLimits(), sizeLimit: Int = .max, refusesDuplicates: Bool = false
  ) throws -> Located {
    var reader = JSONEventReader(source, limits: limits)
    var builder = Builder()
    while try reader.next() {
      guard reader.bytesRead <= sizeLimit else { throw RuleCompileError.tooLarge }
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        builder.take(event, text: reader.batch.text(of: event), at: reader.lines.position(at: reader.batch.offset(of: event)))
      }
    }
    if refusesDuplicates, let (member, earlier, object) = builder.duplicate {
      let place = "line \(earlier.keyPosition.line), column \(earlier.keyPosition.column)"
      throw RuleCompileError(
        "the key '\(member.key)' stands in this object already, at \(place)", at: object + "/" + member.key.pointerToken,
        member.keyPosition)
    }
    guard let root = builder.root else { preconditionFailure("a document that was read has a value") }
    return root
  }

  /// Reads a member of a document's root object, and stops there; `nil` if there is none.
  ///
  /// - Throws: `JSONReadError`, `ByteStreamError`.
  package static func read(member name: String, of source: some ByteSource) throws -> Located? {
    var reader = JSONEventReader(source)
    var builder: Builder?
    var depth = 0
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let text = reader.batch.text(of: event)
        builder?.take(event, text: text, at: reader.lines.position(at: reader.batch.offset(of: event)))
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
    /// The first member whose key an earlier one of its object has, that one, and the object's pointer.
    private(set) var duplicate: (Member, earlier: Member, object: String)?
    private var stack: [Open] = []

    mutating func take(_ event: Event, text: ByteView, at position: TextPosition) {
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

    /// Of the value that comes next.
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
