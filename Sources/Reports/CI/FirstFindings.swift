import Findings

/// The first findings of each code in a report: what a report that lists findings by rule shows.
///
/// Memory: at most `limit` findings for each code.
struct FirstFindings {
  private var byCode: [String: [Finding]] = [:]

  init(of report: ValidationReport, limit: Int) {
    for finding in report.reportedFindings where byCode[finding.code, default: []].count < limit {
      byCode[finding.code, default: []].append(finding)
    }
  }

  subscript(code: String) -> [Finding] { byCode[code] ?? [] }
}
