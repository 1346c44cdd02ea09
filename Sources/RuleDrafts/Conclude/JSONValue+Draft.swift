import ByteStreams
package import Rules

extension JSONValue.Located {
  private static let nowhere = TextPosition(offset: 0, line: 1, column: 1)

  package init(_ value: JSONValue) { self.init(value: value, position: Self.nowhere) }

  static func text(_ text: String) -> Self { Self(.string(text)) }
  static func number(_ number: some CustomStringConvertible) -> Self { Self(.number(number.description)) }
  static func boolean(_ value: Bool) -> Self { Self(.boolean(value)) }
  static func list(_ items: [Self]) -> Self { Self(.array(items)) }
  static func texts(_ items: some Sequence<String>) -> Self { .list(items.map(Self.text)) }

  static func object(_ members: [(String, Self)]) -> Self {
    Self(
      .object(members.map { JSONValue.Member(key: $0.0, keyPosition: nowhere, value: $0.1) }))
  }
}

extension JSONValue.Located {
  /// Returns the value without the member at a place.
  func removing(at tokens: ArraySlice<String>) -> Self {
    guard let name = tokens.first else { return self }
    let rest = tokens.dropFirst()
    if let members = object {
      return Self(
        .object(
          members.compactMap { member in
            guard member.key == name else { return member }
            if rest.isEmpty { return nil }
            var member = member
            member.value = member.value.removing(at: rest)
            return member
          }))
    }
    guard var items = array, let index = Int(name), items.indices.contains(index) else { return self }
    if rest.isEmpty { items.remove(at: index) } else { items[index] = items[index].removing(at: rest) }
    return Self(.array(items))
  }
}

/// The members of an object that is being written, in order.
struct DraftMembers {
  private(set) var members: [(String, JSONValue.Located)] = []

  mutating func add(_ key: String, _ value: JSONValue.Located?) {
    if let value { members.append((key, value)) }
  }

  mutating func add(_ other: DraftMembers) { members += other.members }

  func has(_ key: String) -> Bool { members.contains { $0.0 == key } }

  var isEmpty: Bool { members.isEmpty }
  var object: JSONValue.Located { .object(members) }
}

extension Int {
  /// The number with its digits in groups of three.
  var grouped: String {
    var text = ""
    for (index, digit) in String(magnitude).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return (self < 0 ? "-" : "") + String(text.reversed())
  }

  /// `1 value`, `12 values`.
  func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}
