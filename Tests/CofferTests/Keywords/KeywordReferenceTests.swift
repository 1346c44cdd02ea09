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
    for label in ["**Value**: ", "**Applies to**: ", "**Meaning**: ", "**Finding**: ", "**Cost**: ", "**Example"] {
      let place = try #require(rest.firstRange(of: "\n\n" + label), "\(label) in its order")
      rest = rest[place.upperBound...]
    }
    #expect(!KeywordExample.all(of: page).isEmpty)
  }

  @Test func `the page of format names all formats`() throws {
    let page = try #require(Self.reference["format"])
    for format in StringFormat.allCases { #expect(page.text.contains("`\(format.name)`")) }
  }

  @Test func `every keyword has a summary`() {
    #expect(Set(Self.reference.summaries.keys) == Set(Self.reference.keywords))
    #expect(Self.reference.summaries["maximum"] == Self.reference["minimum"]?.summary)
  }

  @Test func `a misspelt keyword gets a suggestion`() {
    #expect(Self.reference.nearest(to: "tpye") == "type")
    #expect(Self.reference.nearest(to: "zzzzzzzzzzzz") == nil)
  }

  @Test func `the article and the reference list every group`() throws {
    let catalog = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/Coffer/Coffer.docc")
    let files = try FileManager.default.contentsOfDirectory(atPath: catalog.appending(path: "Keywords").path)
    let texts = try files.map { try String(contentsOf: catalog.appending(path: "Keywords").appending(path: $0), encoding: .utf8) }
    #expect(
      Self.reference.groups.map(\.title).sorted() == texts.map { String($0.prefix { $0 != "\n" }.dropFirst(2)) }.sorted())
    let article = try String(contentsOf: catalog.appending(path: "Keywords.md"), encoding: .utf8)
    let listed = article.matches(of: /- <doc:(\w+)>/).map { "\($0.1).md" }
    #expect(listed.sorted() == files.sorted())
  }
}
