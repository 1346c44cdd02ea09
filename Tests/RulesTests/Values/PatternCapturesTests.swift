import JSONEvents
import Testing

@testable import Rules

@Suite struct PatternCapturesTests {
  private static func groups(_ source: String, _ text: String) throws -> [String?]? {
    let captures = PatternCaptures(try Pattern(source, capturesGroups: true))
    return ByteView.with(text) { view in
      captures.groups(in: view)?.map { range in range.map { view.dropFirst($0.lowerBound).prefix($0.count).string } }
    }
  }

  @Test(
    arguments: [
      ("(\\S+) (.+)", "Zoë de Wit", ["Zoë", "de Wit"]), ("(a)|(b)", "b", [nil, "b"]), ("(a)|(b)", "a", ["a", nil]),
      ("(?:x)(y(z))?", "x", [nil, nil]), ("(?<year>\\d{4})-(?<month>\\d\\d)", "2026-07", ["2026", "07"]), ("()", "", [""]),
      ("(a)|(ab)", "ab", [nil, "ab"]),
      (".*(\\d)", "12", ["2"]), ("(.*),?(.*)", "a,b", ["a,b", ""]), ("(🔋)(.)", "🔋é", ["🔋", "é"]), ("(a)\\1", "aa", ["a"]),
    ] as [(String, String, [String?])])
  func `the text of each group is found`(source: String, text: String, groups: [String?]) throws {
    #expect(try Self.groups(source, text) == groups)
  }

  @Test(arguments: [("(a)", "ab"), ("(a)", "ba"), ("(a)", ""), ("((x+x+)+)y", String(repeating: "x", count: 60))])
  func `the whole text must match`(source: String, text: String) throws {
    #expect(try Self.groups(source, text) == nil)
  }

  @Test(arguments: [("a", 0), ("(a)", 1), ("(?:a)((b)(c))", 3), ("(?=(a))a", 1), ("(?<n>a)|(?<n>b)", 2)])
  func `groups are counted`(source: String, count: Int) throws {
    #expect(try Pattern(source, capturesGroups: true).groupCount == count)
  }
}
