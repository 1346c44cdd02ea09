import Coffer
import CofferSQLite
import Foundation
import GRDB
import TestSupport
import Testing

/// The code in the overview is compiled and run here.
@Suite struct ArticleTests {
  private static let catalog = DocumentationCatalog(of: "CofferSQLite")

  @Test(arguments: [("CofferSQLite.md", "OverviewSnippets.swift"), ("Articles/SavingChanges.md", "SavingSnippets.swift")])
  func `the code in each article is a compiled snippet`(article: String, source: String) throws {
    #expect(try Self.catalog.differences(between: article, and: source) == [])
  }

  @Test func `the topics list every public type`() throws {
    #expect(try Self.catalog.unlistedTypes == [])
  }

  @Test func `the saving snippets work`() async throws {
    let database = try DatabaseQueue()
    try await database.write { try $0.execute(sql: "CREATE TABLE expense (id INTEGER PRIMARY KEY, cost REAL)") }
    try await edit([Expense(id: 1, cost: 1), Expense(id: 2, cost: 2)], in: database)
    #expect(try await database.read { try Int.fetchAll($0, sql: "SELECT id FROM expense") } == [2])
    let autosave = Autosave<Int, DatabaseChange>(database)
    try await autosave.end()
    var shown: [String] = []
    await describe(autosave) { shown.append($0) }
    #expect(shown == ["saved"])
  }

  @Test func `the snippets work`() throws {
    let folder = try TemporaryFolder()
    let bytes = try Storing.backup(of: #require(FormatCatalog.builtIn["keeptrack"]), seed: 7, size: 10_000)
    try folder.write(String(decoding: bytes, as: UTF8.self), to: "a.json")
    let (backup, copy) = (folder.path.appending("a.json"), folder.path.appending("b.json"))

    let database = try DatabaseQueue()
    #expect(try importBackup(backup, into: database, now: Storing.now) > 0)
    #expect(try importBackup(backup, into: database, now: Storing.now) == 0)
    try exportBackup(of: database, to: copy)
    #expect(try Storing.canonical(Array(folder.text(of: "b.json").utf8)) == Storing.canonical(bytes))

    let file = folder.path.appending("log.db")
    #expect(try restore(backup, into: file, now: Storing.now) == nil)
    // Nothing changes, so there is no safety copy.
    #expect(try restore(backup, into: file, now: Storing.now) == nil)
    let other = try Storing.backup(of: #require(FormatCatalog.builtIn["keeptrack"]), seed: 8, size: 10_000)
    try folder.write(String(decoding: other, as: UTF8.self), to: "c.json")
    let safetyCopy = try #require(try restore(folder.path.appending("c.json"), into: file, now: Storing.now))
    #expect(FileManager.default.fileExists(atPath: safetyCopy))
  }
}
