import ByteStreams
import Findings
import Testing

@Suite struct ValidationReportTests {
  @Test func `only errors make a document invalid`() {
    var report = ValidationReport(file: "a.json")
    #expect(report.isValid)
    report.counts.add(7, severity: .warning, code: "type")
    #expect(report.isValid)
    #expect(report.notShown == 7)
    report.counts.add(severity: .error, code: "type")
    #expect(!report.isValid)
  }

  @Test func `errors that a baseline accepts don't make a document invalid`() {
    var report = ValidationReport(file: "a.json")
    report.counts.add(2, severity: .error, code: "type")
    report.acceptedCounts.add(severity: .error, code: "type")
    #expect(!report.isValid)
    report.acceptedCounts.add(severity: .error, code: "type")
    #expect(report.isValid)
  }

  @Test func `an unreadable document is invalid`() {
    var report = ValidationReport(file: "a.json")
    report.error = CofferError(.inputOutput, "wrong")
    #expect(!report.isValid)
  }
}
