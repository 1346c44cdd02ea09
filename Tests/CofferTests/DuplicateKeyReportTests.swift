import Coffer
import TestSupport
import Testing

@Suite struct DuplicateKeyReportTests {
  private static func report(
    _ rules: String, _ document: String, jobs: Int = 1, maximum: Int = 1000, _ choice: ValidationOptions.DuplicateKeys = .warn
  ) throws -> ValidationReport {
    var options = ValidationOptions(now: Validating.now)
    options.execution.jobs = jobs
    options.maximumFindings = maximum
    options.duplicateKeys = choice
    let rules = try RuleDocument(MemorySource(rules.utf8))
    let validator = Validator(.document(rules, name: "rules"), options: options)
    var report = try validator.validate(MemorySource(document.utf8), named: "test")
    report.seconds = 0
    return report
  }

  @Test(arguments: [
    (ValidationOptions.DuplicateKeys.allow, nil, true), (.warn, Severity.warning, true), (.reject, .error, false),
  ])
  func `the option decides the severity of duplicate keys`(
    choice: ValidationOptions.DuplicateKeys, severity: Severity?, isValid: Bool
  ) throws {
    let report = try Self.report("true", #"{"a": {"b": 1, "b": 2}}"#, choice)
    #expect(report.findings.map(\.severity) == (severity.map { [$0] } ?? []))
    #expect(report.isValid == isValid)
  }

  /// More than one slice of records, covered by rules or not; every hundredth has a duplicate key.
  @Test(
    arguments: ["true", #"{"properties": {"list": true}}"#, #"{"properties": {"list": {"items": {"required": ["id"]}}}}"#],
    [1, 2])
  func `slices and threads do not change the findings of duplicate keys`(rules: String, jobs: Int) throws {
    let records = (0..<60_000).map { index in
      #"{"id": \#(index), "name": "a record of some length", "more": {"x": [1\#(index % 100 == 7 ? #", {"k": 1, "k": 2}"# : "")]}}"#
    }
    let document = #"{"name": 1, "list": [\#(records.joined(separator: ",\n"))], "name": 2}"#
    let report = try Self.report(rules, document, jobs: jobs)
    #expect(report.counts.total == 601)
    let pointers = (0..<600).map { "/list/\($0 * 100 + 7)/more/x/1/k" } + ["/name"]
    #expect(report.findings.map(\.place.pointer) == pointers)
    #expect(report.findings.first?.place.line == 8)
    let fewer = try Self.report(rules, document, jobs: jobs, maximum: 3)
    // Two of the first, and one from the rest of the document.
    #expect(fewer.findings.prefix(2) == report.findings.prefix(2))
    #expect(fewer.findings.count == 3 && report.findings.contains(fewer.findings[2]))
    #expect(try fewer.findings == Self.report(rules, document, jobs: 3 - jobs, maximum: 3).findings)
    #expect(fewer.counts == report.counts)
    #expect(fewer.notShown == 598)
  }

  /// Values that are skipped deep in a document are sliced, too.
  @Test(arguments: [1, 2]) func `duplicate keys are found in slices that no rule covers`(jobs: Int) throws {
    let records = (0..<40_000).map { #"{"id": \#($0), "id": 2, "text": "some more of it, so that there are slices"}"# }
    let document = #"{"a": {"b": [\#(records.joined(separator: ","))]}}"#
    for rules in ["true", #"{"properties": {"a": {"properties": {"b": {"items": {}}}}}}"#] {
      let report = try Self.report(rules, document, jobs: jobs)
      #expect(report.counts.total == 40_000)
      #expect(report.findings.prefix(500).map(\.place.pointer) == (0..<500).map { "/a/b/\($0)/id" })
      #expect(report.findings.count == 1000)
      #expect(report.findings[500...].count { $0.place.offset > report.bytes / 2 } > 150)
    }
  }
}
