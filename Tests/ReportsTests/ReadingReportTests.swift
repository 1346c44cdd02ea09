import ByteStreams
import Findings
import Foundation
import JSONEvents
import Reports
import Testing

/// Reports as JSON are read again.
@Suite struct ReadingReportTests {
  private func read(_ text: String) throws -> FileReports<ValidationReport> {
    try JSONDecoder().decode(FileReports<ValidationReport>.self, from: Data(text.utf8))
  }

  private static var full: ValidationReport {
    var report = ValidationReport.sample
    report.dialect = "old"
    report.version = "1.0-beta"
    report.leftOut = ["cars"]
    report.container = ContainerSummary(kind: "zip", entries: 3, bytes: 40)
    report.candidates = [FormatCandidate(name: "a", reasons: ["/cars exists"], missing: ["/b exists"])]
    report.findingsExceedMemory = true
    report.findings[0].place.entry = "photos/1.jpg"
    report.error = CofferError(.truncated, "cut", at: .init(position: TextPosition(offset: 3, line: 1, column: 2)))
    return report
  }

  @Test(arguments: [.sample, full, .truncated, .missing, .unknown, ValidationReport(file: "")])
  func `a validation report that is read equals the written one, except for its time`(report: ValidationReport) throws {
    var expected = report
    expected.seconds = 0
    let text = JSONReport().text(of: FileReports([report]))
    let reports = try read(text)
    #expect(reports.files == [expected])
    #expect(JSONReport().text(of: reports) == text)
    #expect(TextReport().text(of: reports.files[0]) == TextReport().text(of: expected))
  }

  @Test func `codes with several severities keep their counts, and the severities of findings that are shown`() throws {
    var counts = FindingCounts()
    counts.add(5, severity: .error, code: "a")
    counts.add(3, severity: .note, code: "a")
    counts.add(2, severity: .note, code: "b")
    counts.add(4, severity: .warning, code: "c")
    var report = ValidationReport(file: "a.json")
    report.counts = counts
    report.findings = [.note, .error].map {
      Finding(
        code: "a", keyword: "a", severity: $0, message: "",
        place: Place(pointer: "", at: TextPosition(offset: 0, line: 1, column: 1)),
        schemaLocation: "")
    }
    let read = try #require(try read(JSONReport().text(of: FileReports([report]))).files.first)
    #expect(Severity.allCases.map(read.counts.count) == Severity.allCases.map(counts.count))
    #expect(read.counts.byCode == counts.byCode)
    #expect(read.notShown == 12)
    #expect(read.counts.byRule[.init(severity: .error, code: "a")] == 5)
  }

  @Test(arguments: [
    #"{"error": 1, "warning": 0, "note": 0, "byCode": {}, "byRule": []}"#,
    #"{"error": 0, "warning": 0, "note": 0, "byCode": {}}"#,
    #"{"error": -1, "warning": 1, "note": 0, "byCode": {}, "byRule": []}"#,
    #"{"error": -1, "warning": 0, "note": 0, "byCode": {"a": -1}, "byRule": [{"severity": "error", "code": "a", "schema": "", "count": -1}]}"#,
    #"{"error": 2, "warning": 0, "note": 0, "byCode": {"a": 2}, "byRule": [{"severity": "error", "code": "b", "schema": "", "count": 2}]}"#,
    #"{"error": 9223372036854775807, "warning": 9223372036854775807, "note": 2, "byCode": {}, "byRule": []}"#,
    """
    {"error": 0, "warning": 0, "note": 0, "byCode": {}, "byRule": [
      {"severity": "error", "code": "a", "schema": "", "count": 9223372036854775807},
      {"severity": "error", "code": "a", "schema": "/x", "count": 9223372036854775807}]}
    """,
    #"{"error": 0, "warning": 0, "note": 0, "byCode": {"a": 1, "b": -1}, "byRule": []}"#,
    #"{"error": 0, "byCode": {}, "byRule": []}"#, "7",
  ])
  func `counts that contradict each other are refused`(counts: String) {
    let text = #"{"files": [{"file": "a", "bytes": 0, "records": 0, "findings": [], "counts": \#(counts)}]}"#
    #expect(throws: DecodingError.self) { try read(text) }
  }

  @Test func `counts below the number of findings are refused`() {
    let text = JSONReport().text(of: FileReports([ValidationReport.sample]))
    #expect(throws: DecodingError.self) { try read(text.replacing(#""warning": 1,"#, with: #""warning": 0,"#)) }
    #expect(throws: DecodingError.self) {
      try read(text.replacing(#""warning": 1,"#, with: #""warning": 0,"#).replacing(#""type": 1,"#, with: ""))
    }
  }
}
