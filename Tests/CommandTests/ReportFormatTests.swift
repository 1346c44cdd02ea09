import TestSupport
import Testing

/// All commands have the same options for reports.
@Suite struct ReportFormatTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"{"backup": {"name": "x", "version": {"pointer": "/version", "current": 1, "oldest": 1}}, "properties": {"a": {"type": "array"}}}"#,
      to: "x.json")
    try folder.write(#"{"version": 1, "a": [1]}"#, to: "a.json")
  }

  private static let commands = [
    "validate --rules x.json a.json", "inspect a.json", "diff --rules x.json a.json a.json", "formats", "formats x.json",
    "rules check x.json",
    "migrate --rules x.json a.json /dev/null", "merge --rules x.json --on-conflict replace a.json a.json /dev/null",
    "merge --rules x.json --on-conflict replace --dry-run a.json a.json",
  ]

  /// Removes the duration, which differs in each run.
  private func withoutTime(_ text: String) -> String { text.replacing(#/ in [0-9].*/#, with: "") }

  private func run(_ command: String, _ options: String...) async throws -> Command {
    try await Command(command.split(separator: " ").map(String.init) + options, in: folder)
  }

  /// Reports replace files like those of compilers and linters, but never an input.
  @Test(arguments: ["inspect a.json", "diff --rules x.json a.json a.json", "rules check x.json"])
  func `a report replaces an older one but never an input`(_ command: String) async throws {
    try folder.write("the report of yesterday", to: "report.txt")
    let report = try await run(command)
    #expect(try await run(command, "--output", "report.txt").status == report.status)
    #expect(try folder.text(of: "report.txt") == report.output)
    let input = command.hasSuffix("a.json") ? "a.json" : "x.json"
    let text = try folder.text(of: input)
    #expect(try await run(command, "--output", input).status == 4)
    #expect(try folder.text(of: input) == text)
  }

  @Test(arguments: commands) func `--json is short for --output-format json`(_ command: String) async throws {
    let run = try await run(command, "--output-format", "json")
    #expect(run.output.contains("\"formatVersion\": 1"))
    #expect(run.output.hasSuffix("}\n"))
    #expect(run.errors == "")
    let short = try await self.run(command, "--json")
    #expect(short.output == run.output && short.status == run.status)
  }

  @Test(arguments: commands) func `the default output format is text`(_ command: String) async throws {
    let (plain, told) = (try await run(command), try await run(command, "--output-format", "text"))
    #expect(withoutTime(plain.output) == withoutTime(told.output) && plain.errors == told.errors)
    #expect(!(plain.output + plain.errors).contains("formatVersion"))
    #expect(try await run(command, "--output-format", "text", "--json").status == 2)
  }

  @Test(arguments: commands.filter { !$0.hasPrefix("m") && !$0.hasPrefix("formats") })
  func `--output writes the report to a file`(_ command: String) async throws {
    let printed = try await run(command)
    let run = try await run(command, "--output", "report")
    #expect(run.output == "" && run.status == printed.status)
    #expect(try withoutTime(folder.text(of: "report")) == withoutTime(printed.output))
    let input = String(command.split(separator: " ").last ?? "")
    let refused = try await self.run(command, "--output", "./\(input)")
    #expect(refused.status == 4)
    #expect(refused.errors == "coffer: the report would replace \(input), which is an input\n")
  }

  @Test(arguments: ["inspect a.json", "diff --rules x.json a.json a.json"])
  func `a page is one of the reports`(_ command: String) async throws {
    let printed = try await run(command, "--output-format", "html", "--report", "html=page", "--report", "json=report.json")
    #expect(printed.output.hasPrefix("<!DOCTYPE html>") && printed.output.hasSuffix("</html>\n"))
    #expect(try folder.text(of: "page") == printed.output)
    #expect(try await folder.text(of: "report.json") == run(command, "--json").output)
    for options in [["--report", "sarif=a"], ["--output-format", "junit"], ["--report", "html=a", "--output", "a"]] {
      #expect(try await Command(command.split(separator: " ").map(String.init) + options, in: folder).status == 2)
    }
    #expect(try await run(command, "--report", "html=a.json").status == 4)
  }
}
