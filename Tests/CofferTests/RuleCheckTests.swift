import Coffer
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Errors in a rule document are findings with their places.
@Suite struct RuleCheckTests {
  static let wrong: [(rules: String, findings: [String])] = [
    ("3", ["type : a schema must be an object or a boolean"]),
    (#"{"tpye": "string"}"#, ["unevaluated-properties /tpye: this member is not allowed; did you mean 'type'?"]),
    (
      #"{"properties": {"a": {"patternPropertys": {}}, "b": {"primarykey": "id"}}}"#,
      [
        "unevaluated-properties /properties/a/patternPropertys: this member is not allowed; did you mean 'patternProperties'?",
        "unevaluated-properties /properties/b/primarykey: this member is not allowed; did you mean 'primaryKey'?",
      ]
    ),
    (#"{"not": {"items": {"minimun": 3}}}"#, ["unevaluated-properties /not/items/minimun: …; did you mean 'minimum'?"]),
    (
      #"{"definitions": {}}"#,
      ["older-draft /definitions: 'definitions' belongs to an older draft; use $defs, or name the draft in $schema"]
    ),
    (#"{"dependencies": {}}"#, ["older-draft /dependencies: …"]),
    (#"{"additionalItems": false}"#, ["older-draft /additionalItems: …"]),
    (
      ##"{"$recursiveRef": "#", "$recursiveAnchor": true}"##,
      ["older-draft /$recursiveRef: …", "older-draft /$recursiveAnchor: …"]
    ),
    (#"{"id": "x"}"#, ["older-draft /id: 'id' belongs to an older draft; use $id, or name the draft in $schema"]),
    (#"{"properties": 3}"#, ["type /properties: expected object, found a number: 3"]),
    (#"{"properties": {"a": 3}}"#, ["type /properties/a: a schema must be an object or a boolean"]),
    (#"{"items": [true]}"#, ["type /items: a schema must be an object or a boolean"]),
    (#"{"type": "strin"}"#, ["enum /type: …; did you mean 'string'?"]),
    (#"{"type": ["string", "strin"]}"#, ["enum /type/1: …; did you mean 'string'?"]),
    (#"{"minimum": "3"}"#, ["type /minimum: the bound must be a number or {\"$data\": …}"]),
    (#"{"minimum": {"$data": "x"}}"#, ["pattern /minimum/$data: …"]),
    (#"{"minimum": {"$data": "/a/*"}}"#, ["pattern /minimum/$data: …"]),
    (
      #"{"maximum": {"$dat": "1/x"}}"#,
      ["required /maximum/$data: …", "additional-properties /maximum/$dat: …; did you mean '$data'?"]
    ),
    (#"{"minimum": {"$data": "1/x", "plus": "1D"}}"#, ["pattern /minimum/plus: plus and minus must be durations such as P1D"]),
    (#"{"const": {"$data": 3}}"#, ["type /const/$data: …"]),
    (#"{"enum": 3}"#, ["type /enum: enum must be a list of values or {\"$data\": …}"]),
    (#"{"minLength": -1}"#, ["minimum /minLength: expected at least 0, found -1"]),
    (#"{"pattern": "("}"#, ["format /pattern: expected an ECMA-262 regular expression, found '('"]),
    (#"{"format": "dat"}"#, ["enum /format: …; did you mean 'date'?"]),
    (#"{"format": "date", "formatMinimum": "now+1D"}"#, ["pattern /formatMinimum: …"]),
    (#"{"severity": "fatal"}"#, ["enum /severity: expected one of 'error', 'warning', 'note', found 'fatal'"]),
    (#"{"code": ""}"#, ["min-length /code: …"]),
    (#"{"required": ["a", "a"]}"#, ["unique-items /required/1: duplicate item: an earlier item is equal"]),
    (#"{"primaryKey": 3}"#, ["type /primaryKey: …"]),
    (#"{"uniqueKeys": ["a/*"]}"#, ["pattern /uniqueKeys/0: …"]),
    (
      #"{"foreignKeys": [{"fields": "a", "refrence": {}}]}"#,
      ["required /foreignKeys/0/reference: …", "additional-properties /foreignKeys/0/refrence: …; did you mean 'reference'?"]
    ),
    (
      #"{"foreignKeys": [{"fields": "a", "reference": [{"resource": "cars", "fields": "id", "where": 3, "ifEmpty": "fatal"}]}]}"#,
      [
        "pattern /foreignKeys/0/reference/0/resource: …", "type /foreignKeys/0/reference/0/where: …",
        "enum /foreignKeys/0/reference/0/ifEmpty: …",
      ]
    ),
    (#"{"countOf": "/cars/*"}"#, ["pattern /countOf: …"]),
    (
      #"{"sumOf": {"value": "/a"}}"#,
      ["required /sumOf/values: …", "additional-properties /sumOf/value: …; did you mean 'values'?"]
    ),
    (#"{"sortedBy": 3}"#, ["type /sortedBy: …"]),
    (
      #"{"sortedBy": {"order": "up"}}"#,
      ["required /sortedBy/field: …", "enum /sortedBy/order: expected one of 'ascending', 'descending', found 'up'"]
    ),
    (#"{"since": "4"}"#, ["type /since: …"]),
    (#"{"properties": {"a": {"backup": {"name": "x"}}}}"#, ["unevaluated-properties /properties/a/backup: …"]),
    (#"{"backup": {"nam": "x"}}"#, ["required /backup/name: …", "additional-properties /backup/nam: …; did you mean 'name'?"]),
    (
      #"{"backup": {"name": "x", "version": {"pointer": "v", "current": 3, "oldest": 4}}}"#,
      ["pattern /backup/version/pointer: …", "maximum /backup/version/oldest: expected at most current, which is 3, found 4"]
    ),
    (
      #"{"backup": {"name": "x", "detect": {"any": ["/a", "b", {"at": "/x"}, {"al": []}]}}}"#,
      [
        "pattern /backup/detect/any/1: …", "dependent-required /backup/detect/any/2/every: …",
        "any-of /backup/detect/any/3: expected a JSON Pointer, all, any, not, container, or at with every",
        "additional-properties /backup/detect/any/3/al: …; did you mean 'all'?",
      ]
    ),
    (
      #"{"backup": {"name": "x", "fileName": {"pattern": "(", "template": "{month}-{year}.json"}}}"#,
      ["format /backup/fileName/pattern: …", "pattern /backup/fileName/template: a template needs {year}, {month} and {day}, …"]
    ),
    (#"{"backup": {"name": "x", "fileName": "x.json"}}"#, ["type /backup/fileName: …"]),
    (
      #"{"backup": {"name": "x", "retention": [{"keeps": "newest"}, {"keeps": "all", "count": 5}, {"keeps": "newest", "days": 0}]}}"#,
      [
        "any-of /backup/retention/0: retention must keep \"all\", or the \"newest\" with a count, days or both",
        "properties /backup/retention/1/count: retention that keeps \"all\" can't have count or days",
        "exclusive-minimum /backup/retention/2/days: …",
      ]
    ),
    // Errors that only compiling detects.
    (##"{"$ref": "#/$defs/a"}"##, ["rule /$ref: '#/$defs/a' refers to '$defs', which doesn't exist"]),
    (#"{"format": "date", "formatMinimum": "2026-02-30"}"#, ["rule /formatMinimum: …"]),
    (#"{"anyOf": [{"primaryKey": "id"}]}"#, ["rule /anyOf/0/primaryKey: …"]),
    (#"{"$schema": "urn:x"}"#, ["unresolved-reference /$schema: unknown $schema 'urn:x'; …"]),
    // Checked by the meta-schema that they name.
    (
      ##"{"$schema": "http://json-schema.org/draft-04/schema#", "$ref": "#/definitions/a<b>", "definitions": {"a<b>": 3}}"##,
      ["type /definitions/a<b>: …"]
    ),
    (
      #"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": 3, "tpye": 4}"#,
      ["type /properties: …", "ignored-keyword /tpye: …"]
    ),
    (
      #"{"$schema": "https://json-schema.org/draft/2020-12/schema", "minimum": "3", "tpye": 4}"#,
      ["type /minimum: …", "ignored-keyword /tpye: …"]
    ),
    (
      #"{"$schema": "https://json-schema.org/draft/2019-09/schema", "minimum": "3", "tpye": 4}"#,
      ["type /minimum: …", "ignored-keyword /tpye: …"]
    ),
  ]

  @Test(arguments: wrong)
  func `each mistake in rules gives its findings`(_ rules: String, _ expected: [String]) throws {
    let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json")
    let found = check.report.findings.map { "\($0.code) \($0.place.pointer): \($0.message)" }
    #expect(found.count == expected.count, "\(found)")
    for (found, expected) in zip(found, expected) {
      // Other tests check the text in place of the ellipsis.
      let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
      #expect(
        expected.hasSuffix("{\"$data\": …}")
          ? found == expected : found.hasPrefix(parts[0]) && found.hasSuffix(parts[parts.count - 1]), "\(found)")
    }
    let isRefused = Self.isRefused(rules)
    let isIgnored = expected.count { $0.hasPrefix("ignored-") }
    #expect(check.report.counts.count(.error) == (isRefused ? expected.count - isIgnored : 0))
    #expect(check.isUsable == !isRefused)
  }

  /// Returns whether a validation refuses rules.
  private static func isRefused(_ rules: String) -> Bool {
    do {
      let document = try RuleDocument(MemorySource(rules.utf8))
      _ = try document.compiled()
      if document.describesFormat { _ = try BackupFormat(document) }
      return false
    } catch {
      return true
    }
  }

  private static func standard(_ draft: String, _ keywords: String) -> String {
    #"{"$schema": "http://json-schema.org/draft-\#(draft)/schema#", \#(keywords)}"#
  }

  /// Rules that the meta-schema of their draft refuses, but validation applies or ignores; and some that validation refuses.
  static let questionable: [String] = [
    standard("07", ##""$ref": "#/definitions/a<b", "definitions": {"a<b": {}}"##), standard("07", #""title": 3"#),
    standard("07", #""required": ["a", "a"]"#), standard("07", #""enum": []"#), standard("04", #""enum": [1, 1]"#),
    standard("07", #""$id": "a b""#), standard("07", #""$id": "http://[""#), standard("07", #""examples": 3"#),
    standard("07", #""definitions": {"a": {"title": 3}}"#), standard("07", #""definitions": {"a": 3}"#),
    standard("07", ##""$ref": "#", "minLength": "x""##), standard("07", ##""items": {"$ref": "#", "minLength": "x"}"##),
    standard("04", #""required": []"#), standard("04", #""dependencies": {"a": []}"#), standard("04", #""const": 1"#),
    standard("07", #""pattern": "(""#), standard("07", #""patternProperties": {"(": {}}"#), standard("06", #""pattern": "[""#),
    standard("07", #""default": {"$ref": 3}"#), standard("07", #""multipleOf": 0"#), standard("07", #""format": 3"#),
    standard("07", #""format": "datetime""#), standard("07", #""$comment": 3"#), standard("07", #""readOnly": "x""#),
    standard("07", #""anyOf": []"#), standard("07", #""type": ["string", "string"]"#), standard("07", #""type": []"#),
    standard("07", #""primaryKey": 3"#), standard("07", #""propertyNames": {"minLength": -1}"#),
    standard("07", #""maxLength": 1.5"#),
    standard("07", #""unevaluatedProperties": 3"#), standard("07", #""contentEncoding": 3"#), standard("07", #""if": 3"#),
    standard("07", ##""properties": {"$ref": {"type": "null"}}"##), standard("07", ##""$ref": "#/nope""##),
    #"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$anchor": "1 2"}"#,
    ##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "#a"}"##,
    #"{"$schema": "https://json-schema.org/draft/2020-12/schema", "items": [{}]}"#,
    #"{"$schema": "https://json-schema.org/draft/2020-12/schema", "deprecated": 1, "$vocabulary": 3}"#,
    #"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": "x"}"#,
    #"{"title": 3}"#, #"{"examples": 3, "default": {}}"#, #"{"backup": {"version": {"pointer": "/v"}}}"#, #"{"$comment": 3}"#,
    #"{"properties": {"a": {"deprecated": "x"}}}"#, "true", "[]", #"{"$schema": 3}"#, #"{"$id": 3}"#, #"{"required": "a"}"#,
  ]

  /// By construction: errors are those of compiling. Otherwise a green check is followed by a refusal, or a red one by nothing.
  @Test(arguments: questionable + wrong.map(\.rules))
  func `a check has errors exactly if a validation refuses the rules`(_ rules: String) {
    let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json")
    let isRefused = Self.isRefused(rules)
    #expect((check.report.counts.count(.error) > 0) == isRefused, "\(check.report.findings.map(\.message))")
    #expect(check.report.isValid == !isRefused)
    #expect(check.isUsable == !isRefused)
  }

  /// 292 definitions of Vega-Lite's schema have such names, which their references don't escape.
  @Test func `a reference with characters that no URI has is no finding`() {
    let rules = Self.standard("07", ##""$ref": "#/definitions/Map<string>", "definitions": {"Map<string>": {"type": "null"}}"##)
    #expect(RuleCheck(MemorySource(rules.utf8), named: "").report.findings == [])
  }

  @Test func `findings beyond the limit are counted`() {
    let properties = (0..<50).map { #""p\#($0)": {"tpye": 1, "title": 3}"# }
    let rules = Self.standard("07", #""properties": {\#(properties.joined(separator: ","))}"#)
    let check = RuleCheck(MemorySource(rules.utf8), named: "", maximumFindings: 7)
    #expect(check.report.findings.count == 7)
    #expect(check.report.counts.byCode == ["ignored-keyword": 50, "type": 50])
  }

  @Test func `findings have their line and column`() throws {
    let rules =
      "{\n  \"properties\": {\n    \"id\": {\"tpye\": \"integer\"},\n    \"at\": {\n      \"format\": \"dat\"}},\n  \"$ref\": \"#/x\"}"
    let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json")
    #expect(
      check.report.findings.map { "\($0.place.line):\($0.place.column) \($0.place.pointer)" } == [
        "3:12 /properties/id/tpye", "5:17 /properties/at/format", "6:11 /$ref",
      ])
  }

  @Test(arguments: [
    "Sources/BackupFormats/Formats/ev-charging-tracker.json",
    "Sources/BackupFormats/Formats/ev-charging-tracker-specification.json",
    "Sources/Rules/MetaSchemas/coffer-rules-1.json", "Sources/Rules/MetaSchemas/draft2020-12.json",
    "Sources/Rules/MetaSchemas/draft2020-12-applicator.json", "Sources/Rules/MetaSchemas/draft2019-09.json",
    "Sources/Rules/MetaSchemas/draft-07.json",
  ])
  func `the built-in rule documents are valid`(_ path: String) throws {
    let check = RuleCheck(try FileSource(path: FilePath(Checkout.folder.appending(path: path).path())), named: path)
    #expect(check.report.error == nil)
    #expect(check.report.findings.map { "\($0.place.pointer): \($0.message)" } == [])
    #expect(check.isUsable)
  }

  @Test(arguments: [
    "true",
    #"{"$comment": "", "title": "", "description": "", "default": 1, "examples": [], "deprecated": true, "readOnly": true, "writeOnly": true}"#,
    ##"{"$schema": "urn:coffer:rules:1", "$id": "urn:a", "$anchor": "b", "$defs": {"c": {"$dynamicAnchor": "d"}}, "$dynamicRef": "#d"}"##,
    #"{"type": ["string", "null"], "contentEncoding": "base64", "contentMediaType": "a/b", "contentSchema": {}, "pattern": "^a$"}"#,
    #"{"prefixItems": [{}], "items": {}, "contains": {}, "minContains": 0, "maxContains": 2, "uniqueItems": true, "minItems": 1}"#,
    #"{"maxItems": 3, "unevaluatedItems": {}, "minLength": 1, "maxLength": 2, "multipleOf": 0.5, "const": {"a": 1}, "enum": [{}]}"#,
    #"{"properties": {"a": {"minimum": {"$data": "1/b", "$comment": ""}, "exclusiveMaximum": {"$data": "/c/d"}, "maximum": 1e400}}}"#,
    #"{"properties": {"a": {"const": {"$data": "1/b"}}, "b": {"enum": {"$data": "/a~1b"}}, "c": {"exclusiveMinimum": 1}}}"#,
    #"{"properties": {"a": {"format": "date-time", "formatMinimum": "now-P10Y", "formatExclusiveMaximum": {"$data": "1/b", "plus": "P1D"}}}}"#,
    #"{"format": "decimal", "formatExclusiveMinimum": "0", "formatMaximum": "10.5"}"#,
    #"{"patternProperties": {"^a": {}}, "additionalProperties": false, "propertyNames": {"maxLength": 9}, "minProperties": 1}"#,
    #"{"maxProperties": 9, "required": ["a"], "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"a": {}}}"#,
    #"{"allOf": [{}], "anyOf": [{}], "oneOf": [{}], "not": false, "if": {}, "then": {}, "else": {}, "unevaluatedProperties": true}"#,
    #"{"properties": {"a": {"primaryKey": ["a", "b"], "uniqueKeys": ["c", ["d", "e"], {"fields": "f", "ignoreCase": true, "code": "g"}]}}}"#,
    ##"""
    {"properties": {"a": {"foreignKeys": [
      {"fields": "b", "reference": [{"resource": "/c/*/d", "fields": "id", "where": {}, "ifEmpty": "warning"}, {"resource": "/e", "fields": "f"}],
       "when": {"required": ["b"]}, "at": "g", "severity": "note", "code": "h", "errorMessage": "i", "$comment": "j"}]}}}
    """##,
    #"{"properties": {"n": {"countOf": "/a", "severity": "warning", "code": "n", "errorMessage": "m", "since": 3}}}"#,
    ##"""
    {"backup": {"name": "a", "version": {"pointer": "/v", "current": 2, "oldest": 1}, "detect": {"all": ["/a", {"not": {"any": []}}, {"at": "/b/*", "every": "^c"}]},
      "createdAt": "/at", "app": "/app", "device": "/device", "dialects": [{"name": "old", "detect": "/a"}], "migrations": [], "collections": {}, "fileName": {"pattern": "^a-", "template": "a-{year}-{month}-{day}_{hour}.json", "holds": "local time"},
      "retention": [{"of": "x", "keeps": "newest", "count": 5, "days": 30, "by": "y"}, {"keeps": "all"}], "import": {}, "$comment": ""}}
    """##,
  ])
  func `no keyword is reported as unknown`(_ rules: String) throws {
    let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json")
    let findings = check.report.findings.filter { $0.code != "unknown-place" }
    #expect(findings.map { "\($0.place.pointer): \($0.message)" } == [])
    #expect(check.isUsable)
  }

  @Test func `no string format is reported as unknown`() {
    for format in StringFormat.allCases {
      #expect(RuleCheck(MemorySource(#"{"format": "\#(format.name)"}"#.utf8), named: "").report.isValid, "\(format.name)")
    }
  }

  @Test func `a rule document that is truncated or too large is reported`() {
    let check = RuleCheck(MemorySource("{".utf8), named: "rules.json")
    #expect(check.report.error?.code.rawValue == "truncated")
    #expect(check.report.findings == [])
    #expect(!check.isUsable)
    let huge = RuleCheck(MemorySource(Array(repeating: UInt8(ascii: " "), count: (32 << 20) + 2)), named: "rules.json")
    #expect(huge.report.findings.map(\.message) == ["the rule document is larger than the limit of 32 MiB"])
  }

  @Test func `a custom meta-schema is applied, and its own errors are reported`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      #"""
      {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:strict", "$dynamicAnchor": "meta",
       "$ref": "https://json-schema.org/draft/2020-12/schema", "required": ["title"]}
      """#, to: "strict.json")
    var options = RuleDocument.Options()
    options.folders = [RuleDocument.Folder(uri: "urn:strict", path: folder.path.appending("strict.json"))]
    let rules = #"{"$schema": "urn:strict", "title": "a", "properties": {"b": {"title": "b", "type": "null"}, "c": {}}}"#
    let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json", options: options)
    #expect(check.report.format == "urn:strict")
    #expect(
      check.report.findings.map { "\($0.severity) \($0.place.pointer): \($0.message)" } == [
        "warning /properties/c/title: the member 'title' is missing"
      ])
    #expect(check.isUsable)
    try folder.write("{\n\"type\": 3}", to: "strict.json")
    let broken = RuleCheck(MemorySource(rules.utf8), named: "rules.json", options: options)
    #expect(broken.report.findings.first?.message.hasPrefix("urn:strict:2:9: type must be") == true, "\(broken.report.findings)")
  }

  @Test func `a long chain of references can be used`() {
    let definitions = (0..<3000).map { ##""d\##($0)": {"properties": {"a": {"$ref": "#/$defs/d\##($0 + 1)"}}}"## }
    let rules = ##"{"$ref": "#/$defs/d0", "$defs": {\##(definitions.joined(separator: ", ")), "d3000": {"uniqueItems": true}}}"##
    #expect(RuleCheck(MemorySource(rules.utf8), named: "").isUsable)
  }

  @Test func `errors in referenced documents name the document and the place`() throws {
    let folder = try TemporaryFolder()
    try folder.write("{\n  \"type\": 3}", to: "common.json")
    var options = RuleDocument.Options()
    options.folders = [RuleDocument.Folder(uri: "http://example.org", path: folder.path)]
    let check = RuleCheck(
      MemorySource(#"{"$ref": "http://example.org/common.json"}"#.utf8), named: "rules.json", options: options)
    let messages = check.report.findings.map(\.message)
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("http://example.org/common.json:2:11: type must be null, boolean") == true, "\(messages)")
  }

  /// A check accepts every pattern that a validation accepts: schemas in use have such patterns.
  @Test(arguments: [#"^\\&\\~$"#, #"\\-\\_\\\""#, #"[\\-\\&]"#])
  func `patterns that validation accepts are valid`(_ pattern: String) throws {
    for schema in ["", #""$schema": "http://json-schema.org/draft-07/schema#", "#] {
      let rules = #"{\#(schema)"properties": {"a": {"pattern": "\#(pattern)"}}, "patternProperties": {"\#(pattern)": true}}"#
      _ = try RuleDocument(MemorySource(rules.utf8)).compiled()
      let check = RuleCheck(MemorySource(rules.utf8), named: "rules.json")
      #expect(check.report.findings.map(\.message) == [])
      #expect(check.isUsable)
    }
  }

  /// A check's finding has the line and column of a validation's error.
  @Test(arguments: [
    #"{"properties": {"é😀": {"tpye": "integer"}}}"#, #"{"definitions": {}}"#, #"{"pattern": "("}"#, #"{"minimum": "3"}"#,
    #"{"foreignKeys": [{"fields": "a", "reference": {"resource": "/b", "fields": "c", "x": 1}}]}"#,
    #"{"sumOf": {"values": "/a", "value": "/a"}}"#, #"{"minLength": -1}"#, ##"{"$ref": "#/nope"}"##,
    #"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"pattern": "\\"}}}"#,
    #"{"backup": {"name": "x", "collections": {"/cars": {}}}}"#,
  ])
  func `a check reports the place that compiling the rules reports`(_ rules: String) throws {
    let rules = "\n " + rules
    let refusal = try #require(throws: CofferError.self) {
      let document = try RuleDocument(MemorySource(rules.utf8))
      _ = try document.compiled()
      if document.describesFormat { _ = try BackupFormat(document) }
    }
    let place = try #require(RuleCheck(MemorySource(rules.utf8), named: "rules.json").report.findings.first?.place)
    #expect((place.line, place.column, place.offset) == (refusal.position.line, refusal.position.column, refusal.position.offset))
  }
}
