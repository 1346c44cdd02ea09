import Coffer
import Rules
import TestSupport
import Testing

@Suite struct DraftDoubtsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func draft(_ text: String) throws -> RuleDraft {
    try folder.write(text, to: "a.json")
    var options = DraftingOptions()
    options.name = "app"
    return try RuleDrafter(options: options).draft([folder.path.appending("a.json")])
  }

  private static let text = #"""
    {"tags": [{"code": "red"}, {"code": "blue"}, {"code": "green"}, {"code": "grey"}],
     "cars": [{"id": 1}, {"id": 2}, {"id": 3}],
     "db": {"labels": [{"zipCode": "a"}, {"zipCode": "b"}, {"zipCode": "c"}]}}
    """#

  @Test func `keys that few values support are in doubt, unless they are called ids`() throws {
    let doubts = try draft(Self.text).doubts
    #expect(doubts.map(\.rule).sorted() == ["code is the key of /tags", "zipCode is the key of /db/labels"])
    let tags = try #require(doubts.first { $0.rule.hasSuffix("/tags") })
    #expect(tags.location == "/properties/tags/primaryKey")
    #expect(tags.evidence == "4 values, no duplicates")
  }

  @Test func `a rule that is left out is gone, also from the format's collection`() throws {
    let all = try draft(Self.text)
    let fewer = try all.leavingOut(["/properties/tags/primaryKey", "/properties/db/properties/labels/primaryKey"])
    #expect(fewer.doubts.isEmpty)
    #expect(all.json.contains(#""title": "tags", "key": "code""#) && all.json.contains(#""title": "labels", "key": "zipCode""#))
    #expect(!fewer.json.contains(#""key": "code""#) && !fewer.json.contains(#""key": "zipCode""#))
    // Both are formats.
    for draft in [all, fewer] { #expect(try BackupFormat(descriptor: draft.json).name == "app" && draft.isRecognisable) }
  }

  @Test func `a place without a rule in doubt is an error`() throws {
    #expect { try draft(Self.text).leavingOut(["/properties/cars/primaryKey"]) } throws: {
      ($0 as? CofferError)?.code == .noSuchValue
    }
  }

  @Test func `a format whose documents are arrays can't be recognised`() throws {
    #expect(try !draft(#"[{"id": 1}, {"id": 2}]"#).isRecognisable)
  }

  /// Detection reads only the start of a document.
  @Test func `a long document is recognised by what comes before its records grow`() throws {
    let shows = (0..<6000).map { #"{"id": \#($0), "title": "a show with a long title, number \#($0)"}"# }.joined(separator: ",")
    let text = #"{"version": 1, "shows": [\#(shows)], "queue": [{"id": 1}]}"#
    let draft = try draft(text)
    let catalog = FormatCatalog([try BackupFormat(descriptor: draft.json)])
    guard case .format = try catalog.detect(MemorySource(text.utf8)) else {
      return #expect(Bool(false), "\(draft.json.prefix(600))")
    }
    #expect(!draft.json.contains(#"["/version", "/shows", "/queue"]"#))
  }
}
