import Coffer
import TestSupport
import Testing

/// Zeros after a document are a finding, and the document is checked completely.
@Suite struct PaddingTests {
  private static let rules = #"""
    {"properties": {"a": {"primaryKey": "id"}, "b": {"foreignKeys": [{"fields": "a", "reference": {"resource": "/a", "fields": "id"}}]}}}
    """#

  private static func report(_ text: String, chunkSize: Int) throws -> ValidationReport {
    let rules = RuleSource.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules")
    return try Validating.report(on: Array(text.utf8), rules: rules, chunkSize: chunkSize, sourceChunkSize: chunkSize)
  }

  @Test(arguments: [1, 7, 1 << 16], ["\0", "\0\0\0\n", "\n\0 \0", String(repeating: "\0", count: 100_000)])
  func `zeros after the document are one finding`(_ chunkSize: Int, _ padding: String) throws {
    let report = try Self.report(#"{"a": [{"id": 1}], "b": [{"a": 2}]}"# + padding, chunkSize: chunkSize)
    #expect(report.error == nil)
    #expect(report.findings.map(\.code) == ["foreign-key", "padding"])
    let place = try #require(report.findings.last?.place)
    #expect(place.offset == 35 + (padding.first == "\n" ? 1 : 0) && place.pointer.isEmpty)
    #expect(place.line == (padding.first == "\n" ? 2 : 1) && place.column == (padding.first == "\n" ? 1 : 36))
    let zeros = padding.utf8.count { $0 == 0 }
    #expect(
      report.findings.last?.message
        == "\(zeros == 100_000 ? "100,000" : "\(zeros)") zero byte\(zeros == 1 ? " follows" : "s follow") the document")
    #expect(!report.isValid && report.counts.total == 2)
  }

  @Test(arguments: [1, 7, 1 << 16], ["\0x", "\0\0{}", "x\0"])
  func `anything else after the document is an error, at its first byte`(_ chunkSize: Int, _ rest: String) throws {
    let report = try Self.report(#"{"a": [], "b": []}"# + rest, chunkSize: chunkSize)
    #expect(report.error?.code == .syntax && report.error?.place.position?.offset == 18 && report.findings.isEmpty)
    #expect(report.error?.message.hasPrefix("the document is complete, but ") == true)
  }

  @Test(arguments: ["{\"a\": [1\0", "{\"a\": \"\0\0", "\0", "1\0 2"]) func `zeros within a document are an error`(_ text: String)
    throws
  {
    #expect(try Self.report(text, chunkSize: 3).error != nil)
  }
}
