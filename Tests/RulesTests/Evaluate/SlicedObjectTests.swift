import ByteStreams
import JSONEvents
import Rules
import Testing

/// Which objects may be evaluated in slices of their members.
@Suite struct SlicedObjectTests {
  /// Returns whether the object at `/a` may be sliced at its start.
  private func slices(_ rules: String, _ document: String = #"{"a": {"#) throws -> Bool {
    let program = try RuleDocument(MemorySource(rules.utf8)).compiled()
    var evaluator = DocumentEvaluator(
      program, options: EvaluationOptions(now: Evaluation.now, key: SipHash128.Key(low: 1, high: 2)))
    var reader = JSONEventReader(MemorySource(document.utf8))
    do {
      while try reader.next() { try evaluator.consume(reader.batch, lines: reader.lines) }
    } catch {}
    return evaluator.collection(depth: 2, recordsBefore: 0) != nil
  }

  private static let record = #""additionalProperties": {"type": "object"}"#

  @Test(arguments: [
    record, #"\#(record), "primaryKey": "id", "uniqueKeys": ["0#"], "sortedBy": "0#""#, #"\#(record), "minProperties": 3"#,
    #"\#(record), "propertyNames": {"maxLength": 3}"#, #""patternProperties": {"^u": {"required": ["x"]}}"#,
    #"\#(record), "foreignKeys": [{"fields": "up", "reference": {"resource": "/a"}}]"#,
    #""additionalProperties": {"properties": {"x": {"maximum": {"$data": "1/y"}}}}"#,
    #""additionalProperties": {"anyOf": [{"required": ["x"]}, {"required": ["y"]}], "type": "object"}"#,
  ])
  func `an object of records is sliced`(rules: String) throws {
    #expect(try slices(#"{"properties": {"a": {\#(rules)}}}"#))
  }

  @Test(arguments: [
    // A single value, as far as the rules tell.
    "", #""type": "object""#, #""properties": {"x": {"type": "object"}}"#, #""additionalProperties": {"type": "integer"}"#,
    // A member decides about the object, or is kept for other values.
    #"\#(record), "required": ["u1"]"#, #"\#(record), "dependentRequired": {"u1": ["u2"]}"#,
    #""anyOf": [{\#(record)}, {"required": ["z"]}]"#, #"\#(record), "if": {"required": ["z"]}, "then": {"maxProperties": 3}"#,
    #""patternProperties": {"^u": {"required": ["x"]}}, "unevaluatedProperties": false, "anyOf": [{"patternProperties": {"x": {}}}, {}]"#,
    #""additionalProperties": {"properties": {"x": {"const": {"$data": "2/y"}}}}"#,
    #""additionalProperties": {"properties": {"x": {"const": {"$data": "/a/u1/y"}}}}"#,
    // The object as a whole.
    #"\#(record), "const": {}"#,
  ])
  func `an object is evaluated as a whole`(rules: String) throws {
    #expect(try !slices(#"{"properties": {"a": {\#(rules)}}}"#))
  }

  @Test func `a record around the object, to which its members belong, prevents slices`() throws {
    let record = #"{"properties": {"m": {"additionalProperties": {"required": ["x"]}}}}"#
    let keys = #""foreignKeys": [{"fields": "m/*/x", "reference": {"resource": "/b", "fields": "id"}}]"#
    func slices(_ rules: String) throws -> Bool {
      try self.slices(rules, #"{"m": {"#)
    }
    #expect(try slices(record))
    #expect(try !slices(#"{"additionalProperties": \#(record), \#(keys)}"#))
  }
}
