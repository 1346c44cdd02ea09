import ByteStreams
import Findings
import Rules
import Testing

/// Keywords for numbers beside `format: decimal`, which is for strings.
@Suite struct DecimalBoundTests {
  @Test(arguments: [
    (#"{"format": "decimal", "minimum": 0}"#, ["/minimum"]),
    (#"{"format": "decimal", "exclusiveMaximum": 0, "multipleOf": 0.01}"#, ["/exclusiveMaximum", "/multipleOf"]),
    (#"{"type": ["string", "integer"], "format": "decimal", "maximum": {"$data": "1/x"}}"#, ["/maximum"]),
    // Both have a bound.
    (#"{"format": "decimal", "minimum": 0, "formatMinimum": "0"}"#, []),
    (#"{"format": "decimal", "formatMinimum": "0"}"#, []),
    (#"{"format": "date", "minimum": 0}"#, []),
    // A type that excludes one of them is another finding.
    (#"{"type": "string", "format": "decimal", "minimum": 0}"#, []),
    (#"{"type": "number", "format": "decimal", "minimum": 0}"#, []),
    (#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "decimal", "minimum": 0}"#, []),
  ])
  func `a bound for numbers beside the format decimal has a warning`(rules: String, places: [String]) throws {
    let warnings = try RuleDocument(MemorySource(rules.utf8)).warnings.filter { $0.code == "never-applies" }
    #expect(warnings.map(\.place.pointer) == places)
    #expect(warnings.allSatisfy { $0.severity == .warning })
  }

  @Test func `the warning names the keyword for strings`() throws {
    let rules = #"{"format": "decimal", "minimum": 0, "multipleOf": 0.01}"#
    #expect(
      try RuleDocument(MemorySource(rules.utf8)).warnings.map(\.message) == [
        "minimum applies to numbers, and format decimal to strings: add formatMinimum for these",
        "multipleOf applies to numbers, and format decimal to strings: a pattern can limit the decimal places of these",
      ])
  }
}
