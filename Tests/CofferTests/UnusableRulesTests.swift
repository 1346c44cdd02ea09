import TestSupport
import Testing

@testable import Coffer

/// A document that reaches a schema that can't be used gets the same error for any slices, threads and chunks.
@Suite struct UnusableRulesTests {
  static let rules = [
    #"{"properties": {"trips": {"items": {"properties": {"km": {"maximum": 90}, "x": {"$ref": "urn:gone"}}}}}}"#,
    #"{"properties": {"trips": {"primaryKey": "id", "items": {"anyOf": [{"required": ["km"]}, {"properties": {"x": {"$ref": "urn:gone"}}}]}}}}"#,
    #"{"properties": {"trips": {"not": {"contains": {"properties": {"x": {"$ref": "urn:gone"}, "km": {"const": -1}}}}}}}"#,
    ##"{"additionalProperties": {"items": {"properties": {"x": {"$ref": "#/$defs/a"}}}}, "$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}"##,
  ]

  @Test(arguments: rules) func `the error and the findings before it do not depend on slices`(_ text: String) throws {
    for reached in [0, 1, 150, 299, nil] {
      let records = (0..<300).map {
        #"{"id": \#($0 % 200), "km": \#($0 % 100)\#($0 == reached ? #", "x": [1]"# : "")}"#
      }
      let document = Array("{\"trips\": [\(records.joined(separator: ",\n"))], \"end\": [{\"x\": 0}]}".utf8)
      let rules = try RuleDocument(MemorySource(text.utf8))
      func report(sliceSize: Int?, jobs: Int, chunkSize: Int) throws -> ValidationReport {
        var options = ValidationOptions(now: Validating.now)
        if let sliceSize { options.slices?.sliceSize = sliceSize } else { options.slices = nil }
        options.execution.jobs = jobs
        options.limits.chunkSize = chunkSize
        let validator = Validator(.document(rules, name: "rules"), options: options)
        var report = try validator.validate(MemorySource(document, chunkSize: chunkSize), named: "a.json")
        report.seconds = 0
        return report
      }
      let expected = try report(sliceSize: nil, jobs: 1, chunkSize: 1 << 16)
      let reachesEnd = text.contains("additional")
      #expect((expected.error != nil) == (reached != nil || reachesEnd))
      if let reached { #expect(expected.error?.place.position?.line == reached + 1) }
      for (sliceSize, jobs, chunkSize) in [(1, 1, 1 << 16), (200, 3, 1 << 16), (1000, 2, 64), (5000, 4, 7)] {
        #expect(try report(sliceSize: sliceSize, jobs: jobs, chunkSize: chunkSize) == expected)
      }
    }
  }

  @Test func `each item that is a document reaches it on its own`() throws {
    let rules = try RuleDocument(MemorySource(#"{"type": "object", "properties": {"x": {"$ref": "urn:gone"}}}"#.utf8))
    let source = try RuleSource.document(rules, name: "rules").forEachItem(of: "")
    for jobs in [1, 3] {
      var options = ValidationOptions(now: Validating.now)
      options.slices?.sliceSize = 10
      options.execution.jobs = jobs
      let report = try Validator(source, options: options).validate(
        MemorySource(#"[1, {}, {"y": 1}, {"x": 2}, 3]"#.utf8), named: "a.json")
      #expect(report.error?.code == .unresolvedReference)
      #expect(report.error?.place.position?.offset == 24)
      #expect(report.findings.map(\.place.pointer) == ["/0"])
    }
  }

  /// Every kind of mistake that the meta-schema can't see, and one that it sees, in one run.
  @Test func `a check reports all mistakes at once`() throws {
    let rules = ##"""
      {"$schema": "https://json-schema.org/draft/2020-12/schema",
       "properties": {
         "a": {"$ref": "https://example.org/a"}, "b": {"$ref": "b.json"},
         "c": {"$ref": "#/nowhere"}, "d": {"$ref": "#nobody"},
         "e": {"patternProperties": {"(": true, "[": true}}, "f": {"multipleOf": 0}},
       "$defs": {"g": {"$ref": "#/$defs/g"}, "h": {"anyOf": [{"$ref": "#/$defs/h"}]}}}
      """##
    let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json")
    #expect(
      Set(check.report.findings.map { "\($0.place.line) \($0.severity) \($0.code) \($0.place.pointer)" }).sorted()
        == [
          "3 warning unresolved-reference /properties/a/$ref", "3 warning unresolved-reference /properties/b/$ref",
          "4 error rule /properties/c/$ref", "4 error rule /properties/d/$ref",
          "5 error format /properties/e/patternProperties/(", "5 error format /properties/e/patternProperties/[",
          "5 error exclusive-minimum /properties/f/multipleOf",
          "6 warning endless-reference /$defs/g", "6 warning endless-reference /$defs/h",
        ].sorted())
    #expect(check.report.findings.count == 9)
    #expect(check.report.counts.count(.error) == 5)
    #expect(!check.isUsable)
  }

  /// A warning inside a schema in error doesn't hide the error.
  @Test func `warnings leave errors alone`() throws {
    let rules = #"{"anyOf": [{"sortedBy": "a", "items": {"$ref": "urn:gone"}}], "properties": {"a": {"$ref": "urn:gone"}}}"#
    let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json")
    #expect(check.report.counts.count(.error) == 1)
    #expect(check.report.counts.count(.warning) == 2)
  }
}
