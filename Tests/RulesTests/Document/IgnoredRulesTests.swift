import ByteStreams
import Findings
import Rules
import TestSupport
import Testing

/// What a dialect doesn't apply is a warning: nothing is ignored in silence.
@Suite struct IgnoredRulesTests {
  enum Draft: String, CaseIterable {
    case draft4 = "http://json-schema.org/draft-04/schema#"
    case draft6 = "http://json-schema.org/draft-06/schema#"
    case draft7 = "http://json-schema.org/draft-07/schema#"
    case draft2019 = "https://json-schema.org/draft/2019-09/schema"
    case draft2020 = "https://json-schema.org/draft/2020-12/schema"
  }

  private static func warnings(
    _ draft: Draft, _ keywords: String, _ formats: RuleDocument.FormatAssertion = .byDialect
  ) throws -> [Finding] {
    var options = RuleDocument.Options()
    options.formats = formats
    return try RuleDocument(MemorySource(#"{"$schema": "\#(draft.rawValue)", \#(keywords)}"#.utf8), options: options).warnings
  }

  private static func lines(_ findings: [Finding]) -> [String] {
    findings.map { "\($0.severity) \($0.code) \($0.place.pointer): \($0.message)" }
  }

  static let ignored: [(draft: Draft, keywords: String, warnings: [String])] = [
    (
      .draft4, #""const": 1"#, ["warning ignored-keyword /const: 'const' is not a keyword of draft 4: draft 6 introduced it"]
    ),
    (
      .draft4, #""contains": {}, "propertyNames": {}, "if": {}, "then": {}"#,
      [
        "warning ignored-keyword /contains: 'contains' is not a keyword of draft 4: draft 6 introduced it",
        "warning ignored-keyword /propertyNames: 'propertyNames' is not a keyword of draft 4: draft 6 introduced it",
        "warning ignored-keyword /if: 'if' is not a keyword of draft 4: draft 7 introduced it",
        "warning ignored-keyword /then: 'then' is not a keyword of draft 4: draft 7 introduced it",
      ]
    ),
    (.draft6, #""if": {}"#, ["warning ignored-keyword /if: 'if' is not a keyword of draft 6: draft 7 introduced it"]),
    (
      .draft7,
      ##""unevaluatedProperties": false, "prefixItems": [], "minContains": 2, "dependentRequired": {}, "$recursiveRef": "#", "$dynamicRef": "#""##,
      [
        "unevaluatedProperties: 2019-09", "prefixItems: 2020-12", "minContains: 2019-09", "dependentRequired: 2019-09",
        "$recursiveRef: 2019-09", "$dynamicRef: 2020-12",
      ].map { (pair: String) -> String in
        let parts = pair.split(separator: ": ")
        return "warning ignored-keyword /\(parts[0]): '\(parts[0])' is not a keyword of draft 7: draft \(parts[1]) introduced it"
      }
    ),
    (
      .draft2019, #""prefixItems": []"#,
      ["warning ignored-keyword /prefixItems: 'prefixItems' is not a keyword of draft 2019-09: draft 2020-12 introduced it"]
    ),
    (
      .draft2020, ##""additionalItems": false, "$recursiveRef": "#""##,
      [
        "warning ignored-keyword /additionalItems: 'additionalItems' is not a keyword of draft 2020-12; use prefixItems for the first items and items for the rest",
        "warning ignored-keyword /$recursiveRef: '$recursiveRef' is not a keyword of draft 2020-12; use $dynamicRef with a name",
      ]
    ),
    (
      .draft2020, #""properties": {"u": {"primaryKey": "id"}}"#,
      [
        "warning ignored-keyword /properties/u/primaryKey: 'primaryKey' is Coffer's keyword, which draft 2020-12 doesn't have; to apply it, use \"$schema\": \"urn:coffer:rules:1\""
      ]
    ),
    (
      .draft7, #""since": 3, "severity": "note", "backup": {"name": "x"}"#,
      [
        "warning ignored-keyword /since: 'since' is Coffer's …", "note ignored-keyword /severity: 'severity' is Coffer's …",
        "warning ignored-keyword /backup: 'backup' is Coffer's …",
      ]
    ),
    (
      .draft2020, #""tpye": "string", "requierd": ["a"], "ref": "x", "additionalproperties": false"#,
      [
        "warning ignored-keyword /tpye: 'tpye' is not a keyword of draft 2020-12; did you mean 'type'?",
        "warning ignored-keyword /requierd: …; did you mean 'required'?",
        "warning ignored-keyword /ref: …; did you mean '$ref'?",
        "warning ignored-keyword /additionalproperties: …; did you mean 'additionalProperties'?",
      ]
    ),
    // A name that is like no rule is a note, once.
    (
      .draft7, #""nullable": true, "desciption": "", "items": {"nullable": true}, "in": "path""#,
      [
        "note ignored-keyword /nullable: 'nullable' is not a keyword of draft 7",
        "note ignored-keyword /desciption: …; did you mean 'description'?",
        "note ignored-keyword /in: 'in' is not a keyword of draft 7",
      ]
    ),
    (
      .draft7,
      ##""properties": {"a": {"$ref": "#/definitions/a", "minLength": 1, "type": "string", "tpye": 1}}, "definitions": {"a": {}}"##,
      [
        "warning ignored-sibling /properties/a/minLength: 'minLength' beside $ref is ignored before draft 2019-09; put both into an allOf",
        "warning ignored-sibling /properties/a/type: …", "warning ignored-keyword /properties/a/tpye: …; did you mean 'type'?",
      ]
    ),
    (
      .draft7,
      #""then": {"minimum": 1}, "else": false, "items": {"if": {"minimum": 1}, "then": {"maximum": 2}}, "additionalItems": false"#,
      [
        "warning ignored-keyword /then: 'then' has no effect without 'if'", "warning ignored-keyword /else: …",
        "warning ignored-keyword /additionalItems: 'additionalItems' has no effect unless 'items' is a list of schemas",
      ]
    ),
    (.draft7, #""items": [{}], "additionalItems": false"#, []),
    (
      .draft7, #""format": "datetime""#,
      ["warning ignored-format /format: 'datetime' is not a format of draft 7; did you mean 'date-time'?"]
    ),
    (.draft7, #""format": "semver""#, ["warning ignored-format /format: 'semver' is not a format of draft 7"]),
    (
      .draft7, #""format": "uuid""#,
      ["warning unasserted-format /format: the format 'uuid' is not checked in draft 7: draft 2019-09 introduced it"]
    ),
    (
      .draft2020, #""format": "email""#,
      ["warning unasserted-format /format: the format 'email' only annotates in draft 2020-12"]
    ),
    (
      .draft2020, #""format": "decimal""#,
      ["warning unasserted-format /format: 'decimal' is Coffer's format, which draft 2020-12 doesn't have"]
    ),
  ]

  @Test(arguments: ignored) func `what is not applied is named with its place and the remedy`(
    _ draft: Draft, _ keywords: String, _ expected: [String]
  ) throws {
    let found = Self.lines(try Self.warnings(draft, keywords))
    #expect(found.count == expected.count, "\(found)")
    for (found, expected) in zip(found, expected) {
      let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
      #expect(parts.count == 1 ? found == expected : found.hasPrefix(parts[0]) && found.hasSuffix(parts[1]), "\(found)")
    }
  }

  @Test(
    arguments: Draft.allCases,
    [
      #""title": "", "description": "", "default": 1, "examples": [], "$comment": "", "readOnly": true, "deprecated": true"#,
      #""x-order": 1, "_comment": "", "//": "", "meta:enum": {}, "@type": "x", "markdownDescription": "", "enumDescriptions": []"#,
      #""defaultSnippets": [], "deprecationMessage": "", "errorMessage": "", "tsType": "x", "javaType": "x", "example": 1, "xml": {}"#,
      #""propertyOrder": 1, "since": "1.2", "contentMediaType": "a/b", "contentEncoding": "base64", "contentSchema": {}"#,
      ##""$defs": {"a": {}}, "definitions": {"b": {}}, "$anchor": "c""##,
      ##""$ref": "#/definitions/a", "description": "", "title": "", "default": 1, "definitions": {"a": {"type": "null"}}"##,
      // Their members have any names.
      ##""enum": [{"tpye": 1}], "default": {"primaryKey": 1}, "examples": [{"$ref": "#/nope", "minimum": 1}], "x-y": {"tpye": 1}"##,
    ]) func `annotations are no noise`(_ draft: Draft, _ keywords: String) throws
  {
    #expect(Self.lines(try Self.warnings(draft, keywords)) == [])
  }

  @Test func `Coffer's dialect and the built-in meta-schemas have no warnings`() throws {
    for schema in Draft.allCases.map(\.rawValue) + ["urn:coffer:rules:1"] {
      let document = try RuleDocument(MemorySource(##"{"properties": {"a": {"$ref": "\##(schema)"}}}"##.utf8))
      #expect(Self.lines(document.warnings) == [], "\(schema)")
    }
  }

  @Test func `a warning about another document names it`() throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"$schema": "\#(Draft.draft4.rawValue)", "const": 1}"#, to: "b.json")
    var options = RuleDocument.Options()
    options.baseFolder = folder.path
    let document = try RuleDocument(MemorySource(#"{"$ref": "b.json"}"#.utf8), options: options)
    #expect(document.warnings.map(\.schemaLocation) == ["b.json#/const"])
  }

  @Test func `details are limited, and counts are exact`() throws {
    let properties = (0..<3000).map { #""p\#($0)": {"format": "date", "tpye": 1}"# }
    let rules = #"{"$schema": "\#(Draft.draft2020.rawValue)", "properties": {\#(properties.joined(separator: ","))}}"#
    let document = try RuleDocument(MemorySource(rules.utf8))
    #expect(document.warnings.count == 1000)
    #expect(document.warningCounts.byCode == ["unasserted-format": 3000, "ignored-keyword": 3000])
  }

  @Test func `many unknown names are counted in little time`() throws {
    let name = String(repeating: "k", count: 60)
    let members = (0..<20_000).map { #""\#(name)\#($0)": 1"# }
    let rules = #"{"$schema": "\#(Draft.draft7.rawValue)", \#(members.joined(separator: ","))}"#
    let document = try RuleDocument(MemorySource(rules.utf8))
    #expect(document.warningCounts.count(.note) == 20_000)
  }

  /// The formats by the draft that introduced them; each draft asserts those of its own and of earlier ones.
  static let introduced: [(draft: Draft, formats: String)] = [
    (.draft4, "date-time email hostname ipv4 ipv6 uri"), (.draft6, "uri-reference uri-template json-pointer"),
    (.draft7, "date time idn-email idn-hostname iri iri-reference relative-json-pointer regex"), (.draft2019, "duration uuid"),
  ]

  @Test(arguments: Draft.allCases) func `drafts 4 to 7 assert their formats, and later ones none`(_ draft: Draft) throws {
    // No format allows it.
    let document = #""\\ [""#
    let order = Draft.allCases
    for (introduction, names) in Self.introduced {
      for name in names.split(separator: " ") {
        let rules = #"{"$schema": "\#(draft.rawValue)", "format": "\#(name)"}"#
        let isIn = try #require(order.firstIndex(of: introduction)) <= #require(order.firstIndex(of: draft))
        let isAsserted = isIn && [.draft4, .draft6, .draft7].contains(draft)
        #expect(try Evaluation(rules, document).isValid == !isAsserted, "\(draft) \(name)")
        #expect(try Self.warnings(draft, #""format": "\#(name)""#).isEmpty == isAsserted, "\(draft) \(name)")
        #expect(try !Evaluation(rules, document, formats: .always).isValid, "\(draft) \(name)")
        #expect(try Evaluation(rules, document, formats: .never).isValid, "\(draft) \(name)")
        #expect(try Self.warnings(draft, #""format": "\#(name)""#, .always).isEmpty)
        #expect(try Self.warnings(draft, #""format": "\#(name)""#, .never).isEmpty)
      }
    }
  }

  @Test func `Coffer's formats are asserted everywhere on request, and in its dialect always`() throws {
    for (format, value) in [("decimal", #""x""#), ("currency", #""XX""#), ("unix-time", "1e99")] {
      let keyword = #""format": "\#(format)""#
      let standard = #"{"$schema": "\#(Draft.draft7.rawValue)", \#(keyword)}"#
      #expect(try Evaluation(standard, value).isValid)
      #expect(try !Evaluation(standard, value, formats: .always).isValid)
      for choice in [RuleDocument.FormatAssertion.byDialect, .always, .never] {
        #expect(try !Evaluation("{\(keyword)}", value, formats: choice).isValid)
      }
    }
  }
}
