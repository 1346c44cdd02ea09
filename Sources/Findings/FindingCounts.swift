/// Exact numbers of findings, no matter how many are kept in detail.
public struct FindingCounts: Sendable, Hashable {
  /// A code with a severity. A code that some rules grade as an error and others as a warning is counted separately for each.
  public struct Key: Sendable, Hashable, Comparable {
    public var severity: Severity
    public var code: String

    public init(severity: Severity, code: String) {
      self.severity = severity
      self.code = code
    }

    /// Errors first, then by code.
    public static func < (a: Key, b: Key) -> Bool {
      a.severity != b.severity ? a.severity > b.severity : a.code < b.code
    }
  }

  public private(set) var byRule: [Key: Int] = [:]

  public init() {}

  public mutating func add(_ count: Int = 1, severity: Severity, code: String) {
    guard count > 0 else { return }
    byRule[Key(severity: severity, code: code), default: 0] += count
  }

  public mutating func merge(_ other: FindingCounts) {
    byRule.merge(other.byRule) { $0 + $1 }
  }

  public var total: Int { byRule.values.reduce(0, +) }

  public func count(_ severity: Severity) -> Int {
    byRule.reduce(0) { $1.key.severity == severity ? $0 + $1.value : $0 }
  }

  /// The number of findings of each code, regardless of severity.
  public var byCode: [String: Int] {
    byRule.reduce(into: [:]) { $0[$1.key.code, default: 0] += $1.value }
  }
}
