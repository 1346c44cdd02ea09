/// The reference page of a keyword, or of a few related ones.
public struct KeywordPage: Sendable, Encodable {
  /// The keywords, as the page's heading lists them.
  public let keywords: [String]
  /// The meaning of the keywords, in one sentence.
  public let summary: String
  /// The whole page as Markdown: heading, sentence, value, meaning, findings, cost, examples.
  public let text: String

  /// Reads a page.
  ///
  ///     # minimum, maximum
  ///
  ///     The number is at least, or at most, this.
  ///
  /// Anything may follow these two.
  init(_ text: String) {
    let blocks = text.split(separator: "\n\n", maxSplits: 2)
    precondition(blocks.count == 3 && blocks[0].hasPrefix("# "), "a page must begin with a heading and a sentence")
    keywords = blocks[0].dropFirst(2).split(separator: ", ").map(String.init)
    summary = blocks[1].split(separator: "\n").joined(separator: " ")
    self.text = text
  }
}
