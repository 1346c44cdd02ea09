import TestSupport
import Testing

@testable import Coffer

/// JSON Lines are validated as an array of their values.
@Suite struct LineValidationTests {
  private static let rules = """
    {"items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}, "minItems": 2, "primaryKey": "id"}
    """

  private static func report(
    on text: String, rules: String = rules, syntax: JSONSyntax? = .jsonLines, sliceSize: Int? = 1 << 20, jobs: Int = 1,
    named name: String = "test"
  ) throws -> ValidationReport {
    var options = ValidationOptions(now: Validating.now)
    options.syntax = syntax
    options.execution.jobs = jobs
    if let sliceSize { options.slices?.sliceSize = sliceSize } else { options.slices = nil }
    let validator = Validator(.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules"), options: options)
    var report = try validator.validate(MemorySource(text.utf8, chunkSize: 37), named: name)
    report.seconds = 0
    return report
  }

  @Test func `findings have the index of the value, and line and column in the file`() throws {
    let text = "{\"id\":1}\n\n{\"id\":2}\r\n{\"id\": \"3\"}\n7\n{\"id\":1}"
    let report = try Self.report(on: text)
    #expect(Validating.lines(report) == ["type /2/id", "type /3", "primary-key /4/id"])
    #expect(report.findings.map(\.place.line) == [4, 5, 6])
    #expect(report.findings.map(\.place.column) == [8, 1, 7])
    #expect(report.records == 5)
    #expect(report.bytes == text.utf8.count)
  }

  /// The lines are the items of an array, which begins at the same byte as the first line.
  @Test func `keys in a first line that is an array have their own places`() throws {
    let keys = #""foreignKeys": [{"fields": "ref", "reference": {"resource": "/none", "fields": "id"}}]"#
    let report = try Self.report(on: "[{\"ref\":1}]\n{\"ref\":2}", rules: #"{\#(keys), "items": {\#(keys)}}"#)
    #expect(Validating.lines(report) == ["foreign-key /0/0/ref", "not-checked /1", "foreign-key /1/ref"])
  }

  @Test(arguments: ["", "\n\n", "\u{FEFF}"]) func `a file without values is validated as an empty array`(text: String) throws {
    #expect(Validating.lines(try Self.report(on: text)) == ["min-items "])
    #expect(try Self.report(on: text, rules: "true").isValid)
  }

  @Test func `a broken line is an error, and findings before it are kept`() throws {
    let report = try Self.report(on: "{\"id\":1}\n{}\n{\"id\":2},{\"id\":\"x\"}\n{}")
    #expect(Validating.lines(report) == ["required /1/id", "primary-key /1/id"])
    #expect(report.error?.message == "the line's value is complete, but ',' follows")
    #expect(report.error?.position == TextPosition(offset: 20, line: 3, column: 9))
  }

  @Test func `the file name decides the syntax unless an option does`() throws {
    let text = "{\"id\":1}\n{\"id\":2}"
    #expect(try Self.report(on: text, syntax: nil, named: "a.ndjson").isValid)
    #expect(try Self.report(on: text, syntax: nil, named: "a.json").error?.code.rawValue == "syntax")
    #expect(try Self.report(on: text, syntax: .json, named: "a.ndjson").error?.code.rawValue == "syntax")
  }

  @Test func `lines of an unknown format are only checked for well-formedness`() throws {
    var options = ValidationOptions(now: Validating.now)
    options.syntax = .jsonLines
    let validator = Validator(.detected(.builtIn), options: options)
    let report = try validator.validate(MemorySource("{}\n[1]\n".utf8), named: "x")
    #expect(report.error == nil && report.formatProblem == .unknown && !report.isValid)
    #expect(try validator.validate(MemorySource("{}\n[1\n".utf8), named: "x").error?.position.line == 2)
  }

  /// Random rules, some of which can't be evaluated slice by slice, give the same report with and without slices and threads.
  @Test(arguments: [1, 60, 400]) func `slices and threads do not change the report`(sliceSize: Int) throws {
    var findings = 0
    var errors = 0
    let count = TestDepth.count(everyday: 30, deep: 150)
    for seed in 0..<UInt64(count) {
      let rules = RandomRules.text(seed: seed)
      guard let document = try? RuleDocument(MemorySource(rules.utf8)), (try? document.compiled()) != nil else { continue }
      var lines = (0..<12 as Range<UInt64>).map { index in
        var document = RandomDocument(seed: seed &* 31 &+ index, size: 120)
        if seed % 3 == 0, index == 8 { document.damage() }
        return document.bytes.filter { $0 != 0x0A }
      }
      if seed % 7 == 0 { lines.insert([], at: 3) }
      let text = String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self)
      let whole = try Self.report(on: text, rules: rules, sliceSize: nil)
      let sliced = try Self.report(on: text, rules: rules, sliceSize: sliceSize, jobs: 1 + Int(seed % 3))
      #expect(sliced == whole, "seed \(seed)")
      findings += whole.findings.isEmpty ? 0 : 1
      errors += whole.error == nil ? 0 : 1
    }
    #expect(findings > count / 5)
    #expect(errors > count / 8)
  }
}
