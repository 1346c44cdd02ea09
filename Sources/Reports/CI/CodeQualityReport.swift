import ByteStreams
import Findings

/// Results as GitLab's Code Quality report: a JSON array.
///
/// GitLab stops at the first entry without a description, fingerprint, severity, path or line, and takes entries with equal
/// fingerprints for one. It doesn't show the name of the check, so the description ends with it. At most 25,000 findings
/// are listed (`FindingQuota`).
struct CodeQualityReport: Encodable {
  private static let limit = 25_000

  let results: ValidationResults

  func encode(to encoder: any Encoder) throws {
    var entries = encoder.unkeyedContainer()
    let quota = FindingQuota(results.reports, limit: Self.limit)
    var fingerprints = FingerprintMaker(isRedacted: results.isRedacted)
    for (report, findings) in zip(results.reports, quota.findings) {
      fingerprints.beginFile(report.reportedPath)
      if let error = report.error {
        let finding = Finding(
          code: error.code.rawValue, keyword: "", severity: .error, message: error.messageWithEntry,
          place: error.place.position.map { Place(at: $0) } ?? .start, schemaLocation: "")
        let description = "\(error.messageWithEntry) [\(error.code.rawValue)]"
        try entries.encode(entry(finding, description, "blocker", report, fingerprints.fingerprint(of: finding)))
      }
      // GitLab has no accepted findings.
      for finding in findings where !finding.isAccepted {
        let description = "\(finding.message) at \(finding.place.description) [\(finding.code)]"
        let severity = Self.severity(finding.severity)
        try entries.encode(entry(finding, description, severity, report, fingerprints.fingerprint(of: finding)))
      }
    }
  }

  private func entry(
    _ finding: Finding, _ description: String, _ severity: String, _ report: ValidationReport,
    _ fingerprint: (digest: String, occurrence: Int)
  ) -> ReportMembers {
    let lines: ReportMembers = ["begin": max(1, finding.place.line), "end": IfPresent(finding.place.end?.line)]
    return [
      "description": description, "check_name": finding.code, "fingerprint": "\(fingerprint.digest)-\(fingerprint.occurrence)",
      "severity": severity, "location": ["path": report.reportedPath, "lines": lines] as ReportMembers,
    ]
  }

  private static func severity(_ severity: Severity) -> String {
    switch severity {
    case .error: "critical"
    case .warning: "minor"
    case .note: "info"
    }
  }
}
