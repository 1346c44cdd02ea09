import ByteStreams
import Findings
import JSONEvents
import TestSupport
import Testing

@testable import Rules

/// Documents that are deliberately costly for reasonable or unreasonable rules.
@Suite(.timeLimit(.minutes(10))) struct HostileDocumentTests {
  static func repeated(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: count) }

  static let members = "{\((0..<100_000).map { "\"m\($0)\": \($0)" }.joined(separator: ","))}"

  @Test(arguments: [
    (#"{"additionalProperties": false}"#, 100_000), (#"{"unevaluatedProperties": false}"#, 100_000),
    (#"{"propertyNames": {"pattern": "^x"}}"#, 100_000),
    (#"{"anyOf": [{"properties": {"m1": true}}, {"patternProperties": {"^m1": true}}], "unevaluatedProperties": false}"#, 88_889),
  ])
  func `findings are bounded and counts are exact`(rules: String, count: Int) throws {
    let evaluation = try Evaluation(rules, Self.members, maximumFindings: 10)
    #expect(evaluation.findings.count == 10)
    #expect(evaluation.counts.count(.error) == count)
  }

  @Test func `many names are matched with many patterns`() throws {
    let patterns = (0..<1000).map { #""^p\#($0).*x$": {"type": "integer"}"# }.joined(separator: ",")
    let members = (0..<300).map { #""p\#($0)x": "s""# }.joined(separator: ",")
    #expect(try Evaluation(#"{"patternProperties": {\#(patterns)}}"#, "{\(members)}").counts.count(.error) == 790)
  }

  /// Otherwise each would take memory until the array ends, and each finding would search all of it.
  @Test func `scalars with branches leave nothing on the stacks`() throws {
    let rules = #"""
      {"primaryKey": "id", "items": {"properties": {"a": {"minimum": {"$data": "1/b"}}}, "oneOf": [{"type": "object"}, {"type": "number"}]}}
      """#
    let program = try RuleDocument(MemorySource(rules.utf8)).compiled()
    var evaluator = RuleEvaluator(program, options: EvaluationOptions(now: Evaluation.now, key: SipHash128.Key(low: 1, high: 2)))
    var limits = ReaderLimits()
    limits.chunkSize = 1 << 10
    var reader = JSONEventReader(MemorySource((#"[{"id": 7}, "# + Self.repeated("1, ", 10_000)).utf8), limits: limits)
    while (try? reader.next()) == true { evaluator.consume(reader.batch, lines: reader.lines) }
    #expect(evaluator.frames.count == 2 && evaluator.frames[1].index > 9000)
    #expect(evaluator.activeStates.count == 2 && evaluator.words.count < 4)
    #expect(evaluator.cells.isEmpty && evaluator.captures.isEmpty && evaluator.aggregates.isEmpty)
  }

  /// The object's start is no longer in the buffer when matching the name is abandoned.
  @Test(arguments: [64, 1 << 16])
  func `a name that takes too many steps to match is an error with its place`(chunkSize: Int) throws {
    let rules = #"{"patternProperties": {"^(a+)+$": {"type": "string"}}}"#
    let document = #"{"x": "\#(Self.repeated("y", 100_000))", "\#(Self.repeated("a", 100_000))!": 1}"#
    let error = #expect(throws: CofferError.self) { try Evaluation(rules, document, chunkSize: chunkSize) }
    #expect(error?.code == .ruleLimit)
    #expect(error?.position.column == 100_011)
  }

  @Test func `a string that takes too many steps to match is a finding`() throws {
    let text = #""\#(Self.repeated("a", 1_000_000))!""#
    #expect(try Evaluation(#"{"pattern": "^(a+)+$"}"#, text).lines == ["pattern "])
    #expect(try Evaluation(#"{"pattern": "(a+)+b", "maxLength": 5, "enum": ["a"]}"#, text).counts.count(.error) == 3)
  }

  /// Otherwise a name as long as the document would be part of each finding below it.
  @Test(arguments: [1 << 10, 1 << 22])
  func `long names are shortened in findings`(chunkSize: Int) throws {
    let name = Self.repeated("k", 1_000_000)
    let document = #"{"\#(name)": {\#((0..<1000).map { #""x\#($0)": 1"# }.joined(separator: ","))}}"#
    let rules = #"{"additionalProperties": {"additionalProperties": {"type": "string"}}}"#
    let findings = try Evaluation(rules, document, chunkSize: chunkSize, maximumFindings: 2000).findings
    #expect(findings.count == 1000)
    #expect(findings.allSatisfy { $0.place.pointer.utf8.count < 300 })
    let half = Self.repeated("k", 64)
    #expect(findings.last?.place.pointer == "/\(half)…(999872 bytes cut)…\(half)/x999")
  }

  @Test func `deep pointers with long names are shortened in findings`() throws {
    let depth = 300
    let names = (0..<depth).map { Self.repeated("\($0 % 10)", 20_000) }
    let document =
      names.map { "{\"\($0)\":" }.joined() + "[" + Self.repeated("1,", 2000) + "1]" + Self.repeated("}", depth)
    let rules = ##"{"additionalProperties": {"$ref": "#"}, "items": {"type": "string"}}"##
    let findings = try Evaluation(rules, document, maximumFindings: 3000).findings
    #expect(findings.count == 2001)
    #expect(findings.allSatisfy { $0.place.pointer.utf8.count < 2048 })
    #expect(findings.last?.place.pointer.hasSuffix("/2000") == true)
    // 300 names with their slashes, less those that are shown.
    #expect(findings.last?.place.pointer.contains("(58") == true)
  }

  @Test func `unique items under not are compared in bounded memory`() throws {
    let items = (0..<100_000).map { "\($0)" }.joined(separator: ",")
    #expect(try !Evaluation(#"{"not": {"uniqueItems": true}}"#, "[\(items)]").isValid)
    #expect(try Evaluation(#"{"not": {"uniqueItems": true}}"#, "[\(items), 7]").isValid)
    // The object that exceeds the limit began in an earlier piece.
    let objects = (0..<100).map { #"{"a": "\#(Self.repeated("x", 1000))\#($0)"}"# }.joined(separator: ",")
    let error = #expect(throws: CofferError.self) {
      try Evaluation(#"{"not": {"uniqueItems": true}}"#, "[\(objects)]", chunkSize: 100, memoryLimit: 640)
    }
    #expect(error?.code == .ruleLimit)
  }
}
