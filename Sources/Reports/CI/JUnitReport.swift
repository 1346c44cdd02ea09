import ByteStreams
import Findings

/// Results as JUnit's XML, in the form that Jenkins, GitLab and GitHub's actions read.
///
/// Each file is a test suite. Its cases are two about the file, whose names have spaces, and the codes of its rules. So names
/// stay the same from run to run, and cases that passed show what was checked. If a file wasn't read to its end, cases without
/// findings are skipped. A case lists its first findings in its text. The findings that make a
/// document fail (`FailurePolicy`) make their case fail, too; other findings are its output.
///
/// GitLab reads at most 30 MB, and 500,000 cases: texts beyond 16 MB state only counts.
struct JUnitReport {
  /// The findings that a case lists.
  private static let findingLimit = 50
  private static let textLimit = 16 << 20

  private let results: ValidationResults

  init(_ results: ValidationResults) { self.results = results }

  func write(to sink: inout some ByteSink) throws(CofferError) {
    var text = ReportText()
    text.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"coffer\">\n")
    for report in results.reports { try write(report, &text, to: &sink) }
    text.put("</testsuites>\n")
    try text.flush(to: &sink)
  }

  private func write(
    _ report: ValidationReport, _ text: inout ReportText, to sink: inout some ByteSink
  ) throws(CofferError) {
    // An unknown format has a separate case.
    let rules = results.rules(of: report).filter { $0.code != report.formatProblem?.rawValue }
    let first = FirstFindings(of: report, limit: Self.findingLimit)
    let failures = report.policy.failures(in: report)
    let failureCount = rules.count { count(of: $0, in: failures) > 0 } + (report.formatProblem == nil ? 0 : 1)
    let skipped = report.error == nil ? 0 : rules.count { count(of: $0, in: report.counts) == 0 }
    let file = report.reportedPath.markup
    text.put(
      """
        <testsuite name="\(file)" tests="\(rules.count + 2)" failures="\(failureCount)" \
      errors="\(report.error == nil ? 0 : 1)" skipped="\(skipped)" time="\(Self.time(report.seconds))">

      """)
    beginCase("the file is readable", file, &text)
    if let error = report.error {
      let place = error.place.position.map { ":\($0.line):\($0.column)" } ?? ""
      text.put(">\n      <error type=\"\(error.code.rawValue.markup)\" message=\"\(error.messageWithEntry.markup)\">")
      text.put("\(file)\(place): \(error.messageWithEntry.markup) [\(error.code.rawValue.markup)]</error>\n    </testcase>\n")
    } else {
      text.put("/>\n")
    }
    beginCase("the format is known", file, &text)
    if let problem = report.formatProblem {
      let message = first[problem.rawValue].first?.message ?? problem.rawValue
      text.put(">\n      <failure type=\"error\" message=\"\(problem.rawValue)\">")
      text.put("\(file): \(message.markup) [\(problem.rawValue)]</failure>\n    </testcase>\n")
    } else {
      text.put("/>\n")
    }
    for rule in rules {
      beginCase(rule.code.markup, file, &text)
      write(rule, first[rule.code], report, failures, &text)
      try text.drain(to: &sink)
    }
    text.put("  </testsuite>\n")
  }

  private func beginCase(_ name: String, _ file: String, _ text: inout ReportText) {
    text.put("    <testcase classname=\"\(file)\" name=\"\(name)\"")
  }

  private func write(
    _ rule: ReportedRule, _ findings: [Finding], _ report: ValidationReport, _ failures: FindingCounts, _ text: inout ReportText
  ) {
    let count = count(of: rule, in: report.counts)
    if count == 0, report.error != nil {
      return text.put(">\n      <skipped>the file was not read completely</skipped>\n    </testcase>\n")
    }
    if count == 0 { return text.put("/>\n") }
    let isFailure = self.count(of: rule, in: failures) > 0
    var parts = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = report.counts[severity, rule.code]
      return count == 0 ? nil : count.counted(severity.rawValue)
    }
    let accepted = self.count(of: rule, in: report.acceptedCounts)
    if accepted > 0 { parts.append("\(accepted.grouped) of them known") }
    let message = parts.joined(separator: ", ")
    text.put(">\n")
    if isFailure {
      let type = Severity.allCases.last { failures[$0, rule.code] > 0 } ?? .error
      text.put("      <failure type=\"\(type)\" message=\"\(message.markup)\">")
    } else {
      text.put("      <system-out>\(message.markup)\n")
    }
    if text.count < Self.textLimit {
      for finding in findings {
        let place = finding.place
        let start = report.reportedPath.markup + (place.isWholeEntry ? "" : ":\(place.line):\(place.column)")
        text.put("\(start): \(finding.severity): \(finding.message.markup) [\(place.text.markup)]\n")
      }
      if count > findings.count { text.put("\((count - findings.count).grouped) more are not listed\n") }
    }
    text.put(isFailure ? "</failure>\n" : "</system-out>\n")
    text.put("    </testcase>\n")
  }

  private func count(of rule: ReportedRule, in counts: FindingCounts) -> Int {
    Severity.allCases.reduce(0) { $0 + counts[$1, rule.code] }
  }

  /// Returns seconds with three decimals: Jenkins' schema allows no more.
  private static func time(_ seconds: Double) -> String {
    let thousandths = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
    let digits = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
  }
}

extension FindingCounts {
  /// The number of findings with a severity and a code.
  subscript(severity: Severity, code: String) -> Int { byRule[Key(severity: severity, code: code)] ?? 0 }
}
