import TestSupport
import Testing

/// JSON text sequences (RFC 7464) and several documents in one file, in all verbs.
@Suite struct SequenceCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("\u{1E}{\"id\": 1}\n\u{1E}{\n  \"id\": 2\n}\n", to: "log.json")
    try folder.write("{\"id\": 1}{\n  \"id\": 2\n}\n{\"id\": 2}", to: "several.json")
    try folder.write(#"{"primaryKey": "id", "items": {"required": ["id"]}}"#, to: "rules.json")
  }

  private func run(_ arguments: String...) async throws -> Command { try await Command(arguments, in: folder) }

  @Test func `a record separator at the start shows a sequence, and the report says so`() async throws {
    let text = try await run("validate", "--rules", "rules.json", "log.json")
    #expect(text.status == 0)
    #expect(
      text.output.hasPrefix(
        """
        log.json: valid (rules.json)
          read as a sequence of values, because it begins with a record separator (RFC 7464)
        """), "\(text.output)")
    let json = try await run("validate", "--rules", "rules.json", "--json", "log.json")
    #expect(json.output.contains(#""syntax": "seq""#))
    let named = try await run("validate", "--rules", "rules.json", "--from", "seq", "log.json")
    #expect(named.status == 0 && !named.output.contains("RFC"))
    #expect(try await run("inspect", "log.json").output.contains("container  a JSON sequence"))
    #expect(try await run("convert", "log.json", "-").output == #"[{"id":1},{"id":2}]"#)
    #expect(try await run("convert", "--to", "ndjson", "log.json", "-").output == "{\"id\":1}\n{\"id\":2}\n")
  }

  @Test func `several documents are read as a sequence if that is asked for`() async throws {
    let refused = try await run("validate", "--rules", "rules.json", "several.json")
    #expect(refused.status == 3)
    #expect(refused.errors.contains("--input-format seq reads several documents, ndjson one per line\n"))
    let run = try await run("validate", "--rules", "rules.json", "--from", "seq", "several.json")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("several.json:4:8: error: duplicate id 2: /1 at 2:9 has it [primary-key]"), "\(run.output)")
    let difference = try await self.run("diff", "--from", "seq", "--key", "=id", "log.json", "several.json")
    #expect(difference.status == 3 || difference.status == 1)
  }

  @Test func `a sequence is not split`() async throws {
    let plan = try await run(
      "split", "plan", "--rules", "rules.json", "--tasks", "2", "--output", "plan.json", "log.json")
    #expect(plan.status == 0, "\(plan.errors)")
    #expect(
      try await run("split", "scan", "--from", "seq", "--range", "0-10", "log.json").errors.contains(
        "a sequence can't be scanned in ranges"))
  }

  @Test func `whole values are recovered, with the separators of the others`() async throws {
    try folder.write(
      "\u{1E}{\"id\": 1}\n\u{1E}{\"id\": 2, \"x\": [\n\u{1E}{\"id\": 3}\n\u{1E}{}\n\u{1E}{\"id\": 3}\n", to: "cut.json")
    let run = try await run("recover", "--rules", "rules.json", "cut.json", "out.json")
    #expect(run.status == 1)
    #expect(
      run.output.hasPrefix("cut.json:2:2: left out 17 bytes of /1: it isn't complete [truncated], byte 12\n"))
    #expect(try folder.text(of: "out.json") == "\u{1E}{\"id\": 1}\n\u{1E}{\"id\": 3}\n\u{1E}{}\n\u{1E}{\"id\": 3}\n")
    let valid = try await self.run("recover", "--drop-invalid", "--rules", "rules.json", "cut.json", "valid.json")
    #expect(valid.status == 1)
    #expect(valid.output.contains("cut.json:4:2: left out 2 bytes of /3:"), "\(valid.output)")
    #expect(valid.output.contains("cut.json:5:2: left out 9 bytes of /4: /id: duplicate id 3"), "\(valid.output)")
    #expect(valid.output.contains("valid.json: valid (rules.json)"))
    #expect(try folder.text(of: "valid.json") == "\u{1E}{\"id\": 1}\n\u{1E}{\"id\": 3}\n")
  }

  @Test(arguments: [
    ("{\"id\":1}\n\"id\":2}\n{\"id\":3}\n", "{\"id\":1}\n{\"id\":3}\n"),
    ("{\"id\":1}\n{\"id\":2,\n{\"id\":3}\n{\"id\":4}\n", "{\"id\":1}\n{\"id\":3}\n{\"id\":4}\n"),
    ("{\"id\":1}{\"id\":2,\"x\":[1,2]],\"b\":{\"q\":1} , \"c\" : 3 }{\"id\":3}", "{\"id\":1}\n{\"id\":3}"),
    // Between separators there is one value.
    (
      "\u{1E}{\"id\":1}\n\u{1E}{\"id\":2,\"x\":[1,2]],\"b\":{\"id\":1}}\n\u{1E}{\"id\":3}\n",
      "\u{1E}{\"id\":1}\n\u{1E}{\"id\":3}\n"
    ),
    ("\u{1E}{\"id\":\u{1E}{\"id\":2}\n\u{1E}{}\n", "\n\u{1E}{\"id\":2}\n\u{1E}{}\n"),
    ("1 2 ] 3", "1 2  3"), ("[1][2]}[3]", "[1][2]\n[3]"), ("\"a\" \"b\n\"c\"", "\"a\"\n\"c\""),
  ]) func `the rest of a broken value is no record`(damaged: String, whole: String) async throws {
    try folder.write(damaged, to: "cut.json")
    let run = try await run("recover", "--from", "seq", "cut.json", "out.json")
    #expect(run.status == 1)
    #expect(try folder.text(of: "out.json").trimmingPrefix("\n") == whole.trimmingPrefix("\n"), "\(run.output)")
    let isMarked = damaged.hasPrefix("\u{1E}")
    let options = isMarked ? [] : ["--from", "seq"]
    #expect(try await Command(["validate", "--syntax-only", "out.json"] + options, in: folder).status == 0)
  }

  @Test func `data that was compressed twice is named`() async throws {
    _ = try await run("compress", "rules.json", "once.gz")
    _ = try await run("compress", "once.gz", "twice.lz4")
    for arguments in [["validate", "twice.lz4"], ["inspect", "twice.lz4"], ["recover", "twice.lz4", "out.json"]] {
      let run = try await Command(arguments, in: folder)
      #expect(run.status != 0)
      #expect((run.output + run.errors).contains("the document is gzip data, not JSON: if it was compressed twice"), "\(run)")
    }
  }

  @Test func `deep documents and long strings are read if the limits are raised`() async throws {
    let depth = 5000
    try folder.write(String(repeating: "[", count: depth) + String(repeating: "]", count: depth), to: "deep.json")
    try folder.write("[\"" + String(repeating: "x", count: 5000) + "\"]", to: "long.json")
    let refused = try await run("validate", "--syntax-only", "deep.json")
    #expect(refused.status == 3 && refused.errors == "coffer: --max-depth raises the limit, up to 10000\n")
    let short = try await run("validate", "--syntax-only", "--max-string", "4kB", "long.json")
    #expect(short.status == 3 && short.errors == "coffer: --max-string raises the limit, up to 1GiB\n")
    for arguments in [
      ["validate", "--syntax-only", "deep.json"], ["inspect", "deep.json"], ["convert", "deep.json", "out.json"],
      ["convert", "--sort-keys", "deep.json", "sorted.json"], ["recover", "deep.json", "recovered.json"],
      ["rules", "draft", "deep.json"],
    ] {
      let run = try await Command(arguments + ["--max-depth", "10000"], in: folder)
      #expect(!(run.output + run.errors).contains("exceeds the limit") && run.status < 3, "\(arguments) \(run.errors)")
    }
    #expect(try await run("validate", "--max-depth", "10001", "deep.json").status == 2)
    #expect(try await run("validate", "--max-string", "2GiB", "deep.json").status == 2)
  }
}
