import ByteStreams
import JSONEvents
import Rules

/// Generated values: their places, comparison, and text.
extension JSONValue {
  static func list(_ items: [JSONValue]) -> JSONValue { .array(items.map { Located($0) }) }

  /// A nesting that ``JSONEventWriter`` can write.
  static let writableDepth = 120

  /// The number of containers inside each other.
  var depth: Int {
    switch self {
    case .array(let items): 1 + (items.map(\.value.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.value.depth).max() ?? 0)
    default: 0
    }
  }

  /// The value as a ledger shows it: a string's content, or any other scalar's token.
  var ledgerText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .boolean(let value): String(value)
    case .null: "null"
    case .array, .object: nil
    }
  }

  /// Returns true if both are the same value. Numbers are compared by value, members in any order.
  func equals(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.number(let a), .number(let b)): a == b || ExactDecimal(a) == ExactDecimal(b)
    case (.string(let a), .string(let b)): ExactText(a) == ExactText(b)
    case (.array(let a), .array(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.value.equals($1.value) }
    case (.object(let a), .object(let b)):
      a.count == b.count && a.allSatisfy { member in other.value(at: [member.key])?.equals(member.value.value) ?? false }
    default: false
    }
  }

  /// Returns the value at a path of names and indices.
  func value(at path: some Collection<String>) -> JSONValue? {
    var value = self
    for token in path {
      switch value {
      case .object(let members):
        guard let member = members.first(where: { $0.key == token }) else { return nil }
        value = member.value.value
      case .array(let items):
        guard let index = Int(token), items.indices.contains(index) else { return nil }
        value = items[index].value
      default: return nil
      }
    }
    return value
  }

  /// Sets the value at a path. A new member is inserted in name order if `isSorted`. `nil` removes the value.
  ///
  /// - Returns: True if the value was set or removed; false if the path doesn't exist.
  mutating func set(_ value: JSONValue?, at path: ArraySlice<String>, isSorted: Bool) -> Bool {
    guard let token = path.first else {
      self = value ?? self
      return value != nil
    }
    let rest = path.dropFirst()
    switch self {
    case .object(var members):
      let index = members.firstIndex { $0.key == token }
      if let index, !rest.isEmpty || value != nil {
        guard members[index].value.value.set(value, at: rest, isSorted: isSorted) else { return false }
      } else if let index {
        members.remove(at: index)
      } else if let value, rest.isEmpty {
        let place = isSorted ? members.firstIndex { $0.key > token } : nil
        members.insert(Member(token, value), at: place ?? members.endIndex)
      } else {
        return false
      }
      self = .object(members)
    case .array(var items):
      guard let index = Int(token), items.indices.contains(index) else { return false }
      if rest.isEmpty, value == nil {
        items.remove(at: index)
      } else if !items[index].value.set(value, at: rest, isSorted: isSorted) {
        return false
      }
      self = .array(items)
    default: return false
    }
    return true
  }
}

extension JSONValue.Member {
  init(_ key: String, _ value: JSONValue) {
    let located = JSONValue.Located(value)
    self.init(key: key, keyPosition: located.position, value: located)
  }
}

extension JSONEventWriter {
  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .boolean(let value): boolean(value)
    case .number(let text): number(text: text)
    case .string(let text): string(text)
    case .array(let items):
      beginArray()
      for index in items.indices { write(items[index].value) }
      endArray()
    case .object(let members):
      beginObject()
      // By index: an iterator would copy each member.
      for index in members.indices {
        key(members[index].key)
        write(members[index].value.value)
      }
      endObject()
    }
  }
}
