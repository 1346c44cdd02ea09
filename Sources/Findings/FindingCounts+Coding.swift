/// The counts in a report:
///
///     {"error": 2, "warning": 0, "note": 1, "byCode": {"foreign-key": 2, "unknown-field": 1}}
extension FindingCounts: Encodable {
  package enum CodingKeys: CodingKey { case byCode }

  public func encode(to encoder: any Encoder) throws {
    try severityCounts.encode(to: encoder)
    try encoder.encode(["byCode": ReportMembers(byCode)])
  }

  /// The number of findings of each severity.
  package var severityCounts: SeverityCounts {
    SeverityCounts(error: count(.error), warning: count(.warning), note: count(.note))
  }

  package struct SeverityCounts: Codable {
    let error: Int
    let warning: Int
    let note: Int
  }

  /// Reads the counts of a report that has these findings.
  ///
  /// A report counts severities and codes separately. If a code occurs with several severities, those of findings that the report
  /// doesn't show are chosen so that both counts are right.
  init(from decoder: any Decoder, of findings: [Finding]) throws {
    func check(_ isRight: Bool) throws {
      guard !isRight else { return }
      throw DecodingError.invalid("the counts contradict each other", at: decoder.codingPath)
    }
    func total(_ counts: some Sequence<Int>) throws -> Int {
      try counts.reduce(0) { sum, count in
        let (sum, isOver) = sum.addingReportingOverflow(count)
        try check(count >= 0 && !isOver)
        return sum
      }
    }
    let counts = try SeverityCounts(from: decoder)
    var severities: [Severity: Int] = [.error: counts.error, .warning: counts.warning, .note: counts.note]
    var codes = try decoder.container(keyedBy: CodingKeys.self).decode([String: Int].self, forKey: .byCode)
    try check(try total(severities.values) == total(codes.values))
    self.init()
    for finding in findings {
      severities[finding.severity, default: 0] -= 1
      codes[finding.code, default: 0] -= 1
      add(severity: finding.severity, code: finding.code)
    }
    try check(severities.values.allSatisfy { $0 >= 0 } && codes.values.allSatisfy { $0 >= 0 })
    // First the severities with which a code is shown, then those that are left.
    let shown = byRule.keys.sorted()
    let others = codes.keys.sorted().flatMap { code in Severity.mostSevereFirst.map { Key(severity: $0, code: code) } }
    for key in shown + others {
      let count = min(severities[key.severity, default: 0], codes[key.code, default: 0])
      severities[key.severity, default: 0] -= count
      codes[key.code, default: 0] -= count
      add(count, severity: key.severity, code: key.code)
    }
  }
}
