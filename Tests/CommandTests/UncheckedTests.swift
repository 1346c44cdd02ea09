import TestSupport
import Testing

/// A run says what it doesn't check, whatever the report's format.
@Suite struct UncheckedTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"""
      {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {
        "people": {"type": "array", "items": {"properties": {"zip": {"type": "string", "patern": "^[0-9]{5}$"}}}}}}
      """#, to: "typo.json")
    try folder.write(#"{"people": [{"zip": "x"}]}"#, to: "people.json")
    try folder.write(
      #"""
      {"properties": {
        "recipes": {"primaryKey": "id", "foreignKeys": [{"fields": "author", "reference": {"resource": "/users", "fields": "id"}}],
          "items": {"required": ["id"]}},
        "users": {"primaryKey": "id"}, "tags": {"items": {"maxLength": 3}}}}
      """#, to: "rules.json")
    try folder.write(#"{"recipes": {"a": [{"id": 1, "author": 2}]}, "users": [{"id": 2}], "tags": ["abc"]}"#, to: "map.json")
  }

  @Test(arguments: ["json", "sarif", "junit", "github", "markdown", "html"])
  func `every report that can tells of rules that are not applied`(format: String) async throws {
    let run = try await Command("validate", "--rules", "typo.json", "--output-format", format, "people.json", in: folder)
    #expect(run.status == 0)
    #expect(run.output.contains("patern"))
    #expect(run.errors == "coffer: typo.json: 1 rule is not applied (see: coffer rules check typo.json)\n")
  }

  @Test func `rules that are not applied fail a run in which warnings do`() async throws {
    for option in [["--strict"], ["--fail-on", "note"]] {
      let run = try await Command(["validate", "--rules", "typo.json"] + option + ["people.json"], in: folder)
      #expect(run.status == 1)
      #expect(run.output.contains("\nthe run fails: typo.json: 1 rule is not applied, first at 2:82: 'patern' is not a keyword"))
    }
    let junit = try await Command(
      "validate", "--rules", "typo.json", "--strict", "--output-format", "junit", "people.json", in: folder)
    #expect(junit.status == 1)
    #expect(junit.output.contains(#"<testsuite name="typo.json" tests="1" failures="1" errors="0" skipped="0""#))
  }

  @Test func `collections without rules are named`() async throws {
    try folder.write(#"{"poeple": [{"zip": 1}, {}], "empty": [], "people": [], "count": 2}"#, to: "misspelt.json")
    let run = try await Command("validate", "--rules", "typo.json", "misspelt.json", in: folder)
    #expect(run.output.contains("misspelt.json: valid (typo.json)\n  no rules for /poeple (2 records)\n"))
    #expect(try await !Command("validate", "--rules", "rules.json", "map.json", in: folder).output.contains("no rules for"))
    try folder.write(#"{"additionalProperties": {"items": {"required": ["id"]}}}"#, to: "any.json")
    #expect(try await !Command("validate", "--rules", "any.json", "misspelt.json", in: folder).output.contains("no rules for"))
  }

  @Test func `rules that accept everything are named`() async throws {
    try folder.write(
      #"{"$schema": "http://json-schema.org/draft-07/schema#", "schema": {"required": ["id"]}}"#, to: "wrapped.json")
    let run = try await Command("validate", "--rules", "wrapped.json", "people.json", in: folder)
    #expect(run.errors == "coffer: the rules accept every document\n")
    let valid = try await Command("validate", "--syntax-only", "people.json", in: folder)
    #expect(valid.errors == "" && !valid.output.contains("no rules for"))
  }

  @Test func `rules that applied to no value are named`() async throws {
    try folder.write(#"{"people": [{"zip": "1"}, {"zip": "2"}, {"name": "a"}]}"#, to: "three.json")
    try folder.write(
      #"{"properties": {"people": {"items": {"properties": {"zip": {"type": "string"}, "nmae": {"type": "string"}}}}}}"#,
      to: "misspelt-rules.json")
    func output(_ format: String, _ files: String...) async throws -> String {
      try await Command(["validate", "--rules", "misspelt-rules.json", "--output-format", format] + files, in: folder).output
    }
    let note = "1 of 2 rules applied to no value, at /people/*/nmae"
    #expect(try await output("text", "three.json").contains("three.json: valid (misspelt-rules.json)\n  \(note)\n"))
    #expect(try await output("markdown", "three.json").contains("- <code>three.json</code>: 1 of 2 rules applied to no value"))
    let page = try await output("html", "three.json")
    #expect(page.contains("Note: \(note)."))
    #expect(page.contains(#"<code>/people/*/zip</code></dt><dd><bdi>string</bdi> <span class="values">2 values</span>"#))
    let junit = try await output("junit", "three.json")
    #expect(junit.contains(#"name="type /people/*/zip" assertions="2"/>"#))
    #expect(junit.contains("name=\"type /people/*/nmae\" assertions=\"0\">\n      <skipped>no value to check</skipped>"))
    let json = try await output("json", "three.json")
    #expect(json.contains(#"zip/type": 2"#) && !json.contains("nmae/type"))
  }

  @Test func `a stored report keeps the values`() async throws {
    try folder.write(#"{"people": [{"zip": "1"}, {"zip": 2}]}"#, to: "two.json")
    let arguments = ["--rules", "typo.json", "--output-format"]
    let stored = try await Command(["validate"] + arguments + ["json", "two.json"], in: folder).output
    try folder.write(stored, to: "stored.json")
    for format in ["json", "junit", "markdown"] {
      let again = try await Command(["report", "stored.json"] + arguments + [format], in: folder)
      let direct = try await Command(["validate"] + arguments + [format, "two.json"], in: folder)
      func lines(_ text: String) -> [Substring] { text.split(separator: "\n").filter { !$0.contains(" time=") } }
      #expect(lines(again.output) == lines(direct.output), "\(format)")
    }
    // Their sum would overflow, too.
    for numbers in ["-2", "9007199254740991, \"x\": 2"] {
      try folder.write(stored.replacing(#"zip/type": 2"#, with: #"zip/type": \#(numbers)"#), to: "bad.json")
      let bad = try await Command("report", "bad.json", in: folder)
      #expect(bad.status == 3 && bad.errors.contains("a number is out of range"))
    }
  }

  @Test func `JUnit skips the cases of records that are not there`() async throws {
    let run = try await Command("validate", "--rules", "rules.json", "--output-format", "junit", "map.json", in: folder)
    for name in ["primary-key /recipes/*/id", "foreign-key /recipes/*/author"] {
      let skipped = "<skipped>the object there holds no records</skipped>"
      #expect(run.output.contains("name=\"\(name)\" assertions=\"1\">\n      \(skipped)"))
    }
    #expect(run.output.contains(#"name="primary-key /users/*/id" assertions="1"/>"#))
    #expect(run.output.contains(#"skipped="3""#))
  }

  @Test func `a file that can't be read to its end says what was not decided`() async throws {
    try folder.write(#"{"recipes": [{"id": 1, "author": 7}], "users": ["#, to: "cut.json")
    for format in ["text", "markdown", "html"] {
      let run = try await Command("validate", "--rules", "rules.json", "--output-format", format, "cut.json", in: folder)
      #expect(run.status == 3)
      #expect(run.output.contains("rules that need the whole document, such as references, were not decided"))
    }
    let missing = try await Command("validate", "--rules", "rules.json", "--output-format", "junit", "missing.json", in: folder)
    #expect(missing.output.contains("name=\"the format is known\">\n      <skipped>"))
  }

  @Test(arguments: ["gitlab", "rdjsonl", "checkstyle"])
  func `findings that a format leaves out without a word are counted on standard error`(format: String) async throws {
    try folder.write(#"{"tags": ["long1", "long2", "long3"]}"#, to: "long.json")
    let run = try await Command(
      "validate", "--rules", "rules.json", "--max-findings", "1", "--output-format", format, "long.json", in: folder)
    #expect(
      run.errors == "coffer: 2 findings not in the report for \(format): --max-findings sets the number of those that are\n")
  }
}
