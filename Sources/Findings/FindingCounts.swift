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
