import BackupFormats
import JSONEvents
import Rules

/// Finds and changes the members of a held object.
extension ValueTree {
  enum Member {
    case none
    case one(Index)
    /// The object has the member more than once. It is ambiguous which one counts, so none is changed.
    case several
  }

  func member(_ name: MemberName, of object: Index) -> Member {
    var found = Self.none
    var child = self[object].first
    while child >= 0 {
      let node = nodes[Int(child)]
      if Int(node.key.contentCount) == name.utf8.count, says(node.key, name.utf8) {
        if found >= 0 { return .several }
        found = child
      }
      child = node.next
    }
    return found >= 0 ? .one(found) : .none
  }

  /// Returns true if the text has this content.
  func says(_ text: Text, _ content: [UInt8]) -> Bool {
    withContent(of: text) { view in
      guard view.count == content.count else { return false }
      return content.withUnsafeBufferPointer { other in
        other.baseAddress.map { view.elementsEqual(ByteView($0, count: other.count)) } ?? true
      }
    }
  }

  mutating func append(_ child: Index, as name: MemberName, to object: Index) {
    self[child].key = storeString(name.utf8)
    link(child, to: object)
  }

  /// Removes all members of a name in one walk; returns false if there is none.
  mutating func unlinkMembers(_ name: MemberName, of object: Index) -> Bool {
    var (before, child, found) = (Self.none, self[object].first, false)
    while child >= 0 {
      let next = self[child].next
      if says(self[child].key, name.utf8) {
        unlink(child, after: before, from: object)
        found = true
      } else {
        before = child
      }
      child = next
    }
    return found
  }

  mutating func rename(_ member: Index, to name: MemberName) { self[member].key = storeString(name.utf8) }

  /// Replaces a node's value in place.
  mutating func replace(_ index: Index, with value: JSONValue) {
    let new = make(value)
    replace(index, withNode: new)
  }

  mutating func replace(_ index: Index, withNode new: Index) {
    let (key, next) = (self[index].key, self[index].next)
    self[index] = self[new]
    self[index].key = key
    self[index].next = next
  }

  /// Creates the nodes of a value from a descriptor.
  mutating func make(_ value: JSONValue) -> Index {
    switch value {
    case .null: return make(.null, token: "null")
    case .boolean(let boolean): return make(boolean ? .true : .false, token: boolean ? "true" : "false")
    case .number(let text): return make(.number, token: text)
    case .string(let text): return makeString(Array(text.utf8))
    case .array(let items):
      let array = make(Node(kind: .array))
      for item in items { link(make(item.value), to: array) }
      return array
    case .object(let members):
      let object = make(Node(kind: .object))
      for member in members { append(make(member.value.value), as: MemberName(member.key), to: object) }
      return object
    }
  }

  mutating func make(_ kind: Kind, token: String) -> Index {
    var node = Node(kind: kind)
    node.token = storeToken(Array(token.utf8))
    return make(node)
  }

  mutating func makeString(_ content: [UInt8]) -> Index {
    var node = Node(kind: .string)
    node.token = storeString(content)
    return make(node)
  }

  private mutating func storeToken(_ token: [UInt8]) -> Text {
    token.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return Text.empty }
      return store(ByteView(base, count: buffer.count), ByteView(base, count: buffer.count))
    }
  }

  /// Stores a string in JSON syntax.
  private mutating func storeString(_ content: [UInt8]) -> Text {
    var token: [UInt8] = [UInt8(ascii: "\"")]
    for byte in content {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): token += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = Array("0123456789abcdef".utf8)
        token += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: token.append(byte)
      }
    }
    token.append(UInt8(ascii: "\""))
    return token.withUnsafeBufferPointer { token in
      content.withUnsafeBufferPointer { content in
        guard let start = token.baseAddress else { return Text.empty }
        return store(
          ByteView(start, count: token.count), ByteView(content.baseAddress ?? start, count: content.count))
      }
    }
  }

  /// Returns true if a value equals the descriptor's, with the same digits.
  func isEqual(_ index: Index, _ value: JSONValue) -> Bool {
    let node = self[index]
    switch (node.kind, value) {
    case (.null, .null), (.true, .boolean(true)), (.false, .boolean(false)): return true
    case (.number, .number(let text)), (.string, .string(let text)): return says(node.token, Array(text.utf8))
    case (.array, .array(let items)):
      var child = node.first
      for item in items {
        guard child >= 0, isEqual(child, item.value) else { return false }
        child = self[child].next
      }
      return child < 0
    case (.object, .object(let members)):
      var child = node.first
      for member in members {
        guard child >= 0, says(self[child].key, Array(member.key.utf8)), isEqual(child, member.value.value) else { return false }
        child = self[child].next
      }
      return child < 0
    default: return false
    }
  }
}
