import Foundation
import TestSupport
import Testing

/// `--baseline`, `--update-baseline`, `--fail-on` and `--max-errors`.
@Suite struct BaselineOptionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      {"properties": {"trips": {"primaryKey": "id", "items": {"properties": {
        "km": {"maximum": 9}, "note": {"maxLength": 1, "severity": "warning"}}}}}}
      """, to: "rules.json")
    try folder.write(#"{"trips": [{"id": 1, "km": 12}, {"id": 2, "note": "long"}]}"#, to: "a.json")
    try folder.write(#"{"trips": [{"id": 2, "note": "long"}, {"id": 3, "km": 12}]}"#, to: "b.json")
  }

  private func validate(_ arguments: String...) async throws -> Command {
    try await Command(["validate", "--rules", "rules.json"] + arguments, in: folder)
  }

  @Test func `a baseline is written, accepts what it has, and reports what is new and what is resolved`() async throws {
    #expect(try await validate("a.json", "--baseline", "known.json").status == 3)
    let update = try await validate("a.json", "--baseline", "known.json", "--update-baseline")
    #expect(update.status == 0)
    #expect(
      update.output.hasPrefix("a.json: no new findings, 2 known (rules.json)\n  1  error    maximum (1 known) "),
      "\(update.output)")
    #expect(
      try folder.text(of: "known.json")
        == """
        {
          "formatVersion": 1,
          "findings": [
            {"code":"maxLength","collection":"/trips","key":"2","pointer":"/note"},
            {"code":"maximum","collection":"/trips","key":"1","pointer":"/km"}
          ]
        }

        """.replacingOccurrences(of: "maxLength", with: "max-length"))
    #expect(try await validate("a.json", "--baseline", "known.json", "--strict").status == 0)
    let other = try await validate("b.json", "--baseline", "known.json")
    #expect(other.status == 1)
    #expect(other.output.contains("b.json:1:55: error: expected at most 9, found 12 [maximum]\n"))
    #expect(!other.output.contains("[max-length]"))
    #expect(other.output.contains("  1 resolved: remove it from the baseline\n    maximum: /trips 1 /km\n"))
    let json = try await validate("b.json", "--baseline", "known.json", "--json")
    try folder.write(json.output, to: "report.json")
    let rendered = try await Command("report", "report.json", in: folder)
    #expect(rendered.status == 1 && rendered.output.contains("1 resolved"))
  }

  @Test func `a piped document is compared, too`() async throws {
    #expect(try await validate("a.json", "--baseline", "known.json", "--update-baseline").status == 0)
    let text = try folder.text(of: "a.json")
    let run = try await Command(["validate", "--rules", "rules.json", "-", "--baseline", "known.json"], input: text, in: folder)
    #expect(run.status == 0 && run.output.hasPrefix("standard input: no new findings, 2 known"))
  }

  @Test func `with several files, a finding is resolved if none of them has it`() async throws {
    #expect(try await validate("a.json", "--baseline", "known.json", "--update-baseline").status == 0)
    let run = try await validate("a.json", "b.json", "--baseline", "known.json")
    #expect(run.status == 1 && !run.output.contains("resolved"))
  }

  @Test func `a document of unknown format doesn't empty the baseline`() async throws {
    #expect(try await validate("a.json", "--baseline", "known.json", "--update-baseline").status == 0)
    let before = try folder.text(of: "known.json")
    let run = try await Command("validate", "a.json", "--baseline", "known.json", "--update-baseline", in: folder)
    #expect(run.status == 4)
    #expect(try folder.text(of: "known.json") == before)
  }

  @Test func `a stored report has the verdict of its run`() async throws {
    let run = try await validate("a.json", "--max-errors", "maximum=1", "--json")
    #expect(run.status == 0 && run.output.contains("\"valid\": true"))
    try folder.write(run.output, to: "report.json")
    let stored = try await Command("report", "report.json", in: folder)
    #expect(stored.status == 0 && stored.output.contains("  valid. Tolerated: at most 1 maximum.\n"))
    #expect(try await Command("report", "report.json", "--fail-on", "error", in: folder).status == 1)
    let misspelt = try await validate("a.json", "--max-errors", "maximun=1")
    #expect(misspelt.errors.contains("no rule has the code 'maximun'; did you mean 'maximum'?"))
  }

  @Test func `a baseline that can't be complete is not written`() async throws {
    try folder.write("{", to: "cut.json")
    let run = try await validate("cut.json", "--baseline", "known.json", "--update-baseline")
    #expect(run.status == 3)
    #expect(run.errors == "coffer: the baseline is not updated: cut.json was not read completely\n")
    #expect((try? folder.text(of: "known.json")) == nil)
    for option in [["--redact"], ["--only", "trips"]] {
      let run = try await Command(
        ["validate", "--rules", "rules.json", "a.json", "--baseline", "known.json", "--update-baseline"] + option, in: folder)
      #expect(run.status == 2)
    }
  }

  @Test func `a baseline that is too large is refused before it is read`() async throws {
    try folder.write("", to: "known.json")
    #expect(truncate("\(folder.path)/known.json", 1 << 30 + 1) == 0)
    let run = try await validate("a.json", "--baseline", "known.json")
    #expect(run.status == 4)
    #expect(run.errors == "coffer: known.json: the baseline is larger than the limit of 1 GiB\n")
  }

  @Test func `neither a baseline nor a report replaces an input`() async throws {
    #expect(try await validate("a.json", "--baseline", "a.json", "--update-baseline").status == 4)
    #expect(try await validate("a.json", "--baseline", "rules.json", "--update-baseline").status == 2)
    try folder.write(#"{"formatVersion": 1, "findings": []}"#, to: "known.json")
    #expect(try await validate("a.json", "--baseline", "known.json", "--output", "known.json").status == 4)
  }

  @Test(
    arguments: [
      (["--fail-on", "error"], 1), (["--fail-on", "note"], 1), (["--max-errors", "maximum=1"], 0),
      (["--max-errors", "maximum=0"], 1),
      (["--max-errors", "maximum=50%"], 0), (["--max-errors", "maximum=49.9%"], 1),
      (["--max-errors", "maximum=1", "--strict"], 1),
      (["--max-errors", "maximum=1", "--max-errors", "max-length=1", "--fail-on", "warning"], 0),
      (["--strict", "--fail-on", "note"], 2), (["--max-errors", "maximum"], 2), (["--max-errors", "maximum=-1"], 2),
      (["--max-errors", "a=1", "--max-errors", "a=2"], 2), (["--max-errors", "a=nan%"], 2), (["--update-baseline"], 2),
    ] as [([String], Int32)])
  func `the severity and the tolerated number decide the exit status`(options: [String], status: Int32) async throws {
    #expect(try await Command(["validate", "--rules", "rules.json", "a.json"] + options, in: folder).status == status)
  }
}
