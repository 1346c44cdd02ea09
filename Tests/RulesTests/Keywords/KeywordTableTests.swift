import ByteStreams
import Findings
import JSONEvents
import Testing

@testable import Rules

/// The table of keywords, and a keyword that only its own file knows.
@Suite struct KeywordTableTests {
  @Test func `each name has one entry`() {
    let names = Keyword.all.map(\.name)
    #expect(Set(names).count == names.count)
  }

  @Test(arguments: [
    ("primaryKey", "primary-key"), ("uniqueKeys", "unique-key"), ("$ref", "reference"), ("minItems", "min-items"),
  ])
  func `a keyword's code is its name in kebab case, or its own`(_ name: String, _ code: String) {
    #expect(Keyword.code(of: name) == code)
  }

  /// A plain check, written as its file would.
  private static let spaceless = Keyword.Rule(.string, words: { _ in "without spaces" }) { adder, keyword, slot in
    adder.append(slot, rule: adder.rule(keyword, "text without spaces"), .string) { !$0.text.string.contains(" ") }
  }

  @Test(arguments: [("\"ab\"", []), ("\"a b\"", ["spaceless "]), ("1", []), ("[\"a b\"]", [])] as [(String, [String])])
  func `a keyword needs no case of its own`(_ value: String, _ findings: [String]) throws {
    var document = try RuleDocument(MemorySource("{}".utf8))
    let origin = document.schemas[document.root].origin
    document.schemas[document.root].keywords = [
      Schema.Keyword(name: "spaceless", origin: origin, assertion: .own(Self.spaceless), grading: Schema.Grading())
    ]
    let evaluation = try Evaluation(try document.compiled(), value)
    #expect(evaluation.lines == findings)
    #expect(evaluation.findings.allSatisfy { $0.message == "expected text without spaces, found 'a b'" })
    #expect(document.rootChecks.map(\.words) == ["without spaces"])
  }

  @Test func `a keyword of its own is about types`() throws {
    var document = try RuleDocument(MemorySource(#"{"type": "number"}"#.utf8))
    let origin = document.schemas[document.root].origin
    document.schemas[document.root].keywords.append(
      Schema.Keyword(name: "spaceless", origin: origin, assertion: .own(Self.spaceless), grading: Schema.Grading()))
    #expect(RuleLint.findings(in: document).map(\.message) == ["spaceless applies to strings, but the type is number"])
  }
}
