import ByteStreams
import Findings
import Rules
import Testing

/// References to documents that are not available, and endless ones, make rules unusable only for documents that reach them.
@Suite struct UnusableSchemaTests {
  private static let gone = #"{"$ref": "https://example.org/gone.json"}"#
  private static let loop = ##"{"$ref": "#/$defs/loop"}"##

  /// Rules with a reference in place of `REF`; a document that doesn't reach it, and one that does.
  static let places: [(rules: String, unreached: String, reached: String)] = [
    (#"{"properties": {"a": REF}}"#, #"{"b": 1}"#, #"{"b": 1, "a": null}"#),
    (#"{"items": {"additionalProperties": REF}}"#, "[{}, 1]", #"[{}, {"x": true}]"#),
    (#"{"prefixItems": [true, REF]}"#, "[1]", "[1, 2]"),
    (#"{"patternProperties": {"^x": REF}}"#, #"{"a": "x"}"#, #"{"xa": "x"}"#),
    (#"{"propertyNames": REF}"#, "{}", #"{"a": 1}"#),
    (#"{"properties": {"a": true}, "unevaluatedProperties": REF}"#, #"{"a": 1}"#, #"{"a": 1, "b": {}}"#),
    (#"{"unevaluatedItems": REF}"#, "[]", "[[]]"),
    (#"{"contains": REF, "minContains": 0}"#, "[]", "[false]"),
    (#"{"dependentSchemas": {"a": {"properties": {"b": REF}}}}"#, #"{"a": 1}"#, #"{"a": 1, "b": 1.5}"#),
    (#"{"properties": {"a": {"allOf": [{"type": "string"}, REF]}}}"#, "{}", #"{"a": {"b": 1}}"#),
    (#"{"properties": {"a": {"anyOf": [{"type": "string"}, REF]}}}"#, "{}", #"{"a": "x"}"#),
    (#"{"properties": {"a": {"oneOf": [{"type": "string"}, REF]}}}"#, "{}", #"{"a": ["x"]}"#),
    (#"{"properties": {"a": {"not": REF}}}"#, "{}", #"{"a": 1}"#),
    (#"{"properties": {"a": {"if": REF, "then": true}}}"#, "{}", #"{"a": 1}"#),
    (#"{"properties": {"a": {"enum": [1], "type": "integer", "allOf": [REF]}}}"#, "{}", #"{"a": "wrong, too"}"#),
    // A constant that differs has excluded the alternative before.
    (
      #"{"anyOf": [{"properties": {"kind": {"const": "a"}, "v": REF}}, true]}"#, #"{"kind": "b", "v": 1}"#,
      #"{"v": 1, "kind": "b"}"#
    ),
    (
      #"{"if": {"properties": {"kind": {"const": "a"}}}, "then": {"properties": {"v": REF}}}"#, #"{"kind": "b", "v": 1}"#,
      #"{"kind": "a", "v": 1}"#
    ),
    // Keys and references of records.
    (#"{"properties": {"a": {"uniqueKeys": [{"fields": "id", "when": REF}]}}}"#, #"{"a": []}"#, #"{"a": [{"id": 1}]}"#),
  ]

  @Test(arguments: places)
  func `only a document that reaches an unusable schema gets no verdict`(
    _ rules: String, _ unreached: String, _ reached: String
  ) throws {
    for (reference, code, message, place) in [
      (
        Self.gone, CofferError.Code.unresolvedReference,
        "'https://example.org/gone.json' is not available: documents are never fetched", "/$ref"
      ),
      (
        Self.loop, .endlessReference, "this schema refers to itself without descending into a member or an item", "/$defs/loop"
      ),
    ] {
      let loop = ##", "$defs": {"loop": {"allOf": [{"$ref": "#/$defs/loop"}]}}}"##
      let text = rules.replacing("REF", with: reference).dropLast() + loop
      let evaluation = try Evaluation(String(text), unreached)
      #expect(evaluation.lines == [])
      let error = try #require(throws: CofferError.self) { try Evaluation(String(text), reached) }
      #expect(error.code == code)
      #expect(error.message.hasPrefix("the rules can't judge this value: \(message) (/"), "\(error.message)")
      #expect(error.message.hasSuffix("\(place), line 1 of the rules)"), "\(error.message)")
      #expect(error.place.position != nil)
    }
  }

  static let dialects = [
    "urn:coffer:rules:1", "https://json-schema.org/draft/2020-12/schema", "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
  ]

  @Test(arguments: dialects) func `unreached definitions only warn, in each dialect`(_ dialect: String) throws {
    let names = dialect.hasSuffix("#") ? "definitions" : "$defs"
    let rules = ##"""
      {"$schema": "\##(dialect)", "type": "object",
       "\##(names)": {
         "b": {"$ref": "urn:gone:b#/x"},
         "c": {"anyOf": [{"$ref": "#/\##(names)/d"}]},
         "d": {"not": {"allOf": [{"type": "null"}, {"$ref": "#/\##(names)/c"}]}},
         "a": {"$ref": "other.json"}}}
      """##
    let document = try RuleDocument(MemorySource(rules.utf8))
    #expect(
      document.warnings.map { "\($0.severity) \($0.code) \($0.place.line):\($0.place.column) \($0.place.pointer): \($0.message)" }
        == [
          "warning unresolved-reference 3:18 /\(names)/b/$ref: 'urn:gone:b#/x' is not available: documents are never fetched",
          "warning endless-reference 4:9 /\(names)/c: this schema refers to itself without descending into a member or an item",
          "warning unresolved-reference 6:18 /\(names)/a/$ref: 'other.json' is relative, and the rules have no folder, because they "
            + "are read from a stream",
        ])
    #expect(try Evaluation(try document.compiled(), "{}").lines == [])
    #expect(try Evaluation(try document.compiled(), "[]").lines == ["type "])
  }

  /// The schema is a loop only for a compiler that looks at both: they descend, or end.
  @Test(arguments: [
    ##"{"properties": {"a": {"$ref": "#"}}}"##, ##"{"items": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}"##,
    ##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": {"type": "string"}}, "$ref": "#/$defs/a"}"##,
    ##"{"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"type": "null"}}}}"##,
    ##"{"if": {"$ref": "#"}}"##,
  ])
  func `a schema that descends is no loop`(_ rules: String) throws {
    #expect(try RuleDocument(MemorySource(rules.utf8)).warnings.map(\.message) == [])
  }

  /// All mistakes, in document order, and the number of all.
  @Test func `reading goes on after an error`() throws {
    let rules = ##"""
      {"properties": {"a": {"pattern": "(", "minimum": "1"}, "b": {"$ref": "#/$defs/x"}, "c": 3},
       "patternProperties": {"[": {"tpye": 1}, "a": {"type": "strin"}},
       "foreignKeys": [{"fields": 1}, {"reference": 2}], "severity": "fatal", "anyOf": []}
      """##
    let error = try #require(throws: CofferError.self) { try RuleDocument(MemorySource(rules.utf8)) }
    #expect(error.message.hasPrefix("invalid pattern at byte 1"))
    #expect(error.furtherCount == 10)
    let document = try RuleDocument(checking: JSONValue.readRules(MemorySource(rules.utf8)))
    #expect(
      document.errors.map { "\($0.place.position?.line ?? 0) \($0.place.pointer ?? "")" } == [
        "1 /properties/a/pattern", "1 /properties/a/minimum", "1 /properties/b/$ref", "1 /properties/c",
        "2 /patternProperties/[", "2 /patternProperties/[/tpye", "2 /patternProperties/a/type",
        "3 /foreignKeys/0", "3 /foreignKeys/1", "3 /severity", "3 /anyOf",
      ])
    #expect(document.errorCount == 11)
  }

  @Test func `many errors are counted, and the first ones kept`() throws {
    let members = (0..<5000).map { #""m\#($0)": {"tpye": 1}"# }.joined(separator: ",")
    let document = try RuleDocument(checking: JSONValue.readRules(MemorySource("{\"properties\": {\(members)}}".utf8)))
    #expect(document.errorCount == 5000)
    #expect(document.errors.map(\.place.pointer) == (0..<1000).map { "/properties/m\($0)/tpye" })
  }
}
