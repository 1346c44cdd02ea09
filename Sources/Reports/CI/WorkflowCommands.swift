import ByteStreams
import Findings

/// Results as GitHub's workflow commands, which annotate lines of the repository's files.
///
/// GitHub shows at most ten errors, ten warnings and ten notices of a step: those of as many rules as possible, and a last line
/// states how many aren't shown. Every line begins with a command or with such counts, and no text can break it, so no document can
/// give a command to the runner.
struct WorkflowCommands: WrittenReport {
  private static let limit = 10
  /// The runner cuts messages at 4,096 characters.
  private static let messageLimit = 4000

  let results: ValidationResults

  func write(_ text: ReportText) {
    var shown: [Severity: Int] = [:]
    for report in results.reports {
      guard let error = report.error, shown[.error, default: 0] < Self.limit else { continue }
      shown[.error, default: 0] += 1
      put(
        .error, report, line: error.place.position.flatMap { Int32(exactly: $0.line) }, column: error.place.position?.column,
        end: nil,
        title: error.code.rawValue, error.messageWithByte, text)
    }
    if let note = results.notAppliedNote {
      shown[.warning, default: 0] += 1
      text.put("::warning title=rules::\(note.shortened(to: Self.messageLimit).escapedData)\n")
    }
    for severity in Severity.allCases.reversed() {
      let quota = FindingQuota(results.reports, limit: Self.limit - shown[severity, default: 0], only: severity)
      for (report, findings) in zip(results.reports, quota.findings) {
        for finding in findings where !finding.isAccepted {
          shown[severity, default: 0] += 1
          put(
            severity, report, line: finding.place.line32, column: finding.place.column, end: finding.place.end,
            title: finding.code, "\(finding.message.printable)\n\(finding.place.description)", text)
        }
      }
    }
    putRest(shown, text)
  }

  private func putRest(_ shown: [Severity: Int], _ text: ReportText) {
    var parts = Severity.allCases.reversed().compactMap { severity -> String? in
      var count = results.reports.reduce(0) {
        $0 + $1.reportedCounts.count(severity) - $1.acceptedCounts.count(severity)
      }
      if severity == .error { count += results.reports.count { $0.error != nil } }
      if severity == .warning, results.notAppliedNote != nil { count += 1 }
      count -= shown[severity, default: 0]
      return count > 0 ? "\(count.grouped) more \(count == 1 ? "\(severity)" : "\(severity)s")" : nil
    }
    let accepted = results.reports.reduce(0) { $0 + $1.acceptedCounts.total }
    if accepted > 0 { parts.append("\(accepted.grouped) known") }
    if !parts.isEmpty { text.put("coffer: \(parts.joined(separator: ", ")) not shown as annotations\n") }
  }

  private func put(
    _ severity: Severity, _ report: ValidationReport, line: Int32?, column: Int?, end: TextPosition?, title: String,
    _ message: String, _ text: ReportText
  ) {
    var properties: [(String, String)] = []
    if !report.isStandardInput { properties.append(("file", report.reportedPath)) }
    if let line {
      properties.append(("line", String(line)))
      // The runner drops columns of regions with several lines.
      if let end, end.line != Int(line) {
        if let endLine = Int32(exactly: end.line) { properties.append(("endLine", String(endLine))) }
      } else {
        if let column { properties.append(("col", String(column))) }
        if let end { properties += [("endLine", String(line)), ("endColumn", String(end.column))] }
      }
    }
    properties.append(("title", title))
    let command = severity == .note ? "notice" : severity.rawValue
    let list = properties.map { "\($0.0)=\($0.1.escapedProperty)" }.joined(separator: ",")
    let name = report.isStandardInput ? "standard input: " : ""
    text.put("::\(command) \(list)::\((name + message).shortened(to: Self.messageLimit).escapedData)\n")
  }
}

extension String {
  /// The text as a command's message. Line breaks stay, other control characters are shown.
  fileprivate var escapedData: String {
    let lines = unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { String($0).printable.replacingScalars { $0 == "%" ? "%25" : nil } }.joined(separator: "%0A")
  }

  fileprivate var escapedProperty: String {
    printable.replacingScalars {
      switch $0 {
      case "%": "%25"
      case ":": "%3A"
      case ",": "%2C"
      default: nil
      }
    }
  }
}
