import ByteStreams
import JSONEvents
import Rules

/// The differences between two values that fit into memory.
///
/// Objects are compared member by member, arrays item by item; values are compared, not their spelling.
struct ValueDifference {
  private(set) var fields: [FieldChange] = []
  private(set) var count = 0
  private let limit: Int
  /// The maximum length of a field's text, in Unicode scalars.
  private static let textLimit = 200

  /// - Parameter limit: the number of fields to keep in detail.
  init(from old: JSONValue, to new: JSONValue, limit: Int) {
    self.limit = limit
    compare(old, new, at: "")
  }

  private mutating func compare(_ old: JSONValue, _ new: JSONValue, at pointer: String) {
    switch (old, new) {
    case (.object(let old), .object(let new)): compare(members: old, new, at: pointer)
    case (.array(let old), .array(let new)):
      for index in 0..<max(old.count, new.count) {
        compare(index < old.count ? old[index].value : nil, index < new.count ? new[index].value : nil, at: "\(pointer)/\(index)")
      }
    default: if !old.isSame(as: new) { add(old, new, at: pointer) }
    }
  }

  private mutating func compare(_ old: JSONValue?, _ new: JSONValue?, at pointer: String) {
    if let old, let new { compare(old, new, at: pointer) } else { add(old, new, at: pointer) }
  }

  /// Members with the same name are paired in their order.
  private mutating func compare(members old: [JSONValue.Member], _ new: [JSONValue.Member], at pointer: String) {
    var places: [ExactText: [Int]] = [:]
    for (index, member) in new.enumerated().reversed() { places[ExactText(member.key), default: []].append(index) }
    var isTaken = Array(repeating: false, count: new.count)
    for member in old {
      let place = places[ExactText(member.key)]?.popLast()
      if let place { isTaken[place] = true }
      compare(member.value.value, place.map { new[$0].value.value }, at: pointer + "/" + member.key.pointerToken)
    }
    for (index, member) in new.enumerated() where !isTaken[index] {
      add(nil, member.value.value, at: pointer + "/" + member.key.pointerToken)
    }
  }

  private mutating func add(_ old: JSONValue?, _ new: JSONValue?, at pointer: String) {
    count += 1
    guard fields.count < limit else { return }
    fields.append(FieldChange(pointer: pointer, old: old.map(Self.text), new: new.map(Self.text)))
  }

  /// Returns the value as JSON, truncated.
  static func text(of value: JSONValue) -> String {
    let text = JSONValue.Located(value).text
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: textLimit, limitedBy: scalars.endIndex), end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}

extension JSONValue {
  /// Returns true if two values, at most one of them an object or array, are equal.
  fileprivate func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.number(let a), .number(let b)): a == b || ExactDecimal(a) == ExactDecimal(b)
    default: false
    }
  }
}
