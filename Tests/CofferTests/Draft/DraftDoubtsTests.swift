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
    {"tags": [{"name": "red"}, {"name": "blue"}, {"name": "green"}, {"name": "grey"}],
     "cars": [{"id": 1}, {"id": 2}, {"id": 3}],
     "db": {"labels": [{"title": "a"}, {"title": "b"}, {"title": "c"}]}}
    """#

  @Test func `keys that few values support are in doubt, unless they are called ids`() throws {
    let doubts = try draft(Self.text).doubts
    #expect(doubts.map(\.rule).sorted() == ["name is the key of /tags", "title is the key of /db/labels"])
    let tags = try #require(doubts.first { $0.rule.hasSuffix("/tags") })
    #expect(tags.location == "/properties/tags/primaryKey")
    #expect(tags.evidence == "4 values, no duplicates")
  }

  @Test func `a rule that is left out is gone, also from the format's collection`() throws {
    let all = try draft(Self.text)
    let fewer = try all.leavingOut(["/properties/tags/primaryKey", "/properties/db/properties/labels/primaryKey"])
    #expect(fewer.doubts.isEmpty)
    #expect(all.json.contains(#""title": "tags", "key": "name""#) && all.json.contains(#""title": "labels", "key": "title""#))
    #expect(!fewer.json.contains(#""key": "name""#) && !fewer.json.contains(#""key": "title""#))
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
}
