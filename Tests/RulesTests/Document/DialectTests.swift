import ByteStreams
import Rules
import SystemPackage
import TestSupport
import Testing

/// The meaning of a rule document's keywords depends on its `$schema`.
@Suite struct DialectTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rules: String
    let valid: [String]
    let invalid: [String]

    var testDescription: String { rules }
  }

  private static func draft7(_ keywords: String) -> String {
    #"{"$schema": "http://json-schema.org/draft-07/schema#", \#(keywords)}"#
  }

  private static func draft2019(_ keywords: String) -> String {
    #"{"$schema": "https://json-schema.org/draft/2019-09/schema", \#(keywords)}"#
  }

  private static func draft4(_ keywords: String) -> String {
    #"{"$schema": "http://json-schema.org/draft-04/schema#", \#(keywords)}"#
  }

  private static func draft6(_ keywords: String) -> String {
    #"{"$schema": "http://json-schema.org/draft-06/schema#", \#(keywords)}"#
  }

  static let cases = [
    Case(
      rules: draft4(#""minimum": 1, "exclusiveMinimum": true, "maximum": 3, "exclusiveMaximum": false"#), valid: ["2", "3"],
      invalid: ["1", "4"]),
    Case(
      rules: draft4(
        ##""id": "http://example.org/a", "$ref": "#/definitions/n", "definitions": {"n": {"id": "b", "type": "null"}}"##),
      valid: ["null"], invalid: ["1"]),
    // Not known in these drafts, so ignored.
    Case(
      rules: draft4(#""const": 1, "contains": {}, "propertyNames": false, "if": true, "then": false, "$id": "b""#),
      valid: ["2", "[]", #"{"a": 1}"#], invalid: []),
    Case(
      rules: draft6(#""const": 1, "exclusiveMinimum": 0, "if": true, "then": false"#), valid: ["1"], invalid: ["0", "2"]),
    Case(
      rules: draft6(#""contains": {"const": 1}, "propertyNames": {"maxLength": 1}"#), valid: ["[1]"],
      invalid: ["[]", #"{"ab": 1}"#]),
    Case(
      rules: draft7(
        ##""items": [{"type": "string"}, {"$ref": "#/definitions/n"}], "additionalItems": false, "definitions": {"n": {"minimum": 3}}"##
      ),
      valid: ["[]", #"["a", 3]"#], invalid: ["[1]", #"["a", 2]"#, #"["a", 3, 4]"#]),
    // Keywords next to $ref are ignored, and $id may be an anchor.
    Case(
      rules: draft7(
        ##""properties": {"a": {"$ref": "#n", "type": "null"}}, "definitions": {"n": {"$id": "#n", "type": "integer"}}"##),
      valid: [#"{"a": 1}"#], invalid: [#"{"a": null}"#]),
    Case(
      rules: draft7(#""dependencies": {"a": ["b"], "c": {"minProperties": 2}}"#),
      valid: [#"{"a": 1, "b": 2}"#, #"{"c": 1, "d": 2}"#],
      invalid: [#"{"a": 1}"#, #"{"c": 1}"#]),
    // Not known in this draft, so ignored.
    Case(
      rules: draft7(
        #""unevaluatedProperties": false, "prefixItems": [false], "minContains": 2, "contains": true, "dependentRequired": {"a": ["b"]}"#
      ),
      valid: [#"{"a": 1}"#, "[1]"], invalid: ["[]"]),
    Case(
      rules: draft2019(#""items": [true], "unevaluatedItems": false, "contains": {"const": 2}"#), valid: ["[2]"],
      invalid: ["[1, 2]", "[1]"]),
    Case(
      rules: draft2019(#""dependentRequired": {"a": ["b"]}, "$defs": {"x": {"$anchor": "y"}}, "prefixItems": [false]"#),
      valid: [#"{"a": 1, "b": 2}"#, "[1]"], invalid: [#"{"a": 1}"#]),
    // The tree is extended: its items are instances of the schema that refers to it recursively.
    Case(
      rules: draft2019(
        #"""
        "$id": "http://example.org/strict", "$recursiveAnchor": true, "$ref": "http://example.org/tree", "unevaluatedProperties": false,
        "$defs": {"tree": {"$id": "http://example.org/tree", "$recursiveAnchor": true,
          "properties": {"value": true, "nodes": {"items": {"$recursiveRef": "#"}}}}}
        """#),
      valid: [#"{"nodes": [{"value": 1}]}"#], invalid: [#"{"nodes": [{"valu": 1}]}"#, #"{"node": []}"#]),
  ]

  @Test(arguments: cases) func `keywords of older drafts keep their meaning`(_ test: Case) throws {
    for document in test.valid { #expect(try Evaluation(test.rules, document).isValid, "\(document)") }
    for document in test.invalid { #expect(try !Evaluation(test.rules, document).isValid, "\(document)") }
  }

  @Test func `a custom meta-schema decides which vocabularies apply`() throws {
    let folder = try TemporaryFolder()
    let meta = #"""
      {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "http://example.org/meta",
       "$vocabulary": {"https://json-schema.org/draft/2020-12/vocab/core": true,
         "https://json-schema.org/draft/2020-12/vocab/applicator": true, "http://example.org/vocab/mine": %}}
      """#
    let rules = #"{"$schema": "http://example.org/meta", "properties": {"a": false, "b": {"type": "string"}}}"#
    let folders = [RuleDocument.Folder(uri: "http://example.org", path: folder.path)]
    try folder.write(meta.replacing("%", with: "false"), to: "meta")
    #expect(try Evaluation(rules, #"{"b": 1}"#, folders: folders).isValid)
    #expect(try !Evaluation(rules, #"{"a": 1}"#, folders: folders).isValid)
    try folder.write(meta.replacing("%", with: "true"), to: "meta")
    let error = #expect(throws: CofferError.self) { try Evaluation(rules, "{}", folders: folders) }
    #expect(error?.message == "unknown required vocabulary 'http://example.org/vocab/mine'")
  }

  @Test(arguments: ["http://json-schema.org/draft-03/schema#", "http://json-schema.org/schema#", "urn:coffer:rules:2"])
  func `unsupported dialects are refused by name`(_ name: String) throws {
    let error = #expect(throws: CofferError.self) { try Evaluation(#"{"$schema": "\#(name)"}"#, "{}") }
    #expect(error?.message.hasPrefix("unknown $schema '\(name)'; Coffer reads drafts 2020-12, 2019-09, 7, 6 and 4") == true)
  }

  @Test(arguments: [
    (draft4(#""required": true"#), "since draft 4, required is a list of names, in the schema of the object"),
    (draft4(#""exclusiveMinimum": 3"#), "in draft 4, exclusiveMinimum must be true or false, beside minimum"),
    (draft4(#""not": true"#), "in draft 4, only additionalProperties and additionalItems may be true or false"),
    (draft6(#""exclusiveMinimum": true"#), "since draft 6, exclusiveMinimum is itself the bound"),
    (
      #"{"definitions": {}}"#,
      "'definitions' belongs to an older draft; use $defs, or name the draft, such as \"$schema\": \"http://json-schema.org/draft-07/schema#\""
    ),
    (
      ##"{"$recursiveRef": "#"}"##,
      "'$recursiveRef' belongs to an older draft; use $dynamicRef with a name, or name the draft, such as \"$schema\": \"https://json-schema.org/draft/2019-09/schema\""
    ),
    (#"{"exclusiveMaximum": true}"#, "for draft 4, add \"$schema\": \"http://json-schema.org/draft-04/schema#\""),
    (
      #"{"nullable": true}"#,
      "unknown keyword 'nullable'; if this schema is for other validators, name its draft, such as \"$schema\": \"https://json-schema.org/draft/2020-12/schema\""
    ),
  ]) func `mistakes about drafts are explained`(_ rules: String, _ message: String) throws {
    let error = #expect(throws: CofferError.self) { try Evaluation(rules, "{}") }
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }
}
