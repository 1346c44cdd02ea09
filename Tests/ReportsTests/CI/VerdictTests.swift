import ByteStreams
import Findings
import Foundation
import Reports
import Testing

@Suite struct VerdictTests {
  private func results(_ severity: Severity, accepted: Bool = false) -> ValidationResults {
    var finding = Finding(
      code: "range", keyword: "minimum", severity: severity, message: "must be at least 0",
      place: Place(pointer: "/a", at: TextPosition(offset: 6, line: 1, column: 7)), schemaLocation: "/properties/a/minimum")
    var report = ValidationReport(file: "a.json")
    report.counts.add(severity: severity, code: "range")
    if accepted {
      finding.baseline = .known(reason: "from the old app")
      report.acceptedCounts.add(severity: severity, code: "range")
    }
    report.findings = [finding]
    return ValidationResults([report], toolVersion: "1")
  }

  @Test(arguments: [(Severity.error, false, true), (.warning, false, false), (.warning, true, true), (.note, true, false)])
  func `warnings fail test cases only in strict runs`(severity: Severity, isStrict: Bool, fails: Bool) throws {
    var results = results(severity)
    if isStrict { results.policy.severity = .warning }
    let junit = try results.text(as: .junit)
    #expect(junit.contains("failures=\"\(fails ? 1 : 0)\""))
    #expect(junit.contains("<failure type=\"\(severity)\" message=\"1 \(severity)\">") == fails)
    #expect(junit.contains("<system-out>") != fails)
    #expect(try results.text(as: .markdown).hasPrefix(fails ? "## ❌ The file is not valid" : "## ✅ The file is valid"))
    #expect(try results.text(as: .html).contains("<title>The file is \(fails ? "not " : "")valid – Coffer</title>"))
  }

  @Test func `findings that a baseline accepts make nothing fail`() throws {
    let results = results(.error, accepted: true)
    #expect(results.reports[0].isValid)
    #expect(try results.text(as: .junit).contains("failures=\"0\""))
    #expect(try results.text(as: .html).contains("known: <bdi>from the old app</bdi>"))
    #expect(try results.text(as: .github) == "coffer: 1 known not shown as annotations\n")
    #expect(try !results.text(as: .gitlab).contains("fingerprint"))
    #expect(try results.text(as: .rdjsonl).isEmpty)
    #expect(try results.text(as: .checkstyle).contains("severity=\"ignore\""))
    let sarif = try results.text(as: .sarif)
    #expect(sarif.contains("\"baselineState\": \"unchanged\""))
    #expect(sarif.contains("\"justification\": \"from the old app\""))
    #expect(try !self.results(.error).text(as: .sarif).contains("baselineState"))
  }

  @Test func `a redacted run has neither values nor keys`() throws {
    var results = ValidationResults.mixed
    results.isRedacted = true
    for index in results.reports.indices {
      for row in results.reports[index].findings.indices { results.reports[index].findings[row].excerpt = nil }
    }
    let sarif = try results.text(as: .sarif)
    #expect(sarif.contains("\"redactionTokens\": ["))
    #expect(sarif.contains("\"key\": \"[REDACTED]\""))
    #expect(try !results.text(as: .html).contains("<span>key "))
    #expect(try results.text(as: .html).contains("values are left out"))
  }

  @Test func `rules without findings in a file that was not read completely are skipped`() throws {
    var report = ValidationReport.truncated
    report.checkedRules = [CheckedRule(code: "range", keyword: "minimum", severity: .error)]
    let junit = try ValidationResults([report], toolVersion: "1").text(as: .junit)
    #expect(junit.contains("tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"2\""))
    #expect(junit.contains("name=\"range\">\n      <skipped>the file was not read completely</skipped>"))
  }

  @Test func `unreadable files are errors and not failures`() throws {
    let results = ValidationResults([.truncated, .missing], toolVersion: "1")
    let junit = try results.text(as: .junit)
    #expect(junit.components(separatedBy: "errors=\"1\"").count == 3)
    #expect(!junit.contains("<failure"))
    let sarif = try results.text(as: .sarif)
    #expect(sarif.contains("\"executionSuccessful\": false"))
    #expect(!sarif.contains("ruleId"))
  }
}
