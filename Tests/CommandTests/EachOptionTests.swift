import TestSupport
import Testing

@Suite struct EachOptionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"type": "object", "required": ["id"]}"#, to: "record.json")
    try folder.write("{\"id\": 1}\n{}\n{\"id\": 3}\n", to: "in.jsonl")
    try folder.write(#"{"cars": [{"id": 1}, {}], "tmp": [{}]}"#, to: "in.json")
  }

  @Test func `each line is checked on its own`() async throws {
    let run = try await Command("validate", "--rules", "record.json", "--each", "in.jsonl", in: folder)
    #expect(run.status == 1)
    #expect(
      run.output.hasPrefix("in.jsonl:2:1: error: the member 'id' is missing [required]\n    /1/id, byte 10\n"), "\(run.output)")
    #expect(run.errors == "")
  }

  @Test(arguments: [["--each", "/cars"], ["--each=/cars"]]) func `each record of a collection is checked`(
    each: [String]
  ) async throws {
    let run = try await Command(["validate", "--rules", "record.json"] + each + ["in.json"], in: folder)
    #expect(run.output.contains("/cars/1/id, byte 21\n"), "\(run.output)")
    #expect(run.status == 1)
  }

  @Test func `the path of a file is not a place`() async throws {
    let run = try await Command("validate", "--rules", "record.json", "--each", "\(folder.path)/in.jsonl", in: folder)
    #expect(run.output.contains("/1/id, byte 10\n"), "\(run.output)")
  }

  @Test func `a folder with the name of the pointer doesn't matter`() async throws {
    let run = try await Command("validate", "--rules", "record.json", "--each", "/tmp", "in.json", in: folder)
    #expect(run.output.contains("/tmp/0/id, byte 34\n"), "\(run.output)")
  }

  @Test(arguments: [["--each", "--", "in.jsonl"], ["--each=", "in.jsonl"], ["in.jsonl", "--each"]])
  func `without a place, the whole file is the array`(arguments: [String]) async throws {
    let run = try await Command(["validate", "--rules", "record.json"] + arguments, in: folder)
    #expect(run.output.contains("/1/id, byte 10\n"), "\(run.output)")
  }

  @Test func `other commands don't have --each`() async throws {
    let run = try await Command("inspect", "--each", "in.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors == "coffer: there is no option '--each' here; it is one of coffer validate, split plan\n")
  }

  @Test func `rules that describe no array get a hint`() async throws {
    let run = try await Command("validate", "--rules", "record.json", "in.jsonl", in: folder)
    #expect(run.status == 1)
    #expect(
      run.errors == """
        coffer: in.jsonl is a list of values, but the rules describe a single one; --each applies them to each value

        """)
  }

  @Test(arguments: ["[INFO] no JSON", "[{}, {},]", "[{}"])
  func `text that is not JSON gets no hint about --each`(text: String) async throws {
    try folder.write(text, to: "log.json")
    let run = try await Command("validate", "--rules", "record.json", "log.json", in: folder)
    #expect(run.status == 3)
    #expect(run.errors == "")
  }

  @Test(arguments: [
    (["--each", "in.jsonl"], "--each needs --rules"),
    (["--rules", "record.json", "--each=cars", "in.json"], "'cars' is not the JSON Pointer of a collection"),
    (["--rules", "record.json", "--only", "cars", "--each", "in.json"], "--each and --only can't be combined"),
  ]) func `wrong usage is refused`(arguments: [String], message: String) async throws {
    let run = try await Command(["validate"] + arguments, in: folder)
    #expect(run.status == 2)
    #expect(run.errors.contains(message), "\(run.errors)")
  }

  @Test func `tasks of a plan check each item, too`() async throws {
    let lines = (0..<60_000).map { $0 % 20_000 == 7 ? "{}" : "{\"id\": \($0), \"text\": \"0123456789012345678901234567890\"}" }
    try folder.write(lines.joined(separator: "\n"), to: "large.jsonl")
    let options = ["--rules", "record.json", "--each", "large.jsonl"]
    let whole = try await Command(["validate", "--json"] + options, in: folder)
    #expect(whole.status == 1)
    #expect(try await Command(["split", "--tasks", "2", "--output", "plan.json"] + options, in: folder).status == 0)
    for task in ["0", "1"] {
      let run = try await Command("validate", "--plan", "plan.json", "--task", task, "--partial", task, in: folder)
      #expect(run.status == 0, "\(run.errors)")
    }
    let merged = try await Command("report", "merge", "--plan", "plan.json", "--json", "0", "1", in: folder)
    #expect(merged.status == 1)
    func withoutSeconds(_ text: String) -> String { text.replacing(/"seconds": [0-9.e-]+/, with: "") }
    #expect(withoutSeconds(merged.output) == withoutSeconds(whole.output))
  }
}
