import Findings
import Rules
import Testing

/// Failures in undecided branches: their messages are written when they are known to be reported, after other values were read.
@Suite struct PendingFindingTests {
  @Test(arguments: [#""a":"nope","b":"\#(costly)""#, #""b":"\#(costly)","a":"nope""#], [1 << 16, 7])
  func `each pattern's own outcome is reported`(members: String, chunkSize: Int) throws {
    let rules = """
      {"if": {"properties": {"k": {"const": 1}}}, "then": {"properties": {
        "a": {"anyOf": [{"pattern": "^x$"}, {"type": "number"}]}, "b": {"pattern": "^(a+)+$"}}}}
      """
    let evaluation = try Evaluation(rules, #"{"k":1,\#(members)}"#, chunkSize: chunkSize)
    #expect(
      Set(evaluation.findings.map { "\($0.place.pointer): \($0.message)" }) == [
        "/a: expected text that matches ^x$, found 'nope'",
        "/b: searching for text that matches ^(a+)+$ takes too many steps",
      ])
  }

  private static let costly = String(repeating: "a", count: 60) + "!"

  @Test(arguments: [1 << 16, 7]) func `a failure in a closed container keeps its place`(chunkSize: Int) throws {
    let rules = """
      {"items": {"if": {"required": ["f"], "properties": {"f": {"const": "twice"}}}, "then": {"properties": {"dates":
        {"if": {"minItems": 1}, "then": {"minItems": 2, "items": {"type": "integer"}}}}}}}
      """
    let document = """
      [{"dates": [1], "f": "once"},
       {"x": 0,
        "dates": ["s"], "f": "twice"}]
      """
    let evaluation = try Evaluation(rules, document, chunkSize: chunkSize)
    #expect(evaluation.lines == ["min-items /1/dates", "type /1/dates/0"])
    #expect(evaluation.findings.map { $0.place.line } == [3, 3])
    #expect(evaluation.findings.map { $0.place.column } == [12, 13])
    #expect(
      evaluation.findings.map(\.message) == ["expected at least 2 items, found 1", "expected integer, found a string: 's'"])
  }

  @Test func `failures beyond the limit are counted exactly`() throws {
    let rules = """
      {"if": {"properties": {"k": {"const": 1}}}, "then": {"properties": {"l": {"if": {"minItems": 1}, "then": {"items": {"anyOf": [
        {"properties": {"a": {"type": "number"}}}]}}}}}}
      """
    let items = Array(repeating: #"{"a":"x"}"#, count: 5000).joined(separator: ",")
    let evaluation = try Evaluation(rules, #"{"k":1,"l":[\#(items)]}"#, maximumFindings: 10)
    #expect(evaluation.counts.count(.error) == 5000)
  }

  /// `Check` reinterprets bytes as cases.
  @Test func `operations and comparisons are stored as their raw values`() {
    #expect(RuleProgram.Operation.allCases.map { Int($0.rawValue) } == Array(0..<RuleProgram.Operation.allCases.count))
    #expect(Comparison.allCases.map { Int($0.rawValue) } == Array(0..<Comparison.allCases.count))
  }
}
