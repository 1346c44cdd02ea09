/// What there is to know of a keyword, or of a few that belong together.
public struct KeywordPage: Sendable {
  /// The keywords, as the page's heading lists them.
  public let keywords: [String]
  /// What they mean, in one sentence.
  public let summary: String
  /// The whole page as Markdown: heading, sentence, value, meaning, findings, cost, examples.
  public let text: String

  /// Reads a page.
  ///
  ///     # minimum, maximum
  ///
  ///     The number is at least, or at most, this.
  ///
  /// Behind these two anything may stand.
  init(_ text: String) {
    let blocks = text.split(separator: "\n\n", maxSplits: 2)
    precondition(blocks.count == 3 && blocks[0].hasPrefix("# "), "a page begins with a heading and a sentence")
    keywords = blocks[0].dropFirst(2).split(separator: ", ").map(String.init)
    summary = blocks[1].split(separator: "\n").joined(separator: " ")
    self.text = text
  }
}
