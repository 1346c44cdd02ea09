import TestSupport
import Testing

@Suite struct HelpTests {
  @Test(arguments: [
    ["--help"], ["validate", "--help"], ["inspect", "--help"], ["migrate", "--help"], ["diff", "--help"], ["merge", "--help"],
    ["compress", "--help"], ["decompress", "--help"], ["pack", "--help"], ["unpack", "--help"], ["import", "--help"],
    ["export", "--help"],
    ["generate", "--help"],
    ["backup", "--help"], ["restore", "--help"], ["list", "--help"], ["verify", "--help"], ["prune", "--help"],
    ["formats", "--help"], ["rules", "--help"],
    ["rules", "check", "--help"], ["rules", "explain", "--help"], ["bench", "--help"],
  ])
  func `each help page has examples`(_ arguments: [String]) async throws {
    let run = try await Command(arguments)
    #expect(run.status == 0)
    #expect(run.output.contains("Examples:"))
    #expect(run.output.contains("USAGE: coffer"))
    #expect(run.errors == "")
  }

  /// Without a terminal, help is wrapped at 80 columns.
  @Test(arguments: [
    [], ["validate"], ["inspect"], ["convert"], ["migrate"], ["diff"], ["merge"], ["compress"], ["decompress"], ["pack"],
    ["unpack"], ["import"], ["export"], ["generate"], ["backup"], ["restore"], ["list"], ["verify"], ["prune"], ["formats"],
    ["rules"],
    ["rules", "check"], ["rules", "explain"], ["bench"],
  ])
  func `each example has its own line of at most 80 columns`(_ command: [String]) async throws {
    let lines = try await Command(command + ["--help"]).output.split(separator: "\n", omittingEmptySubsequences: false)
    let examples = lines.drop { $0 != "Examples:" }.dropFirst().prefix { !$0.isEmpty }
    #expect(!examples.isEmpty)
    #expect(examples.allSatisfy { $0.hasPrefix("  ") }, "\(examples)")
    #expect(lines.allSatisfy { $0.count <= 80 })
  }

  @Test func `--version prints the version`() async throws {
    let run = try await Command("--version")
    #expect(run.status == 0)
    #expect(run.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
  }

  @Test(arguments: [
    (["unpack", "--help"], "(default: 1TiB)"), (["validate", "--help"], "(default: 256MiB)"),
    (["generate", "--help"], "(default: 1000000)"),
  ])
  func `default sizes are shown in their largest unit`(_ arguments: [String], _ words: String) async throws {
    let help = try await Command(arguments).output
    #expect(help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(words))
  }

  @Test func `an unknown slice parser is wrong usage`() async throws {
    let folder = try TemporaryFolder()
    let result = try await Command(script: #"COFFER_SLICE_PARSER=avx512 exec "$0" formats"#, in: folder)
    #expect(result.status == 2)
    #expect(result.errors == "coffer: COFFER_SLICE_PARSER must be one of lane, portable, sse2, avx2, neon, yajl\n")
  }
}
