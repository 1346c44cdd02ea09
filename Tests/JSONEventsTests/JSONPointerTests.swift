import JSONEvents
import Testing

@Suite struct JSONPointerTests {
  /// RFC 6901, section 5, and names whose first scalar forms one Swift character with the preceding slash.
  private static let pointers: [(pointer: String, tokens: [String])] = [
    ("", []), ("/", [""]), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]), ("/e^f", ["e^f"]),
    ("/g|h", ["g|h"]), (#"/i\j"#, [#"i\j"#]), ("/k\"l", ["k\"l"]), ("/ ", [" "]), ("/m~0n", ["m~n"]), ("/~01", ["~1"]),
    ("/~10", ["/0"]),
    ("//", ["", ""]), ("/a//b/", ["a", "", "b", ""]), ("/é/🔋", ["é", "🔋"]), ("/a\r\n/b", ["a\r\n", "b"]),
    ("/\u{301}a", ["\u{301}a"]), ("/a/\u{301}b/c", ["a", "\u{301}b", "c"]), ("/\u{200D}", ["\u{200D}"]),
    ("/~0\u{301}", ["~\u{301}"]),
  ]

  @Test(arguments: pointers)
  func `a pointer is parsed into its names`(pointer: String, tokens: [String]) {
    // Compared by scalars: to Swift, strings that differ only in their normal form are equal.
    #expect(pointer.pointerTokens?.map { Array($0.unicodeScalars) } == tokens.map { Array($0.unicodeScalars) })
  }

  @Test(arguments: pointers)
  func `names are joined to a pointer`(pointer: String, tokens: [String]) {
    #expect(Array(tokens.map { "/" + $0.pointerToken }.joined().unicodeScalars) == Array(pointer.unicodeScalars))
  }

  @Test(arguments: ["a", "a/b", " /a", "/~", "/a~", "/~2", "/a~b/c", "/~~", "#/a"])
  func `malformed text is not a pointer`(text: String) {
    #expect(text.pointerTokens == nil)
  }
}
