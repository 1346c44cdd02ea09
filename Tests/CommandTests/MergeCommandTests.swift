import TestSupport
import Testing

@Suite struct MergeCommandTests {
  let folder: TemporaryFolder
  private let base = ["merge", "--key", "/trips=id", "a.json", "b.json"]

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"trips": [{"id": 1, "km": 1.50}, {"id": 2}], "unit": "km"}"#, to: "a.json")
    try folder.write(#"{"unit": "mi", "trips": [{"id": 3}, {"km": 1.75, "id": 1}]}"#, to: "b.json")
  }

  @Test(arguments: [
    ("keep-existing", #"{"trips":[{"id":1,"km":1.50},{"id":2},{"id":3}],"unit":"km"}"#),
    ("replace", #"{"trips":[{"km":1.75,"id":1},{"id":2},{"id":3}],"unit":"mi"}"#),
  ])
  func `two backups are merged by the conflict rule`(rule: String, expected: String) async throws {
    let run = try await Command(base + ["-", "--on-conflict", rule], in: folder)
    #expect(run.status == 0)
    #expect(run.output == expected)
    let outcome = rule == "replace" ? "replaced" : "kept"
    #expect(
      run.errors == """
        trips: 1 inserted, 1 \(outcome), 1 only in the first
        document: 1 \(outcome)

        """)
    let dry = try await Command(base + ["--on-conflict", rule, "--dry-run"], in: folder)
    #expect(dry.output == "" && dry.errors == run.errors && dry.status == 0)
  }

  @Test func `the JSON report has all counts`() async throws {
    let run = try await Command(base + ["out.json", "--json", "--on-conflict", "replace"], in: folder)
    #expect(run.errors == "" && run.status == 0)
    #expect(
      run.output == """
        {
          "formatVersion": 1,
          "format": null,
          "collections": [
            {
              "pointer": "/trips",
              "title": "trips",
              "count": 3,
              "inserted": 1,
              "replaced": 1,
              "kept": 0,
              "same": 0,
              "onlyInFirst": 1
            }
          ],
          "document": {
            "inserted": 0,
            "replaced": 1,
            "kept": 0,
            "same": 0,
            "onlyInFirst": 0
          },
          "chosenByCreation": [

          ],
          "decidedWhole": [

          ]
        }

        """)
  }

  @Test(arguments: ["keep-existing", "replace", "keep-newest"])
  func `records without a key are not dropped`(rule: String) async throws {
    try folder.write(#"{"n": [{"id": 1}], "t": [{"x": 1}], "o": {"t": [[{"x": 1}]]}, "m": [1, {}], "u": [1]}"#, to: "c.json")
    try folder.write(#"{"n": [{"id": 2}], "t": [{"x": 2}], "o": {"t": [[{"x": 2}]]}, "m": [2, {}], "u": [2]}"#, to: "d.json")
    let arguments = ["merge", "c.json", "d.json", "-", "--key", "/n=id", "--on-conflict", rule]
    let refused = try await Command(arguments, in: folder)
    #expect(refused.status == 4 && refused.output == "")
    #expect(
      refused.errors.hasPrefix(
        "coffer: c.json and d.json have different records in /t, /o, /m, and no key says which of them belong together: merged as a whole, "
          + "those of one backup would be lost; --key /t=id names"), "\(refused.errors)")
    if rule == "keep-newest" { return }
    let whole = try await Command(arguments + ["--whole-arrays"], in: folder)
    #expect(whole.status == 0 && whole.errors.hasSuffix("/t, /o, /m: decided as a whole, because their records have no key\n"))
    #expect(whole.output.contains(rule == "replace" ? #""t":[{"x":2}]"# : #""t":[{"x":1}]"#))
    let values = try await Command(arguments + ["--key", "/t=", "--key", "/o/t=", "--key", "/m="], in: folder)
    #expect(values.output.contains(#""t":[{"x":1},{"x":2}],"o":{"t":[[{"x":1}],[{"x":2}]]}"#))
    #expect(values.status == 0 && !values.errors.contains("as a whole"))
  }

  @Test func `large arrays without a key are not dropped, either`() async throws {
    func records(_ first: Int) -> String { (first..<first + 60_000).map { "{\"x\": \($0)}" }.joined(separator: ", ") }
    try folder.write("{\"n\": [], \"t\": [\(records(0))]}", to: "c.json")
    try folder.write("{\"n\": [], \"t\": [\(records(1))]}", to: "d.json")
    let run = try await Command("merge", "c.json", "d.json", "-", "--key", "/n=id", "--on-conflict", "replace", in: folder)
    #expect(run.status == 4 && run.errors.contains("different records in /t,"))
  }

  @Test func `the output appears whole or not at all`() async throws {
    let rule = ["--on-conflict", "replace"]
    #expect(try await Command(base + ["out.json.lz4"] + rule, in: folder).status == 0)
    #expect(try await Command("diff", "--key", "/trips=id", "out.json.lz4", "b.json", in: folder).status == 1)
    let names = try folder.names
    let refused = try await Command(base + ["out.json.lz4"] + rule, in: folder)
    #expect(refused.status == 4)
    #expect(refused.errors == "coffer: out.json.lz4 already exists; --force replaces it\n")
    #expect(try await Command(base + ["out.json.lz4", "--force"] + rule, in: folder).status == 0)
    for output in ["a.json", "./b.json"] {
      let run = try await Command(base + [output, "--force"] + rule, in: folder)
      #expect(run.status == 4)
      #expect(run.errors == "coffer: \(output) is an input: choose another output name\n")
    }
    #expect(try folder.names == names)
  }

  private static let unfit: [(String, Int32, String)] = [
    (#"{"trips": [{"id": 1}, ]}"#, 3, "b.json:1:23: JSON doesn't allow a comma"),
    (#"{"trips": [{"id": 1}, {"id": 1}]}"#, 4, "b.json has two records with the key 1: /trips/0 (line 1, column 12)"),
    (#"{"trips": [], "cars": [], "expenses": [], "metadata": {"databaseSchemaVersion": 9}}"#, 4, "b.json is ev-charging-tracker"),
    ("PK\u{3}\u{4}", 3, "b.json is a ZIP archive"),
  ]

  @Test(arguments: unfit.indices)
  func `input that cannot be merged is an error and leaves no output`(number: Int) async throws {
    let (document, status, message) = Self.unfit[number]
    try folder.write(document, to: "b.json")
    let run = try await Command(base + ["out.json", "--on-conflict", "replace"], in: folder)
    #expect(run.status == status)
    #expect(run.errors.contains(message))
    #expect(try folder.names == ["a.json", "b.json"])
  }

  @Test(arguments: [("a.json", "empty.json"), ("empty.json", "a.json"), ("empty.json", "empty.json"), ("ev.json", "empty.json")])
  func `the error for an empty file says that it is empty`(existing: String, other: String) async throws {
    try folder.write("", to: "empty.json")
    try folder.write(#"{"cars": [], "expenses": [], "metadata": {"databaseSchemaVersion": 9}}"#, to: "ev.json")
    let run = try await Command("merge", existing, other, "-", "--on-conflict", "replace", in: folder)
    #expect(run.errors.contains("empty.json:1:1: the document is empty"))
    #expect(run.status == 3)
  }

  @Test(arguments: [[], ["--pretty"], ["--compact"]])
  func `a backup merged with itself is unchanged unless a layout is given`(layout: [String]) async throws {
    let arguments = ["merge", "--key", "/trips=id", "a.json", "a.json", "-", "--on-conflict", "keep-newest"]
    let run = try await Command(arguments + layout, in: folder)
    #expect(run.status == 0)
    #expect((try run.output == folder.text(of: "a.json")) == layout.isEmpty)
    #expect(run.output.contains("\n") == layout.contains("--pretty"))
  }

  @Test func `JSON Lines without a key are refused`() async throws {
    try folder.write("{\"id\": 1}\n", to: "a.jsonl")
    try folder.write("{\"id\": 1, \"x\": 2}\n", to: "b.jsonl")
    let run = try await Command("merge", "a.jsonl", "b.jsonl", "out.jsonl", "--on-conflict", "replace", in: folder)
    #expect(run.status == 4)
    #expect(
      run.errors.contains(
        "unknown format, and no keys of records are named; their values allow =id; name one with --rules, or the records' keys "))
    #expect(!(try folder.names.contains("out.jsonl")))
  }

  @Test(arguments: [("-", [String]()), ("out", []), ("out.json", []), ("-", ["--pretty"])])
  func `JSON Lines stay lines unless the name or an option says otherwise`(output: String, options: [String]) async throws {
    try folder.write("{\"id\": 1}\n{\"id\": 2}\n", to: "a.ndjson")
    try folder.write("{\"id\": 3}\n", to: "b.ndjson")
    let run = try await Command(
      ["merge", "--key", "=id", "a.ndjson", "b.ndjson", output, "--on-conflict", "replace"] + options, in: folder)
    #expect(run.status == 0)
    let text = output == "-" ? run.output : try folder.text(of: output)
    if output == "out.json" {
      #expect(text == #"[{"id":1},{"id":2},{"id":3}]"#)
    } else if options.isEmpty {
      #expect(text == "{\"id\":1}\n{\"id\":2}\n{\"id\":3}\n")
    } else {
      #expect(text.hasPrefix("[\n"))
    }
  }

  @Test(arguments: [
    ["merge", "a.json", "b.json", "out.json"], ["merge", "a.json", "b.json", "--on-conflict", "replace"],
    ["merge", "a.json", "b.json", "out.json", "--on-conflict", "newest"],
    ["merge", "-", "-", "out.json", "--on-conflict", "replace"],
    ["merge", "--key", "/trips=id", "--json", "a.json", "b.json", "-", "--on-conflict", "replace"],
    ["merge", "--key", "/unit=id", "a.json", "b.json", "-", "--on-conflict", "replace"],
    ["merge", "--pretty", "a.json", "b.json", "o.ndjson", "--on-conflict", "replace"],
    ["merge", "--pretty", "--compact", "a.json", "b.json", "o.json", "--on-conflict", "replace"],
  ])
  func `wrong usage is refused and writes nothing`(arguments: [String]) async throws {
    let run = try await Command(arguments, in: folder)
    #expect(run.status == 2)
    #expect(!run.errors.isEmpty)
    #expect(try folder.names == ["a.json", "b.json"])
  }
}
