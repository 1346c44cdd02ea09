/// A rule that findings violate: a keyword at one place of a rule document.
public struct FindingRule: Sendable, Hashable, Comparable {
  public var severity: Severity
  public var code: String
  /// The keyword's place in the rule document, as a JSON Pointer; empty if the finding has none, or if findings of all places are
  /// counted together.
  public var schemaLocation: String

  public init(severity: Severity, code: String, schemaLocation: String = "") {
    self.severity = severity
    self.code = code
    self.schemaLocation = schemaLocation
  }

  /// The same rule at any place.
  public var kind: FindingRule { FindingRule(severity: severity, code: code) }

  /// Errors first, then by code and place.
  public static func < (a: FindingRule, b: FindingRule) -> Bool {
    a.severity != b.severity ? a.severity > b.severity : (a.code, a.schemaLocation) < (b.code, b.schemaLocation)
  }
}

/// Exact numbers of findings, no matter how many are kept in detail.
public struct FindingCounts: Sendable, Hashable {
  public private(set) var byRule: [FindingRule: Int] = [:]

  public init() {}

  public mutating func add(_ count: Int, _ rule: FindingRule) {
    guard count > 0 else { return }
    byRule[rule, default: 0] += count
  }

  public mutating func add(_ count: Int = 1, severity: Severity, code: String) {
    add(count, FindingRule(severity: severity, code: code))
  }

  public mutating func merge(_ other: FindingCounts) {
    byRule.merge(other.byRule) { $0 + $1 }
  }

  public var total: Int { byRule.values.reduce(0, +) }

  public func count(_ severity: Severity) -> Int {
    byRule.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
  }

  /// The number of findings of a code with a severity, at all places of the rule document.
  public func count(_ severity: Severity, code: String) -> Int {
    byRule.reduce(0) { $1.key.severity == severity && $1.key.code == code ? $0 + $1.value : $0 }
  }

  /// The number of findings of each code, regardless of severity.
  public var byCode: [String: Int] {
    byRule.reduce(into: [:]) { $0[$1.key.code, default: 0] += $1.value }
  }
}

extension Finding {
  /// The rule that it violates.
  public var rule: FindingRule { FindingRule(severity: severity, code: code, schemaLocation: schemaLocation) }
}

/// The counts in a report:
///
///     {"error": 2, "warning": 0, "note": 1, "byCode": {"foreign-key": 2, "unknown-field": 1},
///       "byRule": [{"severity": "error", "code": "foreign-key", "schema": "/properties/expenses/foreignKeys/0", "count": 2}, …]}
extension FindingCounts: Encodable {
  package enum CodingKeys: CodingKey { case byCode, byRule }

  private struct Entry: Codable {
    let severity: Severity
    let code: String
    let schema: String
    let count: Int
  }

  public func encode(to encoder: any Encoder) throws {
    try severityCounts.encode(to: encoder)
    let entries = byRule.sorted { $0.key < $1.key }.map { rule, count in
      Entry(severity: rule.severity, code: rule.code, schema: rule.schemaLocation, count: count)
    }
    try encoder.encode(["byCode": ReportMembers(byCode), "byRule": entries])
  }

  /// The number of findings of each severity.
  package var severityCounts: SeverityCounts {
    SeverityCounts(error: count(.error), warning: count(.warning), note: count(.note))
  }

  package struct SeverityCounts: Codable, Equatable {
    let error: Int
    let warning: Int
    let note: Int
  }

  /// Reads the counts of a report that has these findings.
  init(from decoder: any Decoder, of findings: [Finding]) throws {
    func check(_ isRight: Bool) throws {
      if !isRight { throw DecodingError.invalid("the counts contradict each other", at: decoder.codingPath) }
    }
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let entries = try members.decode([Entry].self, forKey: .byRule)
    self.init()
    var total = 0
    for entry in entries {
      let (sum, isOver) = total.addingReportingOverflow(entry.count)
      try check(entry.count >= 0 && !isOver)
      total = sum
      add(entry.count, FindingRule(severity: entry.severity, code: entry.code, schemaLocation: entry.schema))
    }
    let codes = try members.decode([String: Int].self, forKey: .byCode)
    try check(try SeverityCounts(from: decoder) == severityCounts && byCode == codes.filter { $0.value != 0 })
    var shown = FindingCounts()
    for finding in findings { shown.add(severity: finding.severity, code: finding.code) }
    try check(shown.byRule.allSatisfy { $0.value <= count($0.key.severity, code: $0.key.code) })
  }
}
