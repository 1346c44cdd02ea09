package import ByteStreams
public import Findings
package import JSONEvents
public import Rules

/// Findings for programs, as one JSON document. Later versions only add members.
///
///     {"formatVersion": 1, "files": [{"file": "a.json", "format": "ev-charging-tracker", "version": 9, "valid": false,
///       "bytes": 1048576, "records": 4711,
///       "counts": {"error": 2, "warning": 0, "note": 1, "byCode": {"foreign-key": 2, "unknown-field": 1}}, "notShown": 0,
///       "findings": [{"code": …, "keyword": …, "severity": …, "message": …, "pointer": …, "line": …, "column": …, "offset": …,
///                     "schema": …, "excerpt": …}],
///       "dialect": …, "candidates": [{"format": …, "reasons": ["/cars exists"], "missing": []}]}]}
///
/// `findingsExceedMemory` is present, and true, if fewer findings are shown than requested because their details take too much
/// memory. `leftOut` names the collections that were not validated, if only some were. `formatProblem` is present if no rules
/// were applied: `unknown-format` or `ambiguous-format`.
public struct JSONReport: Sendable {
  public init() {}

  /// Returns the report on documents, with a trailing newline.
  public func text(of reports: [ValidationReport]) -> String { text(of: reports.map { ($0, nil) }) }

  /// Returns the report on rule documents. The member `cost` of each has its cost, if the rules are valid.
  public func text(of reports: [(report: ValidationReport, cost: RuleCost?)]) -> String {
    text { writer in
      for (report, cost) in reports { write(report, cost, to: &writer) }
    }
  }

  /// Returns a report with a list of files, with a trailing newline.
  func text(_ writeFiles: (inout JSONEventWriter) -> Void) -> String {
    document { writer in
      writer.key("files")
      writer.beginArray()
      writeFiles(&writer)
      writer.endArray()
    }
  }

  /// Returns a document with the version of the report and the written members, with a trailing newline.
  package func document(_ writeMembers: (inout JSONEventWriter) -> Void) -> String {
    JSONEventWriter.report(writeMembers)
  }

  private func write(_ report: ValidationReport, _ cost: RuleCost?, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("file", report.file)
    writer.key("format")
    if let format = report.format { writer.string(format) } else { writer.null() }
    if let problem = report.formatProblem { writer.member("formatProblem", problem.rawValue) }
    writer.key("version")
    if let version = report.version {
      if let number = Int64(version) { writer.integer(number) } else { writer.string(version) }
    } else {
      writer.null()
    }
    if !report.leftOut.isEmpty {
      writer.key("leftOut")
      writer.beginArray()
      for title in report.leftOut { writer.string(title) }
      writer.endArray()
    }
    writer.key("valid")
    writer.boolean(report.isValid)
    if let container = report.container {
      writer.key("container")
      writer.beginObject()
      writer.member("kind", container.kind)
      writer.member("entries", container.entries)
      writer.member("bytes", container.bytes)
      writer.endObject()
    }
    writer.member("bytes", report.bytes)
    writer.member("records", report.records)
    writer.key("counts")
    write(report.counts, to: &writer)
    writer.member("notShown", report.notShown)
    if report.findingsExceedMemory {
      writer.key("findingsExceedMemory")
      writer.boolean(true)
    }
    writer.key("findings")
    writer.beginArray()
    for finding in report.findings { write(finding, to: &writer) }
    writer.endArray()
    if let dialect = report.dialect { writer.member("dialect", dialect) }
    if !report.candidates.isEmpty {
      writer.key("candidates")
      writer.beginArray()
      for candidate in report.candidates { write(candidate, to: &writer) }
      writer.endArray()
    }
    if let error = report.error {
      writer.key("error")
      write(error, to: &writer)
    }
    if let cost {
      writer.key("cost")
      write(cost, to: &writer)
    }
    writer.endObject()
  }

  private func write(_ counts: FindingCounts, to writer: inout JSONEventWriter) {
    writer.beginObject()
    for severity in Severity.allCases.reversed() {
      writer.key(severity.rawValue)
      writer.integer(Int64(counts.count(severity)))
    }
    writer.key("byCode")
    writer.beginObject()
    for (code, count) in counts.byCode.sorted(by: { $0.key < $1.key }) {
      writer.key(code)
      writer.integer(Int64(count))
    }
    writer.endObject()
    writer.endObject()
  }

  private func write(_ finding: Finding, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("code", finding.code)
    writer.member("keyword", finding.keyword)
    writer.member("severity", finding.severity.rawValue)
    writer.member("message", finding.message)
    if let entry = finding.place.entry { writer.member("entry", entry) }
    writer.member("pointer", finding.place.pointer)
    writer.member("line", finding.place.line)
    writer.member("column", finding.place.column)
    writer.member("offset", finding.place.offset)
    writer.member("schema", finding.schemaLocation)
    if let excerpt = finding.excerpt { writer.member("excerpt", excerpt) }
    writer.endObject()
  }

  func write(_ candidate: FormatCandidate, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("format", candidate.name)
    for (name, texts) in [("reasons", candidate.reasons), ("missing", candidate.missing)] {
      writer.key(name)
      writer.beginArray()
      for text in texts { writer.string(text) }
      writer.endArray()
    }
    writer.endObject()
  }

  package func write(_ error: CofferError, to writer: inout JSONEventWriter) {
    writer.beginObject()
    writer.member("code", error.code.rawValue)
    writer.member("message", error.messageWithEntry)
    if let position = error.place.position {
      writer.member("line", position.line)
      writer.member("column", position.column)
      writer.member("offset", position.offset)
    }
    writer.endObject()
  }
}

extension JSONEventWriter {
  package mutating func member(_ name: StaticString, _ text: String) {
    key(name)
    string(text)
  }

  package mutating func member(_ name: StaticString, _ number: Int) {
    key(name)
    integer(Int64(number))
  }
}
