import ByteStreams
public import Rules

/// What rules cost, for people: what is kept while a document is read and which arrays are cut, with the keyword that is the reason for each.
///
///     12 schemas, 20 states, no patterns that names of members are tried by
///     kept while a document is read
///       some 22 bytes a distinct key (consecutive integers less)
///       /cars  line 4, /properties/cars/primaryKey
///     arrays that are cut into slices for several threads
///       /cars
///     arrays that are not, for contains counts the items that match
///       /expenses  line 9, /properties/expenses/contains
extension TextReport {
  public func text(of cost: RuleCost) -> String {
    var text = "  \(Self.counted(cost.schemas, "schema")), \(Self.counted(cost.states, "state")), "
    text += "\(Self.counted(cost.namePatterns, "pattern")) that names of members are tried by\n"
    if !cost.needs.isEmpty { text += "  kept while a document is read\n" }
    for kind in RuleCost.Need.Kind.allCases {
      let needs = cost.needs.filter { $0.kind == kind }
      if needs.isEmpty { continue }
      text += "    \(Self.words(for: kind))\n" + rows(needs.map { ($0.place, $0.origin) })
    }
    let sliced = cost.collections.filter { $0.obstacle == nil }
    if !sliced.isEmpty { text += "  arrays that are cut into slices for several threads\n" }
    for collection in sliced { text += "      \(name(of: collection.place))\n" }
    for reason in RuleCost.Obstacle.Reason.allCases {
      let whole = cost.collections.compactMap { collection in
        collection.obstacle.flatMap { $0.reason == reason ? (collection.place, $0.origin) : nil }
      }
      if whole.isEmpty { continue }
      text += "  arrays that are not, for \(Self.words(for: reason))\n" + rows(whole)
    }
    return text
  }

  /// Places and the keywords that are the reason, in columns.
  private func rows(_ rows: [(place: String, origin: RuleCost.Origin)]) -> String {
    let width = min(40, rows.map { name(of: $0.place).count }.max() ?? 0)
    return rows.map { row in
      let place = name(of: row.place)
      return "      \(place)\(Self.blanks(width - place.count))  line \(row.origin.line), \(row.origin.location.printable)\n"
    }.joined()
  }

  private func name(of place: String) -> String { place.isEmpty ? "the root" : place.printable }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count == 0 ? "no" : grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  private static func words(for kind: RuleCost.Need.Kind) -> String {
    switch kind {
    case .keys: "some 22 bytes a distinct key (consecutive integers less)"
    case .definitions: "some 22 bytes a distinct key that references look for (consecutive integers less)"
    case .references: "20 to 30 bytes a reference that comes before what it refers to"
    case .items: "16 to 24 bytes a distinct item"
    case .itemsInBranch: "16 to 24 bytes a distinct item of an array that is open, never on disk: a branch waits for the verdict"
    case .comparisons:
      "some 400 bytes a value that comes before what it is compared with, as far as --memory-limit allows; from the root, some 20 on disk"
    case .counts: "some 400 bytes a number until the document has ended, as far as --memory-limit allows"
    case .entries: "in a ZIP archive, some 400 bytes each for name, size and digest of an entry, as far as --memory-limit allows"
    case .findings: "findings of its branches until they are decided"
    case .answers:
      "twice as much with each level of the document: more than \(Self.grouped(RuleEvaluator.activeStateLimit)) answers end a run (status 5)"
    case .digests: "a digest of each array or object there, while it is open"
    }
  }

  private static func words(for reason: RuleCost.Obstacle.Reason) -> String {
    switch reason {
    case .counts: "contains counts the items that match"
    case .branch: "their items decide a branch of anyOf, oneOf, not or if"
    case .unevaluated: "branches decide which items are unevaluated"
    case .uniqueItems: "a branch waits for the verdict of uniqueItems"
    case .comparison: "they are compared as a whole"
    }
  }
}
