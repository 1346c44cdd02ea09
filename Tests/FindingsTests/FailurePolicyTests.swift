import Findings
import Testing

@Suite struct FailurePolicyTests {
  private var report: ValidationReport {
    var report = ValidationReport(file: "a.json")
    report.records = 1000
    report.counts.add(4, severity: .error, code: "foreign-key")
    report.counts.add(2, severity: .warning, code: "order")
    report.counts.add(1, severity: .note, code: "unknown-field")
    report.acceptedCounts.add(1, severity: .error, code: "foreign-key")
    return report
  }

  @Test(arguments: [(Severity.error, 3), (.warning, 5), (.note, 6)])
  func `findings of the severity or a higher one fail, unless a baseline accepts them`(severity: Severity, count: Int) {
    var policy = FailurePolicy()
    policy.severity = severity
    #expect(policy.failures(in: report).total == count)
  }

  @Test(arguments: [
    (FailurePolicy.Tolerance.count(2), 3), (.count(3), 0), (.share(0.002), 3), (.share(0.003), 0), (.share(0), 3), (.share(1), 0),
  ])
  func `up to the tolerated number nothing fails, beyond it everything does`(tolerance: FailurePolicy.Tolerance, count: Int) {
    var policy = FailurePolicy()
    policy.tolerances["foreign-key"] = tolerance
    #expect(policy.failures(in: report).total == count)
  }
}
