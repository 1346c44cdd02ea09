import ByteStreams
import Findings
import Foundation
import Reports
import Testing

@Suite struct ReportLimitTests {
  /// Counts bytes, and remembers the largest piece and the number of line breaks.
  private struct MeasuringSink: ByteSink {
    var count = 0
    var largest = 0
    var lines = 0

    mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
      count += bytes.count
      largest = max(largest, bytes.count)
      lines += bytes.count { $0 == UInt8(ascii: "\n") }
    }
  }

  @Test(arguments: ReportFormat.allCases.filter { $0 != .text && $0 != .json })
  func `very many findings are written in small pieces`(format: ReportFormat) throws {
    var sink = MeasuringSink()
    let files = ValidationResults.manyReportCount
    try ValidationResults.many.write(as: format, to: &sink)
    // JUnit, Markdown and HTML keep a file's first findings of each rule.
    #expect(sink.largest < 512 << 10)
    switch format {
    case .rdjsonl: #expect(sink.lines == 1000 * files)
    case .checkstyle: #expect(sink.lines == 1000 * files + 2 * files + 3)
    case .github: #expect(sink.lines == 31)
    case .markdown: #expect(sink.count < 1 << 20)
    case .junit: #expect(sink.count < 30_000_000)
    case .html: #expect(sink.count < 10_000_000)
    default: break
    }
  }

  @Test func `a summary of long texts is below 1 MiB`() throws {
    let text = String(repeating: "|", count: 2000)
    var reports: [ValidationReport] = []
    for file in 0..<300 {
      var report = ValidationReport(file: "\(file)\(text)")
      report.format = text
      for rule in 0..<150 {
        let finding = Finding(
          code: "\(rule)\(text)", keyword: text, severity: .error, message: text,
          place: Place(pointer: text, at: TextPosition(offset: 0, line: 1, column: 1)), schemaLocation: text)
        report.findings.append(finding)
        report.counts.add(severity: .error, code: finding.code)
        report.checkedRules.append(CheckedRule(code: finding.code, keyword: text, severity: .error, title: text))
      }
      report.error = CofferError(CofferError.Code(rawValue: text), text)
      reports.append(report)
    }
    let summary = try ValidationResults(reports, toolVersion: "1").text(as: .markdown)
    #expect(summary.utf8.count < 1 << 20)
    #expect(summary.contains("more files are not listed"))
    #expect(summary.contains("files with findings more, left out"))
  }

  @Test func `SARIF lists 5000 findings, most of them errors`() throws {
    let text = try ValidationResults.many.text(as: .sarif)
    #expect(text.components(separatedBy: "\"partialFingerprints\"").count == 5001)
    #expect(text.components(separatedBy: "\"level\": \"error\"").count > 3300)
    #expect(text.contains("\"level\": \"note\""))
    #expect(text.contains("\((1000 * ValidationResults.manyReportCount - 5000).grouped) more findings are not listed"))
  }

  @Test func `GitLab gets 25000 findings with different fingerprints`() throws {
    let lines = try ValidationResults.many.text(as: .gitlab).split(separator: "\n")
    let fingerprints = lines.filter { $0.contains("\"fingerprint\"") }
    #expect(fingerprints.count == 25_000)
    #expect(Set(fingerprints).count == 25_000)
  }

  @Test func `lines that don't fit in 32 bits are left out where readers have no more`() throws {
    var report = ValidationReport(file: "a.json")
    report.findings = [
      Finding(
        code: "type", keyword: "type", severity: .error, message: "wrong",
        place: Place(pointer: "/a", at: TextPosition(offset: 5_000_000_000, line: 2_147_483_648, column: 3)),
        schemaLocation: "/type")
    ]
    report.counts.add(severity: .error, code: "type")
    let results = ValidationResults([report], toolVersion: "1")
    #expect(try results.text(as: .github) == "::error file=a.json,title=type::wrong%0A/a, byte 5000000000\n")
    #expect(try !results.text(as: .rdjsonl).contains("range"))
    #expect(
      try results.text(as: .checkstyle).contains(#"<error line="1" severity="error" message="wrong (/a, byte 5000000000)""#))
    #expect(try results.text(as: .sarif).contains(#""startLine": 2147483648"#))
  }
}
