import Foundation
import TestSupport
import Testing

@Suite struct HelpTests {
  static let commands = [
    [], ["validate"], ["split"], ["split", "plan"], ["split", "scan"], ["report"], ["report", "render"], ["report", "merge"],
    ["report", "keys"], ["inspect"], ["convert"], ["migrate"],
    ["diff"], ["merge"], ["compress"], ["decompress"],
    ["pack"],
    ["unpack"], ["import"], ["export"], ["query"], ["generate"], ["backup"], ["restore"], ["list"], ["verify"], ["prune"],
    ["recover"],
    ["delete"],
    ["formats"],
    ["rules"], ["rules", "check"], ["rules", "test"], ["rules", "draft"], ["rules", "explain"], ["bench"],
  ]

  /// `COFFER_RECORD=1 swift test --filter HelpTests` writes the pages. Without a terminal, help is wrapped at 80 columns.
  @Test(arguments: commands) func `each help page is as recorded, and has examples`(_ command: [String]) async throws {
    let run = try await Command(command + ["--help"])
    #expect(run.status == 0)
    #expect(run.errors == "")
    let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 })
    let examples = lines.drop { $0 != "Examples:" }.dropFirst().prefix { !$0.isEmpty }
    #expect(!examples.isEmpty && examples.allSatisfy { $0.hasPrefix("  ") })
    // Scripts/manual.py makes a table of these.
    for line in lines where line.hasPrefix("Exit status: ") { #expect(line.hasPrefix("Exit status: 0 ")) }
    let page = (["coffer"] + command).joined(separator: "-")
    #expect(try Recording.of(run.output, in: "Help/\(page).txt") == run.output)
  }

  @Test func `--version prints the version`() async throws {
    let run = try await Command("--version")
    #expect(run.status == 0)
    #expect(run.output.wholeMatch(of: /[0-9]+\.[0-9]+\.[0-9]+\n/) != nil)
  }

  @Test(arguments: [
    (["unpack", "--help"], "(default: 1TiB)"),
    (["generate", "--help"], "(default: 1000000)"),
  ])
  func `default sizes are shown in their largest unit`(_ arguments: [String], _ words: String) async throws {
    let help = try await Command(arguments).output
    #expect(help.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(words))
  }
}
