/// A rule that a document was checked against: a keyword at one place of a rule document.
public struct CheckedRule: Sendable, Hashable {
  /// The code of its findings.
  public var code: String
  /// The keyword, spelled as in the rule document.
  public var keyword: String
  public var severity: Severity
  /// The `title` of the schema that has the keyword.
  public var title: String?
  /// The `description` of the schema that has the keyword.
  public var description: String?
  /// The `errorMessage` that the rule document gives it.
  public var message: String?
  /// The place of the keyword in the rule document, as a JSON Pointer.
  public var schemaLocation: String
  /// The places of its findings in documents, with `*` for any item or other name: `/expenses/*/cost`. At most ten; empty if they
  /// aren't known, because the schema is used in several places.
  public var places: [String]
  package static let placeLimit = 10
  /// What it expects, in words: `at most 10000`.
  public var expectation: String?
  /// True if reports count the values that it applies to: those that its schema is about, whether or not a condition or an alternative
  /// holds for them. Rules that no value can pass, and some about items, have no count.
  public var isCounted = false

  public init(
    code: String, keyword: String, severity: Severity, title: String? = nil, description: String? = nil, message: String? = nil,
    schemaLocation: String = "", places: [String] = [], expectation: String? = nil
  ) {
    self.code = code
    self.keyword = keyword
    self.severity = severity
    self.title = title
    self.description = description
    self.message = message
    self.schemaLocation = schemaLocation
    self.places = places
    self.expectation = expectation
  }

  /// The rule that its findings are counted by.
  public var rule: FindingRule { FindingRule(severity: severity, code: code, schemaLocation: schemaLocation) }
}

/// The number of values that a rule applied to in a document.
public struct RuleValues: Sendable, Equatable {
  /// The place of the rule's keyword in the rule document.
  public var schemaLocation: String
  public var count: Int

  public init(schemaLocation: String, count: Int) {
    self.schemaLocation = schemaLocation
    self.count = count
  }
}

/// What a rule document says and validation doesn't apply, in a report on documents that were checked against it: keywords and
/// formats that its dialect doesn't have, and the like.
///
///     {"file": "rules.json", "counts": {"error": 0, "warning": 3, "note": 1, "byCode": {…}}, "notShown": 0,
///       "findings": [{"code": "ignored-keyword", …}]}
public struct RuleWarnings: Sendable, Equatable {
  /// The rule document's name.
  public var file: String
  public var counts: FindingCounts
  /// The first ones, at most 1,000. Their places are in the rule document.
  public var findings: [Finding]

  /// - Returns: `nil` if there are none.
  public init?(file: String, counts: FindingCounts, findings: [Finding]) {
    if counts.total == 0 { return nil }
    self.file = file
    self.counts = counts
    self.findings = findings
  }

  /// The number of rules that are not applied. Notes don't count, nor do references that lead nowhere: a document that reaches one gets
  /// no verdict. What never applies to values of one type may apply to those of another.
  public var notApplied: Int {
    let reportedOtherwise = ["unresolved-reference", "endless-reference", "never-applies"]
    return counts.byRule.reduce(0) { count, rule in
      rule.key.severity == .note || reportedOtherwise.contains(rule.key.code) ? count : count + rule.value
    }
  }
}

extension RuleWarnings: Codable {
  private enum CodingKeys: CodingKey { case file, counts, findings }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["file": file, "counts": counts, "notShown": counts.total - findings.count, "findings": findings])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    file = try members.decode(String.self, forKey: .file)
    findings = try members.decode([Finding].self, forKey: .findings)
    counts = try FindingCounts(from: members.superDecoder(forKey: .counts), of: findings)
  }
}
