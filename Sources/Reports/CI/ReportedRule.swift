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
    let isKeyword = code == KeywordNames.code(of: keyword)
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
    "duplicate-key": "Keys are unique within an object.",
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

  private func rules(of reports: [ValidationReport]) -> [ReportedRule] {
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
    return rules.map { code, rule in
      ReportedRule(code, rule.keyword, rule.severity, texts: rule.texts, summary: keywordSummaries[rule.keyword])
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
