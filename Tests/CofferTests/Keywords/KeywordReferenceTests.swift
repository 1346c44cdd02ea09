import BackupFormats
import Coffer
import Foundation
import Rules
import Testing

@Suite struct KeywordReferenceTests {
  static let reference = KeywordReference()
  static let pages = reference.groups.flatMap(\.pages)

  @Test(
    arguments: Keyword.all.map(\.name) + ["backup", "$data"])
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

  /// Every `CofferError.Code` in the sources, and the codes of the five formats.
  @Test func `every code in reports has a page`() throws {
    let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var codes: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      codes.formUnion(
        text.matches(of: /static let \w+ = (?:Self|CofferError\.Code)\(rawValue: "([a-z0-9-]+)"\)/).map { String($0.1) })
    }
    #expect(codes.count > 90)
    for name in FormatCatalog.builtIn.names {
      codes.formUnion(try #require(FormatCatalog.builtIn[name]).program().checkedRules.map(\.code))
    }
    codes.formUnion([
      "rule", "ignored-keyword", "ignored-sibling", "ignored-format", "unasserted-format", "never-applies", "file-extra",
      "dialect",
      "limit", "consistency", "newer-member", "unknown-format",
    ])
    #expect(codes.filter { Self.reference.page(ofCode: $0) == nil }.sorted() == [])
  }

  @Test func `no code has two pages`() {
    let codes = Self.reference.codes.pages.flatMap(\.keywords)
    #expect(Set(codes).count == codes.count)
  }

  @Test func `a code leads to its keyword`() {
    #expect(Self.reference.page(ofCode: "foreign-key")?.keywords.contains("foreignKeys") == true)
    #expect(Self.reference.page(ofCode: "exclusive-maximum")?.keywords.contains("maximum") == true)
    #expect(Self.reference.nearest(to: "unknown-feild") == "unknown-field")
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
      (Self.reference.groups + [Self.reference.codes]).map(\.title).sorted()
        == texts.map { String($0.prefix { $0 != "\n" }.dropFirst(2)) }.sorted())
    let article = try String(contentsOf: catalog.appending(path: "Keywords.md"), encoding: .utf8)
    let listed = article.matches(of: /- <doc:(\w+)>/).map { "\($0.1).md" }
    #expect(listed.sorted() == files.sorted())
  }
}
