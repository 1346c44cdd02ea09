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
  var collections: [String: Collection] = [:]
  var values: [String: ValueHint] = [:]
  var variants: [String: [Variant]] = [:]

  struct Collection: Sendable {
    /// The number of records relative to other collections.
    var share: Int?
    /// The minimum number of records, however small the document.
    var least: Int?
  }

  /// A kind of record: its relative frequency and its values.
  struct Variant: Sendable {
    var weight: Int
    /// Fixed values by member name.
    var constants: [(name: String, value: JSONTree)]
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
      collections[member.key] = Collection(
        share: member.value["share"]?.integer.map { max(1, min(1_000_000, $0)) },
        least: member.value["least"]?.integer.map { max(0, min(1_000_000, $0)) })
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
        variant.constants.append((member.key, JSONTree(member.value.json)))
      }
    }
    return variant
  }
}
