import ByteStreams
import JSONEvents
import Rules

/// A descriptor's `backup.generate`: realistic values where the rules leave a choice.
///
///     "generate": {
///       "reference": "2026-06-28T20:15:00Z",
///       "collections": {"/expenses": {"share": 2000}, "/cars": {"share": 1, "least": 3}},
///       "values": {"/cars/*/name": {"among": ["City Hatch", "🚙 Road trip"]}},
///       "variants": {"/expenses": [{"weight": 5, "set": {"expenseType": "fuel"}}]}
///     }
struct GenerationHints: Sendable {
  /// The creation time that the backup declares, in seconds since 1970. Fixed: the output doesn't depend on a clock.
  var reference: Int64 = 1_782_677_700  // 2026-06-28T20:15:00Z
  var isSorted = true
  var escapesSlashes = true
  /// The number of a collection's records relative to other collections, and the minimum number, however small the document.
  var collections: [String: (share: Int?, least: Int?)] = [:]
  var values: [String: ValueHint] = [:]
  var variants: [String: [Variant]] = [:]

  /// A kind of record: its relative frequency and its values.
  struct Variant: Sendable {
    var weight: Int
    /// Fixed values by member name.
    var constants: [(name: String, value: JSONValue)]
    /// Members that are always present.
    var members: [String]
    var hints: [String: ValueHint]
  }

  init() {}

  init(_ value: RuleValue) throws(CofferError) {
    if let text = value["reference"] {
      guard let instant = text.string.flatMap({ Instant($0) }) else {
        throw text.error("expected a time such as 2026-06-28T20:15:00Z")
      }
      reference = instant.seconds
    }
    isSorted = value["order"]?.string != "declared"
    escapesSlashes = value["slashes"]?.string != "plain"
    for member in value["collections"]?.members ?? [] {
      collections[member.key] = (
        member.value["share"]?.integer.map { max(1, min(1_000_000, $0)) },
        member.value["least"]?.integer.map { max(0, min(1_000_000, $0)) }
      )
    }
    for member in value["values"]?.members ?? [] { values[member.key] = try ValueHint(member.value) }
    for member in value["variants"]?.members ?? [] {
      variants[member.key] = try (member.value.items ?? []).map { item throws(CofferError) in try Self.variant(item) }
    }
  }

  private static func variant(_ value: RuleValue) throws(CofferError) -> Variant {
    var variant = Variant(
      weight: value["weight"]?.integer.map { max(0, min(1_000_000, $0)) } ?? 1, constants: [],
      members: value["with"]?.items?.compactMap(\.string) ?? [], hints: [:])
    for member in value["set"]?.members ?? [] {
      if member.value.isObject {
        variant.hints[member.key] = try ValueHint(member.value)
      } else {
        variant.constants.append((member.key, member.value.json.value))
      }
    }
    return variant
  }
}

/// A descriptor's hint for the values at one path, so that they look like an app's.
struct ValueHint: Sendable {
  /// The percentages of records in which an optional member is missing and `null`.
  var absent: Int?
  var null: Int?
  var content: Content?

  enum Content: Sendable {
    /// One of these. Values with a greater weight are repeated.
    case among([JSONValue])
    case numbers(from: ExactDecimal?, to: ExactDecimal?, decimals: Int?, ascending: Bool)
    /// Times relative to the backup's creation time.
    case times(from: CalendarDuration?, to: CalendarDuration?, ascending: Bool)
    case text([TextPart])
    case items(ClosedRange<Int>)
    /// A UUID, where the rules only require a string.
    case uuid
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
      let values = try list.expectItems(of: "values", allowsNone: false).map { $0.json.value }
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
  private static func weighted(_ values: [JSONValue], _ weights: RuleValue?) throws(CofferError) -> [JSONValue] {
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

  private static func part(_ value: RuleValue) throws(CofferError) -> TextPart {
    if let text = value.string { return .among([text]) }
    if let items = value.items {
      let choices = items.compactMap(\.string)
      if !choices.isEmpty, choices.count == items.count { return .among(choices) }
    }
    if let range = value["number"] { return .number(try Self.range(range)) }
    throw value.error("expected a string, a list of strings, or {\"number\": [1, 99]}")
  }
}
