import ByteStreams
import Findings
import JSONEvents

/// Results as GitLab's Code Quality report: a JSON array.
///
/// GitLab stops at the first entry without a description, fingerprint, severity, path or line, and takes entries with equal
/// fingerprints for one. It doesn't show the name of the check, so the description ends with it. The most severe 25,000 findings
/// are listed.
struct CodeQualityReport {
  private static let limit = 25_000

  private let results: ValidationResults

  init(_ results: ValidationResults) { self.results = results }

  func write(to sink: inout some ByteSink) throws(CofferError) {
    var json = JSONEventWriter(layout: .pretty(indent: 2))
    var quota = FindingQuota(results.reports, limit: Self.limit)
    var fingerprints = FingerprintMaker(isRedacted: results.isRedacted)
    json.beginArray()
    for report in results.reports {
      fingerprints.beginFile(report.reportedPath)
      if let error = report.error {
        let place = Place(
          pointer: "", line: error.place.position?.line ?? 1, column: error.place.position?.column ?? 1,
          offset: error.place.position?.offset ?? 0)
        let finding = Finding(
          code: error.code.rawValue, keyword: "", severity: .error, message: error.messageWithEntry, place: place,
          schemaLocation: "")
        write(finding, "\(error.messageWithEntry) [\(error.code.rawValue)]", "blocker", report, &fingerprints, &json)
      }
      // GitLab has no accepted findings.
      for finding in report.reportedFindings where quota.takes(finding) && !finding.isAccepted {
        write(
          finding, "\(finding.message) at \(finding.place.text) [\(finding.code)]", Self.severity(finding.severity), report,
          &fingerprints, &json)
        try json.drainPrintable(to: &sink)
      }
    }
    json.endArray()
    try json.flushPrintable(to: &sink)
  }

  private func write(
    _ finding: Finding, _ description: String, _ severity: String, _ report: ValidationReport,
    _ fingerprints: inout FingerprintMaker, _ json: inout JSONEventWriter
  ) {
    let (digest, occurrence) = fingerprints.fingerprint(of: finding)
    json.beginObject()
    json.member("description", description)
    json.member("check_name", finding.code)
    json.member("fingerprint", "\(digest)-\(occurrence)")
    json.member("severity", severity)
    json.key("location")
    json.beginObject()
    json.member("path", report.reportedPath)
    json.key("lines")
    json.beginObject()
    json.member("begin", max(1, finding.place.line))
    if let end = finding.place.end { json.member("end", end.line) }
    json.endObject()
    json.endObject()
    json.endObject()
  }

  private static func severity(_ severity: Severity) -> String {
    switch severity {
    case .error: "critical"
    case .warning: "minor"
    case .note: "info"
    }
  }
}
