/// Decides which findings make a document fail.
///
/// For example:
///
///     var policy = FailurePolicy()
///     policy.severity = .warning
///     policy.tolerances["foreign-key"] = .share(0.001)        // one dangling reference in a thousand records
///     policy.failures(in: report).total                       // 0 if the document passes
///
/// Findings that a baseline accepts never make a document fail.
public struct FailurePolicy: Sendable, Equatable {
  /// The number of findings with one code that is tolerated. If there are more, all of them count.
  public enum Tolerance: Sendable, Equatable {
    case count(Int)
    /// A share of the document's records, from 0 to 1.
    case share(Double)
  }

  /// The lowest severity that makes a document fail.
  public var severity = Severity.error
  /// The tolerances by code.
  public var tolerances: [String: Tolerance] = [:]

  public init() {}

  /// Returns the findings that make a document fail.
  public func failures(in report: ValidationReport) -> FindingCounts {
    var failures = FindingCounts()
    let new = report.newCounts
    for (key, count) in new.byRule where key.severity >= severity && !tolerates(key.code, new, report.records) {
      failures.add(count, key)
    }
    return failures
  }

  private func tolerates(_ code: String, _ counts: FindingCounts, _ records: Int) -> Bool {
    guard let tolerance = tolerances[code] else { return false }
    let count = counts.byRule.reduce(0) { $1.key.code == code && $1.key.severity >= severity ? $0 + $1.value : $0 }
    return switch tolerance {
    case .count(let limit): count <= limit
    case .share(let share): Double(count) <= share * Double(records)
    }
  }
}

extension FailurePolicy: Codable {
  private enum CodingKeys: String, CodingKey { case severity = "failOn", tolerances = "tolerated" }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["failOn": severity, "tolerated": ReportMembers(tolerances.mapValues(\.text))])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    severity = try members.decode(Severity.self, forKey: .severity)
    tolerances = try members.decode([String: String].self, forKey: .tolerances).mapValues { text in
      guard let tolerance = Tolerance(text) else {
        throw DecodingError.dataCorruptedError(forKey: .tolerances, in: members, debugDescription: "'\(text)' is not a number")
      }
      return tolerance
    }
  }
}

extension FailurePolicy.Tolerance {
  /// Reads `3` or `0.1%`.
  public init?(_ text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || [UInt8(ascii: "."), UInt8(ascii: "%")].contains($0) }) else {
      return nil
    }
    if text.last == "%" {
      guard let percent = Double(text.dropLast()), (0...100).contains(percent) else { return nil }
      self = .share(percent / 100)
    } else {
      guard let count = Int(text) else { return nil }
      self = .count(count)
    }
  }

  /// `3`, `0.1%`
  package var text: String {
    switch self {
    case .count(let limit): String(limit)
    case .share(let share):
      // Ten digits, without those that come from the division by 100.
      "\((share * 1e10).rounded() / 1e8)%"
    }
  }
}

extension ValidationReport {
  /// The findings that no baseline accepts.
  public var newCounts: FindingCounts {
    var new = FindingCounts()
    for (key, count) in counts.byRule {
      new.add(count - (acceptedCounts.byRule[key] ?? 0), key)
    }
    return new
  }
}
