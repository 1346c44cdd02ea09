import Foundation
import TestSupport
import Testing

@Suite struct RulesCheckCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      {"properties": {
        "cars": {"primaryKey": "id",
          "contains": {"required": ["selected"]}},
        "trips": {
          "foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}]}}}
      """, to: "rules.json")
    try folder.write("{\n  \"tpye\": 1,\n  \"minLength\": -1}", to: "wrong.json")
  }

  @Test func `valid rules are reported as valid`() async throws {
    let run = try await Command("rules", "check", "rules.json", in: folder)
    #expect(run.status == 0)
    #expect(
      run.output == """
        rules.json: valid (urn:coffer:rules:1)

        """)
    #expect(run.errors == "")
  }

  @Test func `wrong rules end with status 2`() async throws {
    let run = try await Command("rules", "check", "wrong.json", "rules.json", in: folder)
    #expect(run.status == 2)
    #expect(
      run.output.hasPrefix(
        """
        wrong.json:2:3: error: this member is not allowed; did you mean 'type'? [unevaluated-properties]
            /tpye, byte 4
        wrong.json:3:16: error: expected at least 0, found -1 [minimum]
            /minLength, byte 30
        wrong.json: 2 errors (urn:coffer:rules:1)
          1  error    minimum                 /minLength (at 3:16)
          1  error    unevaluated-properties  /tpye (at 2:3)

        rules.json: valid
        """), "\(run.output)")
  }

  @Test func `unreadable rules end with status 3`() async throws {
    try folder.write("{", to: "broken.json")
    let run = try await Command("rules", "check", "broken.json", "gone.json", "wrong.json", in: folder)
    #expect(run.status == 3)
    #expect(run.output.contains("broken.json:1:2: error: the document ends"))
    #expect(run.output.contains("gone.json: error: cannot open gone.json: no such file or directory [not-found]"))
    #expect(run.output.contains("wrong.json: 2 errors"))
  }

  @Test func `a format is checked by its name`() async throws {
    let run = try await Command("rules", "check", "ev-charging-tracker")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("ev-charging-tracker: valid (urn:coffer:rules:1)\n"))
  }

  @Test func `the JSON report says which rules are valid`() async throws {
    let run = try await Command("rules", "check", "rules.json", "wrong.json", "--output-format", "json", in: folder)
    #expect(run.status == 2)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let files = try #require(report["files"] as? [[String: Any]])
    #expect(files.map { $0["valid"] as? Bool } == [true, false])
  }

  @Test func `--map gives access to referenced documents`() async throws {
    try folder.write(#"{"$ref": "http://example.org/rules.json"}"#, to: "outer.json")
    let unmapped = try await Command("rules", "check", "outer.json", in: folder)
    #expect(unmapped.status == 0)
    #expect(unmapped.output.contains("1 warning"))
    let run = try await Command("rules", "check", "outer.json", "--map", "http://example.org/=.", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "outer.json: valid (urn:coffer:rules:1)\n")
  }

  @Test func `validation names the first of several errors, and where all of them are`() async throws {
    try folder.write(#"{"type": "strin", "pattern": "(", "properties": {"a": {"$ref": "../a.json"}}}"#, to: "three.json")
    let run = try await Command("validate", "--rules", "three.json", "rules.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: three.json:1:10: type must be null, boolean, "), "\(run.errors)")
    #expect(run.errors.hasSuffix("at /type; 2 further errors: 'coffer rules check' lists all\n"), "\(run.errors)")
    let check = try await Command("rules", "check", "three.json", in: folder)
    #expect(check.output.contains("three.json: 3 errors"), "\(check.output)")
  }

  @Test func `standard input is checked`() async throws {
    let run = try await Command("rules", "check", "-", input: "true")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("standard input: valid (urn:coffer:rules:1)\n"))
  }

  /// Three warnings and a note.
  private static let standard = """
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {
      "cars": {"primaryKey": "id"}, "at": {"format": "date-time"}, "km": {"tpye": "number", "nullable": true}}}
    """

  @Test func `warnings leave the status, unless --fail-on names them`() async throws {
    try folder.write(Self.standard, to: "standard.json")
    let run = try await Command("rules", "check", "standard.json", in: folder)
    #expect(run.status == 0)
    #expect(
      run.output.hasPrefix("standard.json:2:12: warning: 'primaryKey' is Coffer's keyword, which draft 2020-12 doesn't have; "))
    #expect(
      run.output.contains(
        """
        standard.json: 3 warnings, 1 note (https://json-schema.org/draft/2020-12/schema)
          2  warning  ignored-keyword    (first at 2:12)
          1  warning  unasserted-format  /properties/at/format (at 2:40)
          1  note     ignored-keyword    /properties/km/nullable (at 2:89)
        """), "\(run.output)")
    #expect(run.output.hasSuffix("\n--assert-formats checks the formats that are not checked now\n"))
    let asserted = try await Command("rules", "check", "standard.json", "--assert-formats", in: folder)
    #expect(!asserted.output.contains("format"))
    for (options, status) in [
      (["--strict"], 1), (["--fail-on", "note"], 1), (["--fail-on", "error"], 0),
      (["--strict", "--max-errors", "ignored-keyword=2", "--max-errors", "unasserted-format=1"], 0),
    ] as [([String], Int32)] {
      let run = try await Command(["rules", "check", "standard.json"] + options, in: folder)
      #expect(run.status == status && run.errors == "", "\(options)")
    }
    #expect(try await Command("rules", "check", "wrong.json", "--max-errors", "minimum=9", in: folder).status == 2)
  }

  @Test func `all formats of reports have the warnings`() async throws {
    try folder.write(Self.standard, to: "standard.json")
    for format in ["json", "sarif", "junit", "github", "markdown", "gitlab", "rdjsonl", "checkstyle", "html"] {
      let run = try await Command("rules", "check", "standard.json", "--output-format", format, in: folder)
      #expect(run.output.contains("primaryKey") && run.output.contains("ignored-keyword"), "\(format)")
    }
    let quiet = try await Command("rules", "check", "standard.json", "rules.json", "--quiet", in: folder)
    #expect(quiet.output == "" && quiet.status == 0)
    let strict = try await Command("rules", "check", "standard.json", "rules.json", "--quiet", "--strict", in: folder)
    #expect(strict.output.contains("standard.json") && !strict.output.contains("\nrules.json"))
    #expect(
      try await Command("rules", "check", "standard.json", "--summary", in: folder).output.hasPrefix("standard.json: 3 warn"))
  }

  @Test func `a report on a thousand definitions fits a screen`() async throws {
    let definitions = (0..<1000).map { #""d\#($0)": {"anyOf": [{"uniqueItems": true}, {"items": {"minimum": 1}}]}"# }
    let members = (0..<1000).map { ##""m\##($0)": {"$ref": "#/definitions/d\##($0)", "minLength": 1}"## }
    let schema = ##""$schema": "http://json-schema.org/draft-06/schema#""##
    try folder.write(
      "{\(schema), \"properties\": {\(members.joined(separator: ","))}, \"definitions\": {\(definitions.joined(separator: ","))}}",
      to: "large.json")
    let run = try await Command("rules", "check", "large.json", in: folder)
    #expect(run.status == 0)
    #expect(run.output.contains("  1,000  warning  ignored-sibling  (first at 1:106)\n"))
    #expect(run.output.contains("  990 findings not shown: --max-findings sets the number of those that are\n"))
    let lines = run.output.split(separator: "\n").count
    #expect((20...30).contains(lines), "\(run.output)")
    let more = try await Command("rules", "check", "large.json", "--max-findings", "100", in: folder)
    #expect(more.output.split(separator: "\n").count == lines + 180)
  }

  @Test func `every verb that is given rules says how many are not applied`() async throws {
    try folder.write(Self.standard, to: "standard.json")
    try folder.write(#"{"cars": []}"#, to: "a.json")
    let notice = "coffer: standard.json: 3 rules are not applied (see: coffer rules check standard.json)\n"
    for command in [
      ["validate", "a.json", "a.json"], ["validate", "a.json", "--quiet"], ["inspect", "a.json"], ["diff", "a.json", "a.json"],
      ["split", "a.json", "--tasks", "1", "--output", "plan.json"], ["recover", "a.json", "--dry-run"],
    ] {
      let run = try await Command(command + ["--rules", "standard.json"], in: folder)
      #expect(run.errors == notice, "\(command)")
    }
    #expect(try await Command("validate", "--rules", "rules.json", "a.json", in: folder).errors == "")
    let input = try await Command("validate", "--rules", "-", "a.json", input: Self.standard, in: folder)
    #expect(input.errors == "coffer: standard input: 3 rules are not applied (see: coffer rules check -)\n")
  }

  @Test func `the JSON report has the rules that are not applied, also after tasks, and rendered`() async throws {
    try folder.write(Self.standard, to: "standard.json")
    try folder.write(#"{"cars": []}"#, to: "a.json")
    let one = try await Command("validate", "--rules", "standard.json", "a.json", "--json", "--output", "one.json", in: folder)
    #expect(one.status == 0)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(folder.text(of: "one.json").utf8)) as? [String: Any])
    let rules = try #require(report["rules"] as? [String: Any])
    #expect(rules["file"] as? String == "standard.json" && rules["notShown"] as? Int == 0)
    let findings = try #require(rules["findings"] as? [[String: Any]])
    let places = ["/properties/cars/primaryKey", "/properties/at/format", "/properties/km/tpye", "/properties/km/nullable"]
    #expect(findings.map { $0["schema"] as? String } == places)
    _ = try await Command("split", "a.json", "--rules", "standard.json", "--tasks", "1", "--output", "plan.json", in: folder)
    _ = try await Command("validate", "--plan", "plan.json", "--task", "0", "--partial", "0.partial", in: folder)
    let merge = try await Command("report", "merge", "--plan", "plan.json", "0.partial", "--json", in: folder)
    #expect(try merge.output == folder.text(of: "one.json"))
    let rendered = try await Command("report", "one.json", "--json", in: folder)
    #expect(try rendered.output == folder.text(of: "one.json"))
    #expect(merge.errors.contains(": 3 rules are not applied") && rendered.errors == merge.errors)
    // A plan has the choice of formats, too.
    let chosen = try await Command(
      "split", "a.json", "--rules", "standard.json", "--no-assert-formats", "--tasks", "1", in: folder)
    #expect(chosen.output.contains(#""formats":"never""#) && chosen.errors.contains("2 rules are not applied"))
  }
}
