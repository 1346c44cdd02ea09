/// The members of an object in a report, in order:
///
///     try encoder.encode(["name": name, "device": device, "version": IfPresent(version)])
///
/// A missing value is `null`, unless it is in an `IfPresent`. Several lists of members may be encoded into one object.
///
/// An object inside the list needs `as ReportMembers` if it has several members: without it, it is a dictionary, which has no order.
package struct ReportMembers: Encodable, ExpressibleByDictionaryLiteral {
  private let members: [(name: String, value: any Encodable)]

  package init(dictionaryLiteral members: (String, any Encodable)...) { self.init(members) }

  package init(_ members: [(String, any Encodable)]) { self.members = members.map { ($0.0, $0.1) } }

  /// Members sorted by name.
  package init(_ values: [String: some Encodable]) { self.init(values.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }) }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: ReportKey.self)
    for (name, value) in members { try Self.encode(value, as: ReportKey(stringValue: name), in: &object) }
  }

  private static func encode(_ value: any Encodable, as key: ReportKey, in object: inout KeyedEncodingContainer<ReportKey>) throws
  {
    switch value {
    // Most members are strings and integers: encoded as such, they need no encoder of their own.
    case let text as String: try object.encode(text, forKey: key)
    case let number as Int: try object.encode(number, forKey: key)
    case let omissible as any Omissible: if let value = omissible.presentValue { try encode(value, as: key, in: &object) }
    default: try object.encode(value, forKey: key)
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
  fileprivate var presentValue: (any Encodable)? { value }

  package init(_ value: Value?) { self.value = value }

  package func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

private protocol Omissible { var presentValue: (any Encodable)? { get } }

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

/// A fault in a report that is read again: a value of the right type that can't be true.
package struct InvalidReport: Error {
  package let message: String
}

extension DecodingError {
  /// An error with the cause `InvalidReport`, which distinguishes its message from the decoder's own.
  static func invalid(_ message: String, at path: [any CodingKey]) -> DecodingError {
    .dataCorrupted(Context(codingPath: path, debugDescription: message, underlyingError: InvalidReport(message: message)))
  }
}
