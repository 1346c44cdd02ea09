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
    let notSilent = ["unresolved-reference", "endless-reference", "never-applies"]
    return counts.byRule.reduce(0) { count, rule in
      rule.key.severity == .note || notSilent.contains(rule.key.code) ? count : count + rule.value
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
