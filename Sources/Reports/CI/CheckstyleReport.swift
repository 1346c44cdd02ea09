import ByteStreams
import Findings

/// Results as Checkstyle's XML, version 5.0. Accepted findings have the severity `ignore`.
struct CheckstyleReport: WrittenReport {
  let results: ValidationResults

  func write(_ text: ReportText) {
    text.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"5.0\">\n")
    for report in results.reports {
      text.put("  <file name=\"\(report.reportedPath.markup)\">\n")
      if let error = report.error {
        put(
          "error", error.code.rawValue, error.messageWithByte,
          line: error.place.position.map { Int32(exactly: $0.line) } ?? 1, column: error.place.position?.column, text)
      }
      for finding in report.reportedFindings {
        let severity = finding.isAccepted ? "ignore" : finding.severity == .note ? "info" : finding.severity.rawValue
        put(
          severity, finding.code, "\(finding.message) (\(finding.place.description))", line: finding.place.line32,
          column: finding.place.isWholeEntry ? nil : finding.place.column, text)
      }
      text.put("  </file>\n")
    }
    text.put("</checkstyle>\n")
  }

  private func put(_ severity: String, _ code: String, _ message: String, line: Int32?, column: Int?, _ text: ReportText) {
    // Readers want a line, even for a whole file.
    text.put("    <error line=\"\(line.map { max(1, $0) } ?? 1)\"")
    // A column in another line would be wrong.
    if let column, line != nil { text.put(" column=\"\(column)\"") }
    text.put(" severity=\"\(severity)\" message=\"\(message.markup)\" source=\"coffer.\(code.markup)\"/>\n")
  }
}
