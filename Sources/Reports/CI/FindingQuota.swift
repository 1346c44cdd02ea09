import Findings

/// Chooses the findings for a report that may list only some: the most severe ones, and the first of them in document order.
struct FindingQuota {
  /// The number of findings that are still accepted, by rank.
  private var rest: [Int]
  /// The number of findings that are left out, including those that were only counted.
  let leftOut: Int

  init(_ reports: [ValidationReport], limit: Int) {
    var counts = [Int](repeating: 0, count: 4)
    for report in reports {
      for finding in report.reportedFindings { counts[Self.rank(of: finding)] += 1 }
    }
    var left = limit
    rest = counts.map { _ in 0 }
    for rank in counts.indices.reversed() {
      rest[rank] = min(counts[rank], left)
      left -= rest[rank]
    }
    leftOut = reports.reduce(0) { $0 + $1.reportedCounts.total } - rest.reduce(0, +)
  }

  /// Returns whether the next finding is taken.
  mutating func takes(_ finding: Finding) -> Bool {
    let rank = Self.rank(of: finding)
    guard rest[rank] > 0 else { return false }
    rest[rank] -= 1
    return true
  }

  /// Findings that a baseline accepts come last.
  private static func rank(of finding: Finding) -> Int {
    if finding.isAccepted { return 0 }
    return switch finding.severity {
    case .note: 1
    case .warning: 2
    case .error: 3
    }
  }
}
