import Findings
import Testing

/// What a report says about a value that matches none of several alternatives, or too many.
@Suite struct AlternativeMessageTests {
  private static func rules(_ alternatives: String...) -> String {
    #"{"items": {"oneOf": [\#(alternatives.joined(separator: ","))]}}"#
  }

  private static let sales = rules(
    #"{"properties": {"kind": {"enum": ["voucher"]}, "value": {"type": "integer"}, "state": {"enum": ["new", "used"]}}}"#,
    #"{"properties": {"kind": {"enum": ["gift", "present"]}, "value": {"type": "string"}}, "required": ["from"]}"#,
    #"{"type": "null"}"#)

  private static func lines(_ rules: String, _ document: String, redacts: Bool = false) throws -> [String] {
    try Evaluation(rules, document, redacts: redacts).findings.map { "\($0.code) \($0.place.pointer): \($0.message)" }
  }

  @Test(arguments: [
    (#"[{"kind": "bank"}]"#, "one-of /0/kind: expected one of 'voucher', 'gift', 'present', found 'bank'"),
    (
      #"[{"kind": "presnt"}]"#,
      "one-of /0/kind: expected one of 'voucher', 'gift', 'present', found 'presnt'; did you mean 'present'?"
    ),
    (#"[{"kind": 5}]"#, "one-of /0/kind: expected one of 'voucher', 'gift', 'present', found 5"),
    (#"[{"kind": "voucher", "value": "x"}]"#, "type /0/value: expected integer, found a string: 'x'"),
    (#"[{"kind": "voucher", "state": "old"}]"#, "enum /0/state: expected one of 'new', 'used', found 'old'"),
    (#"[{"state": "old", "kind": "voucher"}]"#, "enum /0/state: expected one of 'new', 'used', found 'old'"),
    (#"[{"kind": "present", "value": "x"}]"#, "required /0/from: the member 'from' is missing"),
  ]) func `a tag decides which alternative is meant`(document: String, line: String) throws {
    #expect(try Self.lines(Self.sales, document) == [line])
    for size in [1, 7] {
      let chunks = try Evaluation(Self.sales, document, chunkSize: size).findings.map(\.message)
      #expect(chunks == [String(line.split(separator: ": ", maxSplits: 1)[1])])
    }
  }

  @Test func `long tags and numbers are compared as they are`() throws {
    let long = String(repeating: "a", count: 150)
    let rules = Self.rules(
      #"{"properties": {"kind": {"const": "\#(long)"}, "value": {"type": "integer"}}}"#,
      #"{"properties": {"kind": {"const": "5"}, "value": {"type": "string"}}}"#)
    for size in [1, 100, 1000] {
      let found = try Evaluation(rules, #"[{"kind": "\#(long)", "value": "x"}, {"kind": 5, "value": "x"}]"#, chunkSize: size)
        .findings
      #expect(found.map { "\($0.code) \($0.place.pointer)" } == ["type /0/value", "one-of /1/kind"])
      #expect(found.last?.message.hasSuffix("', '5', found 5; did you mean '5'?") == true)
    }
  }

  @Test func `redacted messages list the tags and no value`() throws {
    #expect(
      try Self.lines(Self.sales, #"[{"kind": "bank"}]"#, redacts: true)
        == ["one-of /0/kind: expected one of 'voucher', 'gift', 'present', found another value"])
  }

  @Test func `a wrong type inside the right alternative doesn't hide it`() throws {
    let resources = ["Patient", "Account", "Group"].map { type in
      #"{"properties": {"resourceType": {"const": "\#(type)"}, "name": {"type": "array"}}, "required": ["resourceType"]}"#
    }
    let rules = #"{"oneOf": [\#(resources.joined(separator: ","))]}"#
    #expect(
      try Self.lines(rules, #"{"resourceType": "Patient", "name": {"given": "A"}}"#)
        == ["type /name: expected array, found an object"])
    #expect(
      try Self.lines(rules, #"{"resourceType": "Patent"}"#)
        == ["one-of /resourceType: expected one of 'Patient', 'Account', 'Group', found 'Patent'; did you mean 'Patient'?"])
  }

  @Test func `reasons have places`() throws {
    let rules = Self.rules(#"{"required": ["a"]}"#, #"{"required": ["b"]}"#)
    #expect(
      try Self.lines(rules, "[{}]") == [
        "one-of /0: expected a match for exactly one of 2 alternatives, found an object: (1) /a: the member 'a' is missing; "
          + "(2) /b: the member 'b' is missing"
      ])
  }

  @Test func `alternatives that match are named`() throws {
    let rules = ##"""
      {"oneOf": [{"type": "integer"}, {"$ref": "#/$defs/price"}, {"title": "Small", "maximum": 5}, {"type": "string"}],
       "$defs": {"price": {"type": "number"}}}
      """##
    #expect(
      try Self.lines(rules, "3") == [
        "one-of : expected a match for exactly one of 4 alternatives, found 3 that match: (1), (2) price, (3) Small"
      ])
  }

  @Test func `a missing member and one with a similar name are connected`() throws {
    let rules = #"{"items": {"properties": {"title": {}}, "required": ["title"], "additionalProperties": false}}"#
    let expected = [
      "required /0/title: the member 'title' is missing; 'titel' may be meant for it",
      "additional-properties /0/titel: this member is not allowed; did you mean 'title'?",
      "required /1/title: the member 'title' is missing",
    ]
    for size in [1, 5, 1000] {
      let evaluation = try Evaluation(rules, #"[{"titel": {"a": [1]}}, {}]"#, chunkSize: size)
      #expect(evaluation.findings.map { "\($0.code) \($0.place.pointer): \($0.message)" } == expected)
    }
  }

  @Test(arguments: [
    (#"{"minimum": {"$data": "1/least"}}"#, #"{"least": 5, "v": 3}"#, "expected at least least, which is 5, found 3"),
    (#"{"minimum": {"$data": "1/least"}}"#, #"{"v": 3, "least": 5}"#, "expected at least least, which is 5, found 3"),
    (#"{"const": {"$data": "1/least"}}"#, #"{"least": "x", "v": 3}"#, "expected least, which is 'x', found 3"),
    (#"{"const": {"$data": "/least"}}"#, #"{"v": 3, "least": true}"#, "expected /least, which is true, found 3"),
    (
      #"{"format": "date", "formatMaximum": {"$data": "1/least", "plus": "P1D"}}"#,
      #"{"least": "2026-01-02", "v": "2026-02-01"}"#,
      "expected no later than least plus P1D, which is 2026-01-03T00:00:00Z, found '2026-02-01'"
    ),
  ]) func `a bound elsewhere in the document is named with its value`(rule: String, document: String, message: String) throws {
    for size in [1, 1000] {
      let evaluation = try Evaluation(#"{"properties": {"v": \#(rule)}}"#, document, chunkSize: size)
      #expect(evaluation.findings.map(\.message) == [message])
    }
    let redacted = try Evaluation(#"{"properties": {"v": \#(rule)}}"#, document, redacts: true)
    #expect(redacted.findings.first?.message.contains("which is") == false)
  }
}
