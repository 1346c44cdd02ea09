import ByteStreams
import Findings
import JSONEvents

/// Results as diagnostics of reviewdog: a JSON object on each line.
///
/// Its columns count bytes of UTF-8 and Coffer's count characters, so they are left out. Lines have 32 bits.
///
/// This report lists all findings, so it is written without `ReportEncoder`, with which a run that finds something in each record
/// took twice as many instructions (`valgrind --tool=callgrind`).
struct ReviewdogReport {
  let results: ValidationResults

  func write(to sink: inout some ByteSink) throws(CofferError) {
    var json = JSONEventWriter()
    for report in results.reports {
      if let error = report.error {
        let line = error.place.position.flatMap { Int32(exactly: $0.line) }
        write(.error, error.code.rawValue, error.messageWithByte, report, line: line, endLine: nil, &json)
        json.endLine()
      }
      for finding in report.reportedFindings where !finding.isAccepted {
        write(
          finding.severity, finding.code, "\(finding.message) (\(finding.place.description))", report,
          line: finding.place.line32, endLine: finding.place.end.flatMap { Int32(exactly: $0.line) }, &json)
        json.endLine()
        try json.drainPrintable(to: &sink)
      }
    }
    try json.flushPrintable(to: &sink)
  }

  private func write(
    _ severity: Severity, _ code: String, _ message: String, _ report: ValidationReport, line: Int32?, endLine: Int32?,
    _ json: inout JSONEventWriter
  ) {
    json.beginObject()
    json.member("message", message)
    json.key("location")
    json.beginObject()
    json.member("path", report.reportedPath)
    if let line {
      json.key("range")
      json.beginObject()
      json.key("start")
      json.beginObject()
      json.member("line", Int(line))
      json.endObject()
      if let endLine, endLine > line {
        json.key("end")
        json.beginObject()
        json.member("line", Int(endLine))
        json.endObject()
      }
      json.endObject()
    }
    json.endObject()
    json.member("severity", severity == .note ? "INFO" : severity.rawValue.uppercased())
    json.key("source")
    json.beginObject()
    json.member("name", "coffer")
    json.endObject()
    json.key("code")
    json.beginObject()
    json.member("value", code)
    json.endObject()
    json.endObject()
  }
}

extension JSONEventWriter {
  fileprivate mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  fileprivate mutating func member(_ name: String, _ number: Int) {
    key(name)
    integer(Int64(number))
  }
}
