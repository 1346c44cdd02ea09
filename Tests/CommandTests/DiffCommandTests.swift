import TestSupport
import Testing

@Suite struct DiffCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"trips": [{"id": 1, "km": 1.50}, {"id": 2}, {"id": 3, "tags": ["a"]}], "unit": "km"}"#, to: "old.json")
    try folder.write(
      #"{"unit": "mi", "trips": [{"id": 4}, {"km": 1.75, "id": 1}, {"id": 3.0, "tags": ["a"]}], "x": null}"#, to: "new.json")
  }

  @Test func `the text report shows each change`() async throws {
    let run = try await Command("diff", "--key", "/trips=id", "old.json", "new.json", in: folder)
    #expect(run.status == 1)
    #expect(
      run.output == """
        old.json → new.json
        different

        trips: 1 changed, 1 removed, 1 added, 1 same
          ~ 1  /trips/0 → /trips/1
              /km: 1.50 → 1.75
          - 2  /trips/1
          + 4  /trips/0

        document: 1 changed, 1 added
          ~ /unit
              the value: "km" → "mi"
          + /x
              null

        """)
    #expect(run.errors == "")
  }

  @Test func `without a format, records are matched by the keys that the values of both allow`() async throws {
    try folder.write(#"{"trips": [{"id": 4}, {"km": 1.75, "id": 1}, {"id": 3}]}"#, to: "newer.json")
    let named = try await Command("diff", "--key", "/trips=id", "old.json", "newer.json", in: folder)
    let drafted = try await Command("diff", "old.json", "newer.json", in: folder)
    #expect(drafted.output == named.output)
    #expect(drafted.errors.contains("records are matched by keys that the values of both allow: /trips=id (--key names others)"))
    try folder.write(#"{"trips": [{"km": 1}, {"km": 1}]}"#, to: "keyless.json")
    let whole = try await Command("diff", "keyless.json", "keyless.json", in: folder)
    #expect(whole.status == 0 && whole.errors.contains("arrays are compared as whole values (--key names"))
  }

  @Test func `the JSON report has each change with its places`() async throws {
    let run = try await Command("diff", "--json", "--max-changes", "1", "--key", "/trips=id", "old.json", "new.json", in: folder)
    #expect(run.status == 1)
    let text = run.output.split(whereSeparator: \.isWhitespace).joined()
    #expect(
      text
        == #"""
        {"formatVersion":1,"same":false,"format":null,"old":{"file":"old.json","version":null,"bytes":85},"new":{"file":"new.json","version":null,"bytes":98},
        "collections":[{"pointer":"/trips","title":"trips","key":["id"],"same":1,"changed":1,"removed":1,"added":1,"duplicates":0,"notShown":0,
        "changes":[{"kind":"changed","key":"1","old":{"pointer":"/trips/0","offset":11},"new":{"pointer":"/trips/1","offset":36},
        "fields":[{"pointer":"/km","old":"1.50","new":"1.75"}],"fieldsNotShown":0},
        {"kind":"removed","key":"2","old":{"pointer":"/trips/1","offset":34},"new":null,"fields":[],"fieldsNotShown":0},
        {"kind":"added","key":"4","old":null,"new":{"pointer":"/trips/0","offset":25},"fields":[],"fieldsNotShown":0}]}],
        "document":{"same":0,"changed":1,"removed":0,"added":1,"duplicates":0,"notShown":0,
        "changes":[{"kind":"changed","key":"","old":{"pointer":"/unit","offset":72},"new":{"pointer":"/unit","offset":1},
        "fields":[{"pointer":"","old":"\"km\"","new":"\"mi\""}],"fieldsNotShown":0},
        {"kind":"added","key":"","old":null,"new":{"pointer":"/x","offset":88},
        "fields":[{"pointer":"","old":null,"new":"null"}],"fieldsNotShown":0}]}}
        """#.replacing("\n", with: ""))
  }

  private static let endings: [(String, Int32)] = [
    ("--key /trips=id old.json old.json", 0), ("--key /trips=id --summary old.json new.json", 1), ("old.json new.json", 1),
    ("old.json missing.json", 3), ("old.json broken.json", 3), ("old.json photos.zip", 3), ("old.json ev.json", 4),
    ("--key trips=id old.json new.json", 2), ("--only cars old.json new.json", 2), ("- -", 2),
    ("ev.json empty.json", 3), ("broken.json ev.json", 3),
    ("--key /journeys=id old.json new.json", 2), ("--key /unit=id old.json new.json", 2),
    ("--rules missing old.json new.json", 2), ("--output new.json old.json new.json", 4),
  ]

  @Test(arguments: endings)
  func `the status distinguishes same, different and each kind of failure`(arguments: String, status: Int32) async throws {
    try folder.write("{\"trips\": [1,", to: "broken.json")
    try folder.write("", to: "empty.json")
    try folder.write("PK\u{3}\u{4}", to: "photos.zip")
    try folder.write(#"{"cars": [], "expenses": [], "metadata": {"databaseSchemaVersion": 9}}"#, to: "ev.json")
    let run = try await Command(["diff"] + arguments.split(separator: " ").map(String.init), in: folder)
    #expect(run.status == status)
    if status > 1 { #expect(!run.errors.isEmpty) }
  }

  @Test func `standard input and compressed files are compared`() async throws {
    #expect(try await Command("compress", "new.json", in: folder).status == 0)
    let plain = try await Command("diff", "--key", "/trips=id", "old.json", "new.json", in: folder).output
    let run = try await Command(
      "diff", "--key", "/trips=id", "-", "new.json.lz4", input: folder.text(of: "old.json"), in: folder)
    #expect(run.output == plain.replacing("old.json → new.json", with: "standard input → new.json.lz4"))
  }

  @Test func `custom rules define the keys of records`() async throws {
    try folder.write(
      #"{"backup": {"name": "mine"}, "properties": {"trips": {"primaryKey": "id", "items": {"type": "object"}}}}"#,
      to: "rules.json")
    let run = try await Command(
      "diff", "--rules", "rules.json", "--only", "trips", "--summary", "old.json", "new.json", in: folder)
    #expect(run.output == "old.json → new.json · mine\ndifferent\n\ntrips: 1 changed, 1 removed, 1 added, 1 same\n")
  }

  /// All records would be missing on both sides: the backups would be the same.
  @Test(arguments: [["diff"], ["diff", "--only", "people"], ["merge", "--dry-run", "--on-conflict", "replace"]])
  func `backups of another format than the named one are refused`(verb: [String]) async throws {
    for seed in ["1", "2"] {
      _ = try await Command("generate", "ev-charging-tracker", "\(seed).json", "--size", "2kB", "--seed", seed, in: folder)
    }
    let run = try await Command(verb + ["--rules", "swiff", "1.json", "2.json"], in: folder)
    #expect(run.status == 4 && run.output == "")
    #expect(run.errors.hasPrefix("coffer: 1.json is not a backup of the format swiff: it has none of its collections (people"))
    #expect(try await Command("diff", "--rules", "ev-charging-tracker", "1.json", "2.json", in: folder).status == 1)
  }

  /// The criteria of detection need not hold, if the document has a collection of the format.
  @Test func `--rules applies to backups that are not detected`() async throws {
    try folder.write(#"{"people": [{"id": 1}]}"#, to: "a.json")
    try folder.write(#"{"people": [{"id": 2}]}"#, to: "b.json")
    let run = try await Command("diff", "--rules", "swiff", "a.json", "b.json", in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains("people: 1 removed, 1 added\n"))
  }
}
