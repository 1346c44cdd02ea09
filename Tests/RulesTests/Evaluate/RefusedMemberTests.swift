import Findings
import Testing

/// Members that are not allowed get a suggestion, and no fault is reported twice.
@Suite struct RefusedMemberTests {
  @Test(arguments: [
    (#"{"properties": {"name": {}}, "additionalProperties": false}"#, #"{"nmae": 1}"#),
    (#"{"properties": {"name": {}}, "additionalProperties": false}"#, #"{"nmae": {}}"#),
    (#"{"anyOf": [{"properties": {"name": {}}}], "unevaluatedProperties": false}"#, #"{"nmae": 1}"#),
    (#"{"if": true, "then": {"properties": {"name": {}}}, "unevaluatedProperties": false}"#, #"{"x": {"name": 1}, "nmae": 1}"#),
  ])
  func `a misspelt member gets a suggestion`(_ rules: String, _ document: String) throws {
    let messages = try Evaluation(rules, document).findings.map(\.message)
    #expect(messages.contains("this member is not allowed; did you mean 'name'?"))
  }

  @Test func `an unrelated name gets no suggestion`() throws {
    let rules = #"{"properties": {"name": {}, "no": false}, "additionalProperties": false}"#
    #expect(
      try Evaluation(rules, #"{"weather": 1, "no": 1}"#).findings.map(\.message)
        == Array(repeating: "this member is not allowed", count: 2))
  }

  /// A member that a valid branch would have evaluated is not a separate fault.
  @Test(arguments: [
    #"{"if": {"type": "object"}, "then": {"properties": {"a": {"type": "null"}}}, "unevaluatedProperties": false}"#,
    #"{"if": {"type": "array"}, "else": {"properties": {"a": {"type": "null"}}}, "unevaluatedProperties": false}"#,
  ])
  func `members of a failed branch are not reported as unevaluated`(_ rules: String) throws {
    #expect(try Evaluation(rules, #"{"a": 1}"#).lines == ["type /a"])
    #expect(try Evaluation(rules, #"{"a": 1, "b": 2}"#).lines == ["type /a", "unevaluated-properties /b"])
    #expect(try Evaluation(rules, #"{"a": null}"#).lines == [])
  }

  @Test func `members of the branch that does not apply are reported as unevaluated`() throws {
    let rules = #"""
      {"if": {"properties": {"c": {"const": 1}}}, "then": {"properties": {"a": {"type": "null"}}}, "else": {"properties": {"b": {}}},
       "unevaluatedProperties": false}
      """#
    #expect(try Evaluation(rules, #"{"c": 1, "a": 1, "b": 1}"#).lines == ["type /a", "unevaluated-properties /b"])
  }
}
