import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The output of a run is complete, or the run reports that it isn't; and nothing in it drives the terminal.
@Suite struct OutputTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"a": 1}"#, to: "a.json")
    try folder.write(
      #"{"backup": {"name": "x", "version": {"pointer": "/version", "current": 2, "oldest": 1}, "migrations": [{"to": 2, "steps": []}]}}"#,
      to: "x.json")
    try folder.write(#"{"version": 1}"#, to: "old.json")
  }

  private static let commands = [
    "validate a.json", "inspect a.json", "diff --rules x.json old.json old.json", "formats", "formats --output-format json",
    "formats x.json",
    "rules check x.json", "rules explain", "rules explain minimum", "--version", "validate --help",
    "migrate --json --rules x.json old.json /dev/null",
  ]

  #if os(Linux)
    @Test(arguments: commands) func `a full disk is reported once and ends the run`(_ command: String) async throws {
      let run = try await Command(command.split(separator: " ").map(String.init), output: "/dev/full", in: folder)
      #expect(run.errors == "coffer: cannot write standard output: no space left on device\n")
      #expect(run.status == 4)
    }
  #endif

  @Test func `a limit on the size of files counts as a full disk`() async throws {
    let script = #"(ulimit -f 0; "$0" validate a.json 2>&1 >out; echo "status $?")"#
    #expect(try await shell(script) == "coffer: cannot write standard output: file too large\nstatus 4\n")
  }

  /// The reader has seen enough.
  @Test(arguments: commands) func `a closed pipe is not a failure`(_ command: String) async throws {
    let arguments = command.split(separator: " ").map(String.init)
    let run = try await Command(closedPipe: arguments, in: folder)
    #expect(try await run.status == Command(arguments, in: folder).status)
    #expect(run.errors == "")
  }

  @Test func `a closed pipe does not end the process by a signal`() async throws {
    let script =
      #"mkfifo pipe; : <pipe & exec 3>pipe; wait $!; "$0" validate --syntax-only a.json >&3 2>errors; echo "status $?"; cat errors"#
    #expect(try await shell(script) == "status 0\n")
  }

  @Test func `a closed standard output is a failure`() async throws {
    let text = try await shell(#""$0" validate a.json 2>&1 >&-; echo "status $?""#)
    #expect(text.hasPrefix("coffer: cannot write standard output"))
    #expect(text.hasSuffix("status 3\n"))
  }

  /// Hostile text: with a colour, a line break and a change of direction.
  private static let foreign = "\u{1B}[31mred\u{7}\nline\u{202E}"

  @Test(arguments: [
    ["validate", "--rules", foreign, "a.json"], ["diff", foreign, "a.json"],
    ["diff", "--only", foreign, "a.json", "a.json"], ["merge", "--on-conflict", "replace", "a.json", foreign, "-"],
    ["convert", foreign, "-"], ["compress", foreign, "-"], ["unpack", foreign, "out"], ["rules", "explain", foreign],
    ["formats", foreign], ["pack", "--rules", foreign, "in", "out.zip"], ["migrate", "--rules", foreign, "a.json", "-"],
  ])
  func `control characters in arguments are escaped`(_ arguments: [String]) async throws {
    let run = try await Command(arguments, in: folder)
    #expect(run.status > 1)
    #expect(run.errors.hasPrefix("coffer: "))
    #expect(run.errors.contains(#"\u{1B}[31mred\u{7}\u{A}line\u{202E}"#), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  @Test func `control characters in versions of documents are escaped`() async throws {
    try folder.write(
      #"{"backup": {"name": "x", "version": {"pointer": "/version"}}, "properties": {"a": {"type": "array"}}}"#, to: "text.json")
    try folder.write(#"{"version": "1\u001b[31m\n"}"#, to: "one.json")
    try folder.write(#"{"version": "2\u001b[31m\n"}"#, to: "two.json")
    let run = try await Command("diff", "--rules", "text.json", "one.json", "two.json", in: folder)
    #expect(run.status == 2)
    #expect(!run.errors.contains("\u{1B}"))
    #expect(run.errors.split(separator: "\n").count == 1)
  }

  /// A hostile format: all of its strings have control sequences or a change of direction.
  private static let hostileRules = """
    {"title": "T\u{9B}31m\u{202E}\\u001b[31m\\n", "description": "D\u{9B}31m\\u001b[31m",
     "backup": {"name": "x\u{9B}\\u001b", "version": {"pointer": "/version", "current": 2, "oldest": 1}, "createdAt": "/made\u{202E}",
       "detect": "/trips", "fileName": {"pattern": "^\u{9B}\\u001b", "holds": "H\u{9B}\\u001b\\n"},
       "dialects": [{"name": "d\u{9B}\\u001b", "detect": "/trips"}], "collections": {"/trips": {"title": "t\u{9B}\\u001b\\n"}}},
     "properties": {"version": {"type": "integer"}, "trips": {"primaryKey": "id", "items": {"required": ["id"], "properties": {
       "id": {"type": "integer"}, "k\u{9B}\\u001b\\n": {"enum": ["e\u{9B}\\u001b\\n"], "code": "c\u{9B}\\u001b", "errorMessage": "m\u{9B}\\u001b\\n"}}}}}}
    """
  private static let hostileDocument = """
    {"version": 2, "made\u{202E}": "2026\u{9B}\\u001b\\n", "other\u{9B}\\u001b": 1, "trips": [
      {"id": 1, "k\u{9B}\\u001b\\n": "v\u{9B}\\u001b\\n"}, {"id": 1}, {"id": 2, "k\u{9B}\\u001b\\n": "e\u{9B}\\u001b\\n"}]}
    """

  @Test(arguments: [
    "formats h.json", "formats --json h.json", "formats --print-rules h.json", "generate --list-defects --rules h.json",
    "rules check h.json",
    "validate --rules h.json d.json", "inspect --rules h.json d.json", "diff --rules h.json d.json e.json",
    "merge --rules h.json --on-conflict replace --dry-run e.json e.json", "migrate --rules h.json --force d.json out.json",
    "import --rules h.json --dry-run --allow-findings e.json --into x.db", "import --rules h.json d.json --into x.db",
    "list --rules h.json backups", "verify --rules h.json backups",
  ])
  func `control characters in rules and documents are escaped`(_ command: String) async throws {
    try folder.write(Self.hostileRules, to: "h.json")
    for name in ["d.json", "backups/d\u{9B}\u{1B}\n.json", "backups/\u{202E}.txt"] {
      try folder.write(Self.hostileDocument, to: name)
    }
    try folder.write(Self.hostileDocument.replacing(#""id": 1}"#, with: #""id": 3}"#), to: "e.json")
    let isReport = !["formats", "generate"].contains { command.hasPrefix($0) }
    for options in isReport ? [[], ["--json"]] : [[]] {
      let run = try await Command(command.split(separator: " ").map(String.init) + options, in: folder)
      let text = run.output + run.errors
      if !command.hasPrefix("rules") { #expect(text.contains(/\\u\{9B\}|\\u009B/), "\(text)") }
      let raw = text.unicodeScalars.filter {
        $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) || $0.value == 0x202E
      }
      #expect(raw.isEmpty, "\(text)")
    }
  }

  @Test func `a usage error keeps its line breaks`() async throws {
    let run = try await Command("validate", "--jobs", "0", "a.json")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: --jobs must be between 1 and 256\nUsage: coffer validate"))
    let unknown = try await Command("validate", "--\u{1B}[31m", "a.json")
    #expect(unknown.errors.hasPrefix("coffer: unknown option '"))
    #expect(!unknown.errors.contains("\u{1B}"))
  }

  private func shell(_ script: String) async throws -> String {
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", script, Command.path], workingDirectory: folder.path,
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    return result.standardOutput
  }
}
