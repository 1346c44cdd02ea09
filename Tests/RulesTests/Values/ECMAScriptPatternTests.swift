import JSONEvents
import Testing

@testable import Rules

/// Patterns have the meaning of ECMA-262 where PCRE2 differs.
@Suite struct ECMAScriptPatternTests {
  private let matcher = Pattern.Matcher()

  private func match(_ pattern: String, _ text: String) throws -> Pattern.Outcome {
    let pattern = try Pattern(pattern)
    return ByteView.with(text) { matcher.match(pattern, in: $0) }
  }

  @Test(arguments: [
    ("^\\s$", "\u{FEFF}"), ("^\\s$", "\u{2003}"), ("^\\s$", "\u{2028}"), ("^\\W$", "é"), ("^\\cA\\x41\\0$", "\u{1}A\0"),
    ("^\\uD83D\\uDC32$", "🐲"), ("^[\\uD83D\\uDC32]$", "🐲"), ("^\\u{1F432}*$", "🐲🐲"), ("^[^\\uD800-\\uDFFF]$", "a"),
    ("^[^]$", "\n"),
    ("^[\\b]$", "\u{8}"), ("^[[:alpha:]$", ":"), ("^\\p{Letter}cole$", "école"), ("^\\p{digit}+$", "৪২"),
    ("^\\p{Script=Greek}\\p{scx=Grek}$", "αβ"), ("^\\p{Assigned}\\P{ASCII}$", "aé"), ("^[\\p{Lu}\\D]$", "é"), ("^[\\S]$", "a"),
    ("^(?<$é>a)\\k<$é>$", "aa"), ("^(?:(?<n>a)|(?<n>b))\\k<n>$", "bb"), ("^\\1(a)$", "a"), ("^(a\\1)$", "a"), ("^(a)?\\1b$", "b"),
    ("^(?:(['\"])x\\1|y)*$", "'x'y"), ("^(?i:straße|K)$", "\u{212A}"), ("^(?s:.)(?-s:.)$", "\na"),
    ("^(?m:^b$)|^a\\n(?m:^b$)", "a\nb\nc"),
    ("(?<!a)b", "cb"), ("(?:b|)[a-c]*(?<!b)", "b"), ("^\\-\\_\\\"$", "-_\""), ("^[^a]*[^\\d\\D]*$", "b"), ("^[a-]$", "-"),
  ])
  func `text matches as ECMA-262 requires`(pattern: String, text: String) throws {
    #expect(try match(pattern, text) == .match)
  }

  @Test(arguments: [
    ("^\\d$", "৪"), ("^\\w$", "é"), ("^\\S$", "\u{A0}"), ("^.$", "\u{2028}"), ("^.$", "\r"), ("^abc$", "abc\n"), ("[]", "a"),
    ("\\uD83D", "🐲"), ("[\\uD800-\\uDFFF]", "🐲"), ("^\\s$", "\u{180E}"), ("é\\b", "é"), ("^[[:alpha:]$", "b"),
  ])
  func `other text does not match`(pattern: String, text: String) throws {
    #expect(try match(pattern, text) == .noMatch)
  }

  @Test(arguments: [
    ("a\\Z", 1, "\\Z is not"), ("\\A", 0, "\\A is not"), ("\\a", 0, "\\a is not"), ("é\\h", 2, "\\h is not"),
    ("a++", 2, "repeated"), ("(?>a)", 0, "(? doesn't open"), ("(?P<n>a)", 0, "(? doesn't open"), ("(?i)a", 0, "(? doesn't open"),
    ("(*FAIL)", 0, "(*"), ("\\01", 0, "octal"), ("\\2(a)", 0, "has 1"), ("\\k<n>", 0, "name n"),
    ("(?<n>a)(?<n>b)", 9, "duplicate"),
    ("[\\w-z]", 1, "range"), ("[b-a]", 1, "first"), ("a{,5}", 1, "\\{"), ("}", 0, "\\}"), ("]", 0, "\\]"), ("a{2,1}", 1, "less"),
    ("(?=a)*", 5, "repeated"), ("^*", 1, "repeated"), ("(?<=a)?", 6, "repeated"), ("\\u{110000}", 0, "10ffff"),
    ("\\p{lu}", 0, "exact"),
    ("\\p{Greek}", 0, "Script=Greek"), ("\\pL", 0, "braces"), ("[a\\B]", 2, "class"), ("a{65536}", 0, "65535"),
    ("b(?<=a+)", 1, "lookbehind"),
    ("(?:(a)|b)*\\1", 10, "not supported"), ("\\", 0, "ends with"), ("(?-:a)", 0, "missing"), ("(?ii:a)", 0, "duplicate"),
  ])
  func `an error in a pattern is explained with its place`(pattern: String, offset: Int, explanation: String) {
    let error = #expect(throws: Pattern.CompileError.self) { try Pattern(pattern) }
    #expect(error?.offset == offset, "\(error?.message ?? "")")
    #expect(error?.message.contains(explanation) == true, "\(error?.message ?? "")")
  }

  @Test func `the syntax check ignores the limits of matching`() throws {
    for pattern in ["(?<=a+)b{70000}(?:(c)|d)*\\1", "\\-", "\\_", "\\&", "\\~"] { try Pattern.checkSyntax(of: pattern) }
    for pattern in ["^\\S(|(.|\\n)*\\S)\\Z", "\\a"] {
      #expect(throws: Pattern.CompileError.self) { try Pattern.checkSyntax(of: pattern) }
    }
  }
}
