import ByteStreams
import Findings
public import Rules

/// The cost of rules as text: the memory used while a document is read, and the arrays that are sliced, with the responsible
/// keywords.
///
///     12 schemas, 20 states, 0 patternProperties patterns
///     memory while a document is read
///       about 22 bytes per distinct key, less for consecutive integers
///       /cars  line 4, /properties/cars/primaryKey
///     arrays sliced for parallel validation
///       /cars
///     arrays not sliced: contains counts the matching items
///       /expenses  line 9, /properties/expenses/contains
///
/// If there are more than 20 places, each list has only its first three, and the number of the others.
extension TextReport {
  public func text(of cost: RuleCost) -> String {
    let count = cost.needs.count + cost.collections.count
    let limit = count > 20 ? 3 : count
    var text = "  \(cost.schemas.counted("schema")), \(cost.states.counted("state")), "
    text += "\(cost.namePatterns.counted("patternProperties pattern"))\n"
    if !cost.needs.isEmpty { text += "  memory while a document is read\n" }
    for kind in RuleCost.Need.Kind.allCases {
      let needs = cost.needs.filter { $0.kind == kind }
      if needs.isEmpty { continue }
      text += line("    ", Self.words(for: kind)) + rows(needs.map { ($0.place, $0.origin) }, limit)
    }
    let sliced = cost.collections.filter { $0.obstacle == nil }
    if !sliced.isEmpty { text += "  arrays sliced for parallel validation\n" }
    for collection in sliced.prefix(limit) { text += "      \(name(of: collection.place))\n" }
    text += Self.others(sliced.count - limit)
    for reason in RuleCost.Obstacle.Reason.allCases {
      let whole = cost.collections.compactMap { collection in
        collection.obstacle.flatMap { $0.reason == reason ? (collection.place, $0.origin) : nil }
      }
      if whole.isEmpty { continue }
      text += line("  arrays not sliced: ", Self.words(for: reason)) + rows(whole, limit)
    }
    if limit < count, namesOptions { text += "  --json lists all places\n" }
    return text
  }

  private static func others(_ count: Int) -> String { count > 0 ? "      and \(count.grouped) more\n" : "" }

  /// Formats the first places and the responsible keywords in columns. On a narrow terminal, both are cut in the middle.
  private func rows(_ all: [(place: String, origin: RuleCost.Origin)], _ limit: Int) -> String {
    let rows = all.prefix(limit).map { (name(of: $0.place), "line \($0.origin.line), \($0.origin.location.printable)") }
    var placeWidth = min(40, rows.map(\.0.columns).max() ?? 0)
    var originWidth = rows.map(\.1.columns).max() ?? 0
    if let width {
      let room = max(40, width - 8)
      placeWidth = min(placeWidth, max(room - originWidth, room / 3))
      originWidth = room - placeWidth
    }
    return rows.map { place, origin in
      if width == nil { return "      \(place)\(Self.blanks(placeWidth - place.columns))  \(origin)\n" }
      let place = place.cut(toColumns: placeWidth, keepsEnd: true)
      let gap = Self.blanks(placeWidth - place.columns)
      return "      \(place)\(gap)  \(origin.cut(toColumns: originWidth, keepsEnd: true))\n"
    }.joined() + Self.others(all.count - limit)
  }

  private func name(of place: String) -> String { place.isEmpty ? "the root" : place.printable }

  private static func words(for kind: RuleCost.Need.Kind) -> String {
    switch kind {
    case .keys: "about 22 bytes per distinct key, less for consecutive integers"
    case .definitions: "about 22 bytes per distinct referenced key, less for consecutive integers"
    case .references: "20 to 30 bytes per reference that precedes its target"
    case .items: "16 to 24 bytes per distinct item"
    case .itemsInBranch: "16 to 24 bytes per distinct item of an open array, never on disk: a branch depends on the result"
    case .comparisons:
      "about 400 bytes per value that precedes its comparison value, up to --memory-limit; from the root, about 20 on disk"
    case .counts: "about 400 bytes per number until the document ends, up to --memory-limit"
    case .entries: "in a ZIP archive, about 400 bytes each for the name, size and digest of an entry, up to --memory-limit"
    case .findings: "the findings of its branches until they are decided"
    case .answers:
      "twice as much with each level of the document: more than \(RuleEvaluator.activeStateLimit.grouped) pending results end the run (status 5)"
    case .digests: "a digest of each open array or object there"
    }
  }

  private static func words(for reason: RuleCost.Obstacle.Reason) -> String {
    switch reason {
    case .counts: "contains counts the matching items"
    case .branch: "their items decide a branch of anyOf, oneOf, not or if"
    case .unevaluated: "branches decide which items are unevaluated"
    case .uniqueItems: "a branch depends on the result of uniqueItems"
    case .comparison: "they are compared as a whole"
    }
  }
}
