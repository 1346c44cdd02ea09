import ByteStreams
import Findings

/// Results as JUnit's XML, in the form that Jenkins, GitLab and GitHub's actions read.
///
/// Each file is a test suite. Its cases are two about the file, whose names have spaces only, and one for each rule: `maximum
/// /expenses/*/cost`. Names depend only on the rules, so they stay the same from run to run, and cases that passed show what was
/// checked: `assertions` is the number of values that they applied to. Cases that applied to none are skipped, and if a file wasn't read
/// to its end, all cases without findings. Of rule documents with more than a thousand rules, a case is all rules of a code. A case
/// lists some of its findings in its text. The findings that make a document fail (`FailurePolicy`) make their case fail, too; other
/// findings are its output.
///
/// GitLab reads at most 30 MB, and 500,000 cases: texts beyond 16 MB state only counts.
struct JUnitReport: WrittenReport {
  /// The findings that a case lists.
  private static let findingLimit = 50
  private static let textLimit = 16 << 20
  /// The rules with cases of their own.
  private static let ruleLimit = 1000

  let results: ValidationResults

  func write(_ text: ReportText) {
    text.put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"coffer\">\n")
    writeRules(text)
    for report in results.reports { write(report, text) }
    text.put("</testsuites>\n")
  }

  /// A suite about the rules themselves, if not all of them are applied.
  private func writeRules(_ text: ReportText) {
    guard let note = results.notAppliedNote, let name = results.ruleWarnings?.file.markup else { return }
    let fails = results.failsByRules
    text.put(
      "  <testsuite name=\"\(name)\" tests=\"1\" failures=\"\(fails ? 1 : 0)\" errors=\"0\" skipped=\"\(fails ? 0 : 1)\" time=\"0\">\n"
    )
    beginCase("all rules are applied", name, text)
    text.put(">\n      ")
    text.put(fails ? "<failure type=\"warning\">\(note.markup)</failure>" : "<skipped>\(note.markup)</skipped>")
    text.put("\n    </testcase>\n  </testsuite>\n")
  }

  private func write(_ report: ValidationReport, _ text: ReportText) {
    let cases = cases(of: report)
    let failures = report.policy.failures(in: report)
    let failureCount = cases.count { $0.count(in: failures) > 0 } + (report.formatProblem == nil ? 0 : 1)
    // A file that can't be opened has no format, and no problem with it.
    let knowsFormat = report.format != nil || report.formatProblem != nil || report.error == nil
    let skipped = cases.count { $0.count(in: report.counts) == 0 && reasonToSkip($0, report) != nil } + (knowsFormat ? 0 : 1)
    let file = report.reportedPath.markup
    text.put(
      """
        <testsuite name="\(file)" tests="\(cases.count + 2)" failures="\(failureCount)" \
      errors="\(report.error == nil ? 0 : 1)" skipped="\(skipped)" time="\(Self.time(report.seconds))">

      """)
    if let configuration = results.configuration?.markup {
      text.put("    <properties><property name=\"configuration\" value=\"\(configuration)\"/></properties>\n")
    }
    beginCase("the file is readable", file, text)
    if let error = report.error {
      let place = error.place.position.map { ":\($0.line):\($0.column)" } ?? ""
      text.put(">\n      <error type=\"\(error.code.rawValue.markup)\" message=\"\(error.messageWithEntry.markup)\">")
      text.put("\(file)\(place): \(error.messageWithEntry.markup) [\(error.code.rawValue.markup)]</error>\n    </testcase>\n")
    } else {
      text.put("/>\n")
    }
    beginCase("the format is known", file, text)
    if let problem = report.formatProblem {
      let message = report.reportedFindings.first { $0.code == problem.rawValue }?.message ?? problem.rawValue
      text.put(">\n      <failure type=\"error\" message=\"\(problem.rawValue)\">")
      text.put("\(file): \(message.markup) [\(problem.rawValue)]</failure>\n    </testcase>\n")
    } else {
      text.put(knowsFormat ? "/>\n" : Self.skipped(Self.notRead))
    }
    for testCase in cases {
      beginCase(testCase.name.markup, file, values: testCase.values, text)
      write(testCase, report, failures, text)
    }
    text.put("  </testsuite>\n")
  }

  private static let notRead = "the file was not read completely"

  private static func skipped(_ reason: String) -> String {
    ">\n      <skipped>\(reason)</skipped>\n    </testcase>\n"
  }

  /// Returns why a case without findings didn't pass, either; `nil` if it did.
  private func reasonToSkip(_ testCase: Case, _ report: ValidationReport) -> String? {
    if report.error != nil { return Self.notRead }
    if testCase.rules.contains(where: report.isUnchecked) { return "the object there holds no records" }
    return testCase.values == 0 ? "no value to check" : nil
  }

  private func beginCase(_ name: String, _ file: String, values: Int? = nil, _ text: ReportText) {
    text.put("    <testcase classname=\"\(file)\" name=\"\(name)\"")
    if let values { text.put(" assertions=\"\(values)\"") }
  }

  /// Rules that are one case, with some of their findings.
  private struct Case {
    var name: String
    var rules: Set<FindingRule>
    var words: String?
    /// The number of values that they applied to, or `nil` if it isn't known.
    var values: Int?
    var findings: [Finding] = []

    mutating func add(_ rule: CheckedRule, values added: Int?) {
      rules.insert(rule.rule)
      if let added { values = (values ?? 0) + added }
    }

    func count(in counts: FindingCounts) -> Int { rules.reduce(0) { $0 + (counts.byRule[$1] ?? 0) } }
    func count(_ severity: Severity, in counts: FindingCounts) -> Int {
      rules.reduce(0) { $1.severity == severity ? $0 + (counts.byRule[$1] ?? 0) : $0 }
    }
  }

  /// Returns the cases about rules, in the order of their names.
  private func cases(of report: ValidationReport) -> [Case] {
    let isByCode = Set(report.checkedRules.map(\.rule.ofAnySeverity)).count > Self.ruleLimit
    func key(_ rule: FindingRule) -> FindingRule {
      isByCode ? FindingRule(severity: .error, code: rule.code) : rule.ofAnySeverity
    }
    var cases: [FindingRule: Case] = [:]
    for rule in report.checkedRules {
      let place = rule.places.isEmpty ? rule.schemaLocation : RuleSummary.words(for: rule.places)
      let name = isByCode || place.isEmpty ? rule.code : "\(rule.code) \(place)"
      cases[key(rule.rule), default: Case(name: name, rules: [], words: isByCode ? nil : rule.message ?? rule.expectation)]
        .add(rule, values: report.values(of: rule))
    }
    for rule in report.counts.byRule.keys {
      let name = isByCode || rule.schemaLocation.isEmpty ? rule.code : "\(rule.code) \(rule.schemaLocation)"
      cases[key(rule), default: Case(name: name, rules: [])].rules.insert(rule)
    }
    // Two rules may be about the same place.
    let names = Dictionary(grouping: cases.values, by: \.name)
    for (key, testCase) in cases where (names[testCase.name]?.count ?? 0) > 1 { cases[key]?.name += " (\(key.schemaLocation))" }
    let findings = Dictionary(grouping: report.findings) { key(report.counts.byRule[$0.rule] == nil ? $0.rule.kind : $0.rule) }
    for (key, findings) in findings { cases[key]?.findings = findings.fairChoice(ofRule: Self.findingLimit) }
    return cases.values.sorted { $0.name < $1.name }
  }

  private func write(_ testCase: Case, _ report: ValidationReport, _ failures: FindingCounts, _ text: ReportText) {
    let count = testCase.count(in: report.counts)
    if count == 0 { return text.put(reasonToSkip(testCase, report).map(Self.skipped) ?? "/>\n") }
    let isFailure = testCase.count(in: failures) > 0
    var parts = Severity.mostSevereFirst.compactMap { severity -> String? in
      let count = testCase.count(severity, in: report.counts)
      return count == 0 ? nil : count.counted(severity.rawValue)
    }
    let accepted = testCase.count(in: report.acceptedCounts)
    if accepted > 0 { parts.append("\(accepted.grouped) of them known") }
    let message = parts.joined(separator: ", ") + (testCase.words.map { ": \($0)" } ?? "")
    text.put(">\n")
    if isFailure {
      let type = Severity.mostSevereFirst.first { testCase.count($0, in: failures) > 0 } ?? .error
      text.put("      <failure type=\"\(type)\" message=\"\(message.markup)\">")
    } else {
      text.put("      <system-out>\(message.markup)\n")
    }
    if text.count < Self.textLimit {
      for finding in testCase.findings {
        let place = finding.place
        let start = report.reportedPath.markup + (place.isWholeEntry ? "" : ":\(place.line):\(place.column)")
        text.put("\(start): \(finding.severity): \(finding.message.markup) [\(place.description.markup)]\n")
      }
      if count > testCase.findings.count { text.put("\((count - testCase.findings.count).grouped) more are not listed\n") }
    }
    text.put(isFailure ? "</failure>\n" : "</system-out>\n")
    text.put("    </testcase>\n")
  }

  /// Returns seconds with three decimals: Jenkins' schema allows no more.
  private static func time(_ seconds: Double) -> String {
    let thousandths = Int((max(0, min(seconds, 1e9)) * 1000).rounded())
    let digits = String(thousandths % 1000)
    return "\(thousandths / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
