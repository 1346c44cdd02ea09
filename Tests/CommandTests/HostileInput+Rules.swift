#if os(Linux)
  /// Hostile rules in JSON and YAML.
  extension HostileInput {
    /// Returns definitions that each refer to the next through `wrap`.
    private static func chain(_ count: Int, last: String, _ wrap: (String) -> String) -> String {
      let definitions = list(count) { #""d\#($0)":"# + wrap(##"{"$ref":"#/$defs/d\##($0 + 1)"}"##) }
      return ##"{"$ref":"#/$defs/d0","$defs":{\##(definitions),"d\##(count)":\##(last)}}"##
    }

    static let rules = [
      HostileInput(
        name: "rules of many members", document: { _ in #"{"p1":1,"q":1}"# },
        rules: { #"{"properties":{\#(list($0 / 20) { "\"p\($0)\":{}" })},"additionalProperties":false}"# }, status: 1),
      HostileInput(
        name: "rules of long names", document: { _ in "{}" }, rules: { #"{"required":["\#(repeated("r", $0 / 2))"]}"# }, status: 1
      ),
      HostileInput(
        name: "rules in a chain of references", document: { _ in "{}" }, rules: { chain($0 / 60, last: "true") { $0 } },
        status: 2),
      HostileInput(
        name: "rules in a circle of members", document: { _ in repeated(#"{"a":"#, 250) + "1" + repeated("}", 250) },
        rules: { chain($0 / 60, last: ##"{"$ref":"#/$defs/d0"}"##) { #"{"properties":{"a":\#($0)}}"# } }),
      HostileInput(
        name: "rules in a circle of dynamic references", document: { _ in "1" },
        rules: { size in
          let count = size / 80
          return
            ##"{"$dynamicRef":"#a0","$defs":{\##(list(count) { ##""d\##($0)":{"$dynamicAnchor":"a\##($0)","$dynamicRef":"#a\##(($0 + 1) % count)"}"## })}}"##
        }, status: 2),
      HostileInput(
        name: "rules with many anchors", document: { _ in "1" },
        rules: { ##"{"$ref":"#a1","$defs":{\##(list($0 / 60) { #""d\#($0)":{"$anchor":"a\#($0)","type":"null"}"# })}}"## },
        status: 1),
      HostileInput(
        name: "rules with many resources", document: { _ in "1" },
        rules: {
          #"{"$ref":"http://a.b/1","$defs":{\#(list($0 / 60) { #""d\#($0)":{"$id":"http://a.b/\#($0)","type":"null"}"# })}}"#
        }, status: 1),
      HostileInput(
        name: "deeply nested rules", document: { _ in "1" },
        rules: { repeated(#"{"allOf":["#, $0 / 12) + "true" + repeated("]}", $0 / 12) }, status: 2),
      HostileInput(
        name: "rules with many values", document: { _ in "[9]" }, rules: { "{\"enum\":[\(list($0 / 10) { "[\($0)]" })]}" }),
      HostileInput(
        name: "rules with deep values", document: { _ in "[9]" },
        rules: { "{\"enum\":[\(list($0 / 500) { repeated("[", 240) + "\($0)" + repeated("]", 240) })]}" }, status: 1),
      HostileInput(
        name: "rules with many closed branches", document: { _ in #"{"p9":1}"# },
        rules: {
          #"{"anyOf":[\#(list(max(3000, $0 / 70)) { #"{"properties":{"p\#($0)":{}},"additionalProperties":false}"# })]}"#
        }, status: 2
      ),
      HostileInput(
        name: "rules with many alternatives", document: { _ in #"{"p9":1}"# },
        rules: {
          #"{"oneOf":[\#(list(min(19_000, $0 / 60)) { #"{"properties":{"p\#($0)":{"type":"integer"}},"required":["p\#($0)"]}"# })]}"#
        }),
      HostileInput(
        name: "rules with a long number", document: { repeated("9", $0) }, rules: { #"{"minimum":\#(repeated("7", $0))}"# }),
      HostileInput(
        name: "rules with a long divisor", document: { _ in "9" }, rules: { #"{"multipleOf":\#(repeated("7", $0))}"# }, status: 2),
      HostileInput(
        name: "rules with many patterns", document: { _ in #"{"p9x":"s"}"# },
        rules: { #"{"patternProperties":{\#(list($0 / 40) { #""^p\#($0).*x$":{"type":"integer"}"# })}}"# }, status: 1),
      HostileInput(
        name: "rules with a long pattern", document: { _ in #""ab""# },
        rules: { #"{"pattern":"\#(repeated("(a|b)", $0 / 5))"}"# }, status: 2),
      HostileInput(
        name: "rules with a pattern that repeats itself", document: { #""\#(repeated("a", $0))""# },
        rules: { _ in #"{"pattern":"((a{1000}){1000}){1000}"}"# }, status: 2),
      HostileInput(
        name: "rules with nested groups", document: { _ in #""a""# },
        rules: { #"{"pattern":"\#(repeated("(", $0 / 2))\#(repeated(")", $0 / 2))"}"# }, status: 2),
      HostileInput(
        name: "rules with many keys", document: { _ in #"{"c1":[{"id":1},{"id":1}]}"# },
        rules: { #"{"properties":{\#(list($0 / 60) { #""c\#($0)":{"primaryKey":"id","items":{"required":["id"]}}"# })}}"# },
        status: 1),
      HostileInput(
        name: "rules with many references", document: { _ in #"{"b":[{"a":1}]}"# },
        rules: {
          #"{"properties":{"b":{"foreignKeys":[\#(list($0 / 100) { #"{"fields":"a","reference":{"resource":"/a\#($0)","fields":"id"}}"# })]}}}"#
        }, status: 1),
      HostileInput(
        name: "rules with a long message", document: { "[\(list($0 / 4) { _ in "1" })]" },
        rules: { #"{"items":{"type":"string","errorMessage":"\#(repeated("m", $0 / 2))"}}"# },
        status: 1),
      HostileInput(
        name: "oversized rules", document: { _ in "1" }, rules: { _ in #"{"title":"\#(repeated("t", 34 << 20))"}"# }, status: 2),
    ]

    private static func yaml(_ name: String, status: Int32 = 2, _ rules: @escaping @Sendable (Int) -> String) -> HostileInput {
      HostileInput(name: "YAML: \(name)", document: { _ in "{}" }, rules: rules, rulesName: "rules.yaml", status: status)
    }

    static let yamlRules = [
      yaml("aliases of aliases") { _ in
        "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
          + (1..<40).map { "a\($0): &a\($0) [\(Array(repeating: "*a\($0 - 1)", count: 9).joined(separator: ", "))]\n" }.joined()
      },
      yaml("an alias of its own parent") { _ in "a: &a {b: *a}" },
      yaml("brackets") { repeated("[", $0) }, yaml("nested lists") { repeated("- ", $0 / 2) },
      yaml("nested keys") { repeated("? ", $0 / 2) },
      yaml("quotes") { repeated("\"", $0 | 1) }, yaml("anchors without values") { repeated("&a ", $0 / 3) },
      yaml("tags without values") { repeated("- !a!b\n", $0 / 7) }, yaml("documents") { repeated("---\n", $0 / 4) },
      yaml("a long comment", status: 0) { "title: a\n#" + repeated("#", $0) },
      yaml("a long text", status: 0) { "title: " + repeated("word ", $0 / 5) },
      yaml("many lines", status: 0) { "title: |\n" + repeated("  x\n", $0 / 4) },
      yaml("many aliases", status: 1) { size in "enum:\n" + (0..<size / 20).map { "- &a\($0) [\($0)]\n- *a\($0)\n" }.joined() },
    ]
  }
#endif
