import ByteStreams
import Findings
import Rules
import Testing

@Suite struct MaxBytesTests {
  @Test(arguments: [
    (#""""#, true), (#""123456""#, true), (#""1234567""#, false), (#""ééé""#, true), (#""éééa""#, false),
    (#""\u00e9\u00e9\u00e9""#, true), (#""😀a""#, true), (#""😀😀""#, false), ("1234567", true), ("[]", true), ("null", true),
  ])
  func `bytes are those of UTF-8, without escapes`(_ value: String, _ isValid: Bool) throws {
    #expect(try Evaluation(#"{"maxBytes": 6}"#, value).lines == (isValid ? [] : ["max-bytes "]))
  }

  @Test func `the message has the limit and the value`() throws {
    let evaluation = try Evaluation(#"{"properties": {"name": {"maxBytes": 1}}}"#, #"{"name": "é"}"#)
    #expect(evaluation.findings.map(\.message) == ["expected at most 1 byte in UTF-8, found 'é'"])
  }

  @Test(arguments: ["-1", "1.5", "\"6\"", "null"]) func `a limit that is no count is refused`(_ value: String) {
    #expect(throws: CofferError.self) { try RuleDocument(MemorySource("{\"maxBytes\": \(value)}".utf8)) }
  }

  @Test func `standard drafts ignore it`() throws {
    let rules = #"{"$schema": "https://json-schema.org/draft/2020-12/schema", "maxBytes": 1}"#
    #expect(try Evaluation(rules, "\"éé\"").lines == [])
  }
}
