import ByteStreams
import Foundation
import JSONEvents
import Rules
import TestSupport
import Testing

/// Rule documents meant to make their compiler hang, grow or crash: each is quickly refused or evaluated correctly.
@Suite(.timeLimit(.minutes(10))) struct HostileRulesTests {
  static func repeated(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: count) }

  static func list(_ count: Int, _ element: (Int) -> String) -> String { (0..<count).map(element).joined(separator: ",") }

  /// Returns rules with `count` definitions, each of which refers to the next through `wrap`, and finally `last`.
  static func chain(_ count: Int, last: String, _ wrap: (String) -> String) -> String {
    let definitions = list(count) { index in
      let next = ##"{"$ref": "#/$defs/d\##(index + 1)"}"##
      return #""d\#(index)": "# + wrap(next)
    }
    return ##"{"$ref": "#/$defs/d0", "$defs": {\##(definitions), "d\##(count)": \##(last)}}"##
  }

  static let inPlace: [@Sendable (String) -> String] = [
    { $0 }, { #"{"allOf": [\#($0)]}"# }, { #"{"anyOf": [true, \#($0)]}"# }, { #"{"not": \#($0)}"# },
    { #"{"if": \#($0), "then": true}"# }, { #"{"if": true, "else": \#($0)}"# }, { #"{"dependentSchemas": {"a": \#($0)}}"# },
  ]

  @Test(arguments: inPlace.indices)
  func `circular references give no verdict`(way: Int) throws {
    let wrap = Self.inPlace[way]
    for rules in [wrap(##"{"$ref": "#"}"##), Self.chain(20, last: ##"{"$ref": "#/$defs/d0"}"##, wrap)] {
      let error = #expect(throws: CofferError.self) { try Evaluation(rules, "{}") }
      #expect(error?.code == .endlessReference)
    }
    let long = #expect(throws: CofferError.self) { try Evaluation(Self.chain(1000, last: ##"{"$ref": "#"}"##, wrap), "{}") }
    #expect(long?.code == .endlessReference)
    let open = #expect(throws: CofferError.self) { try Evaluation(Self.chain(1000, last: "true", wrap), "{}") }
    #expect(open?.message == "a chain of more than 200 schemas applies to one value here")
  }

  @Test func `circular dynamic references are refused`() throws {
    let ring = Self.list(1000) { ##""d\##($0)": {"$dynamicAnchor": "a\##($0)", "$dynamicRef": "#a\##(($0 + 1) % 1000)"}"## }
    #expect(throws: CofferError.self) { try Evaluation(##"{"$dynamicRef": "#a0", "$defs": {\##(ring)}}"##, "1") }
    #expect(throws: CofferError.self) { try Evaluation(##"{"$dynamicAnchor": "a", "$dynamicRef": "#a"}"##, "1") }
  }

  /// The checks are not copied for each member.
  @Test func `many members with one schema share its checks`() throws {
    let bounds = Self.list(2000) { #"{"maximum": \#($0)}"# }
    let members = Self.list(2000) { ##""m\##($0)": {"$ref": "#/$defs/d"}"## }
    let rules = ##"{"properties": {\##(members)}, "$defs": {"d": {"allOf": [\##(bounds)]}}}"##
    let program = try RuleDocument(MemorySource(rules.utf8)).compiled()
    #expect(program.memberChecks.count < 100_000)
    let evaluation = try Evaluation(rules, #"{"m0": -1, "m1999": 1}"#)
    #expect(evaluation.findings.count == 1)
  }

  /// No function recurses along the chain: the stack of a main thread suffices, even without optimisation.
  @Test(arguments: [##"{"$ref": "#/$defs/d0"}"##, ##"{"properties": {"a": {"$ref": "#"}}}"##])
  func `long chains of references do not exhaust the stack`(last: String) throws {
    let chains = [
      Self.chain(30_000, last: last) { $0 }, Self.chain(30_000, last: last) { #"{"properties": {"a": \#($0)}}"# },
      Self.chain(30_000, last: last) { #"{"items": \#($0)}"# },
      Self.repeated(#"{"not": "#, 250) + "true" + Self.repeated("}", 250),
      Self.repeated(#"{"properties": {"a": "#, 120) + "true" + Self.repeated("}}", 120),
    ]
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      for rules in chains { _ = try? Evaluation(rules, #"{"a": {"a": [1]}}"#) }
      done.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
    done.wait()
  }

  @Test func `nesting of rules is limited`() {
    let rules = Self.repeated(#"{"allOf": ["#, 10_000) + "true" + Self.repeated("]}", 10_000)
    let error = #expect(throws: CofferError.self) { try Evaluation(rules, "1") }
    #expect(error?.code == .depthLimit)
  }

  @Test func `the size of rules is limited while they are read`() {
    let source = RepeatingSource(start: #"{"enum": [0"#, piece: ", 1234567", count: 1 << 30, end: "]}")
    let error = #expect(throws: CofferError.self) { try RuleDocument(source) }
    #expect(error?.message == "the rule document is larger than the limit of 32 MiB")
  }

  @Test func `large but harmless rules are compiled`() throws {
    let members = Self.list(20_000) { #""p\#($0)": {"type": "integer"}"# }
    #expect(try Evaluation(#"{"properties": {\#(members)}}"#, #"{"p7": "x", "p19999": 1}"#).lines == ["type /p7"])
    let anchors = Self.list(50_000) { #""d\#($0)": {"$anchor": "a\#($0)", "type": "null"}"# }
    #expect(try Evaluation(##"{"$defs": {\##(anchors)}, "$ref": "#a49999"}"##, "1").lines == ["type "])
    let resources = Self.list(10_000) { #""d\#($0)": {"$id": "http://example.org/\#($0)", "type": "null"}"# }
    #expect(try Evaluation(#"{"$defs": {\#(resources)}, "$ref": "http://example.org/9999"}"#, "1").lines == ["type "])
    #expect(throws: CofferError.self) { try Evaluation(##"{"$defs": {\##(anchors)}, "$ref": "#b"}"##, "1") }
  }

  @Test func `long enumerations are evaluated`() throws {
    #expect(try Evaluation(#"{"enum": [\#(Self.list(100_000) { "\($0)" })]}"#, "[99999.0]").lines == ["enum "])
    #expect(try Evaluation(#"{"enum": [\#(Self.list(100_000) { "\($0)" })]}"#, "99999.0").isValid)
    #expect(try Evaluation(#"{"enum": [\#(Self.list(100_000) { "\"s\($0)\"" })]}"#, #""s99999""#).isValid)
    #expect(try Evaluation(#"{"enum": [\#(Self.list(50_000) { "[\($0)]" })]}"#, "[49999]").isValid)
  }

  // MARK: Branches

  @Test(arguments: [
    (#"{"const": %}"#, "4999"),
    (#"{"properties": {"p%": {"type": "integer"}}, "required": ["p%"]}"#, #"{"p4999": 1}"#),
    (#"{"properties": {"a": {"const": %}}, "required": ["a"]}"#, #"{"a": 4999}"#),
  ])
  func `thousands of branches are decided`(branch: String, document: String) throws {
    let branches = Self.list(5000) { branch.replacing("%", with: "\($0)") }
    #expect(try Evaluation(#"{"anyOf": [\#(branches)]}"#, document).isValid)
    #expect(try Evaluation(#"{"oneOf": [\#(branches)]}"#, document).isValid)
  }

  @Test func `many branches may exclude the names of the others`() throws {
    func rules(_ count: Int) -> String {
      let branches = Self.list(count) { #"{"properties": {"p\#($0)": {"type": "integer"}}, "additionalProperties": false}"# }
      return #"{"anyOf": [\#(branches)]}"#
    }
    #expect(try Evaluation(rules(200), #"{"p199": 1}"#).isValid)
    #expect(try Evaluation(rules(200), #"{"p199": 1, "p198": 1}"#).lines == ["any-of "])
  }

  @Test func `shared definitions below members do not explode`() throws {
    let rules = Self.chain(60, last: #"{"type": "string"}"#) {
      #"{"anyOf": [{"properties": {"a": \#($0)}}, {"properties": {"b": \#($0)}}, {"properties": {"a": \#($0)}}]}"#
    }
    #expect(try Evaluation(rules, #"{"a": {"a": {"b": 1}}}"#).isValid)
  }

  /// All branches of a level share one result of the next level.
  @Test(arguments: [2, 200])
  func `recursive branches are decided`(count: Int) throws {
    let branches = Self.list(count) { _ in ##"{"properties": {"a": {"$ref": "#"}}, "required": ["b"]}"## }
    let rules = #"{"anyOf": [\#(branches)]}"#
    let document = Self.repeated(#"{"b": 1, "a": "#, 250) + "1" + Self.repeated("}", 250)
    #expect(try Evaluation(rules, document).isValid)
    #expect(try Evaluation(rules, document.replacing(#""b": 1"#, with: #""c": 1"#)).lines == ["any-of "])
  }

  /// A comparison with an outer field has a separate result for each branch, and the number of results is limited.
  @Test func `recursive branches that compare with outer fields are limited`() throws {
    let branch = ##"{"properties": {"a": {"$ref": "#"}, "b": {"maximum": {"$data": "1/c"}}}}"##
    let document = Self.repeated(#"{"a": "#, 500) + "1" + Self.repeated("}", 500)
    let error = #expect(throws: CofferError.self) { try Evaluation(#"{"anyOf": [\#(branch), \#(branch)]}"#, document) }
    #expect(error?.code == .ruleLimit)
  }

  @Test func `recursion along the document is decided`() throws {
    let rules = ##"{"anyOf": [{"type": "integer"}, {"type": "object", "additionalProperties": {"$ref": "#"}}]}"##
    let document = Self.repeated(#"{"a": "#, 500) + "%" + Self.repeated("}", 500)
    #expect(try Evaluation(rules, document.replacing("%", with: "1")).isValid)
    #expect(try !Evaluation(rules, document.replacing("%", with: "null")).isValid)
  }

  // MARK: Numbers

  static let longNumbers: [(rules: String, document: String, isValid: Bool)] = [
    (#"{"minLength": 1e400}"#, #""a""#, false), (#"{"maxLength": 1e400}"#, #""a""#, true),
    (#"{"maxItems": 1e999999999}"#, "[1]", true), (#"{"contains": true, "minContains": 1e400}"#, "[1]", false),
    (#"{"minLength": \#(repeated("9", 100_000))}"#, #""a""#, false),
    (#"{"multipleOf": 1e-400}"#, "1e400", true), (#"{"multipleOf": 1e-999999999}"#, "1e999999999", true),
    (#"{"multipleOf": 3e-999999}"#, "1e999999", false), (#"{"multipleOf": 7}"#, "1e99999999999999999999", false),
    (#"{"minimum": \#(repeated("7", 1_000_000))}"#, repeated("9", 1_000_000), true),
    (#"{"enum": [\#(repeated("7", 1_000_000))]}"#, repeated("7", 1_000_000) + ".0", true),
    (#"{"multipleOf": 7}"#, repeated("7", 1_000_000), true),
    (#"{"type": "integer"}"#, repeated("9", 500_000) + "." + repeated("0", 500_000), true),
  ]

  @Test(arguments: longNumbers.indices)
  func `long numbers are evaluated exactly`(index: Int) throws {
    let (rules, document, isValid) = Self.longNumbers[index]
    #expect(try Evaluation(rules, document).isValid == isValid)
  }

  @Test func `long divisors are refused`() {
    let error = #expect(throws: CofferError.self) { try Evaluation(#"{"multipleOf": \#(Self.repeated("7", 19))}"#, "1") }
    #expect(error?.message == "multipleOf has more than 18 digits")
  }
}
