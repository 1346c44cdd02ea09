import ByteStreams
import Foundation
import TestSupport
import Testing

@Suite struct RulesDraftCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let trips = (1...30).map { #"{"id": \#($0), "carId": \#([17, 230][$0 % 2]), "kind": "\#(["work", "home"][$0 % 2])"}"# }
    try folder.write(
      #"{"version": 2, "cars": [{"id": 17, "name": "Van"}, {"id": 230, "name": "Car"}], "trips": [\#(trips.joined(separator: ","))]}"#,
      to: "a.json")
  }

  @Test func `a draft has keys, references and enums, and its file satisfies it`() async throws {
    let run = try await Command("rules", "draft", "a.json", "--output", "garage.json", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(run.errors == "garage.json: drafted from 1 document, 2 keys and 1 reference\n")
    let rules = try folder.text(of: "garage.json")
    #expect(rules.contains(#""name": "garage""#))
    #expect(
      rules.contains(#""primaryKey": { "$comment": "30 values, no duplicates. Confidence: medium.", "fields": "id" }"#))
    #expect(rules.contains(#""reference": { "resource": "/cars", "fields": "id" }"#))
    #expect(rules.contains(#""enum": ["home", "work"]"#))
    #expect(try await Command("rules", "check", "garage.json", in: folder).status == 0)
    #expect(try await Command("validate", "--rules", "garage.json", "a.json", in: folder).status == 0)
  }

  @Test func `a YAML draft has the same rules`() async throws {
    #expect(try await Command("rules", "draft", "a.json", "--output", "garage.yaml", in: folder).status == 0)
    #expect(try folder.text(of: "garage.yaml").hasPrefix("# Drafted from 1 document"))
    #expect(try await Command("validate", "--rules", "garage.yaml", "a.json", in: folder).status == 0)
  }

  @Test func `backups can be compressed, lines, archives, and standard input`() async throws {
    for name in ["a.json.gz", "a.json.zst", "a.json.lz4"] {
      #expect(try await Command("compress", "a.json", name, in: folder).status == 0)
    }
    #expect(
      try await Command("convert", "--to", "ndjson", "--collection", "/trips", "a.json", "a.ndjson", in: folder).status == 0)
    #expect(try await Command("generate", "smilepile", "a.zip", "--size", "20kB", in: folder).status == 0)
    let draft = try await Command("rules", "draft", "a.json", in: folder)
    for name in ["a.json.gz", "a.json.zst", "a.json.lz4"] {
      #expect(try await Command("rules", "draft", name, in: folder).output == draft.output)
    }
    #expect(try await Command("rules", "draft", "-", input: folder.text(of: "a.json"), in: folder).output == draft.output)
    for name in ["a.zip", "a.ndjson"] {
      let run = try await Command("rules", "draft", name, "--output", "draft.json", "--force", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(try await Command("rules", "check", "draft.json", in: folder).status == 0)
    }
  }

  @Test func `names and values can't control a terminal`() async throws {
    try folder.write(
      #"{"\u001b[31mred": {"\u202e": "\u001b]0;title\u0007"}, "kinds": [\#((1...30).map { _ in #"{"kind": "\u009b2J"}"# }.joined(separator: ","))]}"#,
      to: "hostile.json")
    for output in ["draft.json", "draft.yaml"] {
      let run = try await Command("rules", "draft", "hostile.json", "--explain", "--output", output, in: folder)
      #expect(run.status == 0)
      for text in [run.errors, try folder.text(of: output)] {
        for line in text.split(separator: "\n") { #expect(String(line).printable == line) }
      }
      #expect(try await Command("validate", "--rules", output, "hostile.json", in: folder).status == 0)
    }
  }

  @Test(arguments: [("loose", true), ("normal", true), ("tight", false)])
  func `the strictness decides whether further members are allowed`(_ strictness: String, _ isAllowed: Bool) async throws {
    let draft = try await Command("rules", "draft", "a.json", "--strictness", strictness, "--output", "r.json", in: folder)
    #expect(draft.status == 0)
    #expect(try await Command("validate", "--rules", "r.json", "a.json", in: folder).status == 0)
    let text = try folder.text(of: "a.json")
    try folder.write(text.replacingOccurrences(of: "\"version\": 2", with: "\"version\": 2, \"more\": 1"), to: "b.json")
    let run = try await Command("validate", "--rules", "r.json", "b.json", in: folder)
    #expect((run.status == 0) == isAllowed)
    #expect(run.output.contains("no document had this member") == (strictness == "normal"))
  }

  @Test func `--explain says why there is no rule`() async throws {
    let run = try await Command("rules", "draft", "a.json", "--explain", in: folder)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("{\n"))
    #expect(run.errors.contains("/cars/*/name: no enum: the name suggests free text\n"))
  }

  @Test func `--update shows what it widens`() async throws {
    #expect(try await Command("rules", "draft", "a.json", "--output", "garage.json", in: folder).status == 0)
    try folder.write(#"{"version": "3", "cars": [{"id": 17}], "trips": []}"#, to: "b.json")
    let run = try await Command("rules", "draft", "--update", "garage.json", "b.json", "--output", "wide.json", in: folder)
    #expect(run.status == 0)
    #expect(
      run.errors == """
        ~ /properties/version/type: "integer" -> ["integer", "string"]
        ~ /properties/cars/items/required: ["id", "name"] -> ["id"]
        wide.json: 2 changes

        """)
    #expect(try await Command("validate", "--rules", "wide.json", "b.json", "a.json", in: folder).status == 0)
  }

  @Test func `rules can be updated in place`() async throws {
    try folder.write(#"{"type": "string"}"#, to: "rules.json")
    let run = try await Command(
      "rules", "draft", "--update", "rules.json", "a.json", "--output", "rules.json", "--force", in: folder)
    #expect(run.status == 0)
    #expect(try folder.text(of: "rules.json").contains(#""type": ["string", "object"]"#))
  }

  @Test func `rules that can't be widened end with status 1`() async throws {
    try folder.write(#"{"not": {"type": "object"}}"#, to: "rules.json")
    let run = try await Command("rules", "draft", "--update", "rules.json", "a.json", in: folder)
    #expect(run.status == 1)
    #expect(run.errors == "coffer: 1 finding left: the rules that give them can't be widened\n")
  }

  @Test(arguments: [["--strictness", "tight"], ["--name", "x"], ["--bounds"], ["--explain"]])
  func `options of new drafts don't go with --update`(_ arguments: [String]) async throws {
    let run = try await Command(["rules", "draft", "--update", "rules.json", "a.json"] + arguments, in: folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("--update widens existing rules"))
  }

  @Test(arguments: [
    (["missing.json"], 3, "coffer: cannot open missing.json: no such file or directory\n"),
    (["a.json", "--output", "a.json", "--force"], 4, "coffer: a.json is an input: choose another output name\n"),
    (["--update", "missing.json", "a.json"], 3, "coffer: cannot open missing.json: no such file or directory\n"),
  ])
  func `failures have a status of their own`(_ arguments: [String], _ status: Int32, _ errors: String) async throws {
    let run = try await Command(["rules", "draft"] + arguments, in: folder)
    #expect(run.status == status)
    #expect(run.errors == errors)
  }
}
