import JSONEvents
import TestSupport
import Testing

@testable import Rules

/// Patterns that need no PCRE2 give PCRE2's answers.
@Suite struct ClassSequencesTests {
  private static func isSimple(_ source: String) throws -> Bool {
    ClassSequences(try PatternParser.parse(source).reducedForSearch) != nil
  }

  private static func matches(_ source: String, _ text: String) throws -> Bool {
    let pattern = try Pattern(source)
    return ByteView.with(text) { Pattern.Matcher().match(pattern, in: $0) } == .match
  }

  @Test(arguments: [
    "^[A-Z0-9]{4}$", "^photos/", "^[^/]*$", "^[0-9a-f]{32}$", "^$", "^", "^a?b$", "^(?:red|green|blue)$", "^(red|blue)?$",
    "^$|^x+$",
    "^[Hh][Tt][Tt][Pp][Ss]?://", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "^\\d+\\.\\d+$", "^\\D+$", "^a+[b-z]*$",
    "^[\\u0080-\\u{10FFFF}]+$", "^ab+",
    "^(a(?:b|c))d$",
  ])
  func `a pattern is simple`(_ source: String) throws { #expect(try Self.isSimple(source)) }

  @Test(arguments: [
    // Not from the start, or not by classes alone.
    "a", "a$", "^a|b", "^(?=a)a", "^\\bword", "^(?:ab)+$", "^(a)\\1$", "(?i:^a)", "^(?i:a)$", "^\\p{L}$", "^.$", "^\\s$", "^ä$",
    "^[ä]$",
    // A class may have to leave something to a later one.
    "^a*a$", "^[a-z]+z$", "^[a-z]{0,3}[0-9]?[a-z]$", "^[A-Za-z0-9.-]+\\.[a-z]{2,64}$", "^\\D+[a-z]$",
    // Too many alternatives.
    "^(?:a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q)$",
  ])
  func `a pattern is PCRE2's`(_ source: String) throws { #expect(try !Self.isSimple(source)) }

  @Test(arguments: [
    ("^[A-Z]{2}$", "AB", true), ("^[A-Z]{2}$", "ABC", false), ("^[A-Z]{2}$", "A", false), ("^[A-Z]{2}$", "AB\n", false),
    ("^photos/", "photos/a", true), ("^photos/", "photo", false), ("^[^/]*$", "ä😀", true), ("^[^/]*$", "ä/", false),
    ("^[^/]{2}$", "ä😀", true), ("^[^/]{3}$", "ä😀", false), ("^$", "", true), ("^$", "a", false), ("^a?b$", "b", true),
    ("^a?b$", "aab", false), ("^(red|blue)?$", "", true), ("^(red|blue)?$", "redblue", false), ("^$|^x+$", "xx", true),
  ])
  func `texts match as in ECMAScript`(_ source: String, _ text: String, _ isMatch: Bool) throws {
    #expect(try Self.isSimple(source) && Self.matches(source, text) == isMatch)
  }

  /// An empty lookahead changes nothing but who decides.
  @Test func `random patterns give PCRE2's answers`() throws {
    let classes = ["[a-c]", "[^a-c]", "a", "b", "[bd/]", "\\d", "\\D", "/", "[^/]", "[a-c\\u0080-\\u{10FFFF}]"]
    let counts = ["", "", "", "?", "*", "+", "{2}", "{1,3}", "{0,2}"]
    let characters = ["a", "b", "c", "d", "/", "7", "ä", "😀", "\n"]
    var (simple, matched, tried) = (0, 0, 0)
    for seed in TestDepth.cases(everyday: 2000, deep: 100_000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      func one(_ choices: [String]) -> String { choices[Int(random.next() % UInt64(choices.count))] }
      func sequence() -> String { (0..<random.next() % 4).map { _ in one(classes) + one(counts) }.joined() }
      var source = "^" + sequence()
      if random.next() % 3 == 0 { source += "(?:\(sequence())|\(sequence()))" + one(["", "?"]) + sequence() }
      if random.next() % 4 > 0 { source += "$" }
      if random.next() % 5 == 0 { source += "|^" + sequence() + "$" }
      guard try Self.isSimple(source) else { continue }
      simple += 1
      let patterns = try (Pattern(source), Pattern("(?=)(?:\(source))"))
      for _ in 0..<12 {
        let text = (0..<random.next() % 6).map { _ in one(characters) }.joined()
        let answers = ByteView.with(text) { text in
          let matcher = Pattern.Matcher()
          return (matcher.match(patterns.0, in: text), matcher.match(patterns.1, in: text))
        }
        #expect(answers.0 == answers.1, "\(source) \(text.debugDescription)")
        tried += 1
        if answers.0 == .match { matched += 1 }
      }
    }
    #expect(simple > 200 && matched * 8 > tried && matched * 8 < tried * 7, "\(simple), \(matched) of \(tried)")
  }
}
