import ByteStreams
import Rules
import Testing

/// Errors in rule documents have a cause and a place.
@Suite struct InvalidRulesTests {
  static let wrong: [(rules: String, message: String)] = [
    (#"{"tpye": "string"}"#, "unknown keyword 'tpye'; did you mean 'type'? (/tpye, line 1, column 2)"),
    (
      #"{"properties": {"a": {"patternPropertys": {}}}}"#,
      "did you mean 'patternProperties'? (/properties/a/patternPropertys, line 1, column 23)"
    ),
    (#"{"definitions": {}}"#, "'definitions' belongs to an older draft; use $defs, or name the draft"),
    (#"{"items": [true]}"#, "since 2020-12, use prefixItems for a list of schemas"),
    (#"{"type": "strin"}"#, "did you mean 'string'?"),
    (#"{"minimum": "3"}"#, "expected a number, found a string (/minimum, line 1, column 13)"),
    (#"{"minLength": -1}"#, "expected a non-negative integer"),
    (#"{"multipleOf": 0}"#, "multipleOf must be more than 0"),
    (#"{"pattern": "("}"#, "invalid pattern at byte 1"),
    (#"{"format": "dat"}"#, "unknown format 'dat'; did you mean 'date'?"),
    (#"{"formatMinimum": "now"}"#, "format bounds need an ordered format"),
    (#"{"format": "date", "formatMinimum": "now+1D"}"#, "needs a duration after its sign"),
    (#"{"format": "date", "formatMinimum": "2026-02-30"}"#, "'2026-02-30' is not a date"),
    (##"{"$ref": "#/$defs/a"}"##, "refers to '$defs', which doesn't exist"),
    (#"{"$ref": "http://example.org/other.json"}"#, "is not available: documents are never fetched (/$ref, line 1"),
    (#"{"$ref": "other.json"}"#, "'other.json' is relative, and the rules have no folder"),
    (##"{"$ref": "#"}"##, "this schema refers to itself"),
    (
      ##"{"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}"##,
      "this schema refers to itself"
    ),
    (#"{"$schema": "http://json-schema.org/draft-03/schema#"}"#, "Coffer reads drafts 2020-12, 2019-09, 7, 6 and 4"),
    (##"{"$ref": "#/$defs/bb", "$defs": {"ab": {"$anchor": "x"}, "b": {}}}"##, "'bb', which doesn't exist; did you mean 'ab'?"),
    (##"{"$ref": "#y", "$defs": {"a": {"$anchor": "x"}}}"##, "refers to an unknown anchor"),
    (#"{"anyOf": []}"#, "expected a non-empty list of schemas (/anyOf"),
    (#"{"anyOf": [{"primaryKey": "id"}]}"#, "primaryKey is not allowed under anyOf"),
    (#"{"if": {"sortedBy": "id"}, "then": false}"#, "sortedBy is not allowed under anyOf"),
    (#"{"uniqueKeys": [[]]}"#, "expected at least one field"),
    (#"{"primaryKey": []}"#, "expected at least one field"),
    (#"{"uniqueKeys": [{"fields": [], "when": {}}]}"#, "when needs a field (/uniqueKeys/0/when"),
    (#"{"sortedBy": ["a", "b"]}"#, "sortedBy needs a field, such as \"date\""),
    (#"{"sortedBy": {"order": "ascending"}}"#, "sortedBy needs a field, such as \"date\""),
    (#"{"sortedBy": "a/*"}"#, "'a/*' names several values"),
    (#"{"sortedBy": {"field": "a", "order": "up"}}"#, "expected ascending or descending (/sortedBy/order"),
    (#"{"sortedBy": {"field": "a", "asInstants": 1}}"#, "expected true or false"),
    (#"{"sortedBy": {"field": "a", "by": 1}}"#, "unknown member 'by'"),
    (#"{"foreignKeys": [{"fields": "a"}]}"#, "a foreign key needs fields and reference"),
    (#"{"foreignKeys": [{"fields": "a", "refrence": {}}]}"#, "unknown member 'refrence'; did you mean 'reference'?"),
    (#"{"uniqueKeys": ["a/*"]}"#, "'a/*' names several values"),
    (#"{"minimum": {"$data": "x"}}"#, "$data must name a field of an enclosing object"),
    (#"{"anyOf": [{"items": {"properties": {"a": {"minimum": {"$data": "3/b"}}}}}]}"#, "refers out of an anyOf"),
    (#"{"type": []}"#, "type must name at least one type"),
    (
      #"{"type": "null", "type": "string"}"#,
      "duplicate key 'type': first at line 1, column 2 (/type, line 1, column 18)"
    ),
    (#"{"$defs": {"a": [{"b": 1, "b": 2}]}}"#, "(/$defs/a/0/b, line 1, column 27)"),
    (
      #"{"foreignKeys": [{"fields": "a", "reference": {"resource": "2/b", "fields": "c"}}]}"#,
      "'2/b' begins at the array of the records"
    ),
    (
      #"{"foreignKeys": [{"fields": "a", "reference": {"resource": "8/b", "fields": "c"}}]}"#,
      "there is no container 8 levels above a field of these records"
    ),
    (
      #"{"foreignKeys": [{"fields": "a/*", "at": "b", "reference": {"resource": "/b", "fields": "c"}}]}"#,
      "at is not allowed here"
    ),
    (#"{"maximum": 1e999999999999999999999}"#, "the exponent is too large"),
    (#"{"severity": "fatal"}"#, "expected error, warning or note (/severity"),
    (#"{"properties": 3}"#, "expected an object of schemas, found a number"),
    ("3", "a schema must be an object or a boolean, not a number (the root, line 1, column 1)"),
  ]

  @Test(arguments: wrong)
  func `an error in rules has a cause and a place`(_ rules: String, _ message: String) throws {
    let error = #expect(throws: CofferError.self) { try Evaluation(rules, "0") }
    #expect(try #require(error).description.contains(message), "\(error?.description ?? "")")
  }

  @Test func `shared definitions do not explode`() throws {
    // 2 to the power of 60 paths lead to the last definition; equal checks are merged.
    var definitions = (0..<60).map {
      ##""d\##($0)": {"allOf": [{"$ref": "#/$defs/d\##($0 + 1)"}, {"$ref": "#/$defs/d\##($0 + 1)"}]}"##
    }
    definitions.append(#""d60": {"type": "string"}"#)
    let rules = ##"{"$ref": "#/$defs/d0", "$defs": {\##(definitions.joined(separator: ","))}}"##
    #expect(try Evaluation(rules, "1").lines == ["type "])
  }

  @Test func `branches that multiply without bound are refused`() throws {
    var definitions = (0..<60).map {
      ##""d\##($0)": {"anyOf": [{"$ref": "#/$defs/d\##($0 + 1)"}, {"$ref": "#/$defs/d\##($0 + 1)"}]}"##
    }
    definitions.append(#""d60": {"type": "string"}"#)
    let rules = ##"{"$ref": "#/$defs/d0", "$defs": {\##(definitions.joined(separator: ","))}}"##
    #expect(throws: CofferError.self) { try Evaluation(rules, "1") }
  }
}
