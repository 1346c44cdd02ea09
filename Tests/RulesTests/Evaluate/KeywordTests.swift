import ByteStreams
import Findings
import JSONEvents
import Rules
import TestSupport
import Testing

/// Each keyword's verdicts and places: rules, a document, and the expected findings, each as `code pointer`.
@Suite struct KeywordTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let rules: String
    let document: String
    let findings: [String]

    init(_ rules: String, _ document: String, _ findings: String...) {
      self.rules = rules
      self.document = document
      self.findings = findings
    }

    var testDescription: String { "\(rules) on \(document)" }
  }

  static let types = [
    Case(#"{"type": "integer"}"#, "1"),
    Case(#"{"type": "integer"}"#, "1.0"),
    Case(#"{"type": "integer"}"#, "1e2"),
    Case(#"{"type": "integer"}"#, "100000000000000000000000"),
    Case(#"{"type": "integer"}"#, "1.5", "type "),
    Case(#"{"type": "integer"}"#, "15e-1", "type "),
    Case(#"{"type": "number"}"#, "1.5"),
    Case(#"{"type": ["string", "null"]}"#, "null"),
    Case(#"{"type": ["string", "null"]}"#, "true", "type "),
    Case(#"{"type": "object"}"#, "[]", "type "),
    Case(#"{"type": "array"}"#, "{}", "type "),
    Case(#"{"type": "boolean"}"#, "false"),
    Case("false", "{}", "false-schema "),
    Case("true", "{}"),
  ]

  static let values = [
    Case(#"{"enum": ["a", 1, null, true]}"#, "[]", "enum "),
    Case(#"{"enum": ["a", 1, null, true]}"#, "1.0"),
    Case(#"{"enum": ["a", 1, null, true]}"#, "true"),
    Case(#"{"enum": ["a", 1, null, true]}"#, "false", "enum "),
    Case(#"{"enum": ["a", 1, null, true]}"#, #""\u0061""#),
    Case(#"{"enum": ["a", 1, null, true]}"#, #""A""#, "enum "),
    Case(#"{"const": false}"#, "0", "const "),
    Case(#"{"const": "a long text of more than eight bytes"}"#, #""a long text of more than eight bytes""#),
    Case(#"{"const": "a long text of more than eight bytes"}"#, #""a long text of more than eight bytez""#, "const "),
  ]

  static let numbers = [
    Case(#"{"minimum": 0}"#, "-0"),
    Case(#"{"minimum": 0}"#, "-0.0001", "minimum "),
    Case(#"{"minimum": 0}"#, "1e-400"),
    Case(#"{"exclusiveMinimum": 0}"#, "0.0", "exclusive-minimum "),
    Case(#"{"exclusiveMinimum": 0}"#, "1e-400"),
    // Bounds beyond all short numbers.
    Case(#"{"exclusiveMaximum": 1.5e308, "exclusiveMinimum": -1.5e308}"#, "-12.5"),
    Case(#"{"exclusiveMaximum": 1.5e308}"#, "1.5e308", "exclusive-maximum "),
    Case(#"{"exclusiveMaximum": 1.5e308}"#, "-1e400"),
    Case(#"{"exclusiveMinimum": -1.5e308}"#, "-1e400", "exclusive-minimum "),
    Case(#"{"minimum": 1.5e308}"#, "12.5", "minimum "),
    Case(#"{"maximum": -1.5e308}"#, "-12.5", "maximum "),
    Case(#"{"maximum": 9007199254740993}"#, "9007199254740993"),
    Case(#"{"maximum": 9007199254740993}"#, "9007199254740994", "maximum "),
    Case(#"{"maximum": 9223372036854775807}"#, "9223372036854775808", "maximum "),
    Case(#"{"exclusiveMaximum": 1.5}"#, "15e-1", "exclusive-maximum "),
    Case(#"{"multipleOf": 0.01}"#, "19.99"),
    Case(#"{"multipleOf": 0.01}"#, "19.999", "multiple-of "),
    Case(#"{"multipleOf": 7}"#, "7e300"),
    Case(#"{"minimum": 0}"#, #""-1""#),
  ]

  static let strings = [
    Case(#"{"minLength": 2}"#, #""é""#, "min-length "),
    Case(#"{"minLength": 2}"#, #""éa""#),
    Case(#"{"maxLength": 1}"#, #""😀""#),
    Case(#"{"maxLength": 1}"#, #""\ud83d\ude00""#),
    Case(#"{"maxLength": 1}"#, #""ab""#, "max-length "),
    Case(#"{"pattern": "^a+$"}"#, #""aab""#, "pattern "),
    Case(#"{"pattern": "\\S"}"#, #""  x""#),
    Case(#"{"pattern": "\\S"}"#, #""""#, "pattern "),
    Case(#"{"format": "uuid"}"#, #""5A1F0C8E-3B7D-4E29-96A4-D2C8F71B0E63""#),
    Case(#"{"format": "uuid"}"#, #""5A1F0C8E3B7D4E2996A4D2C8F71B0E63""#, "format "),
    Case(#"{"format": "currency"}"#, #""EUR""#),
    Case(#"{"format": "currency"}"#, #""eur""#, "format "),
    Case(#"{"format": "date-time"}"#, #""2024-02-30T00:00:00Z""#, "format "),
    Case(#"{"format": "date-time"}"#, "7"),
    Case(#"{"format": "decimal", "formatMinimum": "0.5"}"#, #""0.49""#, "format-minimum "),
    Case(#"{"format": "decimal", "formatMinimum": "0"}"#, #""-1e-9""#, "format-minimum "),
    Case(#"{"format": "date", "formatExclusiveMaximum": "2026-01-01"}"#, #""2026-01-01""#, "format-exclusive-maximum "),
    Case(#"{"format": "date-time", "formatMaximum": "now+P1D"}"#, #""2026-06-29T21:15:00Z""#),
    Case(#"{"format": "date-time", "formatMaximum": "now+P1D"}"#, #""2026-06-29T21:15:00.000000001Z""#, "format-maximum "),
    Case(#"{"format": "date-time", "formatMinimum": "now-P1Y"}"#, #""2025-06-28T23:14:59+02:00""#, "format-minimum "),
  ]

  static let containers = [
    Case(#"{"required": ["a", "b"]}"#, #"{"b": 1}"#, "required /a"),
    Case(#"{"required": ["a/b"]}"#, "{}", "required /a~1b"),
    Case(#"{"properties": {"a": {"type": "string"}}}"#, #"{"a": 1, "b": 2}"#, "type /a"),
    Case(
      #"{"properties": {"a": true}, "additionalProperties": false}"#, #"{"a": 1, "b/c": {"d": 2}}"#, "additional-properties /b~1c"
    ),
    Case(#"{"additionalProperties": {"type": "null"}}"#, #"{"x": null, "y": 0}"#, "type /y"),
    Case(#"{"properties": {"a": false}}"#, #"{"a": []}"#, "properties /a"),
    Case(#"{"items": {"additionalProperties": false}}"#, #"[{"q": 1}]"#, "additional-properties /0/q"),
    Case(
      #"{"properties": {"items": {"unevaluatedProperties": false}}}"#, #"{"items": {"q": 1}}"#, "unevaluated-properties /items/q"),
    Case(#"{"additionalProperties": false, "code": "extra"}"#, #"{"q": 1}"#, "extra /q"),
    Case(#"{"items": {"type": "integer"}}"#, #"[1, "2", [3]]"#, "type /1", "type /2"),
    Case(#"{"minItems": 2}"#, "[1]", "min-items "),
    Case(#"{"maxItems": 1, "items": {"items": {"type": "null"}}}"#, "[[1], [null]]", "max-items ", "type /0/0"),
    Case(#"{"contains": {"const": 1}}"#, "[2, 3]", "contains "),
    Case(#"{"contains": {"const": 1}}"#, "[]", "contains "),
    Case(#"{"contains": {"const": 1}, "maxContains": 1}"#, "[1, 2, 1]", "max-contains "),
    Case(#"{"contains": {"required": ["a"]}, "minContains": 2}"#, #"[{"a": 1}, {"b": 1}, {"a": 2}]"#),
    Case(#"{"contains": {"required": ["a"]}, "minContains": 2}"#, #"[{"a": 1}, {"b": {"a": 1}}]"#, "min-contains "),
    Case(#"{"contains": true, "minContains": 0}"#, "[]"),
  ]

  static let combinations = [
    Case(#"{"allOf": [{"minimum": 2}, {"multipleOf": 2}]}"#, "1", "minimum ", "multiple-of "),
    Case(#"{"anyOf": [{"type": "null"}, {"minimum": 2}]}"#, "null"),
    // One branch accepts the type: its own finding is more specific than "none of two".
    Case(#"{"anyOf": [{"type": "null"}, {"type": "number", "minimum": 2}]}"#, "1", "minimum "),
    Case(#"{"anyOf": [{"type": "null"}, {"type": "string"}]}"#, "1", "any-of "),
    Case(#"{"oneOf": [{"minimum": 2}, {"multipleOf": 2}]}"#, "4", "one-of "),
    Case(#"{"oneOf": [{"minimum": 2}, {"multipleOf": 2}]}"#, "3"),
    // The branch with the fewest missing members is the intended one, unless a `const` member names another.
    Case(
      #"{"anyOf": [{"required": ["a", "b"]}, {"required": ["x"], "properties": {"unit": {"enum": ["km", "mi"]}}}]}"#,
      #"{"x": 1, "unit": "KM"}"#, "enum /unit"),
    Case(
      #"{"oneOf": [{"properties": {"k": {"const": 1}}}, {"properties": {"k": {"const": 2}}, "required": ["a", "b"]}]}"#,
      #"{"k": 2}"#,
      "required /a", "required /b"),
    Case(#"{"not": {"type": "string"}}"#, #""a""#, "not "),
    Case(#"{"not": {"not": {"type": "string"}}}"#, #""a""#),
    Case(
      #"{"anyOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": {"const": 1}}, "required": ["b"]}]}"#,
      #"{"a": 2, "b": 1}"#),
    Case(#"{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}"#, #"{"a": 1}"#, "required /b"),
    Case(#"{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}"#, "{}", "required /c"),
    Case(#"{"if": {"type": "string"}, "then": {"minLength": 2}}"#, #""a""#, "min-length "),
    Case(
      // The condition is decided after the values that depend on it.
      #"{"if": {"properties": {"z": {"const": 1}}, "required": ["z"]}, "then": {"properties": {"a": {"items": {"type": "null"}}}}}"#,
      #"{"a": [null, 5], "z": 1}"#, "type /a/1"),
    Case(
      #"{"if": {"properties": {"z": {"const": 1}}, "required": ["z"]}, "then": {"properties": {"a": {"items": {"type": "null"}}}}}"#,
      #"{"a": [null, 5], "z": 2}"#),
    Case(
      ##"{"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"next": {"$ref": "#/$defs/tree"}}}}}"##,
      #"{"next": {"next": {"next": []}}}"#, "type /next/next/next"),
  ]

  /// Branches that are decided late, or needed for several reasons.
  static let branches = [
    Case(#"{"if": {"not": {"type": "array"}}, "else": {"minItems": 2}}"#, "[]", "min-items "),
    Case(#"{"if": {"anyOf": [{"type": "string"}]}, "else": {"required": ["a"]}}"#, "{}", "required /a"),
    Case(#"{"if": {"not": {"required": ["k"]}}, "else": {"required": ["c"]}}"#, #"{"k": 3}"#, "required /c"),
    Case(
      #"{"oneOf": [{"if": {"not": {"required": ["k"]}}, "else": {"required": ["c"]}}, {"type": "object"}]}"#, #"{"k": 3}"#),
    Case(#"{"if": {"required": ["z"]}, "else": {"properties": {"a": {"required": ["y"]}}}}"#, #"{"a": {}}"#, "required /a/y"),
    Case(#"{"if": {"minItems": 2}, "else": {"items": {"required": ["y"]}}}"#, "[{}]", "required /0/y"),
    Case(
      #"""
      {"properties": {"c": {"anyOf": [{"items": {"minimum": 5}}, {"type": "string"}]}},
       "anyOf": [{"properties": {"c": {"items": {"minimum": 7}}}}, {}]}
      """#, #"{"c": [1]}"#, "minimum /c/0"),
    Case(
      #"{"items": {"anyOf": [{"items": {"minimum": 5}}, {"type": "string"}]}, "anyOf": [{"items": {"items": {"minimum": 7}}}, {}]}"#,
      "[[1], [2], [9]]", "minimum /0/0", "minimum /1/0"),
    Case(
      #"{"allOf": [{"format": "date"}, {"format": "date-time"}, {"format": "time"}]}"#, #""2024-01-01""#, "format ", "format "),
    Case(#"{"anyOf": [{"format": "date-time"}, {"format": "date"}]}"#, #""2024-01-01""#),
  ]

  @Test(arguments: types + values + numbers + strings + containers + combinations + branches)
  func `keywords have the expected findings in chunks of any size`(_ test: Case) throws {
    for chunkSize in [1, 3, 1 << 16] {
      #expect(try Evaluation(test.rules, test.document, chunkSize: chunkSize).lines.sorted() == test.findings.sorted())
    }
  }

  /// Scalars of members are checked by prepared rows, and most numbers by none. Only the code of `false` is another one there.
  @Test(arguments: (types + values + numbers + strings).filter { $0.rules != "false" })
  func `keywords have the same findings in members and conditions`(_ test: Case) throws {
    let document = #"{"value": \#(test.document)}"#
    let findings = test.findings.map { $0 + "/value" }.sorted()
    #expect(try Evaluation(#"{"properties": {"value": \#(test.rules)}}"#, document).lines.sorted() == findings)
    let condition =
      #"{"if": {"properties": {"value": \#(test.rules)}}, "then": {"required": ["x"]}, "else": {"required": ["y"]}}"#
    let decision = test.findings.isEmpty ? "required /x" : "required /y"
    #expect(try Evaluation(condition, document).lines == [decision])
  }

  /// With `minProperties`, members are counted, and go through the general path.
  @Test(arguments: [1, 5, 20, 21, 40]) func `conditions decide alike on the fast and the general path`(count: Int) throws {
    var random = SeededRandom(seed: UInt64(count))
    func condition(_ depth: Int) -> String {
      let name = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
      let test = [#"{"const": 1}"#, #"{"const": "x"}"#, #"{"minimum": 2}"#, #"{"type": "string", "minLength": 2}"#, "false"]
      let member = #"{"properties": {"\#(name)": \#(test[Int.random(in: test.indices, using: &random)])}}"#
      let part = depth == 0 ? member : condition(depth - 1)
      return switch Int.random(in: 0..<5, using: &random) {
      case 0: #"{"if": \#(part), "then": {"required": ["d"]}, "else": \#(member)}"#
      case 1: #"{"not": \#(part)}"#
      case 2: #"{"if": \#(member), "then": \#(part)}"#
      case 3: #"{"anyOf": [\#(part), \#(member)]}"#
      default: #"{"if": {"not": \#(member)}, "else": \#(part)}"#
      }
    }
    let values = ["1", "2", "7.5", "-1", #""x""#, #""xy""#, "null", "[]"]
    for _ in 0..<(TestDepth.count(everyday: 10, deep: 300) as Int) {
      let conditions = (0..<count).map { _ in condition(Int.random(in: 0...2, using: &random)) }.joined(separator: ", ")
      let records = (0..<30).map { _ in
        let names = ["a", "b", "c", "d"].filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
        return "{"
          + (["id"] + names).map { #""\#($0)": \#(values[Int.random(in: values.indices, using: &random)])"# }.joined(
            separator: ", ")
          + "}"
      }
      let document = "[" + records.joined(separator: ", ") + "]"
      let fast = try Evaluation(#"{"items": {"allOf": [\#(conditions)]}}"#, document)
      let general = try Evaluation(#"{"items": {"minProperties": 1, "allOf": [\#(conditions)]}}"#, document)
      #expect(fast.findings.map(\.message) == general.findings.map(\.message), "\(conditions) on \(document)")
      #expect(fast.lines == general.lines)
    }
  }

  private static let item = #"""
    {
      "required": ["id"],
      "properties": {
        "id": {"type": "integer"}, "low": {"type": "number"}, "high": {"minimum": {"$data": "1/low"}},
        "kind": {"oneOf": [{"const": "a"}, {"type": "string", "minLength": 2}]},
        "parts": {"type": "array", "items": {"required": ["n"], "properties": {"n": {"maximum": 3}}}}
      },
      "if": {"properties": {"kind": {"const": "a"}}, "required": ["kind"]}, "then": {"required": ["low"]},
      "minLength": 3, "maxItems": 1, "not": {"const": {"id": 1}}, "dependentSchemas": {"parts": {"not": {"properties": {"other": {"type": "object"}}}}}
    }
    """#

  /// An object in an array starts like the one before it, without a search of the rules, unless something else came between them.
  @Test(arguments: [
    #"{"properties": {"list": {"items": ITEM}}}"#, #"{"properties": {"list": {"items": {"type": "array"}}}}"#,
    #"{"if": {"required": ["z"]}, "else": {"properties": {"list": {"items": ITEM}}}}"#,
    #"{"properties": {"list": {"prefixItems": [ITEM, {"type": "array"}, ITEM], "items": {"required": ["low"]}}}}"#,
  ])
  func `an item has the same findings alone as among others`(_ rules: String) throws {
    let program = try RuleDocument(MemorySource(rules.replacing("ITEM", with: Self.item).utf8)).compiled()
    let items = [
      "{}", #"{"id": 1}"#, #"{"id": "1", "kind": "a"}"#, #"{"kind": "b", "low": 5, "high": 4, "id": 2}"#,
      #"{"id": 3, "low": 1, "high": 2, "kind": "ab", "other": {"x": [1, {}]}}"#,
      #"{"id": 4, "parts": [{"n": 9}, {}, {"n": 1}, 7, {"m": 1}]}"#,
      #"{"parts": [], "id": 5}"#, "7", #""xy""#, #""xyz""#, "[]", "[{}]", "[1, 2]", "null", #"[{"id": 1}, {"id": "1"}]"#,
    ]
    func lines(_ items: [String]) throws -> [String] {
      try Evaluation(program, "{\"list\": [\n" + items.joined(separator: ",\n") + "\n]}").findings
        .map { "\($0.place.line):\($0.place.column) \($0.place.pointer) \($0.message)" }
    }
    var random = SeededRandom(seed: 7)
    for _ in 0..<(TestDepth.count(everyday: 50, deep: 3000) as Int) {
      let chosen = (0..<Int.random(in: 2...12, using: &random)).map { _ in items[Int.random(in: items.indices, using: &random)] }
      let alone = try chosen.enumerated().map { index, item in
        try lines(Array(repeating: "[]", count: index) + [item]).filter { $0.hasPrefix("\(index + 2):") }
      }
      #expect(try lines(chosen).sorted() == alone.joined().sorted(), "\(chosen)")
    }
  }

  /// Names are compared as two words, and only the rest byte by byte.
  @Test func `names of any length are told apart`() throws {
    let lengths = [0, 1, 7, 8, 9, 15, 16, 17, 40]
    let plain = lengths.map { String(repeating: "n", count: $0) }
    let suffixed = ["\\u0000", "m", "\\u00e9"].flatMap { suffix in plain.map { $0 + suffix } }
    let names = plain + suffixed + plain.dropFirst().map { "m" + $0 }
    let rules = names.enumerated().map { #""\#($1)": {"const": \#($0)}"# }.joined(separator: ", ")
    for wrong in names.indices {
      let members = names.enumerated().map { #""\#($1)": \#($0 == wrong ? -1 : $0)"# }
      let once = "{" + members.joined(separator: ", ") + "}"
      // The second record is predicted, the third has another order.
      let document = "[\(once), \(once), {" + members.reversed().joined(separator: ", ") + "}]"
      let evaluation = try Evaluation(#"{"items": {"properties": {\#(rules)}, "additionalProperties": false}}"#, document)
      #expect(evaluation.lines.count == 3 && evaluation.lines.allSatisfy { $0.hasPrefix("const ") }, "\(names[wrong])")
    }
  }

  /// Numbers near random bounds, as items and as members.
  @Test func `numbers pass the same checks in members as in items`() throws {
    var random = SeededRandom(seed: 42)
    for _ in 0..<(TestDepth.count(everyday: 100, deep: 5000) as Int) {
      let names = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"].filter { _ in Bool.random(using: &random) }
      let bounds = names.map { #""\#($0)": "# + Self.number(&random) }
      let type = #""type": "\#(Bool.random(using: &random) ? "integer" : "number")""#
      let rules = "{" + (bounds + [type]).joined(separator: ", ") + "}"
      let short = ["12345e67", "1234e-67", "0.000001", "99999999", "1E2", "-0", "0.0"]
      let numbers = (0..<20).map { _ in Self.number(&random) } + short
      let items = try Evaluation(#"{"items": \#(rules)}"#, "[" + numbers.joined(separator: ", ") + "]")
      let records = numbers.map { #"{"n": \#($0)}"# }.joined(separator: ", ")
      let members = try Evaluation(#"{"items": {"properties": {"n": \#(rules)}}}"#, "[\(records)]")
      #expect(members.lines == items.lines.map { $0 + "/n" }, "\(rules) on \(numbers)")
    }
  }

  /// A number around zero, the limits of 64-bit integers, or those of eight and eighteen digits, in any spelling.
  private static func number(_ random: inout SeededRandom) -> String {
    let wholes = [
      "0", "1", "-1", "7", "12", "99999999", "100000000", "-99999999", "999999999999999999", "1000000000000000000",
      "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "2e18", "1e400", "-1e400",
    ]
    let endings = ["", "", "", ".0", ".5", ".25", "e0", "E1", "e-1", "e19", ".5e9"]
    let whole = wholes[Int.random(in: wholes.indices, using: &random)]
    return whole.contains("e") ? whole : whole + endings[Int.random(in: endings.indices, using: &random)]
  }

  @Test func `a required name may be any of a hundred`() throws {
    let names = (0..<100).map { "member\($0)" }
    let rules = #"{"required": ["\#(names.joined(separator: #"", ""#))"]}"#
    for missing in [0, 63, 64, 65, 99] {
      for value in ["7", "null", "[]"] {
        let members = names.filter { $0 != names[missing] }.map { #""\#($0)": \#(value)"# }
        let document = "{" + members.joined(separator: ", ") + "}"
        #expect(try Evaluation(rules, document).lines == ["required /member\(missing)"])
        let condition = #"{"if": \#(rules), "then": {"type": "array"}, "else": {"required": ["x"]}}"#
        #expect(try Evaluation(condition, document).lines == ["required /x"])
      }
    }
  }

  @Test func `a finding has its code, message, place, location and excerpt`() throws {
    let rules = #"{"properties": {"unit": {"enum": ["metric", "imperial"], "severity": "warning", "code": "unit"}}}"#
    let finding = try #require(try Evaluation(rules, "{\n  \"é\": 1, \"unit\": \"metrics\"\n}").findings.first)
    #expect(
      finding
        == Finding(
          code: "unit", keyword: "enum", severity: .warning,
          message: "expected one of 'metric', 'imperial', found 'metrics'; did you mean 'metric'?",
          place: Place(pointer: "/unit", at: TextPosition(offset: 21, line: 2, column: 19)),
          schemaLocation: "/properties/unit/enum",
          excerpt: "metrics"))
  }

  @Test func `redacted findings have no values`() throws {
    let rules = #"{"properties": {"a": {"type": "null"}, "b": {"enum": ["x"]}, "c": {"minimum": 5000}}}"#
    let evaluation = try Evaluation(rules, #"{"a": "secret", "b": "secret", "c": 4711}"#, redacts: true)
    #expect(evaluation.findings.count == 3)
    for finding in evaluation.findings {
      #expect(finding.excerpt == nil)
      #expect(!finding.message.contains("secret") && !finding.message.contains("4711"))
    }
  }

  @Test func `counts stay exact beyond the limit of findings`() throws {
    let document = "[" + Array(repeating: "true", count: 5000).joined(separator: ",") + "]"
    let evaluation = try Evaluation(#"{"items": {"type": "null"}}"#, document, maximumFindings: 10)
    #expect(evaluation.counts.total == 5000)
    #expect(evaluation.lines.count == 10)
    #expect(Array(evaluation.lines.prefix(5)) == (0..<5).map { "type /\($0)" })
    // The same in a branch that is decided at the very end.
    let branch = try Evaluation(#"{"if": {"minItems": 1}, "then": {"items": {"type": "null"}}}"#, document, maximumFindings: 10)
    #expect(branch.counts.total == 5000)
    #expect(branch.lines.count == 10)
    #expect(branch.lines.prefix(5) == evaluation.lines.prefix(5))
  }

  @Test func `the standard dialect only annotates formats and unknown keywords`() throws {
    let rules = #"{"$schema": "https://json-schema.org/draft/2020-12/schema", "format": "date", "primaryKey": 7, "x-mine": []}"#
    #expect(try Evaluation(rules, #""no date""#).lines == [])
    #expect(try Evaluation(rules, #""no date""#, formats: .always).lines == ["format "])
  }
}
