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
  init(_ value: RuleValue) throws(CofferError) {
    try value.checkMembers(
      known: ["absent", "null", "among", "from", "to", "decimals", "ascending", "text", "items", "form", "weights"],
      in: "a hint")
    absent = try value["absent"].map(Self.percentage)
    null = try value["null"].map(Self.percentage)
    let ascending = value["ascending"]?.boolean ?? false
    if let list = value["among"] {
      let values = try list.expectItems(of: "values", allowsNone: false).map { JSONTree($0.json) }
      content = .among(try Self.weighted(values, value["weights"]))
    } else if let form = value["form"] {
      guard form.string == "uuid" else { throw form.error("expected 'uuid'") }
      content = .uuid
    } else if let parts = value["text"] {
      content = .text(try parts.expectItems(of: "text parts").map(Self.part))
    } else if let range = value["items"] {
      content = .items(try Self.range(range))
    } else if value["from"]?.string != nil || value["to"]?.string != nil {
      content = .times(from: try value["from"].map(Self.moment), to: try value["to"].map(Self.moment), ascending: ascending)
    } else if value["from"] != nil || value["to"] != nil || value["decimals"] != nil || ascending {
      content = .numbers(
        from: try value["from"]?.expectNumber(), to: try value["to"]?.expectNumber(),
        decimals: value["decimals"]?.integer.map { max(0, min(6, $0)) }, ascending: ascending)
    }
  }

  /// Returns the values, each repeated by its weight.
  private static func weighted(_ values: [JSONTree], _ weights: RuleValue?) throws(CofferError) -> [JSONTree] {
    var result = values
    for member in weights?.members ?? [] {
      guard let value = values.first(where: { $0.ledgerText == member.key }), let weight = member.value.integer,
        (1...1000).contains(weight)
      else { throw member.error("expected one of the values of 'among' with an integer weight from 1 to 1000") }
      result += Array(repeating: value, count: weight - 1)
    }
    return result
  }

  private static func percentage(_ value: RuleValue) throws(CofferError) -> Int {
    if let number = value.integer, (0...100).contains(number) { return number }
    throw value.error("expected a percentage: an integer from 0 to 100")
  }

  /// Parses `now`, or `now` with a duration.
  private static func moment(_ value: RuleValue) throws(CofferError) -> CalendarDuration {
    let text = value.string ?? ""
    let duration =
      if text == "now" {
        CalendarDuration("P0D")
      } else if text.hasPrefix("now+") || text.hasPrefix("now-") {
        CalendarDuration(text.dropFirst(4), negative: text.hasPrefix("now-"))
      } else {
        CalendarDuration?.none
      }
    guard let duration else {
      throw value.error("expected now, or now with a duration such as now-P3Y; now is the backup's creation time")
    }
    return duration
  }

  static func range(_ value: RuleValue) throws(CofferError) -> ClosedRange<Int> {
    if let items = value.items, items.count == 2, let low = items[0].integer, let high = items[1].integer, low >= 0, low <= high,
      high <= 1_000_000_000
    {
      return low...high
    }
    throw value.error("expected a minimum and a maximum integer, such as [1, 5]")
  }

  private static func part(_ value: RuleValue) throws(CofferError) -> Part {
    if let text = value.string { return .among([text]) }
    if let items = value.items {
      let choices = items.compactMap(\.string)
      if !choices.isEmpty, choices.count == items.count { return .among(choices) }
    }
    if let range = value["number"] { return .number(try Self.range(range)) }
    throw value.error("expected a string, a list of strings, or {\"number\": [1, 99]}")
  }
}
