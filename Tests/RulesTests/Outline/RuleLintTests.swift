import ByteStreams
import Findings
import Rules
import Testing

@Suite struct RuleLintTests {
  private static func warnings(_ rules: String) throws -> [String] {
    let document = try RuleDocument(MemorySource(Array(rules.utf8)))
    return RuleLint.findings(in: document).sorted().map { "\($0.code) \($0.place.pointer): \($0.message)" }
  }

  @Test(arguments: [
    (#"{"type": "string", "minimum": 3}"#, "never-applies /minimum: minimum applies to numbers, but the type is string"),
    (#"{"type": "integer", "pattern": "a"}"#, "never-applies /pattern: pattern applies to strings, but the type is integer"),
    (
      #"{"type": ["string", "null"], "minItems": 3}"#,
      "never-applies /minItems: minItems applies to arrays, but the type is null or string"
    ),
    (#"{"type": "string", "format": "unix-time"}"#, "never-applies /format: format applies to numbers, but the type is string"),
    (#"{"type": "array", "required": ["a"]}"#, "never-applies /required: required applies to objects, but the type is array"),
    (
      #"{"properties": {"a": {"type": "string", "sumOf": {"values": "/b/*"}}, "b": {}}}"#,
      "never-applies /properties/a/sumOf: sumOf applies to numbers, but the type is string"
    ),
    (
      #"{"type": "string", "primaryKey": "id"}"#,
      "never-applies /primaryKey: primaryKey applies to arrays and objects, but the type is string"
    ),
    (#"{"type": "object", "primaryKey": "0#", "additionalProperties": {"additionalProperties": false}}"#, ""),
    (
      #"{"type": "object", "primaryKey": "idd", "patternProperties": {"^p": {"properties": {"id": true}}}}"#,
      "unknown-place /primaryKey: the rules describe no 'idd' in these records; did you mean 'id'?"
    ),
    (#"{"minLength": 5, "maxLength": 3}"#, "empty-range /minLength: no value satisfies both minLength and maxLength"),
    (#"{"minLength": 5, "maxBytes": 4}"#, "empty-range /minLength: no value satisfies both minLength and maxBytes"),
    (#"{"minimum": 5, "exclusiveMaximum": 5.0}"#, "empty-range /minimum: no value satisfies both minimum and exclusiveMaximum"),
    (#"{"minItems": 2, "maxItems": 1}"#, "empty-range /minItems: no value satisfies both minItems and maxItems"),
    (
      #"{"minProperties": 2, "maxProperties": 1}"#,
      "empty-range /minProperties: no value satisfies both minProperties and maxProperties"
    ),
    (
      #"{"contains": {}, "minContains": 2, "maxContains": 1}"#,
      "empty-range /contains: no array has at least 2 and at most 1 matching items"
    ),
    (
      #"{"format": "date", "formatMinimum": "2026-02-01", "formatMaximum": "2026-01-01"}"#,
      "empty-range /formatMinimum: no value satisfies both formatMinimum and formatMaximum"
    ),
    (#"{"enum": [1, "a", 1.0]}"#, "useless-value /enum: enum has 1.0 twice"),
    (#"{"type": "string", "enum": ["a", null]}"#, "useless-value /enum: null can't occur: the type is string"),
    (#"{"type": "integer", "const": 1.5}"#, "useless-value /const: 1.5 can't occur: the type is integer"),
    (
      #"{"properties": {"name": {}}, "required": ["nane"], "additionalProperties": false}"#,
      "contradiction /required: 'nane' is required, but additionalProperties forbids it; did you mean 'name'?"
    ),
    (#"{"properties": {"a": false}, "required": ["a"]}"#, "contradiction /required: 'a' is required, but its schema is false"),
    (
      #"{"type": "string", "anyOf": [{"type": "integer"}, {"minLength": 2}]}"#,
      "contradiction /anyOf: alternative 1 never matches: its type is integer, but the type is string"
    ),
    (
      #"{"oneOf": [{"type": "integer"}, {"type": "string", "allOf": [{"type": "null"}]}]}"#,
      "contradiction /oneOf: alternative 2 never matches\n"
        + "contradiction /oneOf/1/allOf: no value has the types of all these schemas"
    ),
    (
      #"{"allOf": [{"type": "integer"}, {"type": "string"}]}"#,
      "contradiction /allOf: no value has the types of all these schemas"
    ),
    (
      #"{"primaryKey": "idd", "items": {"properties": {"id": {}}}}"#,
      "unknown-place /primaryKey: the rules describe no 'idd' in these records; did you mean 'id'?"
    ),
    (
      #"{"primaryKey": "id", "items": {"properties": {"mileage": {}}, "additionalProperties": false}}"#,
      "unknown-place /primaryKey: the rules describe no 'id' in these records"
    ),
    (
      #"{"sortedBy": "car/yaer", "items": {"properties": {"car": {"properties": {"year": {}}}}}}"#,
      "unknown-place /sortedBy: the rules describe no 'yaer' in these records; did you mean 'year'?"
    ),
    (
      #"{"properties": {"a": {"foreignKeys": [{"fields": "b", "reference": {"resource": "/nosuch", "fields": "id"}}]}}}"#,
      "unknown-place /properties/a/foreignKeys/0: the rules describe no 'nosuch' at /nosuch"
    ),
    (
      #"{"properties": {"a": {"foreignKeys": [{"fields": "b", "reference": {"resource": "/c", "fields": "idd"}}]}, "c": {"items": {"properties": {"id": {}}}}}}"#,
      "unknown-place /properties/a/foreignKeys/0: the rules describe no 'idd' in the records of /c; did you mean 'id'?"
    ),
    (
      #"{"properties": {"count": {"countOf": "/items"}, "itemList": {}}}"#,
      "unknown-place /properties/count/countOf: the rules describe no 'items' at /items"
    ),
    (
      #"{"properties": {"start": {}, "end": {"minimum": {"$data": "1/strat"}}}}"#,
      "unknown-place /properties/end/minimum: the rules describe no 'strat' beside this value; did you mean 'start'?"
    ),
    (
      #"{"properties": {"end": {"minimum": {"$data": "/strat/x"}}, "start": {}}}"#,
      "unknown-place /properties/end/minimum: the rules describe no 'strat' at /strat/x; did you mean 'start'?"
    ),
  ]) func `rules that can't mean what they say are named`(rules: String, warning: String) throws {
    #expect(try Self.warnings(rules) == warning.split(separator: "\n").map(String.init))
  }

  @Test(arguments: [
    #"{"type": ["string", "number"], "minimum": 3, "pattern": "a"}"#,
    #"{"minimum": 3, "pattern": "a", "minItems": 2, "required": ["a"]}"#,
    #"{"type": "integer", "minimum": 3, "maximum": 3, "enum": [3, 3.5e1], "multipleOf": 2}"#,
    #"{"type": "number", "enum": [1, 1.5]}"#,
    #"{"type": "string", "format": "decimal", "formatMinimum": "1.00"}"#,
    #"{"type": "string", "format": "decimal", "sumOf": {"values": "/a/*"}}"#,
    // Rules needn't describe all fields.
    #"{"primaryKey": "id", "items": {"properties": {"mileage": {}}}}"#,
    #"{"properties": {"end": {"minimum": {"$data": "1/begin"}}}}"#,
    // Members that patterns, references or alternatives describe, and objects that are open.
    #"{"required": ["ab"], "patternProperties": {"^a": {}}, "additionalProperties": false}"#,
    #"{"required": ["x"], "properties": {"a": {}}}"#,
    #"{"primaryKey": "id", "items": {"properties": {"a": {}}, "additionalProperties": {"type": "string"}}}"#,
    #"{"primaryKey": "id", "items": {"anyOf": [{"properties": {"id": {}}}, {"properties": {"b": {}}}]}}"#,
    #"{"primaryKey": "id", "items": {"required": ["id"], "properties": {"b": {}}}}"#,
    #"{"primaryKey": "id", "items": {"type": "object"}}"#,
    ##"{"primaryKey": "id", "items": {"$ref": "#/$defs/r"}, "$defs": {"r": {"allOf": [{"properties": {"id": {}}}]}}}"##,
    #"{"primaryKey": "id", "prefixItems": [{"properties": {"x": {}}}], "items": {"properties": {"id": {}}}}"#,
    #"{"additionalProperties": {"type": "array"}, "properties": {"n": {"countOf": "/other"}}}"#,
    // One schema beside different members.
    ##"{"properties": {"a": {"properties": {"x": {}, "y": {"$ref": "#/$defs/y"}}}, "b": {"properties": {"y": {"$ref": "#/$defs/y"}, "z": {}}}}, "$defs": {"y": {"minimum": {"$data": "1/x"}}}}"##,
    // A warning about values that are valid.
    #"{"type": "null", "severity": "warning", "allOf": [{"type": "integer"}]}"#,
    // An alternative that allows other fields.
    #"{"primaryKey": "key", "items": {"anyOf": [{"properties": {"id": {}}, "additionalProperties": false}, {"type": "object"}]}}"#,
    // An alternative that narrows the type.
    #"{"type": ["string", "integer"], "anyOf": [{"type": "integer"}, {"type": "string"}]}"#,
    #"{"oneOf": [{"type": "null"}, {"$ref": "https://x.example/a.json"}]}"#,
    #"{"type": "number", "anyOf": [{"type": "integer"}, {"minimum": 5}]}"#,
  ]) func `rules that may make sense are not`(rules: String) throws {
    #expect(try Self.warnings(rules) == [])
  }

  @Test func `a schema that is used twice is named once`() throws {
    let rules =
      ##"{"properties": {"a": {"$ref": "#/$defs/d"}, "b": {"$ref": "#/$defs/d"}}, "$defs": {"d": {"type": "null", "minimum": 1}}}"##
    #expect(try Self.warnings(rules).count == 1)
  }

  @Test func `rules that refer to each other end`() throws {
    let rules =
      ##"{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}, "properties": {"name": {"$ref": "#/$defs/a"}}, "primaryKey": "nmae"}}}"##
    #expect(try Self.warnings(rules).count == 1)
  }
}
