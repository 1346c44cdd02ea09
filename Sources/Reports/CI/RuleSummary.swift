import Findings

/// The findings of one rule in a report, for formats that group findings by the rule's place and its words:
///
///     12 of 1,204,331 values  error  maximum  /expenses/*/cost: at most 10000
struct RuleSummary {
  let rule: FindingRule
  /// The places of its findings, with `*` for any item: `/expenses/*/cost and 2 more places`. Empty if they aren't known.
  let place: String
  /// What it expects: `at most 10000`. `nil` if it isn't known.
  let words: String?
  /// What its keyword means, in one sentence.
  let meaning: String
  let count: Int
  /// The number of findings among them that a baseline accepts.
  let known: Int
  /// The number of values that the rule applied to: `1,204,331 values`. If it isn't known, the number of records in its collection; `nil`
  /// if neither is known.
  let population: String?
  /// The place of the first finding that the report has. `nil` if it has none, or if it is in an archive's entry.
  let first: Place?
  /// The findings to list, in document order.
  let findings: [Finding]

  /// `/expenses/*/cost: at most 10000`
  var title: String { [place, words ?? meaning].filter { !$0.isEmpty }.joined(separator: ": ") }

  /// `12 of 1,204,331 values`
  var share: String { count.grouped + (population.map { " of \($0)" } ?? "") }

  /// Returns the places in words: `/cars/*/id and 3 more places`.
  static func words(for places: [String]) -> String {
    let names = places.map { $0.isEmpty ? "the root" : $0 }
    if names.count < 3 { return names.joined(separator: ", ") }
    return "\(names[0]) and \((names.count - 1).grouped) more places"
  }
}

extension ValidationResults {
  /// Returns the rules with findings: the most severe first, then the most frequent.
  ///
  /// - Parameters:
  ///   - findings: those to choose from.
  ///   - limit: the number of findings to list for each rule.
  func summaries(of report: ValidationReport, listing findings: [Finding], limit: Int = .max) -> [RuleSummary] {
    let counts = report.reportedCounts.byRule
    let checked = Dictionary(report.checkedRules.map { ($0.rule.ofAnySeverity, $0) }) { first, _ in first }
    let values = report.valuesByPlace
    let meanings = Dictionary(rules(of: report).map { ($0.code, $0) }) { first, _ in first }
    let listed = Dictionary(grouping: findings) { counts[$0.rule] == nil ? $0.rule.kind : $0.rule }
    return counts.map { rule, count in
      let findings = listed[rule, default: []]
      let own = checked[rule.ofAnySeverity]
      var places = own.map(\.places) ?? []
      // Findings that are counted by their code only have nothing else in common.
      if places.isEmpty, !rule.schemaLocation.isEmpty || findings.count == 1 { places = findings.commonPlaces }
      let known = report.acceptedCounts.byRule[rule] ?? 0
      let applied = own.map { $0.count(in: values) } ?? values?[rule.schemaLocation]
      // "of 1 value" would say nothing.
      let population = applied.flatMap { $0 == 1 ? nil : $0.counted("value") }
      return RuleSummary(
        rule: rule, place: RuleSummary.words(for: places), words: own?.message ?? own?.expectation,
        meaning: meanings[rule.code]?.summary ?? "", count: count, known: known,
        population: population ?? report.records(at: places)?.counted("record"),
        first: findings.first.flatMap { $0.place.entry == nil ? $0.place : nil },
        findings: findings.fairChoice(ofRule: limit))
    }.sorted { ($1.rule.severity, $1.count, $0.rule) < ($0.rule.severity, $0.count, $1.rule) }
  }
}

extension FindingRule {
  /// Rules may grade their findings differently.
  var ofAnySeverity: FindingRule { FindingRule(severity: .error, code: code, schemaLocation: schemaLocation) }
}

extension ValidationReport {
  /// Returns the number of records in the collection that has these places, or `nil` if it isn't one.
  fileprivate func records(at places: [String]) -> Int? {
    guard let first = places.first else { return nil }
    for collection in collections where places.allSatisfy({ $0.hasPrefix(collection.pointer + "/*") }) {
      // Several items of a record, or several places, may have findings.
      return places.count == 1 && first.dropFirst(collection.pointer.count + 2).contains("*") == false ? collection.records : nil
    }
    return nil
  }
}

extension [Finding] {
  /// The places of findings of one rule, with `*` for items, and for other names if there are many.
  var commonPlaces: [String] {
    // A finding about a whole entry has no place in a document.
    let inDocument = filter { $0.place.entry == nil }
    let pointers = inDocument.map { $0.place.pointer.split(separator: "/", omittingEmptySubsequences: false).map(String.init) }
    var places: Set<[String]> = []
    for tokens in pointers { places.insert(tokens.map { $0.mayBeIndex ? "*" : $0 }) }
    if places.count > 2 {
      var byLength: [Int: [String]] = [:]
      for place in places {
        byLength[place.count] = byLength[place.count].map { zip($0, place).map { $0 == $1 ? $0 : "*" } } ?? place
      }
      places = Set(byLength.values)
    }
    return places.map { $0.joined(separator: "/") }.sorted()
  }
}
