import Testing

@Suite struct HelpTests {
  @Test(arguments: [
    ["--help"], ["validate", "--help"], ["inspect", "--help"], ["migrate", "--help"], ["diff", "--help"], ["merge", "--help"],
    ["compress", "--help"], ["decompress", "--help"], ["pack", "--help"], ["unpack", "--help"], ["generate", "--help"],
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

  /// Eighty columns is what is taken for a terminal's width where there is none.
  @Test(arguments: [
    [], ["validate"], ["inspect"], ["convert"], ["migrate"], ["diff"], ["merge"], ["compress"], ["decompress"], ["pack"],
    ["unpack"], ["generate"], ["formats"], ["rules"], ["rules", "check"], ["rules", "explain"],
  ])
  func eachExampleHasALineToItself(_ command: [String]) async throws {
    let lines = try await Command(command + ["--help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
    let examples = lines.drop { $0 != "Examples:" }.dropFirst().prefix { !$0.isEmpty }
    #expect(!examples.isEmpty)
    #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples)")
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func theVersionIsAnswered() async throws {
    let run = try await Command("--version")
    #expect(run.status == 0)
    #expect(run.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
  }
}
