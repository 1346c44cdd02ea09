import Coffer
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

/// The code in the overview is compiled and run here.
@Suite struct ArticleTests {
  private static let catalog = DocumentationCatalog(of: "SyntheticBackups")

  @Test func `the code in the overview is a compiled snippet`() throws {
    #expect(try Self.catalog.differences(between: "SyntheticBackups.md", and: "OverviewSnippets.swift") == [])
  }

  @Test func `the topics list every public type`() throws {
    #expect(try Self.catalog.unlistedTypes == [])
  }

  @Test func `a validator reports what the snippet's ledger lists`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("a.json")
    let format = try #require(FormatCatalog.builtIn["ev-charging-tracker"])
    let ledger = try generate(format, to: path, seed: 7)
    #expect(ledger.count == 4)
    let validator = Validator(.format(format), options: ValidationOptions(now: Instant(seconds: 1_782_900_000)))
    let report = try validator.validate(FileSource(path: path), named: "a.json")
    let found = report.findings.map { "\($0.code) \($0.place.pointer)" }
    #expect(found.sorted() == ledger.map { "\($0.code) \($0.pointer)" }.sorted())
  }
}
