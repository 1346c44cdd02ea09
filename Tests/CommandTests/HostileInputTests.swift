#if os(Linux)
  import TestSupport
  import Testing

  /// Documents, rules and names made to cost more than they are worth: each is judged, or refused, within 300 MB and 20 seconds of CPU time.
  ///
  /// Everyday runs try the smaller ones, which are as hostile, but leave more room.
  @Suite struct HostileInputTests {
    struct Case: CustomTestStringConvertible, Sendable {
      let name: String
      let document: @Sendable (_ size: Int) -> String
      var rules: (@Sendable (_ size: Int) -> String)?
      var arguments = ["validate"]
      var output: String?
      var status: Int32 = 0

      var testDescription: String { name }
    }

    private static func repeated(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: max(0, count)) }

    private static func list(_ count: Int, _ item: (Int) -> String) -> String {
      (0..<count).map(item).joined(separator: ",")
    }

    private static let union = """
      {"$ref": "#/$defs/n", "$defs": {"n": {"oneOf": [
        {"properties": {"k": {"const": 1}, "c": {"items": {"$ref": "#/$defs/n"}}}, "required": ["k"]},
        {"properties": {"k": {"const": 2}, "c": {"items": {"$ref": "#/$defs/n"}}}, "required": ["k"]},
        {"properties": {"k": {"const": 3}, "c": {"items": {"$ref": "#/$defs/n"}}}, "required": ["k"]}]}}}
      """
    private static let integers: @Sendable (Int) -> String = { _ in #"{"items": {"type": "string"}}"# }
    private static let members: @Sendable (Int) -> String = { size in "{\(list(size / 12) { "\"m\($0)\":\($0)" })}" }

    /// `size` is in bytes, more or less.
    static let cases: [Case] = [
      Case(
        name: "a long name around equal names",
        document: { #"{"\#(repeated("k", $0 / 2))":{\#(list($0 / 16) { _ in "\"x\":1" })}}"# }, rules: { _ in "true" }),
      Case(
        name: "all findings below a long name",
        document: { #"{"\#(repeated("k", $0 / 2))":[\#(list($0 / 8) { "\($0 % 10)" })]}"# },
        rules: { _ in #"{"additionalProperties":{"items":{"type":"string"}}}"# },
        arguments: ["validate", "--max-findings", "100000000"], status: 1),
      Case(
        name: "long names in one another",
        document: { size in
          (0..<250).map { #"{"\#(repeated("\($0 % 10)", size / 300))":"# }.joined() + "{\(list(1000) { _ in "\"x\":1" })}"
            + repeated("}", 250)
        }, rules: { _ in "true" }),
      Case(
        name: "nothing but findings", document: { "[\(list($0 / 2) { "\($0 % 10)" })]" }, rules: integers,
        arguments: ["validate", "--max-findings", "100000000"], status: 1),
      Case(name: "deep brackets", document: { _ in repeated("[", 511) + repeated("]", 511) }, rules: integers, status: 1),
      Case(name: "too deep brackets", document: { repeated("[", $0) }, rules: integers, status: 3),
      Case(
        name: "a deep tree of a tagged union", document: { _ in repeated(#"{"k":1,"c":["#, 250) + repeated("]}", 250) },
        rules: { _ in union }),
      Case(
        name: "a wide tree of a tagged union",
        document: { #"{"k":1,"c":[\#(list($0 / 30) { #"{"c":[{"k":\#($0 % 3 + 1)}],"k":2}"# })]}"# }, rules: { _ in union }),
      Case(
        name: "a long name that is not allowed", document: { #"{"\#(repeated("k", $0))":1}"# },
        rules: { _ in #"{"additionalProperties":false}"# }, status: 1),
      Case(
        name: "a long string", document: { #""\#(repeated("\\u00e9", $0 / 6))""# }, rules: { _ in #"{"maxLength":5}"# }, status: 1
      ),
      Case(
        name: "a long number", document: { repeated("9", $0 / 8) }, rules: { _ in #"{"multipleOf":7,"maximum":1}"# }, status: 1),
      Case(
        name: "a huge exponent", document: { _ in "1e999999999999" }, rules: { _ in #"{"multipleOf":0.3,"maximum":1}"# },
        status: 1),
      Case(
        name: "many members that are not allowed", document: members, rules: { _ in #"{"additionalProperties":false}"# },
        status: 1),
      Case(
        name: "many items that are unlike", document: { "[\(list($0 / 10) { "\($0)" })]" },
        rules: { _ in #"{"uniqueItems":true}"# }),
      Case(
        name: "many references to nothing",
        document: { #"{"a":[],"b":[\#(list($0 / 20) { #"{"a":"x\#($0)"}"# })]}"# },
        rules: { _ in
          #"{"properties":{"b":{"foreignKeys":[{"fields":"a","reference":{"resource":"/a","fields":"id"}}]}}}"#
        }, status: 1),
      Case(
        name: "a pattern that backtracks", document: { "[\(list($0 / 4000) { _ in "\"\(repeated("a", 4000))!\"" })]" },
        rules: { _ in #"{"items":{"pattern":"^(a+)+$"}}"# }, status: 1),
      Case(
        name: "rules of many members", document: { _ in #"{"p1":1,"q":1}"# },
        rules: { #"{"properties":{\#(list($0 / 100) { "\"p\($0)\":{}" })},"additionalProperties":false}"# }, status: 1),
      Case(
        name: "rules of long names", document: { _ in "{}" }, rules: { #"{"required":["\#(repeated("r", $0 / 8))"]}"# }, status: 1
      ),
      Case(name: "many members, inspected", document: members, arguments: ["inspect"], status: 1),
      Case(name: "many members, in order", document: members, arguments: ["convert", "--sort-keys"], output: "out.json"),
      Case(
        name: "a long string, converted", document: { #"["\#(repeated("s", $0))"]"# },
        arguments: ["convert"], output: "out.json"),
    ]

    @Test(arguments: cases)
    func hostileInputIsJudgedInLittleMemory(_ test: Case) async throws {
      let folder = try TemporaryFolder()
      let size = TestDepth.count(everyday: 500_000, deep: 8_000_000)
      try folder.write(test.document(size), to: "a.json")
      var arguments = test.arguments
      if let rules = test.rules {
        try folder.write(rules(size), to: "rules.json")
        arguments += ["--rules", "rules.json"]
      }
      let run = try await Command(
        script: #"""
          ulimit -t 20; ulimit -d 300000
          "$0" "$@" > report
          status=$?
          # What is said of a document is bounded, too.
          test "$(wc -c < report)" -lt 33554432 || exit 99
          exit $status
          """#, arguments + ["a.json"] + (test.output.map { [$0] } ?? []), in: folder)
      #expect(run.status == test.status, "\(run.errors.prefix(1000))")
    }
  }
#endif
