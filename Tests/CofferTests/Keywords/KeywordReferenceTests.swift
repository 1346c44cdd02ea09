import Coffer
import Foundation
import Rules
import Testing

@Suite struct KeywordReferenceTests {
  static let reference = KeywordReference()
  static let pages = reference.groups.flatMap(\.pages)

  @Test(
    arguments: KeywordNames.annotations + KeywordNames.gradings + KeywordNames.all + KeywordNames.successors.keys + [
      "backup", "$data",
    ])
  func `every keyword has a page`(_ keyword: String) {
    #expect(Self.reference[keyword] != nil)
  }

  @Test func `no keyword has two pages`() {
    let keywords = Self.reference.keywords
    #expect(Set(keywords).count == keywords.count)
  }

  @Test(arguments: pages.map(\.keywords[0]))
  func `a page has all sections in order and an example`(_ keyword: String) throws {
    let page = try #require(Self.reference[keyword])
    #expect(page.summary.hasSuffix("."))
    var rest = page.text[...]
    for label in ["**Value**: ", "**Applies to**: ", "**Means**: ", "**Finding**: ", "**Cost**: ", "**Example"] {
      let place = try #require(rest.firstRange(of: "\n\n" + label), "\(label) in its order")
      rest = rest[place.upperBound...]
    }
    #expect(!KeywordExample.all(of: page).isEmpty)
  }

  @Test func `the page of format names all formats`() throws {
    let page = try #require(Self.reference["format"])
    for format in StringFormat.allCases { #expect(page.text.contains("`\(format.name)`")) }
  }

  @Test func `a misspelt keyword gets a suggestion`() {
    #expect(Self.reference.nearest(to: "tpye") == "type")
    #expect(Self.reference.nearest(to: "zzzzzzzzzzzz") == nil)
  }

  /// The DocC article lists the pages by file name, in the same groups.
  @Test func `the article lists the same pages`() throws {
    let catalog = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/Coffer/Coffer.docc")
    let article = try String(contentsOf: catalog.appending(path: "Keywords.md"), encoding: .utf8)
    var listed: [String] = []
    for line in article.split(separator: "\n") {
      if line.hasPrefix("### ") { listed.append(String(line.dropFirst(4))) }
      guard let name = line.wholeMatch(of: /- <doc:(.+)>/)?.1 else { continue }
      let text = try String(contentsOf: catalog.appending(path: "Keywords/\(name).md"), encoding: .utf8)
      listed.append(text)
    }
    #expect(listed == Self.reference.groups.flatMap { [$0.title] + $0.pages.map(\.text) })
  }
}
