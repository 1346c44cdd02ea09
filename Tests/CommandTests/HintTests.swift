import TestSupport
import Testing

/// Errors say what is wrong, and the command adds the option that helps, if its verb has it.
@Suite struct HintTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `two documents in a file may be JSON Lines`() async throws {
    try folder.write("{}\n{}\n", to: "two.json")
    let words = "but '{' follows; if the file has several documents, read it as a sequence"
    let validated = try await Command("validate", "--syntax-only", "two.json", in: folder)
    #expect(validated.status == 3 && validated.output.contains("\(words) [syntax]"), "\(validated.output)")
    #expect(validated.errors == "coffer: --input-format seq reads several documents, ndjson one per line\n")
    let converted = try await Command("convert", "two.json", "out.json", in: folder)
    #expect(
      converted.errors.hasSuffix("\(words) (byte 3); --input-format seq reads several documents, ndjson one per line\n"),
      "\(converted.errors)")
    // It has no such option.
    let migrated = try await Command("migrate", "two.json", "out.json", "--rules", "swiff", in: folder)
    #expect(
      migrated.status == 3 && migrated.errors.hasSuffix("\(words) (byte 3); coffer recover writes the records that are whole\n"),
      "\(migrated.errors)")
  }

  @Test func `a partial result of another kind names the options that write one`() async throws {
    try folder.write(#"{"a": [1]}"#, to: "a.json")
    let plan = try await Command("split", "--syntax-only", "--tasks", "1", "--output", "plan.json", "a.json", in: folder)
    #expect(plan.status == 0, "\(plan.errors)")
    let merged = try await Command("report", "merge", "--plan", "plan.json", "a.json", in: folder)
    #expect(
      merged.errors
        == "coffer: a.json is not a partial result, or is damaged; coffer validate --partial writes partial results, and --keys rows about keys\n"
    )
  }

  @Test func `a database without a backup can get one by an import`() async throws {
    try folder.write("", to: "a.db")
    let export = try await Command("export", "a.db", "a.json", in: folder)
    #expect(export.status == 3)
    #expect(export.errors == "coffer: a.db holds no backup; import one with coffer import\n")
  }

  @Test func `a full limit names its options`() async throws {
    try folder.write("{}", to: "a.json")
    try folder.write("{}", to: "b.json")
    #expect(try await Command(script: "zip -q a.zip a.json b.json", in: folder).status == 0)
    let run = try await Command("unpack", "a.zip", "out", "--max-entries", "1", in: folder)
    #expect(
      run.errors.hasSuffix("; --max-size, --max-ratio and --max-entries set the limits of what is expanded\n"), "\(run.errors)")
  }
}
