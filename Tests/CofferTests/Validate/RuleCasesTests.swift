import ByteStreams
import Coffer
import Findings
import SystemPackage
import TestSupport
import Testing

@Suite struct RuleCasesTests {
  private static let rules = """
    {"properties": {"cars": {"type": "array", "primaryKey": "id", "items": {"required": ["id"], "properties": {
      "id": {"type": "integer"}, "km": {"severity": "warning", "maximum": 10}}}}}}
    """
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"cars": [{"id": 1, "km": 5}, {"id": 2}]}"#, to: "valid.json")
  }

  private func cases(_ text: String) throws -> RuleCases { try RuleCases(MemorySource(text.utf8), folder: folder.path) }

  private func messages(_ text: String) throws -> [String] {
    let rules = RuleSource.document(try RuleDocument(MemorySource(Self.rules.utf8)), name: "rules.json")
    let report = try cases(text).report(named: "cases.json", testing: rules, options: ValidationOptions(now: Validating.now))
    #expect(report.findings.allSatisfy { $0.code == "case" })
    return report.findings.map { "\($0.place.line):\($0.place.column) \($0.place.pointer) \($0.message)" }
  }

  /// A case with a name, its expectation and changes of valid.json.
  private func failures(_ members: String) throws -> [String] {
    try messages(#"{"file": "valid.json", "cases": [{"name": "c", \#(members)}]}"#)
  }

  @Test(arguments: [
    #""valid": true"#, #""findings": []"#, #""valid": false, "set": {"/cars/1/id": 1}"#,
    #""findings": [{"code": "primary-key", "pointer": "/cars/1/id"}], "set": {"/cars/1/id": 1}"#,
    #""findings": [], "remove": ["/cars/0/km", "/cars/1"]"#, #""valid": false, "remove": ["/cars/0/id"]"#,
    #""findings": [{"code": "maximum", "pointer": "/cars/0/km"}], "set": {"/cars/0/km": 11}"#,
    // A warning is no error.
    #""valid": true, "set": {"/cars/0/km": 11}"#,
    #""findings": [{"code": "primary-key", "pointer": "/cars/2/id"}], "set": {"/cars/-": {"id": 1}}"#,
    #""findings": [{"code": "primary-key", "pointer": "/cars/2/id"}], "set": {"/cars/2": {"id": 1}}"#,
    #""findings": [{"code": "type", "pointer": "/cars"}], "set": {"": {"cars": 5}}"#,
    #""findings": [], "set": {"/cars/0/new": [1]}, "remove": ["/cars/1"]"#,
    #""findings": [{"code": "type", "pointer": "/cars/0/id"}], "document": {"cars": [{"id": "x"}]}"#,
    // Numbers keep their spelling.
    #""findings": [{"code": "type", "pointer": "/cars/0/id"}], "set": {"/cars/0/id": 1.5}"#,
    #""findings": [], "set": {"/cars/0/id": 1e0}"#,
  ])
  func `a case passes`(_ members: String) throws { #expect(try failures(members) == []) }

  @Test(arguments: [
    (#""valid": false"#, ["no error was found"]),
    (
      #""valid": true, "set": {"/cars/1/id": 1}"#,
      ["unexpected primary-key at /cars/1/id: duplicate id 1: an earlier record has it"]
    ),
    (#""findings": [], "set": {"/cars/0/km": 11}"#, ["unexpected maximum at /cars/0/km: expected at most 10, found 11"]),
    (
      #""findings": [{"code": "type", "pointer": "/cars/0/id"}, {"code": "type", "pointer": "/cars/0/id"}], "set": {"/cars/0/id": "x"}"#,
      ["type at /cars/0/id was not found"]
    ),
    (
      #""findings": [{"code": "type", "pointer": "/cars/1/id"}], "set": {"/cars/0/id": "x"}"#,
      ["unexpected type at /cars/0/id: expected integer, found a string: 'x'", "type at /cars/1/id was not found"]
    ),
    (#""valid": true, "remove": ["/boats"]"#, ["there is nothing at /boats to remove from the document"]),
    (#""valid": true, "set": {"/cars/7/id": 1}"#, ["there is no place /cars/7/id to set in the document"]),
    (#""valid": true, "set": {"/boats/7/id": 1}"#, ["there is no place /boats/7/id to set in the document"]),
  ])
  func `a case fails, and says why`(_ members: String, _ expected: [String]) throws {
    let failures = try failures(members)
    #expect(failures.count == expected.count, "\(failures)")
    for (failure, message) in zip(failures, expected) { #expect(failure.hasSuffix("c: \(message)"), "\(failure)") }
  }

  @Test func `what fails has its place in the cases`() throws {
    let text = """
      {"cases": [
        {"name": "a", "document": {"cars": [{"id": 1}]}, "valid": true},
        {"name": "b", "document": {"cars": [{"id": 1}]},
         "findings": [{"code": "type", "pointer": "/cars/0/id"}]}
      ]}
      """
    #expect(try messages(text) == ["4:17 /cases/1/findings/0 b: type at /cars/0/id was not found"])
  }

  @Test func `each case may have its clock and its file`() throws {
    let rules = RuleSource.document(
      try RuleDocument(MemorySource(#"{"properties": {"d": {"format": "date", "formatMaximum": "now"}}}"#.utf8)), name: "r")
    let text = """
      {"now": "2026-01-01T00:00:00Z", "document": {"d": "2026-06-01"}, "cases": [
        {"name": "a", "valid": false}, {"name": "b", "now": "2026-12-01T00:00:00Z", "valid": true}, {"name": "c", "valid": false},
        {"name": "d", "file": "valid.json", "valid": true}, {"name": "e", "file": "missing.json", "valid": true}]}
      """
    let report = try cases(text).report(named: "c", testing: rules, options: ValidationOptions(now: Validating.now))
    #expect(report.findings.count == 1 && report.findings[0].message.hasPrefix("e: "))
    #expect(report.checkedRules.count == 5 && report.ruleValues?.count == 5 && report.records == 5)
  }

  @Test func `a case's clock doesn't count for the next one`() throws {
    let rules = RuleSource.document(
      try RuleDocument(MemorySource(#"{"properties": {"d": {"format": "date", "formatMaximum": "now"}}}"#.utf8)), name: "r")
    let text = """
      {"document": {"d": "2026-06-01"}, "cases": [
        {"name": "a", "now": "2026-12-01T00:00:00Z", "valid": true}, {"name": "b", "valid": false}]}
      """
    let now = try #require(Instant("2026-01-01T00:00:00Z"))
    let report = try cases(text).report(named: "c", testing: rules, options: ValidationOptions(now: now))
    #expect(report.findings.map(\.message) == [])
  }

  @Test(arguments: [0, 1]) func `the number of shown findings doesn't change which cases pass`(_ limit: Int) throws {
    let rules = RuleSource.document(try RuleDocument(MemorySource(Self.rules.utf8)), name: "r")
    var options = ValidationOptions(now: Validating.now)
    options.maximumFindings = limit
    let text = """
      {"document": {"cars": [{"id": "x"}, {"id": "y"}]}, "cases": [
        {"name": "a", "findings": [{"code": "type", "pointer": "/cars/0/id"}, {"code": "type", "pointer": "/cars/1/id"}]},
        {"name": "b", "valid": true}]}
      """
    let report = try cases(text).report(named: "c", testing: rules, options: options)
    #expect(report.counts.total == 2 && report.findings.count == limit)
  }

  @Test func `a flood of unexpected findings is counted`() throws {
    let items = (0..<1500).map { #"{"id": "\#($0)"}"# }.joined(separator: ",")
    let messages = try failures(#""valid": true, "document": {"cars": [\#(items)]}"#)
    #expect(messages.count == 21 && messages.contains { $0.hasSuffix("1480 more unexpected findings") })
  }

  @Test(arguments: [
    ("[]", "expected an object, found an array"), ("{}", "'cases' is missing: a list of cases"),
    (#"{"cases": []}"#, "expected a non-empty list of cases"),
    (#"{"cases": [{"name": "a", "valid": true}]}"#, "the case has no document: name a 'file', or write a 'document'"),
    (#"{"document": 1, "cases": [{"valid": true}]}"#, "the case has no 'name'"),
    (#"{"document": 1, "cases": [{"name": "a"}]}"#, "the case expects nothing: write 'valid', or a list of 'findings'"),
    (#"{"document": 1, "cases": [{"name": "a", "valid": true, "findings": []}]}"#, "'valid' and 'findings' can't be combined"),
    (#"{"document": 1, "file": "x", "cases": [{"name": "a", "valid": true}]}"#, "'file' and 'document' can't be combined"),
    (#"{"document": 1, "cases": [{"name": "a", "valid": true}, {"name": "a", "valid": true}]}"#, "two cases have the name 'a'"),
    (
      #"{"document": 1, "cases": [{"name": "a", "valid": true, "set": {"x": 1}}]}"#,
      "'x' is no JSON Pointer, such as /expenses/0/carId"
    ),
    (
      #"{"document": 1, "cases": [{"name": "a", "valid": true, "remove": ["x"]}]}"#,
      "'x' is no JSON Pointer, such as /expenses/0/carId"
    ),
    (#"{"document": 1, "cases": [{"name": "a", "findings": [{"code": "x"}]}]}"#, "expected a 'code' and a 'pointer'"),
    (#"{"document": 1, "cases": [{"name": "a", "valid": true, "pointr": 1}]}"#, "unknown member 'pointr' in a case"),
    (
      #"{"document": 1, "now": "noon", "cases": [{"name": "a", "valid": true}]}"#, "expected a time, such as 2026-01-01T00:00:00Z"
    ),
  ])
  func `cases that mean nothing are refused`(_ text: String, _ message: String) throws {
    do {
      _ = try cases(text)
      Issue.record("not refused")
    } catch let error as CofferError {
      #expect(error.code == .invalidRules && error.message.hasPrefix(message) && error.place.position != nil, "\(error.message)")
    }
  }
}
