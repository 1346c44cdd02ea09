import Foundation
import SystemPackage
import TestSupport
import Testing

/// Every command accepts rules as a format's name, a file or `-`, and has the same messages for anything else.
@Suite struct RulesOptionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["in", "folder"] {
      try FileManager.default.createDirectory(atPath: folder.path.appending(name).string, withIntermediateDirectories: false)
    }
    try folder.write(Self.rules, to: "my-app.json")
    try folder.write("no JSON", to: "broken.json")
    try folder.write(#"{"tpye": 1}"#, to: "wrong.json")
    try folder.write(#"{"version": 1, "cars": []}"#, to: "a.json")
    try folder.write(#"{"version": 1, "cars": []}"#, to: "in/metadata.json")
  }

  private static let rules = """
    {"backup": {"name": "my-app", "version": {"pointer": "/version", "current": 1, "oldest": 1}},
     "properties": {"cars": {"type": "array", "items": {"type": "object"}}}}
    """

  /// RULES replaces the argument.
  private static let commands = [
    "validate --rules RULES a.json", "inspect --rules RULES a.json", "diff --rules RULES a.json a.json",
    "merge --rules RULES --on-conflict replace --dry-run a.json a.json", "convert --rules RULES --only cars a.json out",
    "migrate --rules RULES a.json out", "pack --rules RULES --unchecked in out", "formats RULES",
    "generate --rules RULES out --size 1kB",
  ]

  private func run(_ command: String, _ rules: String, input: String = "") async throws -> Command {
    let arguments = command.split(separator: " ").map { $0 == "RULES" ? rules : String($0) }
    return try await Command(arguments, input: input, in: folder)
  }

  @Test(
    arguments: commands,
    [
      ("gone.json", "there is no format 'gone.json' and no such file; the formats are aquavate, "),
      ("folder", "cannot read folder: is a directory\n"),
      ("broken.json", "broken.json:1:1: the rules are not JSON: "),
      ("wrong.json", "wrong.json:1:2: unknown keyword 'tpye'; did you mean 'type'? at /tpye\n"),
    ])
  func `every command gives the same message for wrong rules`(
    command: String, outcome: (rules: String, message: String)
  ) async throws {
    let run = try await run(command, outcome.rules)
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("coffer: \(outcome.message)"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(try !folder.names.contains("out"))
  }

  /// `pack` needs a format with archives, which this one isn't.
  @Test(arguments: commands.filter { !$0.hasPrefix("pack") })
  func `every command reads rules from a file or standard input`(_ command: String) async throws {
    let file = try await run(command, "my-app.json")
    #expect(file.status == 0, "\(file.errors)")
    try? FileManager.default.removeItem(atPath: folder.path.appending("out").string)
    let stream = try await run(command, "-", input: Self.rules)
    #expect(stream.status == 0, "\(stream.errors)")
  }

  @Test(arguments: commands) func `messages call rules from standard input by that name`(_ command: String) async throws {
    let wrong = try await run(command, "-", input: #"{"tpye": 1}"#)
    #expect(wrong.errors.hasPrefix("coffer: standard input:1:2: unknown keyword 'tpye'"), "\(wrong.errors)")
    let broken = try await run(command, "-", input: "[")
    #expect(broken.errors.hasPrefix("coffer: standard input:1:2: the rules are not JSON: "), "\(broken.errors)")
    #expect(wrong.status == 2 && broken.status == 2)
  }

  @Test func `formats follows references to mapped documents`() async throws {
    try folder.write(#"{"type": "integer", "minimum": "7"}"#, to: "folder/common.json")
    try folder.write(
      #"{"backup": {"name": "x"}, "properties": {"n": {"$ref": "http://example.org/common.json"}}}"#, to: "x.json")
    let run = try await Command("formats", "x.json", "--map", "http://example.org/=folder", "--assert-formats", in: folder)
    #expect(run.status == 2 && run.errors.contains("common.json:1:32: expected a number"), "\(run.errors)")
    #expect(try await Command("formats", "x.json", in: folder).status == 0)
  }
}
