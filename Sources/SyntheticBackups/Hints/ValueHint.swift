import ByteStreams
import Rules

/// A descriptor's hint for the values at one path, so that they look like an app's.
struct ValueHint: Sendable {
  /// The percentages of records in which an optional member is missing and `null`.
  var absent: Int?
  var null: Int?
  var content: Content?

  enum Content: Sendable {
    /// One of these. Values with a greater weight are repeated.
    case among([JSONTree])
    case numbers(from: ExactDecimal?, to: ExactDecimal?, decimals: Int?, ascending: Bool)
    /// Times relative to the backup's creation time.
    case times(from: CalendarDuration?, to: CalendarDuration?, ascending: Bool)
    case text([Part])
    case items(ClosedRange<Int>)
    /// A UUID, where the rules only require a string.
    case uuid
  }

  /// A part of a string: one of these strings, or an integer.
  enum Part: Sendable {
    case among([String])
    case number(ClosedRange<Int>)
  }
}

extension ValueHint {
  init(_ value: JSONValue.Located, at pointer: String) throws(CofferError) {
    guard let members = value.object else {
      throw CofferError(rules: "expected an object of hints, found \(value.typeName)", at: pointer, value.position)
    }
    let known = [
      "absent", "null", "among", "from", "to", "decimals", "ascending", "text", "items", "form", "weights", "$comment",
    ]
    for member in members where !known.contains(member.key) {
      throw CofferError(
        rules: "unknown hint '\(member.key)': expected \(known.dropLast().joined(separator: ", "))", at: pointer,
        member.keyPosition
      )
    }
    absent = try Self.percentage("absent", of: value, pointer)
    null = try Self.percentage("null", of: value, pointer)
    let ascending = value["ascending"]?.boolean ?? false
    if let list = value["among"] {
      guard let items = list.array, !items.isEmpty else {
        throw CofferError(rules: "expected a list of at least one value", at: pointer + "/among", list.position)
      }
      content = .among(try Self.weighted(items.map(JSONTree.init), value["weights"], pointer + "/weights"))
    } else if let form = value["form"] {
      guard form.string == "uuid" else { throw CofferError(rules: "expected 'uuid'", at: pointer + "/form", form.position) }
      content = .uuid
    } else if let parts = value["text"] {
      content = .text(try Self.parts(parts, pointer + "/text"))
    } else if let range = value["items"] {
      content = .items(try Self.range(range, pointer + "/items"))
    } else if value["from"]?.string != nil || value["to"]?.string != nil {
      content = .times(
        from: try Self.moment("from", of: value, pointer), to: try Self.moment("to", of: value, pointer), ascending: ascending)
    } else if value["from"] != nil || value["to"] != nil || value["decimals"] != nil || ascending {
      content = .numbers(
        from: try Self.decimal("from", of: value, pointer), to: try Self.decimal("to", of: value, pointer),
        decimals: value["decimals"]?.number.flatMap { Int($0) }.map { max(0, min(6, $0)) }, ascending: ascending)
    }
  }

  /// Returns the values, each repeated by its weight.
  private static func weighted(
    _ values: [JSONTree], _ weights: JSONValue.Located?, _ pointer: String
  ) throws(CofferError) -> [JSONTree] {
    var result = values
    for member in weights?.object ?? [] {
      guard let value = values.first(where: { $0.ledgerText == member.key }),
        let weight = member.value.number.flatMap({ Int($0) }),
        (1...1000).contains(weight)
      else {
        throw CofferError(
          rules: "expected one of the values of 'among' with an integer weight from 1 to 1000", at: pointer, member.keyPosition)
      }
      result += Array(repeating: value, count: weight - 1)
    }
    return result
  }

  private static func percentage(_ name: String, of value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Int? {
    guard let rate = value[name] else { return nil }
    if let number = rate.number.flatMap({ Int($0) }), (0...100).contains(number) { return number }
    throw CofferError(rules: "expected a percentage: an integer from 0 to 100", at: "\(pointer)/\(name)", rate.position)
  }

  private static func decimal(_ name: String, of value: JSONValue.Located, _ pointer: String) throws(CofferError)
    -> ExactDecimal?
  {
    guard let number = value[name] else { return nil }
    if let decimal = number.number.flatMap({ ExactDecimal($0) }) { return decimal }
    throw CofferError(rules: "expected a number", at: "\(pointer)/\(name)", number.position)
  }

  /// Parses `now`, or `now` with a duration.
  private static func moment(
    _ name: String, of value: JSONValue.Located, _ pointer: String
  ) throws(CofferError) -> CalendarDuration? {
    guard let moment = value[name] else { return nil }
    let text = moment.string ?? ""
    if text == "now" { return CalendarDuration("P0D") }
    if text.hasPrefix("now+") || text.hasPrefix("now-"),
      let duration = CalendarDuration(text.dropFirst(4), negative: text.hasPrefix("now-"))
    {
      return duration
    }
    throw CofferError(
      rules: "expected now, or now with a duration such as now-P3Y; now is the backup's creation time", at: "\(pointer)/\(name)",
      moment.position)
  }

  static func range(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> ClosedRange<Int> {
    if let items = value.array, items.count == 2, let low = items[0].number.flatMap({ Int($0) }),
      let high = items[1].number.flatMap({ Int($0) }), low >= 0, low <= high, high <= 1_000_000_000
    {
      return low...high
    }
    throw CofferError(rules: "expected a minimum and a maximum integer, such as [1, 5]", at: pointer, value.position)
  }

  private static func parts(_ value: JSONValue.Located, _ pointer: String) throws(CofferError) -> [Part] {
    guard let items = value.array else { throw CofferError(rules: "expected a list of text parts", at: pointer, value.position) }
    var parts: [Part] = []
    for (index, item) in items.enumerated() {
      if let text = item.string {
        parts.append(.among([text]))
      } else if let choices = item.array?.compactMap(\.string), !choices.isEmpty, choices.count == item.array?.count {
        parts.append(.among(choices))
      } else if let range = item["number"] {
        parts.append(.number(try Self.range(range, "\(pointer)/\(index)/number")))
      } else {
        throw CofferError(
          rules: "expected a string, a list of strings, or {\"number\": [1, 99]}", at: "\(pointer)/\(index)", item.position)
      }
    }
    return parts
  }
}
