import Foundation
import SystemPackage
import TestSupport
import Testing

/// The reports of `coffer validate`, and of `coffer report` on a stored one.
@Suite struct ValidationReportTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"properties": {"trips": {"primaryKey": "id"}}}"#, to: "rules.json")
    try folder.write(#"{"trips": [{"id": 1}, {"id": 1}, {"id": "<b>::error::"}, {"id": "<b>::error::"}]}"#, to: "trips.json")
  }

  static let formats = [
    "text", "json", "sarif", "junit", "github", "markdown", "gitlab", "rdjsonl", "checkstyle", "html",
  ]

  @Test(arguments: formats) func `a stored report renders like the run`(format: String) async throws {
    let run = try await Command(
      "validate", "--rules", "rules.json", "trips.json", "--output-format", format, "--report", "json=stored.json",
      "--report", "\(format)=file", in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains("primary-key"))
    let stored = try await Command("report", "stored.json", "--rules", "rules.json", "--output-format", format, in: folder)
    #expect(stored.status == 1)
    // The time, the command and the duration aren't stored.
    let duration = /time="[0-9.]+"|[0-9,]+ bytes, 4 records( in .*)?|<dl class="properties">[^@]*?<\/dl>\n/
    #expect(stored.output.replacing(duration, with: "") == run.output.replacing(duration, with: ""))
    #expect(try folder.text(of: "file").replacing(duration, with: "") == run.output.replacing(duration, with: ""))
  }

  @Test func `no line of a GitHub report starts a command that a document contains`() async throws {
    let run = try await Command(
      "validate", "--rules", "rules.json", "trips.json", "--output-format", "github", in: folder)
    #expect(run.output.split(separator: "\n").count == 2)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.hasPrefix("::error file=trips.json,line=1,col=") })
  }

  @Test(arguments: [
    ["--report", "sarif"], ["--report", "none=a"], ["--report", "sarif=-"], ["--report", "sarif="],
    ["--report", "sarif=a", "--report", "html=a"], ["--report", "sarif=a", "--output", "a"],
    ["--json", "--output-format", "sarif"],
    ["--report", "sarif=rules.json"],
  ])
  func `wrong destinations are refused before anything is read`(options: [String]) async throws {
    let run = try await Command(["validate", "--rules", "rules.json", "trips.json"] + options, in: folder)
    #expect(run.status == 2)
    #expect(run.output == "" && !run.errors.isEmpty)
    #expect(try folder.names == ["rules.json", "trips.json"])
  }

  @Test func `a report never replaces an input`() async throws {
    let run = try await Command("validate", "--rules", "rules.json", "trips.json", "--report", "html=trips.json", in: folder)
    #expect(run.status == 4)
    try folder.write("{}", to: "stored.json")
    #expect(try await Command("report", "stored.json", "--report", "html=stored.json", in: folder).status == 4)
    #expect(try folder.text(of: "stored.json") == "{}")
  }

  @Test(arguments: [
    ("{}", "/files is missing"), ("[]", "the root must be an object"), (#"{"files": {}}"#, "/files must be an array"),
    (#"{"files": [{}]}"#, "/files/0/file is missing"), (#"{"files": [{"file": null}]}"#, "/files/0/file must be a string"),
    (#"{"files": [{"file": "a", "bytes": "x", "records": 0}]}"#, "/files/0/bytes must be a whole number"),
    (#"{"files": [{"file": "a", "bytes": -1, "records": 0}]}"#, "/files/0/bytes: the number is out of range"),
    (
      #"{"files": [{"file": "a", "bytes": 1.5}]}"#,
      "a number is too large or not whole, or values are nested too deeply"
    ),
    (#"{"files": [{"file": "a", "formatProblem": "bad/word"}]}"#, "/files/0/formatProblem has an unknown value"),
    (#"{"files": [], "redacted": 1}"#, "/redacted must be true or false"),
    (
      #"{"files": [{"file": "a", "bytes": 0, "records": 0, "findings": [], "counts": {"error": 1, "warning": 0, "note": 0, "byCode": {}, "byRule": []}}]}"#,
      "/files/0/counts: the counts contradict each other"
    ),
  ])
  func `text that is not a report is an error with its place`(text: String, fault: String) async throws {
    try folder.write(text, to: "stored.json")
    let run = try await Command("report", "stored.json", in: folder)
    #expect(run.status == 3)
    #expect(run.errors == "coffer: stored.json: not a JSON report of coffer validate or verify: \(fault)\n")
  }

  @Test(arguments: [("not json", "1:1: "), ("{\"files\": [\n{,]}", "2:2: ")])
  func `text that is not JSON is an error with its line`(text: String, place: String) async throws {
    try folder.write(text, to: "stored.json")
    let run = try await Command("report", "stored.json", in: folder)
    #expect(run.status == 3)
    #expect(run.errors.hasPrefix("coffer: stored.json:\(place)"), "\(run.errors)")
  }

  @Test func `a stored report knows that it is redacted`() async throws {
    let run = ["validate", "--rules", "rules.json", "trips.json"]
    #expect(try await Command(run + ["--redact", "--json", "--output", "stored.json"], in: folder).status == 1)
    #expect(try folder.text(of: "stored.json").contains("\"redacted\": true"))
    for format in ["json", "html", "sarif", "gitlab"] {
      let direct = try await Command(run + ["--redact", "--output-format", format], in: folder)
      let stored = try await Command("report", "--rules", "rules.json", "stored.json", "--output-format", format, in: folder)
      // A page says when and how the document was validated, which isn't stored.
      #expect(stored.output == direct.output.replacing(/<dl class="properties">[^@]*?<\/dl>\n/, with: ""))
    }
    #expect(try await !Command(run + ["--json"], in: folder).output.contains("redacted"))
  }

  @Test func `only verbs that can show more findings name the option for it`() async throws {
    let run = try await Command(
      "validate", "--rules", "rules.json", "trips.json", "--max-findings", "1", "--report", "json=stored.json", in: folder)
    #expect(run.output.contains("\n  1 finding not shown: --max-findings sets the number of those that are\n"))
    for options in [["--color", "always"], ["--output", "report"]] {
      let stored = try await Command(["report", "stored.json"] + options, in: folder)
      let text = try options[0] == "--output" ? folder.text(of: "report") : stored.output
      #expect(text.contains("\n  1 finding not shown\n"), "\(text)")
    }
  }

  @Test(arguments: [
    ("", "", false), ("", "--color always", true), ("NO_COLOR=1", "--color always", true), ("CLICOLOR_FORCE=1", "", true),
    ("CLICOLOR_FORCE=0", "", false), ("NO_COLOR=1 CLICOLOR_FORCE=1", "", false), ("CLICOLOR_FORCE=1", "--color never", false),
  ])
  func `colours follow the option, then the environment`(variables: String, options: String, isColored: Bool) async throws {
    let script = #"env -u NO_COLOR \#(variables) "$0" validate \#(options) --rules rules.json trips.json"#
    let run = try await Command(script: script, in: folder)
    #expect(run.output.contains("\u{1B}[") == isColored)
  }

  @Test func `counts that can't be added are an error`() async throws {
    let report =
      #"{"file":"a","bytes":9007199254740992,"records":0,"counts":{"error":0,"warning":0,"note":0,"byCode":{}},"findings":[]}"#
    try folder.write(#"{"files":[\#(Array(repeating: report, count: 1025).joined(separator: ","))]}"#, to: "stored.json")
    for format in ["markdown", "html"] {
      #expect(try await Command("report", "stored.json", "--output-format", format, in: folder).status == 3)
    }
    try folder.write(#"{"formatVersion": 2, "files": []}"#, to: "stored.json")
    #expect(try await Command("report", "stored.json", in: folder).status == 4)
  }

  @Test func `a report that can't be written doesn't lose the others`() async throws {
    let run = try await Command(
      "validate", "--rules", "rules.json", "trips.json", "--report", "sarif=none/a", "--report", "json=stored.json", in: folder)
    #expect(run.status == 3)
    #expect(run.output.contains("trips.json: 2 errors"))
    #expect(try folder.names.contains("stored.json"))
  }

  @Test func `two reports can't go to one file, whatever links lead there`() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path.appending("link").string, withDestinationPath: "report")
    let run = try await Command(
      "validate", "--rules", "rules.json", "trips.json", "--report", "json=link", "--report", "html=report", in: folder)
    #expect(run.status == 2)
    let script = #"GITHUB_STEP_SUMMARY=trips.json "$0" validate --rules rules.json trips.json --output-format github"#
    #expect(try await Command(script: script, in: folder).status == 4)
  }

  @Test func `standard input isn't a file of the repository`() async throws {
    let run = try await Command("validate", "--rules", "rules.json", "-", "--output-format", "sarif", input: "{", in: folder)
    #expect(run.output.contains("standardStream") && !run.output.contains("standard%20input"))
  }

  @Test func `an unreadable backup keeps its status in the stored report`() async throws {
    try folder.write("[1,", to: "cut.json")
    #expect(try await Command("validate", "cut.json", "trips.json", "--json", "--output", "stored.json", in: folder).status == 3)
    let stored = try await Command("report", "stored.json", in: folder)
    #expect(stored.status == 3)
    #expect(stored.output.hasPrefix("cut.json:1:4: error: the document ends"))
    #expect(try await Command("report", "missing.json", in: folder).status == 3)
  }
}
