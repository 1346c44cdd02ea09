import ByteStreams
import Rules

/// The reference of all keywords for rule documents, the standard's and Coffer's own, and of the codes in reports: the pages that
/// `coffer rules explain` prints.
///
/// For example:
///
///     let reference = KeywordReference()
///     reference["maximum"]?.summary     // The number is at least, at most, more than or less than this.
///     reference.nearest(to: "tpye")     // type
///
/// Cost: creating a reference reads 100 pages of about a kilobyte each.
public struct KeywordReference: Sendable {
  /// Keywords that readers look up together.
  public struct Group: Sendable {
    public let title: String
    public let pages: [KeywordPage]
  }

  /// All pages on keywords, each in one group.
  public let groups: [Group]
  /// The pages on the codes that reports print, and that no keyword explains.
  public let codes: Group

  /// Reads the groups, each a page of DocC with a section for each of its pages.
  public init() {
    var groups = EmbeddedFile.keywordPages.map { text in
      let sections = text.split(separator: "\n## ")
      return Group(
        title: String(sections[0].prefix { $0 != "\n" }.dropFirst(2)),
        pages: sections.dropFirst().map { KeywordPage("# " + $0) })
    }
    codes = groups.removeLast()
    self.groups = groups
  }

  /// All keywords with a page.
  public var keywords: [String] { groups.flatMap(\.pages).flatMap(\.keywords) }

  /// What each keyword means, in one sentence.
  public var summaries: [String: String] {
    let pairs = groups.flatMap(\.pages).flatMap { page in page.keywords.map { ($0, page.summary) } }
    return Dictionary(pairs) { first, _ in first }
  }

  /// The page of a keyword.
  public subscript(keyword: String) -> KeywordPage? {
    groups.lazy.flatMap(\.pages).first { $0.keywords.contains(keyword) }
  }

  /// Returns the page of a code in reports: that of its keyword, or one about the code.
  public func page(ofCode code: String) -> KeywordPage? {
    let keyword = keywords.first { Keyword.code(of: $0) == code }
    return codes.pages.first { $0.keywords.contains(code) } ?? keyword.flatMap { self[$0] }
  }

  /// Returns the keyword or code closest to a misspelt one, or `nil` if none is close.
  public func nearest(to word: String) -> String? {
    Suggestion.nearest(to: word, among: keywords + codes.pages.flatMap(\.keywords) + keywords.map(Keyword.code))
  }
}

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
