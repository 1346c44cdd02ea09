import Findings

/// Chooses the findings for a report that may list only some (`FairChoice`): a share for every rule of every document, errors first.
/// Findings that a baseline accepts come last.
struct FindingQuota {
  /// The chosen findings of each document, in document order.
  private(set) var findings: [[Finding]]
  /// The number of findings that are left out, including those that were only counted.
  let leftOut: Int

  /// - Parameter severity: the severity of the findings to choose from, or `nil` for all.
  init(_ reports: [ValidationReport], limit: Int, only severity: Severity? = nil) {
    findings = reports.map { _ in [] }
    var left = limit
    for isAccepted in [false, true] {
      var groups: [Group: [Finding]] = [:]
      for (index, report) in reports.enumerated() {
        for finding in report.reportedFindings where finding.isAccepted == isAccepted {
          if severity.map({ $0 == finding.severity }) ?? true {
            groups[Group(report: index, rule: finding.rule), default: []].append(finding)
          }
        }
      }
      let sorted = groups.sorted { ($0.key.report, $0.key.rule) < ($1.key.report, $1.key.rule) }
      let shares = FairChoice.shares(
        of: left, among: sorted.map { ($0.key.rule.severity, $0.value.count) })
      for ((group, all), share) in zip(sorted, shares) {
        findings[group.report] += all.fairChoice(ofRule: share)
      }
      left = limit - findings.reduce(0) { $0 + $1.count }
    }
    for index in findings.indices { findings[index].sort() }
    let total = reports.reduce(0) { sum, report in
      sum + (severity.map(report.reportedCounts.count) ?? report.reportedCounts.total)
    }
    leftOut = total - findings.reduce(0) { $0 + $1.count }
  }

  private struct Group: Hashable {
    let report: Int
    let rule: FindingRule
  }
}
