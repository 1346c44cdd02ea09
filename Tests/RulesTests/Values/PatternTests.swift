import JSONEvents
import Testing

@testable import Rules

@Suite struct PatternTests {
  private let matcher = Pattern.Matcher()

  private func match(_ pattern: String, _ text: String) throws -> Pattern.Outcome {
    let pattern = try Pattern(pattern)
    return ByteView.with(text) { matcher.match(pattern, in: $0) }
  }

  @Test(arguments: [
    ("", ""), ("", "abc"), ("b", "abc"), ("^abc$", "abc"), ("^$", ""), ("^[A-Z]{2}-\\d+$", "HH-42"), ("^.$", "é"), ("^.$", "🔋"),
    ("^\\p{L}+$", "κλειδί"),
    ("a|b", "xb"), ("^(?:a+)+$", "aaaa"), ("(a)(b)(c)(d)", "abcd"), ("^é$", "é"), ("\\.json$", "a.json"), ("^\\u00e9$", "é"),
  ])
  func `text matches a pattern`(pattern: String, text: String) throws {
    #expect(try match(pattern, text) == .match)
  }

  @Test(arguments: [
    ("b", "ac"), ("^b", "ab"), ("b$", "ba"), ("^abc$", "ABC"), ("^.$", "ab"), ("^..$", "🔋"), ("^[a-z]*$", "é"), ("a.c", "a\nc"),
    ("x", ""),
    ("^[A-Z]{3}$", "EUR\n"),
  ])
  func `other text does not match`(pattern: String, text: String) throws {
    #expect(try match(pattern, text) == .noMatch)
  }

  @Test(arguments: [100, 1_000, 100_000])
  func `costly matching is abandoned in time proportional to the text`(count: Int) throws {
    #expect(try match("^(a+)+$", String(repeating: "a", count: count) + "!") == .tooCostly)
    // A search only needs a part that matches: here, whether the text ends with an a.
    #expect(try match("(a+)+$", String(repeating: "a", count: count) + "!") == .noMatch)
  }

  @Test func `reasonable patterns get a result for long texts`() throws {
    #expect(try match("^(.*,)?x(,.*)?$", String(repeating: "a,", count: 500) + "x,b") == .match)
    #expect(try match("^(.*,)?x(,.*)?$", String(repeating: ",", count: 1_000)) == .noMatch)
    #expect(try match("x(?:[a-z]|[0-9])*y", "x" + String(repeating: "a1", count: 20_000) + "y") == .match)
  }

  @Test(arguments: [
    String(repeating: "(", count: 100_000), String(repeating: "(", count: 1_000) + String(repeating: ")", count: 1_000),
    String(repeating: "abc|", count: 250_000), String(repeating: "[", count: 60_000), String(repeating: "\\s", count: 30_000),
    "((a{65535}){65535}){65535}", "a{65536}", "^a{0,99999999999999999999}b",
  ])
  func `hostile patterns are refused`(pattern: String) {
    #expect(throws: Pattern.CompileError.self) { try Pattern(pattern) }
  }

  @Test(arguments: ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "^(.*)*[xy]$"])
  func `matching of catastrophic patterns is abandoned`(pattern: String) throws {
    #expect(try match(pattern, String(repeating: "a", count: 60) + "!") == .tooCostly)
  }

  @Test(arguments: ["^(?:[a-z]|[0-9])*$", "^([a-z]|[0-9])*$", "^[a-z0-9]*$", "^(?:[a-z0-9]+-?)*$"])
  func `long texts alone are not too costly`(pattern: String) throws {
    #expect(try match(pattern, String(repeating: "a1", count: 20_000)) == .match)
  }

  @Test func `a matcher can be used for many patterns`() throws {
    #expect(try match("^(a+)+$", String(repeating: "a", count: 60) + "!") == .tooCostly)
    #expect(try match("^a$", "a") == .match)
    #expect(try match("^a$", "b") == .noMatch)
  }

  @Test(arguments: [("(", 1), ("a(b", 3), ("[a", 2), ("*a", 0), (")", 0), ("é(", 3)])
  func `invalid patterns are refused with the place of the error`(pattern: String, offset: Int) {
    let error = #expect(throws: Pattern.CompileError.self) { try Pattern(pattern) }
    #expect(error?.offset == offset)
    #expect(error?.message.isEmpty == false)
  }
}
