import Testing

@Suite struct HelpTests {
  @Test(arguments: [
    ["--help"], ["validate", "--help"], ["compress", "--help"], ["decompress", "--help"], ["generate", "--help"],
    ["formats", "--help"], ["rules", "--help"],
    ["rules", "check", "--help"], ["rules", "explain", "--help"],
  ])
  func helpTeachesWithExamples(_ arguments: [String]) async throws {
    let run = try await Command(arguments)
    #expect(run.status == 0)
    #expect(run.output.contains("Examples:"))
    #expect(run.output.contains("USAGE: coffer"))
    #expect(run.errors == "")
  }

  @Test func theVersionIsAnswered() async throws {
    let run = try await Command("--version")
    #expect(run.status == 0)
    #expect(run.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
  }

  @Test func formatsAreListedAndShown() async throws {
    let list = try await Command("formats")
    #expect(list.output.contains("ev-charging-tracker  "))
    let shown = try await Command("formats", "ev-charging-tracker")
    #expect(shown.output.contains("version: /metadata/databaseSchemaVersion, 5 to 9 are known"))
    #expect(shown.output.contains("reference: carId → /cars id"))
    let rules = try await Command("formats", "ev-charging-tracker", "--rules")
    #expect(rules.output.hasPrefix("{\n  \"$schema\": \"urn:coffer:rules:1\""))
    let unknown = try await Command("formats", "ev")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("there is no format 'ev'"))
  }
}
