import Coffer
import Foundation
import SystemPackage
import TestSupport
import Testing

/// The code in the articles is compiled and run here.
@Suite struct ArticleTests {
  private static let catalog = DocumentationCatalog(of: "Coffer")

  @Test(arguments: [
    ("Coffer.md", "OverviewSnippets.swift"), ("Articles/ReadingRecords.md", "ReadingSnippets.swift"),
    ("Articles/ExportingRecords.md", "ExportSnippets.swift"), ("Articles/ValidatingBackups.md", "ValidationSnippets.swift"),
  ])
  func `the code in each article is a compiled snippet`(article: String, source: String) throws {
    #expect(try Self.catalog.differences(between: article, and: source) == [])
  }

  @Test func `the topics list every public type`() throws {
    #expect(try Self.catalog.unlistedTypes == [])
  }

  // MARK: What they do

  private static let document = """
    {"expenses": [{"id": 1, "date": "2026-01-01T00:00:00Z", "cost": 1.1}, {"id": 2, "date": "2026-01-02T00:00:00Z", "cost": 2.2}]}
    """

  @Test func `the reading snippets work`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.document, to: "a.json")
    let path = folder.path.appending("a.json").string
    #expect(try await ReadingSnippets.sum(path: path) == Decimal(string: "3.3"))
    let decoder = JSONDecoder()
    let explanation = try await ReadingSnippets.explain(path: path, decoder: decoder)
    #expect(explanation.hasPrefix("/expenses/0/date, line 1: "))
    decoder.dateDecodingStrategy = .iso8601
    #expect(try await ReadingSnippets.explain(path: path, decoder: decoder) == "valid")
    #expect(try await ReadingSnippets.names(path: path).contains("cost"))
    let chunks = AsyncStream<[UInt8]> { stream in
      stream.yield(Array(#"{"id": 7, "date": 0, "cost": 1}"#.utf8))
      stream.finish()
    }
    #expect(try await ReadingSnippets.ids(of: chunks) == [7])
  }

  @Test func `the export snippets work`() async throws {
    let folder = try TemporaryFolder()
    let expenses = [ExportSnippets.Expense(id: 1, cost: 2)]
    let stream = AsyncStream { stream in
      for expense in expenses { stream.yield(expense) }
      stream.finish()
    }
    try await ExportSnippets.export(stream, settings: .init(currency: "EUR"), path: folder.path.appending("a.json").string)
    #expect(try folder.text(of: "a.json").hasPrefix(#"{"version":9,"settings":{"currency":"EUR"},"expenses":[{"#))
    try ExportSnippets.exportLines(expenses, path: folder.path.appending("a.jsonl").string)
    #expect(try folder.text(of: "a.jsonl").hasSuffix("}\n"))
    #expect(String(decoding: try ExportSnippets.pretty(expenses), as: UTF8.self).hasPrefix("[\n  {\n    \""))
  }

  @Test func `the validation snippets work`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.document, to: "a.json")
    let path = folder.path.appending("a.json").string
    let now = Instant(seconds: 1_782_900_000)
    // Its format is unknown.
    #expect(try await !ValidationSnippets.isImportable(path: path, now: now))
    #expect(throws: CofferError.self) { _ = try OverviewSnippets.overview(now: now) }
    #expect(try await ValidationSnippets.report(path: path, now: now) { _, _, _ in }.bytes == Self.document.utf8.count)
    // Command tests change the current folder meanwhile, so the snippets name files that no test writes.
    await #expect(throws: CofferError.self) { _ = try await ValidationSnippets.report(path: path, now: now) }
  }
}
