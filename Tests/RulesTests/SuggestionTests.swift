import Rules
import Testing

@Suite struct SuggestionTests {
  private static let known = ["minimum", "maximum", "format", "formatMaximum", "Home (7kW)", "x"]

  @Test(arguments: [
    ("minimun", "minimum"), ("Minimum", "minimum"), ("MAXIMUM", "maximum"), ("fromat", "format"),
    ("formatmaximum", "formatMaximum"),
    ("home7kW", "Home (7kW)"), ("maximu", "maximum"), ("X", "x"), ("maxinum", "maximum"), ("mimimum", "minimum"),
  ])
  func `similar words are suggested`(word: String, expected: String) {
    #expect(Suggestion.nearest(to: word, among: Self.known) == expected)
  }

  @Test(arguments: ["", "y", "entirely", "mnmm", String(repeating: "m", count: 65)])
  func `dissimilar words are not suggested`(word: String) {
    #expect(Suggestion.nearest(to: word, among: Self.known) == nil)
  }

  @Test func `the first of equally similar words is suggested`() {
    #expect(Suggestion.nearest(to: "bat", among: ["cat", "hat"]) == "cat")
    #expect(Suggestion.nearest(to: "hat", among: ["cat", "hat"]) == "hat")
  }

  @Test func `the suggestion text is a question or empty`() {
    #expect(Suggestion.text(for: "fromat", among: Self.known) == "; did you mean 'format'?")
    #expect(Suggestion.text(for: "entirely", among: Self.known) == "")
    #expect(Suggestion.text(for: "a", among: []) == "")
  }

  @Test func `the search in long lists is limited`() {
    let words = (0..<2000).map { "word-\($0)-of-a-long-list" } + ["needle"]
    #expect(Suggestion.nearest(to: "needlf", among: words) == nil)
  }
}
