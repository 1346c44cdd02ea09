#if os(Linux)
  import TestSupport

  /// Hostile documents, most of them with harmless rules.
  extension HostileInput {
    private static let union = """
      {"$ref": "#/$defs/n", "$defs": {"n": {"oneOf": [
        {"properties": {"k": {"const": 1}, "c": {"items": {"$ref": "#/$defs/n"}}}, "required": ["k"]},
        {"properties": {"k": {"const": 2}, "c": {"items": {"$ref": "#/$defs/n"}}}, "required": ["k"]},
        {"properties": {"k": {"const": 3}, "c": {"items": {"$ref": "#/$defs/n"}}}, "required": ["k"]}]}}}
      """
    private static let integers: @Sendable (Int) -> String = { _ in #"{"items": {"type": "string"}}"# }
    private static let members: @Sendable (Int) -> String = { size in "{\(list(size / 12) { "\"m\($0)\":\($0)" })}" }

    private static let keys: @Sendable (Int) -> String = { _ in
      #"{"properties":{"a":{"primaryKey":"id","items":{"required":["id"]}}}}"#
    }
    private static let outward = ##"{"properties":{"a":{"$ref":"#"},"b":{"maximum":{"$data":"1/c"}}}}"##
    private static let formats = [
      "date-time", "idn-email", "idn-hostname", "iri", "uri-template", "json-pointer", "regex", "duration", "ipv6",
    ]
    private static let texts: [(head: String, body: String)] = [
      ("", "a"), ("", "a."), ("a@", "a."), ("", "xn--a."), ("", "ü."), ("{", "a,"), ("a:", "?"), ("a://[", ":"),
      ("", "("),
      ("2026-06-28T20:15:00.", "9"), ("P", "1"), ("", "~0"),
    ]

    static let documents = [
      HostileInput(
        name: "a long name around equal names",
        document: { #"{"\#(repeated("k", $0 / 2))":{\#(list($0 / 16) { _ in "\"x\":1" })}}"# }, rules: { _ in "true" }),
      HostileInput(
        name: "all findings below a long name",
        document: { #"{"\#(repeated("k", $0 / 2))":[\#(list($0 / 8) { "\($0 % 10)" })]}"# },
        rules: { _ in #"{"additionalProperties":{"items":{"type":"string"}}}"# },
        arguments: ["validate", "--max-findings", "100000000"], status: 1),
      HostileInput(
        name: "nested long names",
        document: { size in
          (0..<250).map { #"{"\#(repeated("\($0 % 10)", size / 300))":"# }.joined() + "{\(list(1000) { _ in "\"x\":1" })}"
            + repeated("}", 250)
        }, rules: { _ in "true" }),
      HostileInput(
        name: "only findings", document: { "[\(list($0 / 2) { "\($0 % 10)" })]" }, rules: integers,
        arguments: ["validate", "--max-findings", "100000000", "--jobs", "1"], status: 1),
      HostileInput(name: "deep brackets", document: { _ in repeated("[", 511) + repeated("]", 511) }, rules: integers, status: 1),
      HostileInput(name: "brackets that are too deep", document: { repeated("[", $0) }, rules: integers, status: 3),
      HostileInput(
        name: "a deep tree of a tagged union", document: { _ in repeated(#"{"k":1,"c":["#, 250) + repeated("]}", 250) },
        rules: { _ in union }),
      HostileInput(
        name: "failures that concern every level",
        document: { "[\(list($0 / 1001) { _ in repeated("[", 500) + repeated("]", 500) })]" },
        rules: { _ in ##"{"$ref":"#/$defs/x","$defs":{"x":{"contains":{"$ref":"#/$defs/x"},"items":{"$ref":"#/$defs/x"}}}}"## },
        status: 1),
      HostileInput(
        name: "a wide tree of a tagged union",
        document: { #"{"k":1,"c":[\#(list($0 / 30) { #"{"c":[{"k":\#($0 % 3 + 1)}],"k":2}"# })]}"# }, rules: { _ in union }),
      HostileInput(
        name: "a long name that is not allowed", document: { #"{"\#(repeated("k", $0))":1}"# },
        rules: { _ in #"{"additionalProperties":false}"# }, status: 1),
      HostileInput(
        name: "a long string", document: { #""\#(repeated("\\u00e9", $0 / 6))""# }, rules: { _ in #"{"maxLength":5}"# }, status: 1
      ),
      HostileInput(
        name: "a long number", document: { repeated("9", $0 / 8) }, rules: { _ in #"{"multipleOf":7,"maximum":1}"# }, status: 1),
      HostileInput(
        name: "a huge exponent", document: { _ in "1e999999999999" }, rules: { _ in #"{"multipleOf":0.3,"maximum":1}"# },
        status: 1),
      HostileInput(
        name: "many members that are not allowed", document: members, rules: { _ in #"{"additionalProperties":false}"# },
        status: 1),
      HostileInput(
        name: "many different items", document: { "[\(list($0 / 10) { "\($0)" })]" },
        rules: { _ in #"{"uniqueItems":true}"# }),
      HostileInput(
        name: "many references to nothing",
        document: { #"{"a":[],"b":[\#(list($0 / 20) { #"{"a":"x\#($0)"}"# })]}"# },
        rules: { _ in
          #"{"properties":{"b":{"foreignKeys":[{"fields":"a","reference":{"resource":"/a","fields":"id"}}]}}}"#
        }, status: 1),
      HostileInput(
        // A string may take 1,000 steps per byte, but pays for 500: several of them end the run.
        name: "a pattern that backtracks", document: { "[\(list(min(80, $0 / 4000)) { _ in "\"\(repeated("a", 4000))!\"" })]" },
        rules: { _ in #"{"items":{"pattern":"^(a+)+$"}}"# }, status: 5),
      HostileInput(name: "many members, inspected", document: members, arguments: ["inspect"], status: 1),
      HostileInput(name: "many members, sorted", document: members, arguments: ["convert", "--sort-keys"], output: "out.json"),
      HostileInput(
        name: "a long string, converted", document: { #"["\#(repeated("s", $0))"]"# },
        arguments: ["convert"], output: "out.json"),
      HostileInput(
        name: "one name many times", document: { "{\(list($0 / 7) { _ in "\"a\":1" })}" },
        arguments: ["validate", "--syntax-only", "--duplicate-keys", "reject"], status: 1),
      HostileInput(
        name: "long keys", document: { size in #"{"a":[\#(list(8) { #"{"id":"\#(repeated("k", size / 8))\#($0)"}"# })]}"# },
        rules: keys),
      HostileInput(
        name: "one key many times", document: { #"{"a":[\#(list($0 / 9) { _ in #"{"id":1}"# })]}"# }, rules: keys, status: 1),
      HostileInput(
        name: "different items that must not be unique", document: { "[\(list($0 / 10) { "\($0)" })]" },
        rules: { _ in #"{"not":{"uniqueItems":true}}"# }, status: 1),
      HostileInput(
        name: "branches that look outward at every depth", document: { _ in repeated(#"{"a":"#, 500) + "1" + repeated("}", 500) },
        rules: { _ in "{\"anyOf\":[\(outward),\(outward)]}" }, status: 5),
      HostileInput(
        name: "a name that takes too many pattern steps", document: { #"{"\#(repeated("a", $0))!":1}"# },
        rules: { _ in #"{"patternProperties":{"^(a+)+$":{"type":"string"}}}"# }, status: 5),
      HostileInput(
        name: "many names and many patterns", document: { "{\(list($0 / 400) { "\"p\($0)x\":\"s\"" })}" },
        rules: { _ in "{\"patternProperties\":{\(list(1000) { "\"^p\($0).*x$\":{\"type\":\"integer\"}" })}}" },
        // The patterns take too many steps for more names.
        status: Int32(TestDepth.count(everyday: 1, deep: 5))),
      HostileInput(
        name: "a long string of each format",
        document: { size in
          "[\(list(texts.count) { "\"\(texts[$0].head)\(repeated(texts[$0].body, size / 20 / texts[$0].body.utf8.count))\"" })]"
        },
        rules: { _ in #"{"items":{"allOf":[\#(list(formats.count) { #"{"format":"\#(formats[$0])"}"# })]}}"# }, status: 1),
      HostileInput(
        name: "deep items, pretty-printed", document: { "[\(list($0 / 1000) { _ in repeated("[", 400) + repeated("]", 400) })]" },
        arguments: ["convert", "--pretty"], output: "out.json"),
      HostileInput(
        name: "many collections", document: { "{\(list($0 / 20) { #""c\#($0)":[{"a":1}]"# })}" }, arguments: ["inspect"],
        status: 1),
      HostileInput(
        name: "only commas", document: { "[" + repeated(",", $0) }, arguments: ["validate", "--syntax-only"], status: 3),
      HostileInput(
        name: "only names", document: { "{" + repeated(#""a":"#, $0 / 4) }, arguments: ["validate", "--syntax-only"],
        status: 3),
      HostileInput(
        name: "only backslashes", document: { "\"" + repeated("\\", $0) }, arguments: ["validate", "--syntax-only"],
        status: 3),
      HostileInput(
        name: "lone surrogates", document: { "\"" + repeated("\\ud83d", $0 / 6) + "\"" },
        arguments: ["validate", "--syntax-only"], status: 3),
      HostileInput(
        name: "only NUL", document: { repeated("\0", $0) }, arguments: ["validate", "--syntax-only"], status: 3),
      HostileInput(
        name: "only spaces", document: { repeated(" ", $0) }, arguments: ["validate", "--syntax-only"], status: 3),
    ]
  }
#endif
