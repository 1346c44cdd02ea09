import ByteStreams
import Rules

/// The reference of all keywords for rule documents, the standard's and Coffer's own: the pages that `coffer rules explain`
/// prints.
///
/// For example:
///
///     let reference = KeywordReference()
///     reference["maximum"]?.summary     // The number is at least, at most, more than or less than this.
///     reference.nearest(to: "tpye")     // type
///
/// Cost: creating a reference reads 50 pages of about a kilobyte each.
public struct KeywordReference: Sendable {
  /// Keywords that readers look up together.
  public struct Group: Sendable {
    public let title: String
    public let pages: [KeywordPage]
  }

  /// All pages, each in one group.
  public let groups: [Group]

  /// Reads the pages that DocC's article on keywords lists, in its groups.
  public init() {
    let texts = EmbeddedFile.keywordPages
    let pages = Dictionary(texts.dropFirst().map(KeywordPage.init).map { ($0.name, $0) }) { first, _ in first }
    groups = texts[0].split(separator: "\n### ").dropFirst().map { section in
      let lines = section.split(separator: "\n")
      let names = lines.compactMap { $0.hasPrefix("- <doc:") ? $0.dropFirst(7).prefix { $0 != ">" } : nil }
      return Group(title: String(lines[0]), pages: names.compactMap { pages[String($0)] })
    }
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

  /// Returns the keyword closest to a misspelt one, or `nil` if none is close.
  public func nearest(to word: String) -> String? { Suggestion.nearest(to: word, among: keywords) }
}
