import Rules
import Testing

/// Errors in rule documents have a cause and a place.
@Suite struct RuleCompileErrorTests {
  static let wrong: [(rules: String, message: String)] = [
    (#"{"tpye": "string"}"#, "there is no keyword 'tpye'; did you mean 'type'? (/tpye, line 1, column 2)"),
    (
      #"{"properties": {"a": {"patternPropertys": {}}}}"#,
      "did you mean 'patternProperties'? (/properties/a/patternPropertys, line 1, column 23)"
    ),
    (#"{"definitions": {}}"#, "'definitions' is of an older draft; it is called $defs now (/definitions, line 1, column 2)"),
    (#"{"items": [true]}"#, "a list of schemas, one for each, is called prefixItems"),
    (#"{"type": "strin"}"#, "did you mean 'string'?"),
    (#"{"minimum": "3"}"#, "expected a number, found a string (/minimum, line 1, column 13)"),
    (#"{"minLength": -1}"#, "expected a whole number that is not negative"),
    (#"{"multipleOf": 0}"#, "multipleOf must be more than 0"),
    (#"{"pattern": "("}"#, "the pattern is wrong at its byte 1"),
    (#"{"format": "dat"}"#, "there is no format 'dat'; did you mean 'date'?"),
    (#"{"formatMinimum": "now"}"#, "a format bound needs a format beside it"),
    (#"{"format": "date", "formatMinimum": "now+1D"}"#, "needs a duration behind its sign"),
    (#"{"format": "date", "formatMinimum": "2026-02-30"}"#, "'2026-02-30' is not a date"),
    (##"{"$ref": "#/$defs/a"}"##, "names '$defs', which is not there"),
    (#"{"$ref": "other.json"}"#, "which no document here bears, and nothing is fetched; --map URI=FOLDER says"),
    (##"{"$ref": "#"}"##, "this schema refers to itself"),
    (
      ##"{"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}}"##,
      "this schema refers to itself"
    ),
    (#"{"$schema": "http://json-schema.org/draft-04/schema#"}"#, "Coffer reads drafts 2020-12, 2019-09 and 7"),
    (##"{"$ref": "#/$defs/bb", "$defs": {"ab": {"$anchor": "x"}, "b": {}}}"##, "'bb', which is not there; did you mean 'ab'?"),
    (##"{"$ref": "#y", "$defs": {"a": {"$anchor": "x"}}}"##, "names an anchor that is not there"),
    (#"{"anyOf": []}"#, "at least one in it"),
    (#"{"anyOf": [{"primaryKey": "id"}]}"#, "primaryKey can't stand under anyOf"),
    (#"{"foreignKeys": [{"fields": "a"}]}"#, "a foreign key needs fields and a reference"),
    (#"{"foreignKeys": [{"fields": "a", "refrence": {}}]}"#, "there is no 'refrence' here; did you mean 'reference'?"),
    (#"{"uniqueKeys": ["a/*"]}"#, "'a/*' names many values"),
    (#"{"minimum": {"$data": "x"}}"#, "$data names a field of an object around the value"),
    (#"{"anyOf": [{"items": {"properties": {"a": {"minimum": {"$data": "3/b"}}}}}]}"#, "looks out of an anyOf"),
    (#"{"type": []}"#, "type must name at least one type"),
    (
      #"{"type": "null", "type": "string"}"#,
      "the key 'type' stands in this object already, at line 1, column 2 (/type, line 1, column 18)"
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
    (#"{"foreignKeys": [{"fields": "a/*", "at": "b", "reference": {"resource": "/b", "fields": "c"}}]}"#, "at can't stand here"),
    (#"{"maximum": 1e999999999999999999999}"#, "are not told apart"),
    (#"{"severity": "fatal"}"#, "severity is error, warning or note"),
    (#"{"properties": 3}"#, "expected an object of schemas, found a number"),
    ("3", "a schema is an object or a boolean, not a number (the root, line 1, column 1)"),
  ]

  @Test(arguments: wrong)
  func `an error in rules has a cause and a place`(_ rules: String, _ message: String) throws {
    let error = #expect(throws: RuleCompileError.self) { try Evaluation(rules, "0") }
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
    #expect(throws: RuleCompileError.self) { try Evaluation(rules, "1") }
  }
}
