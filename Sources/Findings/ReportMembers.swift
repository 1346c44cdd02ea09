/// The members of an object in a report, in order:
///
///     try encoder.encode(["name": name, "device": device, "version": IfPresent(version)])
///
/// A missing value is `null`, unless it is in an `IfPresent`. Several lists of members may be encoded into one object.
package struct ReportMembers: Encodable, ExpressibleByDictionaryLiteral {
  private let members: [(name: String, value: any Encodable)]

  package init(dictionaryLiteral members: (String, any Encodable)...) { self.members = members.map { ($0.0, $0.1) } }

  /// Members sorted by name.
  package init(_ values: [String: some Encodable]) { members = values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: ReportKey.self)
    for (name, value) in members where (value as? any Omissible)?.isMissing != true {
      try object.encode(value, forKey: ReportKey(stringValue: name))
    }
  }
}

extension Encoder {
  /// Encodes members into this value's object.
  package func encode(_ members: ReportMembers) throws { try members.encode(to: self) }
}

/// A member that is left out if it has no value.
package struct IfPresent<Value: Encodable>: Encodable, Omissible {
  private let value: Value?
  fileprivate var isMissing: Bool { value == nil }

  package init(_ value: Value?) { self.value = value }

  package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

private protocol Omissible { var isMissing: Bool { get } }

/// The name of a member, or the index of an item.
package struct ReportKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  package init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
