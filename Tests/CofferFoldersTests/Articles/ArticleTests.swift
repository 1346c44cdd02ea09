import Coffer
import CofferFolders
import Foundation
import SystemPackage
import TestSupport
import Testing

/// The code in the overview is compiled and run here.
@Suite struct ArticleTests {
  private static let catalog = DocumentationCatalog(of: "CofferFolders")

  @Test func `the code in the overview is a compiled snippet`() throws {
    #expect(try Self.catalog.differences(between: "CofferFolders.md", and: "OverviewSnippets.swift") == [])
  }

  @Test func `the topics list every public type`() throws {
    #expect(try Self.catalog.unlistedTypes == [])
  }

  @Test func `the retention snippet keeps the newest valid backup`() throws {
    let folder = try TemporaryFolder()
    let example = try String(contentsOf: Checkout.formatExamples.appending(path: "keeptrack.json"), encoding: .utf8)
    for (name, year) in [("a.json", "2029"), ("aa.json", "2027"), ("aaa.json", "2028")] {
      try folder.write(example.replacing(#""exportDate": "2026"#, with: #""exportDate": "\#(year)"#), to: name)
    }
    // In 2040 all are too old.
    #expect(try removeOldBackups(from: folder.path, now: Instant(seconds: 2_208_988_800)) == 2 * example.utf8.count)
    #expect(try folder.names == ["a.json"])
  }

  @Test func `the addition snippet adds a backup a day`() throws {
    let trips = try TripFolder()
    let format = try #require(try TripFolder.formats.get()["trips"])
    try trips.write("old.json", daysAgo: 2)
    let document = Array(TripFolder.document(at: TripFolder.now).utf8)
    let name = try addBackup(document, of: format, to: trips.backups())
    #expect(name != "old.json")
    #expect(try addBackup(document, of: format, to: trips.backups()) == name)
    #expect(try trips.folder.names.count == 2)
  }
}
