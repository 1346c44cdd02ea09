import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// `coffer.yaml`: where it is found, what it says, and what it can't do.
@Suite struct ProjectFileTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.rules, to: "rules/trips.yaml")
    try folder.write(#"{"required": ["at"]}"#, to: "rules/event.yaml")
    try folder.write(#"{"version": 1, "trips": [{"id": 1, "km": 2}, {"id": 2, "km": -3}]}"#, to: "exports/a.json")
    try folder.write(#"{"version": 1, "trips": [{"id": 1, "km": 2}, {"id": 3, "km": 3}]}"#, to: "exports/b.json")
    try folder.write("{\"at\": 1}\n{}\n", to: "events/e.ndjson")
    try folder.write("formats: [rules/trips.yaml]", to: "coffer.yaml")
  }

  private static let rules = """
    title: Trips of cars
    backup: {name: trips, detect: /trips, version: {pointer: /version, current: 1, oldest: 1}, collections: {/trips: {}}}
    type: object
    properties:
      version: {type: integer}
      trips:
        type: array
        primaryKey: id
        items: {required: [id], properties: {id: {type: integer}, km: {type: number, minimum: 0}}}

    """

  private static let line = "configuration: coffer.yaml; trips is rules/trips.yaml\n"

  private func run(_ arguments: String) async throws -> Command {
    try await Command(arguments.split(separator: " ").map(String.init), in: folder)
  }

  private func configuration(_ run: Command) throws -> [String: Any] {
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    return try #require(report["configuration"] as? [String: Any])
  }

  // MARK: Finding it

  @Test(arguments: ["", "\u{FEFF}# nothing yet\n", "---\n", "{}"]) func `a file without settings changes nothing`(text: String)
    async throws
  {
    try folder.write(text, to: "coffer.yaml")
    let run = try await run("validate exports/a.json --rules rules/trips.yaml")
    #expect(run.status == 1 && run.errors == "", "\(run.errors)")
  }

  @Test func `it is found in the folder of the input and above, also for standard input and without an input`() async throws {
    let above = try await run("validate exports/b.json")
    #expect(above.status == 0 && above.output.hasPrefix("exports/b.json: valid (trips 1)\n") && above.output.hasSuffix(Self.line))
    let piped = try await Command(["validate", "-"], input: try folder.text(of: "exports/b.json"), in: folder)
    #expect(piped.status == 0 && piped.output.hasSuffix(Self.line))
    #expect(
      try await run("formats").output.hasPrefix("trips                              Trips of cars (project: rules/trips.yaml)\n"))
    let nested = try TemporaryFolder()
    let elsewhere = try await Command("validate", "\(folder.path)/exports/b.json", in: nested)
    #expect(elsewhere.output.hasSuffix("configuration: \(folder.path)/coffer.yaml; trips is \(folder.path)/rules/trips.yaml\n"))
    #expect(try await Command("validate", "-", input: try folder.text(of: "exports/b.json"), in: nested).status == 1)
  }

  @Test func `the nearest one counts`() async throws {
    try folder.write("fail-on: note", to: "exports/coffer.yaml")
    let run = try await run("validate exports/b.json")
    #expect(run.status == 1)
    #expect(run.output.hasSuffix("configuration: exports/coffer.yaml (fail-on note)\n"))
  }

  @Test func `a run has one project`() async throws {
    try folder.write("fail-on: note", to: "exports/coffer.yaml")
    let run = try await run("validate exports/b.json events/e.ndjson")
    #expect(run.status == 2)
    #expect(
      run.errors
        == "coffer: exports/b.json belongs to exports/coffer.yaml, and events/e.ndjson to coffer.yaml: a run has one project\n")
  }

  @Test func `--no-config ignores it`() async throws {
    let run = try await run("validate --no-config exports/b.json")
    #expect(run.status == 1 && run.output.hasPrefix("exports/b.json: well-formed; unknown format\n"))
    #expect(!run.output.contains("configuration"))
    try folder.write("nonsense: [", to: "coffer.yaml")
    #expect(try await self.run("inspect --no-config exports/b.json").errors == "")
  }

  @Test func `another user can't put it into a folder for everyone`() async throws {
    try #require(chmod(folder.path.string, 0o1777) == 0)
    #expect(try await run("validate exports/b.json").status == 0)
    // Only root may give a file away.
    guard chown(folder.path.appending("coffer.yaml").string, 1234, 1234) == 0 else { return }
    let run = try await run("validate exports/b.json")
    #expect(run.status == 1)
    #expect(run.errors == "coffer: \(folder.path.appending("coffer.yaml")) belongs to another user, and is ignored\n")
  }

  // MARK: Formats

  private static let verbs: [(arguments: String, status: Int32)] = [
    ("validate exports/a.json", 1), ("inspect exports/b.json", 0), ("diff exports/a.json exports/b.json", 1),
    ("merge exports/a.json exports/b.json --on-conflict replace out.json", 0), ("migrate exports/b.json out.json", 0),
    ("import exports/b.json --into new.db", 0), ("import exports/b.json --into new.db --dry-run", 0), ("export a.db out.json", 0),
    ("backup a.db --into kept", 0), ("restore exports b.json --into new.db", 0), ("list exports", 0), ("verify exports", 1),
    ("prune exports --keep-last 1 --dry-run", 0), ("delete exports/a.json --dry-run", 0),
    ("generate trips out.json --size 1kB", 0),
    ("generate --rules trips out.json --size 1kB", 0), ("formats trips", 0), ("report report.json", 1),
  ]

  @Test(arguments: verbs) func `each verb knows its formats and says where they come from`(
    arguments: String, status: Int32
  ) async throws {
    if arguments.hasPrefix("export") || arguments.hasPrefix("backup") {
      #expect(try await run("import exports/b.json --into a.db").status == 0)
    }
    if arguments.hasPrefix("report") {
      #expect(try await run("validate --json --output report.json exports/a.json").status == 1)
    }
    let run = try await run(arguments)
    #expect(run.status == status, "\(run.output)\(run.errors)")
    #expect(run.output.hasSuffix(Self.line) || run.errors.hasSuffix(Self.line), "\(run.output)\(run.errors)")
    if arguments.hasPrefix("formats") { return }
    let names = arguments.split(separator: " ").filter { ["out.json", "new.db"].contains($0) }
    for name in names { try? FileManager.default.removeItem(atPath: folder.path.appending(String(name)).string) }
    let json = try await self.run(arguments + " --json")
    let formats = try configuration(json)["formats"] as? [[String: String]]
    #expect(formats == [["name": "trips", "file": "rules/trips.yaml"]], "\(json.output)")
  }

  @Test(arguments: ["html", "junit", "markdown", "sarif"]) func `reports for others say it, too`(format: String) async throws {
    let run = try await run("validate exports/b.json --output-format \(format)")
    #expect(run.output.contains("coffer.yaml; trips is rules/trips.yaml"), "\(run.output)")
  }

  @Test func `a plan has the rules of its formats, because other machines have no project`() async throws {
    #expect(try await run("split exports/a.json --tasks 1 --output plan.json").status == 0)
    let other = try TemporaryFolder()
    for name in ["plan.json", "exports/a.json"] { try other.write(try folder.text(of: name), to: name) }
    let task = try await Command(["validate", "--plan", "plan.json", "--task", "0", "--partial", "0.partial"], in: other)
    #expect(task.status == 0, "\(task.errors)")
    let merged = try await Command(["report", "merge", "--plan", "plan.json", "0.partial"], in: other)
    #expect(merged.output.contains("exports/a.json: 1 error (trips 1)\n"), "\(merged.output)\(merged.errors)")
  }

  @Test func `its rules can be checked and widened by name`() async throws {
    #expect(try await run("rules check trips").output.hasPrefix("rules/trips.yaml: valid (urn:coffer:rules:1)\n"))
    let update = try await run("rules draft exports/a.json --update trips --output rules/trips.yaml --force")
    #expect(update.status == 0, "\(update.errors)")
    #expect(try await run("validate exports/a.json").status == 0)
  }

  @Test func `a format with the name of another takes its place, and that is said`() async throws {
    try folder.write(Self.rules.replacing("name: trips", with: "name: swiff"), to: "rules/swiff.yaml")
    try folder.write("formats: [rules/swiff.yaml, rules/trips.yaml, rules/more.yaml]", to: "coffer.yaml")
    try folder.write(Self.rules, to: "rules/more.yaml")
    let run = try await run("validate --rules swiff exports/b.json")
    #expect(run.output.contains("swiff is rules/swiff.yaml"))
    #expect(
      run.errors == """
        coffer: rules/swiff.yaml takes the place of the built-in format 'swiff'
        coffer: rules/trips.yaml and rules/more.yaml describe a format 'trips': the first one counts

        """)
    try folder.write(Self.rules, to: "given.yaml")
    let given = try await self.run("validate --rules given.yaml exports/b.json")
    #expect(given.output.hasSuffix("configuration: coffer.yaml\n"), "\(given.output)")
  }

  // MARK: Rules of files

  @Test func `files have the rules of the last pattern that matches`() async throws {
    try folder.write(
      """
      files:
        "*.json": swiff
        "exports/*": rules/trips.yaml
        "*.ndjson": {rules: rules/event.yaml, each: ""}
      """, to: "coffer.yaml")
    let run = try await run("validate exports/a.json events/e.ndjson")
    #expect(run.status == 1)
    #expect(run.output.contains("exports/a.json: 1 error (trips 1)\n"))
    #expect(run.output.contains("events/e.ndjson:2:1: error: the member 'at' is missing [required]\n    /1/at, byte 10\n"))
    #expect(run.output.contains("events/e.ndjson: 1 error (rules/event.yaml)\n"))
    let inspection = try await self.run("inspect exports/b.json events/e.ndjson")
    #expect(inspection.output.contains("  format     trips: Trips of cars\n"))
    #expect(inspection.output.contains("  format     by the rules of rules/event.yaml\n"))
    let given = try await self.run("validate --rules rules/event.yaml exports/a.json")
    #expect(given.output.contains("exports/a.json: 1 error (rules/event.yaml)\n"))
    let difference = try await self.run("diff exports/a.json coffer.yaml")
    #expect(difference.status == 2)
    #expect(
      difference.errors
        == "coffer: coffer.yaml has the rules 'rules/trips.yaml' for exports/a.json, and the detected format for coffer.yaml: name one with --rules\n"
    )
    let imported = try await self.run("import events/e.ndjson --into a.db")
    #expect(imported.status == 2)
    #expect(imported.errors == "coffer: rules/event.yaml doesn't describe a format: it has no backup with a name\n")
  }

  @Test func `rules of theirs that are not applied are counted, and make a strict run fail`() async throws {
    try folder.write(#"{"$schema": "http://json-schema.org/draft-07/schema#", "minItms": 1}"#, to: "rules/standard.json")
    try folder.write("{files: {\"*.json\": rules/standard.json}, fail-on: warning}", to: "coffer.yaml")
    let run = try await run("validate exports/a.json exports/b.json")
    #expect(run.status == 1)
    #expect(run.output.contains("the run fails: rules/standard.json: 1 rule is not applied"), "\(run.output)")
    #expect(run.errors == "coffer: rules/standard.json: 1 rule is not applied (see: coffer rules check rules/standard.json)\n")
  }

  @Test func `files of one plan have the same rules, also for each item`() async throws {
    try folder.write("{files: {\"a*\": {rules: rules/event.yaml, each: /trips}, \"b*\": rules/event.yaml}}", to: "coffer.yaml")
    let run = try await run("split exports/a.json exports/b.json --tasks 1")
    #expect(run.status == 2)
    #expect(
      run.errors
        == "coffer: coffer.yaml has the rules 'rules/event.yaml' for each of '/trips' for exports/a.json, and 'rules/event.yaml' for exports/b.json: name one with --rules\n"
    )
  }

  @Test func `a folder's files have them, too`() async throws {
    try folder.write(Self.rules.replacing("detect: /trips, ", with: ""), to: "rules/trips.yaml")
    #expect(try await run("verify exports").status == 3)
    try folder.write("{formats: [rules/trips.yaml], files: {\"exports/b*\": trips}}", to: "coffer.yaml")
    let run = try await run("verify exports")
    #expect(run.output.contains("valid           b.json (trips 1, 2 records)\n"), "\(run.output)")
    #expect(run.output.contains("a.json: well-formed; unknown format"))
  }

  // MARK: Options

  @Test func `options of validate are set, unless the command line has them`() async throws {
    try folder.write(
      """
      formats: [rules/trips.yaml]
      baseline: known.json
      duplicate-keys: reject
      fail-on: warning
      max-errors: [minimum=1]
      """, to: "coffer.yaml")
    let tolerated = try await run("validate exports/a.json --baseline none.json --update-baseline")
    #expect(tolerated.status == 0)
    #expect(
      tolerated.output.hasSuffix(
        "configuration: coffer.yaml (duplicate-keys reject, fail-on warning, max-errors minimum=1); trips is rules/trips.yaml\n"),
      "\(tolerated.output)")
    let update = try await run("validate exports/a.json --update-baseline --json")
    #expect(update.status == 0)
    #expect(try folder.text(of: "known.json").contains("\"code\":\"minimum\""))
    let options = try configuration(update)["options"] as? [String: String]
    #expect(
      options == [
        "baseline": "known.json", "duplicate-keys": "reject", "fail-on": "warning", "max-errors": "minimum=1",
      ])
    try folder.write(#"{"version": 1, "trips": [], "version": 1}"#, to: "exports/c.json")
    #expect(try await run("validate exports/c.json").status == 1)
    #expect(try await run("validate exports/c.json --duplicate-keys allow").status == 0)
    let strict = try await run("validate exports/c.json --duplicate-keys warn --fail-on error")
    #expect(strict.status == 0)
    #expect(strict.output.contains("(baseline known.json, max-errors minimum=1)"))
  }

  // MARK: Faults

  private static let faults: [(text: String, error: String)] = [
    ("formatz: []", "coffer.yaml:1:1: unknown member 'formatz'; did you mean 'formats'? at /formatz"),
    ("a: [b", "coffer.yaml:1:6: not valid YAML: "),
    ("[]", "coffer.yaml:1:1: expected an object, found an array at the root"),
    ("formats: rules/trips.yaml", "coffer.yaml:1:10: expected a list of rule documents, found a string at /formats"),
    ("formats: [rules/none.yaml]", "coffer.yaml:1:11: there is no file 'rules/none.yaml' at /formats/0"),
    ("formats: [rules/event.yaml]", "rules/event.yaml: the rules describe no format: they have no backup with a name"),
    ("formats: [rules]", "coffer.yaml:1:11: 'rules' is not a regular file at /formats/0"),
    ("formats: [rules/broken.yaml]", "rules/broken.yaml:1:7: "),
    ("fail-on: wrning", "coffer.yaml:1:10: expected error, warning or note at /fail-on"),
    ("max-errors: [a]", "coffer.yaml:1:14: expected a code with a number or a share, such as "),
    ("duplicate-keys: no", "coffer.yaml:1:17: expected allow, warn or reject at /duplicate-keys"),
    ("files: {x/: swiff}", "coffer.yaml:1:9: a pattern is about files: x/** is about those in this folder at /files/x~1"),
    ("files: {x: swif}", "coffer.yaml:1:12: there is no format 'swif' and no such file; did you mean 'swiff'? at /files/x"),
    ("files: {x: rules/none.yaml}", "coffer.yaml:1:12: there is no file 'rules/none.yaml' at /files/x"),
    (
      "files: {x: {rule: a}}",
      "coffer.yaml:1:13: unknown member 'rule' in the rules of files; did you mean 'rules'? at /files/x/rule"
    ),
    (
      "{formats: [rules/trips.yaml], files: {x: rules/more.yaml}}",
      "coffer.yaml:1:42: rules/more.yaml and rules/trips.yaml describe a format 'trips': a project has one of each name at /files/x"
    ),
    ("files: {x: {}}", "coffer.yaml:1:12: 'rules' is missing at /files/x"),
    (String(repeating: "#", count: 70_000), "coffer.yaml: it is larger than the limit of 64 KiB"),
  ]

  @Test(arguments: faults) func `a fault ends the run with its place`(text: String, error: String) async throws {
    try folder.write("type: 7", to: "rules/broken.yaml")
    try folder.write(Self.rules, to: "rules/more.yaml")
    try folder.write(text, to: "coffer.yaml")
    let run = try await run("inspect exports/b.json")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: " + error), "\(run.errors)")
    #expect(run.output == "")
  }

  // MARK: A project of a stranger

  private static let escapes: [(text: String, error: String)] = [
    ("formats: [../outside.yaml]", "coffer.yaml:1:11: '../outside.yaml' leads out of the folder of coffer.yaml at /formats/0"),
    ("formats: [/etc/passwd]", "coffer.yaml:1:11: '/etc/passwd' leads out of the folder of coffer.yaml at /formats/0"),
    ("formats: [rules/link.yaml]", "coffer.yaml:1:11: 'rules/link.yaml' leads out of the folder of coffer.yaml at /formats/0"),
    ("formats: [up/outside.yaml]", "coffer.yaml:1:11: 'up/outside.yaml' leads out of the folder of coffer.yaml at /formats/0"),
    ("formats: [rules/pipe.yaml]", "coffer.yaml:1:11: 'rules/pipe.yaml' is not a regular file at /formats/0"),
    ("baseline: ../known.json", "coffer.yaml:1:11: '../known.json' leads out of the folder of coffer.yaml at /baseline"),
    ("baseline: known-link.json", "coffer.yaml:1:11: 'known-link.json' leads out of the folder of coffer.yaml at /baseline"),
    ("files: {x: ../outside.yaml}", "coffer.yaml:1:12: '../outside.yaml' leads out of the folder of coffer.yaml at /files/x"),
    (
      "formats: [rules/refers-up.yaml]",
      "rules/refers-up.yaml:1:56: '../../outside.yaml' leads out of the folder of the rules at "
    ),
    (
      "formats: [rules/refers-link.yaml]",
      "rules/refers-link.yaml:1:56: 'link.yaml' is a link out of the folder of the rules, or "
    ),
    (
      "formats: [rules/refers-pipe.yaml]",
      "rules/refers-pipe.yaml:1:56: 'pipe.yaml' is a link out of the folder of the rules, or "
    ),
  ]

  @Test(arguments: escapes) func `nothing outside its folder is read, and no pipe`(text: String, error: String) async throws {
    let project = try TemporaryFolder()
    try project.write(#"{"backup": {"name": "x"}, "maximum": 7}"#, to: "outside.yaml")
    try project.write("{}", to: "p/a.json")
    for (name, target) in [("up", "../../outside.yaml"), ("link", "link.yaml"), ("pipe", "pipe.yaml")] {
      try project.write(
        #"{"backup": {"name": "x"}, "properties": {"a": {"$ref": "\#(target)"}}}"#, to: "p/rules/refers-\(name).yaml")
    }
    func path(_ name: String) -> String { project.path.appending(name).string }
    #expect(symlink("../../outside.yaml", path("p/rules/link.yaml")) == 0)
    #expect(symlink("..", path("p/up")) == 0)
    // The target doesn't exist yet.
    #expect(symlink("../known.json", path("p/known-link.json")) == 0)
    #expect(mkfifo(path("p/rules/pipe.yaml"), 0o600) == 0)
    try project.write(text, to: "p/coffer.yaml")
    let run = try await Command("validate", "--update-baseline", "p/a.json", in: project)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: p/\(error)"), "\(run.errors)")
    #expect(try project.names == ["outside.yaml", "p"])
  }

  @Test func `a reference may lead to another folder of the project`() async throws {
    try folder.write(#"{"type": "object", "required": ["km"]}"#, to: "parts/trip.json")
    try folder.write(
      #"{"backup": {"name": "trips", "detect": "/trips"}, "properties": {"trips": {"items": {"$ref": "../parts/trip.json"}}}}"#,
      to: "rules/trips.yaml")
    #expect(try await run("validate exports/b.json").status == 0)
    #expect(try await run("validate --rules rules/trips.yaml exports/b.json").status == 0)
  }

  @Test func `outputs don't replace its files`() async throws {
    for output in ["coffer.yaml", "rules/trips.yaml"] {
      let run = try await run("validate exports/b.json --output \(output)")
      #expect(run.status == 2)
      #expect(run.errors == "coffer: \(output) contains rules to read: choose another output name\n")
    }
    #expect(try folder.text(of: "rules/trips.yaml") == Self.rules)
  }
}

/// The formats in the user's folder.
@Suite struct UserFormatsTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("{title: Trips, backup: {name: trips, detect: /trips}}", to: ".config/coffer/formats/trips.yaml")
    try folder.write(#"{"trips": []}"#, to: "a.json")
  }

  @Test func `they are known everywhere, and reports say where they are`() async throws {
    let file = "\(folder.path)/.config/coffer/formats/trips.yaml"
    let run = try await Command(spawning: ["validate", "a.json"], in: folder)
    #expect(run.status == 0)
    #expect(run.output.hasSuffix("configuration: trips is \(file)\n"), "\(run.output)")
    let list = try await Command(spawning: ["formats"], in: folder)
    #expect(list.output.hasPrefix("trips                              Trips (user: \(file))\naquavate "))
    let json = try await Command(spawning: ["formats", "--json"], in: folder)
    #expect(json.output.contains("\"origin\": \"user\",\n      \"file\": \"\(file)\""))
    #expect(json.output.contains("\"origin\": \"built-in\""))
    #expect(try await Command(spawning: ["validate", "--no-config", "a.json"], in: folder).status == 1)
    let home = try await Command(
      script: "mkdir -p home && mv .config home && unset XDG_CONFIG_HOME && HOME=$PWD/home exec \"$0\" validate a.json",
      in: folder)
    #expect(home.status == 0, "\(home.errors)")
  }

  @Test func `one of the project with the same name counts`() async throws {
    try folder.write("{backup: {name: trips, detect: /trips}, required: [x]}", to: "trips.yaml")
    try folder.write("formats: [trips.yaml]", to: "coffer.yaml")
    let run = try await Command(spawning: ["validate", "a.json"], in: folder)
    #expect(run.status == 1)
    #expect(
      run.errors
        == "coffer: trips.yaml and \(folder.path)/.config/coffer/formats/trips.yaml describe a format 'trips': the first one counts\n"
    )
  }

  @Test func `a broken one is named once, and breaks no other command`() async throws {
    let broken = "\(folder.path)/.config/coffer/formats/broken.yaml"
    try folder.write("a: [", to: ".config/coffer/formats/broken.yaml")
    let run = try await Command(spawning: ["restore", ".", "a.json", "--into", "a.db", "--dry-run"], in: folder)
    #expect(run.errors.hasPrefix("coffer: warning: \(broken) gives no format: \(broken):1:5: not valid YAML"), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count == 1)
    let named = try await Command(spawning: ["validate", "--rules", "broken", "a.json"], in: folder)
    #expect(named.status == 2)
    #expect(named.errors.contains("there is no format 'broken' and no such file"))
    #expect(try await !Command(spawning: ["compress", "a.json"], in: folder).errors.contains("warning"))
  }
}
