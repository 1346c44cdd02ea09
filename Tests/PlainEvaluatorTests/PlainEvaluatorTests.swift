import PlainEvaluator
import Testing

/// Cases that the public suite leaves open or out, and cases without a verdict.
@Suite struct PlainEvaluatorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let schema: String
    let valid: [String]
    let invalid: [String]
    var testDescription: String { schema }
  }

  static let cases = [
    Case(schema: #"{"const": [1, {"a": 2, "b": -0}]}"#, valid: [#"[1.0, {"b": 0, "a": 2e0}]"#], invalid: [#"[1, {"a": 2}]"#]),
    // Composed and decomposed: different strings in JSON, equal ones in Swift.
    Case(schema: #"{"const": "\u00e9"}"#, valid: [#""é""#], invalid: [#""e\u0301""#]),
    Case(
      schema: #"{"maxProperties": 1, "maxLength": 1}"#, valid: [#"{"\u00e9": 1}"#, #""😀""#],
      invalid: [#"{"é": 1, "e\u0301": 1}"#, #""e\u0301""#]),
    Case(
      schema: #"{"uniqueItems": true}"#, valid: [#"[1, true, "1", [1], {"a": 1}, null, 0, false]"#],
      invalid: ["[[1], [1.0]]", "[0, -0]"]),
    Case(schema: #"{"multipleOf": 0.1}"#, valid: ["0.3", "1e400", "9007199254740993.7"], invalid: ["0.35", "1e-400"]),
    Case(
      schema: #"{"multipleOf": 12345678901234567890123}"#, valid: ["24691357802469135780246", "0"],
      invalid: ["24691357802469135780247"]),
    Case(schema: #"{"type": "integer"}"#, valid: ["1.0", "1e400", "-0.0"], invalid: ["0.1", "\"1\""]),
    Case(schema: #"{"maximum": 9007199254740992}"#, valid: ["9007199254740992"], invalid: ["9007199254740993"]),
    // `contains` evaluates the items that it matches, even if no match is required.
    Case(
      schema: #"{"contains": {"type": "null"}, "minContains": 0, "unevaluatedItems": false}"#, valid: ["[null, null]", "[]"],
      invalid: ["[null, 1]"]),
    // Members inside `not` don't count as evaluated.
    Case(
      schema: #"{"not": {"not": {"properties": {"a": true}}}, "unevaluatedProperties": false}"#, valid: ["{}"],
      invalid: [#"{"a": 1}"#]),
    // Nor do members of a sibling branch.
    Case(
      schema: #"{"allOf": [{"properties": {"a": true}}, {"unevaluatedProperties": false}]}"#, valid: ["{}"],
      invalid: [#"{"a": 1}"#]),
    // A pointer may have escapes and unknown keywords.
    Case(
      schema: ##"{"$ref": "#/unknown/a~1b/~01%C3%A9", "unknown": {"a/b": {"~1é": {"type": "null"}}}}"##, valid: ["null"],
      invalid: ["1"]),
    // Recursion along the document ends.
    Case(
      schema: ##"{"properties": {"a": {"$ref": "#"}}, "additionalProperties": false}"##, valid: [#"{"a": {"a": {}}}"#],
      invalid: [#"{"a": {"b": 1}}"#]),
  ]

  @Test(arguments: cases)
  func `verdicts follow the specification`(_ test: Case) throws {
    for instance in test.valid { #expect(try PlainEvaluator.isValid(instance, by: test.schema), "\(instance)") }
    for instance in test.invalid { #expect(try !PlainEvaluator.isValid(instance, by: test.schema), "\(instance)") }
  }

  @Test(arguments: [
    (##"{"$ref": "#"}"##, PlainError.infiniteRecursion),
    (##"{"anyOf": [{"$dynamicRef": "#a"}], "$dynamicAnchor": "a"}"##, .infiniteRecursion),
    (##"{"$ref": "#/$defs/none"}"##, .unresolved("#/$defs/none")),
    (##"{"$ref": "#none"}"##, .unresolved("#none")),
    (#"{"$ref": "elsewhere.json"}"#, .unresolved("elsewhere.json")),
    (#"{"minimum": "1"}"#, .malformed("minimum")),
    (#"{"type": "float"}"#, .malformed("type")),
    (#"{"allOf": {}}"#, .malformed("allOf")),
    (#"{"multipleOf": 1e-999999999}"#, .tooCostly),
  ])
  func `a missing verdict has a reason`(_ schema: String, _ error: PlainError) {
    #expect(throws: error) { try PlainEvaluator.isValid("1", by: schema) }
  }

  /// The relevant part of RFC 3986, section 5.4: each reference, resolved against http://a/b/c/d;p?q, leads to the one schema
  /// that is false.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), (".", "http://a/b/c/"), ("..", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"), ("../../../g", "http://a/g"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
    ("urn:example:g", "urn:example:g"),
  ])
  func `references are resolved against the base URI`(_ reference: String, _ uri: String) throws {
    let schema = #"{"$id": "http://a/b/c/d;p?q", "$ref": "\#(reference)"}"#
    #expect(try !PlainEvaluator.isValid("1", by: schema, documents: [uri: "false"]))
    #expect(throws: PlainError.unresolved(reference)) {
      try PlainEvaluator.isValid("1", by: schema, documents: [uri + "x": "false"])
    }
  }
}
