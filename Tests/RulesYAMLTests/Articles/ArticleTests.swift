import Coffer
import SystemPackage
import TestSupport
import Testing

/// The code in the overview is compiled and run here.
@Suite struct ArticleTests {
  private static let catalog = DocumentationCatalog(of: "RulesYAML")

  @Test func `the code in the overview is a compiled snippet`() throws {
    #expect(try Self.catalog.differences(between: "RulesYAML.md", and: "OverviewSnippets.swift") == [])
  }

  @Test func `the topics list every public type`() throws {
    #expect(try Self.catalog.unlistedTypes == [])
  }

  @Test func `the rules in the overview find a dangling reference`() async throws {
    let folder = try TemporaryFolder()
    let rules = try Self.catalog.blocks(of: "RulesYAML.md", language: "yaml")
    try folder.write(#require(rules.first), to: "rules.yaml")
    try folder.write(#"{"cars": [{"id": 1}], "trips": [{"car": 1}, {"car": 2}]}"#, to: "a.json")
    let report = try await validate(
      folder.path.appending("a.json").string, againstRulesAt: folder.path.appending("rules.yaml"), now: Instant(seconds: 0))
    #expect(report.findings.map { "\($0.code) \($0.place.pointer)" } == ["foreign-key /trips/1/car"])
  }

  @Test func `an error in YAML names its line`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("type: object\ntype: array\n", to: "rules.yaml")
    let error = await #expect(throws: CofferError.self) {
      _ = try await validate("a.json", againstRulesAt: folder.path.appending("rules.yaml"), now: Instant(seconds: 0))
    }
    #expect(error?.place.position?.line == 2)
  }
}
