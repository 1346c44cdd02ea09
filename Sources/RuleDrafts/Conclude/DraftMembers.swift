import Rules

/// The members of an object that is being written, in order.
struct DraftMembers {
  private var members: [(String, JSONValue.Located)] = []

  mutating func add(_ key: String, _ value: JSONValue.Located?) {
    if let value { members.append((key, value)) }
  }

  mutating func add(_ other: DraftMembers) { members += other.members }

  func has(_ key: String) -> Bool { members.contains { $0.0 == key } }

  var isEmpty: Bool { members.isEmpty }
  var object: JSONValue.Located { .object(members) }
}

/// Values that no document holds yet.
extension JSONValue.Located {
  static func text(_ text: String) -> Self { Self(.string(text)) }
  static func number(_ number: some CustomStringConvertible) -> Self { Self(.number(number.description)) }
  static func boolean(_ value: Bool) -> Self { Self(.boolean(value)) }
  static func list(_ items: [Self]) -> Self { Self(.array(items)) }
  static func texts(_ items: some Sequence<String>) -> Self { .list(items.map(Self.text)) }

  static func object(_ members: [(String, Self)]) -> Self {
    Self(.object(members.map { JSONValue.Member(key: $0.0, keyPosition: $0.1.position, value: $0.1) }))
  }
}
