import ByteStreams
import Findings
import Rules

/// The information in reports about the rules with one code.
struct ReportedRule {
  let code: String
  let keyword: String
  /// The highest severity of its findings.
  fileprivate(set) var severity: Severity
  /// One sentence.
  fileprivate(set) var summary: String
  /// The summary, and what the rule documents say.
  fileprivate(set) var description: String
  /// The places of these rules in the rule document, at most ten.
  fileprivate(set) var schemaLocations: [String]

  /// The longest text of a rule that GitHub's code scanning takes, in characters.
  private static let textLimit = 1000

  fileprivate init(_ code: String, _ keyword: String, _ severity: Severity, texts: RuleTexts, summary: String?) {
    self.code = code
    self.keyword = keyword
    self.severity = severity
    schemaLocations = texts.schemaLocations.isEmpty ? [] : Array(texts.schemaLocations.prefix(10))
    let known = Self.builtIn[code] ?? summary
    // A custom code is more specific than the keyword.
    let own = texts.messages.count == 1 ? texts.messages.first : texts.titles.count == 1 ? texts.titles.first : nil
    let isKeyword = code == Keyword.code(of: keyword)
    self.summary = ((isKeyword ? known : own ?? known) ?? "The rule \(code).").shortened(to: Self.textLimit)
    let further = texts.titles + texts.descriptions + texts.messages + [known].compactMap(\.self)
    var parts = [self.summary]
    for text in further where !text.isEmpty && !parts.contains(text) && parts.count < 5 { parts.append(text) }
    description = parts.map(\.asSentence).joined(separator: " ").shortened(to: Self.textLimit)
  }

  /// Codes that no keyword explains.
  private static let builtIn = [
    "unknown-format": "The document has a known format.",
    "ambiguous-format": "The document has only one known format.",
    "duplicate-key": "Keys are unique within an object.", "padding": "Nothing but white space follows the document.",
    "unknown-field": "The format has a field of this name.",
    "newer-member": "The document's version has a field of this name.",
    "rule": "The rule document can be used.",
    "ignored-keyword": "The rule document's draft has all of its keywords.",
    "ignored-sibling": "No keyword is beside a $ref that disables it.",
    "ignored-format": "Formats are known.",
    "unasserted-format": "Formats are checked.",
    "never-applies": "Keywords apply to the schema's types.",
    "empty-range": "Some value satisfies both bounds.",
    "useless-value": "Values of enum and const differ, and have the schema's type.",
    "contradiction": "Required members are allowed, and every alternative can match.",
    "unknown-place": "Fields and places that keywords name are described by the rules.",
    "file-missing": "The archive has all files that its document names.",
    "file-extra": "The archive has only files that belong to the backup.",
    "dialect": "The archive's layout is the usual one.",
    "limit": "The archive is within the limits of its readers.",
    "path-unsafe": "Names in the archive are valid file names that stay in the target folder.",
    "entry-type": "The archive has only files and folders.",
    "duplicate-entry": "Entry names are unique.",
    "zip-encrypted": "The archive's entries need no password.",
    "zip-size": "The archive's entries have their declared sizes.",
    "zip-checksum": "The archive's entries match their checksums.",
    "zip-truncated": "The archive is complete.",
    "zip-corrupt": "The archive's data can be expanded.",
    "zip-inconsistent": "The archive's directory and entries agree.",
  ]
}

/// Texts of the rules with one code, without repetitions.
private struct RuleTexts {
  var titles: [String] = []
  var descriptions: [String] = []
  var messages: [String] = []
  var schemaLocations: [String] = []

  mutating func add(_ rule: CheckedRule) {
    Self.add([rule.title], to: &titles)
    Self.add([rule.description], to: &descriptions)
    Self.add([rule.message], to: &messages)
    Self.add([rule.schemaLocation], to: &schemaLocations)
  }

  private static func add(_ added: [String?], to texts: inout [String]) {
    for case .some(let text) in added where !text.isEmpty && texts.count < 10 && !texts.contains(text) { texts.append(text) }
  }
}

extension ValidationResults {
  /// The rules of all reports by code: those that were checked, and those with findings.
  func rules() -> [ReportedRule] { rules(of: reports) }

  /// The rules of a report by code: those that were checked, and those with findings.
  func rules(of report: ValidationReport) -> [ReportedRule] { rules(of: [report]) }

  /// - Parameter codes: those to describe; all by default.
  private func rules(of reports: [ValidationReport], codes: Set<String>? = nil) -> [ReportedRule] {
    var rules: [String: (keyword: String, severity: Severity, texts: RuleTexts)] = [:]
    for report in reports {
      for rule in report.checkedRules {
        var known = rules[rule.code] ?? (rule.keyword, rule.severity, RuleTexts())
        known.severity = max(known.severity, rule.severity)
        known.texts.add(rule)
        rules[rule.code] = known
      }
      // Only findings know the keyword of a code that isn't listed.
      var missing = Set(report.counts.byRule.keys.map(\.code)).subtracting(rules.keys)
      for finding in report.reportedFindings where missing.contains(finding.code) {
        var texts = RuleTexts()
        if !finding.schemaLocation.isEmpty { texts.schemaLocations = [finding.schemaLocation] }
        rules[finding.code] = (finding.keyword, finding.severity, texts)
        missing.remove(finding.code)
        if missing.isEmpty { break }
      }
      for key in report.reportedCounts.byRule.keys {
        var known = rules[key.code] ?? (key.code, key.severity, RuleTexts())
        known.severity = max(known.severity, key.severity)
        rules[key.code] = known
      }
    }
    return rules.filter { codes?.contains($0.key) ?? true }.map { code, rule in
      ReportedRule(code, rule.keyword, rule.severity, texts: rule.texts, summary: keywordSummary(rule.keyword))
    }.sorted { $0.code < $1.code }
  }
}

extension String {
  /// The text with a full stop, if it ends without punctuation.
  fileprivate var asSentence: String {
    guard let last, !last.isPunctuation else { return self }
    return self + "."
  }
}

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
    if counts.isEmpty { return [] }
    let checked = Dictionary(report.checkedRules.map { ($0.rule.ofAnySeverity, $0) }) { first, _ in first }
    let meanings = Dictionary(rules(of: [report], codes: Set(counts.keys.map(\.code))).map { ($0.code, $0) }) { first, _ in first
    }
    let listed = Dictionary(grouping: findings) { counts[$0.rule] == nil ? $0.rule.kind : $0.rule }
    return counts.map { rule, count in
      let findings = listed[rule, default: []]
      let own = checked[rule.ofAnySeverity]
      var places = own.map(\.places) ?? []
      // Findings that are counted by their code only have nothing else in common.
      if places.isEmpty, !rule.schemaLocation.isEmpty || findings.count == 1 { places = findings.commonPlaces }
      let known = report.acceptedCounts.byRule[rule] ?? 0
      let applied = own.map(report.values(of:)) ?? report.values(at: rule.schemaLocation)
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
