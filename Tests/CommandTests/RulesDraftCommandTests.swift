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

  @Test func `drafts accept compressed files, JSON Lines, archives and standard input`() async throws {
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
    #expect(
      run.errors == """
        a.json:1:1: expected another value, found an object at the root, by /not
        coffer: the rules can't be widened enough: 1 finding left

        """)
    let json = try await Command("rules", "draft", "--update", "rules.json", "a.json", "--output", "w.json", "--json", in: folder)
    #expect(json.status == 1)
    #expect(json.output.contains(#""file": "a.json""#) && json.output.contains(#""schema": "/not""#), "\(json.output)")
  }

  @Test func `updates accept rules that are compressed, beside others, on standard input, and built in`() async throws {
    try folder.write(#"{"properties": {"version": {"$ref": "version.json"}}}"#, to: "rules/rules.json")
    try folder.write(#"{"type": ["integer", "string"]}"#, to: "rules/version.json")
    #expect(try await Command("compress", "rules/rules.json", "rules/rules.json.gz", in: folder).status == 0)
    for name in ["rules/rules.json", "rules/rules.json.gz"] {
      let run = try await Command("rules", "draft", "--update", name, "a.json", in: folder)
      #expect(run.status == 0 && run.output.contains("version.json"), "\(run.errors)")
    }
    let piped = try await Command("rules", "draft", "--update", "-", "a.json", input: #"{"type": "string"}"#, in: folder)
    #expect(piped.status == 0 && piped.errors == "~ /type: \"string\" -> [\"string\", \"object\"]\n", "\(piped.errors)")
    #expect(try await Command("generate", "aquavate", "b.json", "--size", "6kB", in: folder).status == 0)
    let format = try await Command("rules", "draft", "--update", "aquavate", "b.json", in: folder)
    #expect(format.status == 0 && format.output.contains(#""name": "aquavate""#) && format.errors == "", "\(format.errors)")
    let twice = try await Command("rules", "draft", "--update", "-", "-", in: folder)
    #expect(twice.status == 2 && twice.errors.contains("standard input can be read only once"))
  }

  @Test(arguments: [
    ("{", "rules.json:1:2: the rules are not JSON"),
    (#"{"tpye": 1}"#, "rules.json:1:2: unknown keyword 'tpye'"),
    (
      ##"{"items": {"$ref": "#/$defs/none"}}"##,
      "rules.json:1:20: '#/$defs/none' refers to '$defs', which doesn't exist at /items/$ref"
    ),
  ])
  func `errors in rules to update name the rules`(_ rules: String, _ message: String) async throws {
    try folder.write(rules, to: "rules.json")
    let run = try await Command("rules", "draft", "--update", "rules.json", "a.json", "--output", "w.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: " + message), "\(run.errors)")
    #expect(try !folder.names.contains("w.json"))
  }

  @Test(arguments: ["rules/part.json", "rules/../rules/part.json"])
  func `a file that the rules refer to is not replaced`(_ output: String) async throws {
    try folder.write(#"{"properties": {"version": {"$ref": "part.json"}}}"#, to: "rules/rules.json")
    try folder.write("{}", to: "rules/part.json")
    let draft = try await Command(
      "rules", "draft", "--update", "rules/rules.json", "a.json", "--output", output, "--force", in: folder)
    let check = try await Command("rules", "check", "rules/rules.json", "--output", output, in: folder)
    for run in [draft, check] {
      #expect(run.status == 2)
      #expect(run.errors.contains("\(output) contains rules to read: choose another output name"), "\(run.errors)")
    }
    #expect(try folder.text(of: "rules/part.json") == "{}")
  }

  @Test(arguments: [["--now", "2026-01-01T00:00:00Z"], ["--assert-formats"], ["--map", "urn:a=."], ["--refs", "."]])
  func `options for reading rules need --update`(_ arguments: [String]) async throws {
    let run = try await Command(["rules", "draft", "a.json"] + arguments, in: folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("\(arguments[0]) requires --update"), "\(run.errors)")
  }

  @Test func `expansion has limits`() async throws {
    #expect(try await Command("compress", "a.json", "a.json.gz", in: folder).status == 0)
    let run = try await Command("rules", "draft", "a.json.gz", "--max-size", "100", "--max-ratio", "50", in: folder)
    #expect(run.status == 3)
    #expect(run.errors.contains("the gzip data expands to more than 100 bytes"), "\(run.errors)")
    #expect(run.errors.hasSuffix("; --max-size and --max-ratio set the limits of what is expanded\n"), "\(run.errors)")
    #expect(run.output == "")
  }

  @Test func `reports have their members in order`() async throws {
    let draft = try await Command("rules", "draft", "a.json", "--output", "r.json", "--json", in: folder)
    let reasons = draft.output.matches(of: #/"reason": "/#).count
    let notes = draft.output.matches(of: #/"place": "[^"]*",\n +"reason": "/#).count
    #expect(reasons > 0 && notes == reasons, "\(draft.output)")
    try folder.write(#"{"version": "3", "cars": [{"id": 17}], "trips": []}"#, to: "b.json")
    let update = try await Command("rules", "draft", "--update", "r.json", "b.json", "--output", "w.json", "--json", in: folder)
    let changes = update.output.matches(of: #/"place": ".*",\n +"before": ".*",\n +"after": ".*"\n/#).count
    #expect(changes == 2, "\(update.output)")
  }

  @Test func `rules drafted from an archive admit it`() async throws {
    #expect(try await Command("generate", "smilepile", "a.zip", "--size", "20kB", in: folder).status == 0)
    #expect(try await Command("rules", "draft", "a.zip", "--output", "photos.json", in: folder).status == 0)
    #expect(try folder.text(of: "photos.json").contains(#""archive": { "metadata": "metadata.json" }"#))
    try folder.write(try await Command("rules", "draft", "a.zip", in: folder).output, to: "piped.json")
    #expect(try folder.text(of: "piped.json").contains(#""name": "a""#))
    for rules in ["photos.json", "piped.json"] {
      let run = try await Command("validate", "--rules", rules, "a.zip", in: folder)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      let update = try await Command("rules", "draft", "--update", rules, "a.zip", in: folder)
      #expect(update.status == 0 && update.errors == "", "\(update.errors)")
    }
    try folder.write("{}", to: "rules.json")
    let update = try await Command("rules", "draft", "--update", "rules.json", "a.zip", in: folder)
    #expect(update.status == 3 && update.errors.contains("the rules don't describe a ZIP archive's content"), "\(update.errors)")
  }

  /// The document of an archive may have any name.
  @Test func `a draft describes an archive with a document of another name`() async throws {
    for (name, text) in [("app/data.JSON", #"{"trips": [{"id": 1, "photo": "1.jpg"}]}"#), ("app/1.jpg", "x")] {
      try folder.write(text, to: name)
    }
    #expect(try await Command(script: "python3 -m zipfile -c trips.zip app", in: folder).status == 0)
    let draft = try await Command("rules", "draft", "trips.zip", "--output", "trips.json", in: folder)
    #expect(draft.status == 0, "\(draft.errors)")
    let run = try await Command("validate", "--rules", "trips.json", "trips.zip", in: folder)
    #expect(run.status == 0 && run.output.contains("trips.zip: 1 note (trips)"), "\(run.output)\(run.errors)")
    try folder.write("{}", to: "app/more.json")
    #expect(try await Command(script: "python3 -m zipfile -c more.zip app", in: folder).status == 0)
    let several = try await Command("rules", "draft", "more.zip", in: folder)
    #expect(several.status == 3 && several.errors.contains("several possible documents: app/"), "\(several.errors)")
  }

  @Test func `archives with different documents are refused`() async throws {
    for (name, format) in [("a.zip", "smilepile"), ("b.zip", "smilepile-specification")] {
      #expect(try await Command("generate", format, name, "--size", "20kB", in: folder).status == 0)
    }
    let run = try await Command("rules", "draft", "a.zip", "b.zip", in: folder)
    #expect(run.status == 3 && run.output == "")
    #expect(
      run.errors.hasPrefix("coffer: b.zip: its document is backup_metadata.json, and metadata.json in another"), "\(run.errors)")
  }

  @Test func `text of documents can't forge lines`() async throws {
    try folder.write(#"{"a\ncoffer: all is well": 1}"#, to: "b.json")
    try folder.write(#"{"additionalProperties": {"not": {}}}"#, to: "rules.json")
    let run = try await Command("rules", "draft", "--update", "rules.json", "b.json", in: folder)
    #expect(run.status == 1)
    #expect(!run.errors.contains("\ncoffer: all is well"), "\(run.errors)")
  }

  @Test func `a result is usable where it is written`() async throws {
    try folder.write(#"{"properties": {"version": {"$ref": "part.json"}}}"#, to: "rules/rules.json")
    try folder.write("{}", to: "rules/part.json")
    let run = try await Command("rules", "draft", "--update", "rules/rules.json", "a.json", "--output", "w.json", in: folder)
    #expect(run.status == 2)
    #expect(
      run.errors.contains("w.json: the updated rules don't work at this path: 'part.json' is not available"), "\(run.errors)")
    #expect(try !folder.names.contains("w.json"))
    let compressed = try await Command("rules", "draft", "a.json", "--output", "w.json.gz", in: folder)
    #expect(compressed.status == 2 && compressed.errors.contains("rules are written uncompressed"), "\(compressed.errors)")
  }

  @Test func `a format of documents that can't be recognised is explained`() async throws {
    try folder.write("[1, 2]", to: "list.json")
    let run = try await Command("rules", "draft", "list.json", "--name", "list", "--explain", in: folder)
    #expect(run.status == 0 && run.output.contains(#""backup": { "name": "list" }"#))
    #expect(run.errors.contains("the root: no detect: only the members of objects recognise a format\n"), "\(run.errors)")
  }

  @Test func `the ending for YAML may be in capitals`() async throws {
    #expect(try await Command("rules", "draft", "a.json", "--output", "garage.YML", in: folder).status == 0)
    #expect(try folder.text(of: "garage.YML").hasPrefix("# Drafted from 1 document"))
  }

  @Test func `missing rules are wrong usage`() async throws {
    let run = try await Command("rules", "draft", "--update", "missing.json", "a.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: there is no format 'missing.json' and no such file"), "\(run.errors)")
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
  ])
  func `failures have a status of their own`(_ arguments: [String], _ status: Int32, _ errors: String) async throws {
    let run = try await Command(["rules", "draft"] + arguments, in: folder)
    #expect(run.status == status)
    #expect(run.errors == errors)
  }
}
