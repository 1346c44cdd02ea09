import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct ValidateCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `a valid file ends with status 0`() async throws {
    try folder.write("[1, 2]", to: "a.json")
    let run = try await Command("validate", "--syntax-only", "a.json", in: folder)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("a.json: valid (syntax only)\n  6 bytes, 2 records"))
    #expect(run.errors == "")
  }

  /// A backup that lost its metadata is of unknown format, too.
  @Test(arguments: [
    ("a.json", "{}"), ("a.json", "null"), ("a.json", #"{"cars": [], "expenses": []}"#), ("a.ndjson", "{}\n{}\n"), ("-", "{}"),
  ])
  func `a document of unknown format is not valid`(_ name: String, _ text: String) async throws {
    try folder.write(text, to: "a.\(name == "a.ndjson" ? "ndjson" : "json")")
    let run = try await Command(["validate", name], input: text, in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains(": well-formed; unknown format\n"))
    let json = try await Command(["validate", "--json", name], input: text, in: folder)
    #expect(json.status == 1)
    #expect(json.output.contains(#""formatProblem": "unknown-format""#) && json.output.contains(#""valid": false"#))
    #expect(try await Command(["inspect", name], input: text, in: folder).status == 1)
    let syntax = try await Command(["validate", "--syntax-only", "--json", name], input: text, in: folder)
    #expect(syntax.status == 0)
    #expect(syntax.output.contains(#""valid": true"#) && !syntax.output.contains("formatProblem"))
  }

  @Test func `a malformed document of unknown format is unreadable`() async throws {
    try folder.write("[", to: "a.json")
    for arguments in [["validate", "a.json"], ["validate", "--syntax-only", "a.json"]] {
      let run = try await Command(arguments, in: folder)
      #expect(run.status == 3)
      #expect(run.output.contains("a.json: not read completely"))
    }
  }

  @Test func `errors end with status 1, warnings only with --strict`() async throws {
    try folder.write(#"{"properties": {"a": {"type": "null"}, "b": {"type": "null", "severity": "warning"}}}"#, to: "rules.json")
    try folder.write(#"{"a": 1}"#, to: "error.json")
    try folder.write(#"{"b": 1}"#, to: "warning.json")
    let run = try await Command("validate", "--rules", "rules.json", "error.json", in: folder)
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("error.json:1:7: error: expected null, found a number: 1 [type]\n    /a, byte 6\n"))
    #expect(try await Command("validate", "--rules", "rules.json", "warning.json", in: folder).status == 0)
    #expect(try await Command("validate", "--rules", "rules.json", "--strict", "warning.json", in: folder).status == 1)
  }

  @Test func `duplicate keys are allowed, a warning or rejected`() async throws {
    try folder.write("{\"a\": 1,\n \"a\": 2}", to: "a.json")
    let line = "an earlier member of this object has the same key [duplicate-key]\n    /a, byte 10\n"
    let warned = try await Command("validate", "--syntax-only", "a.json", in: folder)
    #expect(warned.status == 0)
    #expect(warned.output.hasPrefix("a.json:2:2: warning: \(line)a.json: 1 warning (syntax only)"))
    #expect(try await Command("validate", "--syntax-only", "--strict", "a.json", in: folder).status == 1)
    let rejected = try await Command("validate", "--syntax-only", "--duplicate-keys", "reject", "a.json", in: folder)
    #expect(rejected.status == 1)
    #expect(rejected.output.hasPrefix("a.json:2:2: error: \(line)"))
    let allowed = try await Command(
      "validate", "--syntax-only", "--duplicate-keys", "allow", "--strict", "a.json", in: folder)
    #expect(allowed.status == 0)
    #expect(allowed.output.hasPrefix("a.json: valid"))
    #expect(try await Command("validate", "--duplicate-keys", "ignore", "a.json", in: folder).status == 2)
  }

  @Test func `the file name or an option selects JSON Lines`() async throws {
    try folder.write("{\"id\": 1}\n\n{\"id\": \"2\"}\n", to: "a.ndjson")
    try folder.write(#"{"items": {"properties": {"id": {"type": "integer"}}}}"#, to: "rules.json")
    let run = try await Command("validate", "--rules", "rules.json", "a.ndjson", in: folder)
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("a.ndjson:3:8: error: expected integer, found a string"))
    #expect(run.output.contains("\n    /1/id, byte 18\n"))
    #expect(try await Command("validate", "--input-format", "json", "a.ndjson", in: folder).status == 3)
    let input = try await Command("validate", "--input-format", "ndjson", "-", input: "1\n2 3\n")
    #expect(input.status == 3)
    #expect(input.output.hasPrefix("standard input:2:3: error: the line's value is complete, but '3' follows [syntax], byte 4\n"))
  }

  @Test func `several files end with the worst status`() async throws {
    try folder.write("[]", to: "good.json")
    try folder.write("[", to: "bad.json")
    let run = try await Command("validate", "good.json", "bad.json", "gone.json", in: folder)
    #expect(run.status == 3)
    #expect(run.output.contains("good.json: well-formed; unknown format"))
    #expect(
      run.output.contains(
        "bad.json:1:2: error: the document ends where a value or ']' was expected, with 1 bracket open [truncated], byte 1"))
    #expect(run.output.contains("gone.json: error: cannot open gone.json: no such file or directory [not-found]"))
  }

  @Test func `standard input is validated`() async throws {
    let run = try await Command("validate", "-", input: "{} x")
    #expect(run.status == 3)
    #expect(run.output.hasPrefix("standard input:1:4: error: the document is complete, but 'x' follows [syntax], byte 3\n"))
  }

  @Test func `rules can come from standard input`() async throws {
    try folder.write("[1]", to: "a.json")
    let run = try await Command("validate", "--rules", "-", "a.json", input: #"{"items": {"type": "null"}}"#, in: folder)
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("a.json:1:2: error: expected null, found a number: 1 [type]\n"))
    let both = try await Command("validate", "--rules", "-", "-", input: "{}", in: folder)
    #expect(both.status == 2)
    #expect(both.errors.contains("standard input can be read only once"))
  }

  @Test func `the JSON report is one document for all files`() async throws {
    try folder.write("[]", to: "a.json")
    let run = try await Command("validate", "--syntax-only", "--output-format", "json", "a.json", "gone.json", in: folder)
    #expect(run.status == 3)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(report["formatVersion"] as? Int == 1)
    #expect((report["files"] as? [[String: Any]])?.map { $0["valid"] as? Bool } == [true, false])
  }

  @Test func `the report can go to a file`() async throws {
    try folder.write("[]", to: "a.json")
    let run = try await Command("validate", "--syntax-only", "a.json", "--output", "report.txt", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(try folder.text(of: "report.txt").hasPrefix("a.json: valid"))
    #expect(try folder.names == ["a.json", "report.txt"])
  }

  @Test func `the report never replaces an input`() async throws {
    try folder.write("[]", to: "a.json")
    let run = try await Command("validate", "a.json", "--output", "./a.json", in: folder)
    #expect(run.status == 4)
    #expect(try folder.text(of: "a.json") == "[]")
  }

  @Test func `a folder without backups is an error`() async throws {
    let run = try await Command("validate", ".", in: folder)
    #expect(run.status == 2)
    #expect(run.errors == "coffer: .: no file in this folder has the name of a backup, such as export.json\n")
  }

  @Test(.enabled(if: getuid() != 0, "root may read every file"))
  func `a file without read permission is an error`() async throws {
    try folder.write("[]", to: "locked.json")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder.path.appending("locked.json").string)
    let run = try await Command("validate", "locked.json", in: folder)
    #expect(run.status == 3)
    #expect(run.output.contains("[permission-denied]"))
  }

  @Test func `wrong rules end with status 2 and their place`() async throws {
    try folder.write("{\n  \"tpye\": 1}", to: "rules.json")
    try folder.write("[]", to: "a.json")
    let run = try await Command("validate", "--rules", "rules.json", "a.json", in: folder)
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(run.errors == "coffer: rules.json:2:3: unknown keyword 'tpye'; did you mean 'type'? at /tpye\n")
    let missing = try await Command("validate", "--rules", "nothing", "a.json", in: folder)
    #expect(missing.status == 2)
    #expect(
      missing.errors.contains("there is no format 'nothing' and no such file; the formats are aquavate, ev-charging-tracker,"))
  }

  @Test func `rules may be YAML`() async throws {
    try folder.write("# a comment\nproperties:\n  é: {type: integer}\n", to: "rules.yaml")
    try folder.write("properties:\n  \"é\": {tpye: integer}\n", to: "wrong.yml")
    try folder.write("properties: {a: 1\n", to: "broken.yaml")
    try folder.write(#"{"é": "1"}"#, to: "a.json")
    let run = try await Command("validate", "--rules", "rules.yaml", "a.json", in: folder)
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("a.json:1:7: error: expected integer, found a string: '1' [type]\n"))
    let wrong = try await Command("validate", "--rules", "wrong.yml", "a.json", in: folder)
    #expect(wrong.status == 2)
    #expect(wrong.errors == "coffer: wrong.yml:2:9: unknown keyword 'tpye'; did you mean 'type'? at /properties/é/tpye\n")
    let broken = try await Command("validate", "--rules", "broken.yaml", "a.json", in: folder)
    #expect(broken.status == 2)
    #expect(broken.errors.hasPrefix("coffer: broken.yaml:2:1: not valid YAML: did not find expected ',' or '}'"))
  }

  @Test func `wrong usage ends with status 2`() async throws {
    for arguments in [
      ["validate"], ["validate", "--max-findings", "-3", "a"], ["validate", "--jobs", "0", "a"],
      ["validate", "--memory-limit", "5", "a"], ["validate", "--syntax-only", "--rules", "swiff", "a"],
      ["validate", "--syntax-only", "--only", "cars", "a"], ["validate", "-", "-"], ["frobnicate"],
    ] {
      let run =
        arguments.count == 1
        ? try await Command(arguments[0])
        : try await Command(arguments[0], arguments[1], arguments.count > 2 ? arguments[2] : "-")
      #expect(run.status == 2, "\(arguments)")
      #expect(run.output == "")
      #expect(run.errors != "")
    }
  }

  @Test func `--redact hides values`() async throws {
    try folder.write(#"{"items": {"enum": ["a"]}}"#, to: "rules.json")
    try folder.write(#"["secret"]"#, to: "a.json")
    let run = try await Command("validate", "--rules", "rules.json", "--redact", "--output-format", "json", "a.json", in: folder)
    #expect(run.status == 1)
    #expect(!run.output.contains("secret"))
  }

  @Test(
    arguments: [
      (#"{"version": "secret", "a": 1}"#, 0), ("{\"a\": secret}", 3), ("[1] secret", 3), ("{\"a\": 1} secret\n", 3),
    ] as [(String, Int32)])
  func `--redact hides versions and bare words`(_ text: String, _ status: Int32) async throws {
    try folder.write(
      #"{"backup": {"name": "x", "version": {"pointer": "/version", "current": 1, "oldest": 1}}, "properties": {"a": {"type": "integer"}}}"#,
      to: "rules.json")
    for name in ["a.json", "a.ndjson"] {
      try folder.write(text, to: name)
      for format in ["text", "json"] {
        let arguments = ["validate", "--rules", "rules.json", "--output-format", format, name]
        // The message quotes the first character after a complete document.
        let leak = /secret|'s'/
        #expect(try await Command(arguments, in: folder).output.contains(leak) || name == "a.ndjson")
        let run = try await Command(arguments + ["--redact"], in: folder)
        #expect(!run.output.contains(leak), "\(run.output)")
        if name == "a.json" { #expect(run.status == status) }
      }
    }
  }

  @Test func `--now sets the present time`() async throws {
    try folder.write(#"{"format": "date-time", "formatMaximum": "now"}"#, to: "rules.json")
    try folder.write(#""2030-01-01T00:00:00Z""#, to: "a.json")
    for (now, status) in [("2029-12-31T23:59:59Z", 1), ("2030-01-01T01:00:00+01:00", 0)] as [(String, Int32)] {
      #expect(try await Command("validate", "--rules", "rules.json", "--now", now, "a.json", in: folder).status == status)
    }
  }

  @Test(arguments: ["-h.json", "-harm.json", "-hh", "-1", "--a.json", "--help.json", "-help", "--help=x"])
  func `a file name that begins with a dash is a usage error with advice`(_ name: String) async throws {
    try folder.write("{", to: name)
    for arguments in [["validate", name], ["validate", "a.json", name], [name], ["import", name, "--into", "x.db"]] {
      let run = try await Command(arguments, in: folder)
      #expect(run.status == 2)
      #expect(run.output == "")
      #expect(run.errors == "coffer: unknown option '\(name)'; for a file of this name, write './\(name)', or '--' before it\n")
    }
    #expect(try await Command("validate", "--", name, in: folder).status == 3)
    #expect(try await Command("validate", "./" + name, in: folder).status == 3)
  }

  @Test(arguments: [["-h"], ["--help"], ["validate", "-h"], ["validate", "a.json", "--help"]])
  func `-h and --help print help`(_ arguments: [String]) async throws {
    let run = try await Command(arguments)
    #expect(run.status == 0)
    #expect(run.output.contains("USAGE: coffer"))
  }

  @Test func `an option of other commands is named as theirs`() async throws {
    let run = try await Command("convert", "a.json", "b.json", "--fail-on", "error", in: folder)
    #expect(run.status == 2)
    #expect(
      run.errors
        == "coffer: there is no option '--fail-on' here; it is one of coffer validate, report render, report merge, rules check\n"
    )
  }

  @Test(arguments: [["validate", "--helpful"], ["--versions"]])
  func `an unknown option is a usage error`(_ arguments: [String]) async throws {
    #expect(try await Command(arguments).status == 2)
  }

  @Test func `records with errors are written to a file, with their findings`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(RecoverCommandTests.tripRules, to: "rules.json")
    try folder.write(#"{"cars": [{"id": 1}, {"id": "x"}], "trips": [{}, {"car": 1}], "carCount": 7}"#, to: "a.json")
    try folder.write(#"{"trips": [{"car": 2}]}"#, to: "b.json")
    let run = try await Command(
      ["validate", "--rules", "rules.json", "a.json", "b.json", "--rejects", "rejects.ndjson", "--output", "report.txt"],
      in: folder)
    #expect(run.status == 1)
    #expect(
      run.errors == "coffer: 3 records with errors are in rejects.ndjson; errors outside of records are in the report alone\n")
    let lines = try folder.text(of: "rejects.ndjson").split(separator: "\n")
    try #require(lines.count == 3)
    #expect(
      lines[0].hasPrefix(
        #"{"file":"a.json","pointer":"/cars/1","line":1,"column":22,"offset":21,"bytes":11,"reason":"invalid","codes":["type"],"#)
    )
    #expect(lines[0].hasSuffix(#""text":"{\"id\": \"x\"}"}"#))
    #expect(lines[1].contains(#""pointer":"/trips/0","line":1,"column":46,"#) && lines[1].contains(#""codes":["required"]"#))
    #expect(lines[2].contains(#""file":"b.json","pointer":"/trips/0","#) && lines[2].contains(#""reason":"dangling""#))
    // Standard input, which is kept to be read again.
    let piped = try await Command(
      ["validate", "--rules", "rules.json", "-", "--rejects", "rejects.ndjson", "--quiet"],
      input: folder.text(of: "a.json"), in: folder)
    #expect(piped.status == 1)
    #expect(try folder.text(of: "rejects.ndjson").split(separator: "\n").count == 2)
    #expect(try await Command(["validate", "a.json", "--rejects", "a.json"], in: folder).status == 4)
    // An archive has an error of its own.
    #expect(try await Command(script: "zip -q a.zip a.json", in: folder).status == 0)
    let both = try await Command(
      ["validate", "--rules", "rules.json", "a.zip", "b.json", "--rejects", "rejects.ndjson"], in: folder)
    #expect(both.status == 3 && both.output.contains("a.zip: error: this is a ZIP archive"), "\(both.output)")
    #expect(try folder.text(of: "rejects.ndjson").split(separator: "\n").count == 1)
    #expect(try await Command(["validate", "a.json", "--rejects", "-"], in: folder).status == 2)
  }
}
