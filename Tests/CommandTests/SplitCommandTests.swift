import Foundation
import SystemPackage
import TestSupport
import Testing

/// `split`, `validate --plan` and `report merge`: the reports of one process, to the byte.
@Suite struct SplitCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.rules, to: "rules.json")
  }

  private static let rules = """
    {"properties": {"cars": {"primaryKey": "id", "items": {"properties": {"km": {"maximum": 90000}}}},
      "trips": {"primaryKey": "id", "foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}],
        "items": {"required": ["car"], "properties": {"note": {"maxLength": 40, "severity": "warning"}}}}}}
    """

  /// A document of 2.5 MB with findings in both collections, and in the last records.
  private static let document: String = {
    let cars = (0..<20_000).map {
      "{\"id\": \($0 == 19_000 ? 7 : $0), \"km\": \($0 * 4 + ($0 == 12 ? 99_999 : 0)), \"name\": \"a car, [{, and its driver\"}"
    }
    let trips = (0..<20_000).map {
      $0 % 5000 == 4999
        ? "{\"id\": \($0)}" : "{\"id\": \($0), \"car\": \($0 % 4000 == 7 ? 30_000 : $0), \"note\": \"work \\\" \\\\\"}"
    }
    return
      "{\"version\": 1, \"cars\": [\n\(cars.joined(separator: ",\n"))],\n\"trips\": [\(trips.joined(separator: ",\n"))], \"end\": 0}\n"
  }()

  /// Formats of reports, and the files that they are written to.
  private static let formats = ["json", "sarif", "junit", "github", "markdown", "gitlab", "rdjsonl", "checkstyle", "html"]

  private func run(_ arguments: [String], input: String = "") async throws -> Command {
    try await Command(arguments, input: input, in: folder)
  }

  /// The duration differs in each run.
  private static func withoutTime(_ text: String) -> String {
    // A page has the time and the command, too.
    text.replacing(#/<dl class="properties">[^@]*?<\/dl>\n/#, with: "").replacing(#/ in [0-9][^\n<"]*/#, with: "")
      .replacing(#/time="[0-9.]+"/#, with: "")
  }

  private func reports(named name: String) -> [String] { Self.formats.flatMap { ["--report", "\($0)=\(name).\($0)"] } }

  /// Compares all reports and the exit status of one process with those of tasks.
  private func compare(
    _ files: [String], _ options: [String], tasks: Int = 3, planned: [String] = [], joined: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let now = ["--now", "2026-07-01T00:00:00Z"]
    let one = try await run(["validate"] + files + options + joined + now + reports(named: "one"))
    let split = try await run(["split"] + files + options + planned + now + ["--tasks", "\(tasks)", "--output", "plan.json"])
    #expect(split.status == 0, "\(split.errors)", sourceLocation: sourceLocation)
    for task in 0..<tasks {
      let run = try await run(["validate", "--plan", "plan.json", "--task", "\(task)", "--partial", "\(task).partial"])
      #expect(run.status == 0, "\(run.errors)", sourceLocation: sourceLocation)
    }
    var partials = (0..<tasks).map { "\($0).partial" }
    if tasks > 2 {
      let tree = try await run(["report", "merge", "--plan", "plan.json", "--partial", "tree.partial"] + partials[1...])
      #expect(tree.status == 0, "\(tree.errors)", sourceLocation: sourceLocation)
      partials = ["tree.partial", "0.partial"]
    }
    let merge = try await run(["report", "merge", "--plan", "plan.json"] + partials + joined + reports(named: "merged"))
    #expect(merge.status == one.status, "\(merge.errors)", sourceLocation: sourceLocation)
    #expect(Self.withoutTime(merge.output) == Self.withoutTime(one.output), sourceLocation: sourceLocation)
    for format in Self.formats {
      let (expected, found) = (try folder.text(of: "one.\(format)"), try folder.text(of: "merged.\(format)"))
      #expect(Self.withoutTime(found) == Self.withoutTime(expected), "\(format)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: [
    [], ["--max-findings", "3"], ["--max-findings", "0"], ["--redact"], ["--only", "trips"], ["--duplicate-keys", "reject"],
  ])
  func `split and single-process runs give the same reports in all formats`(options: [String]) async throws {
    try folder.write(Self.document, to: "a.json")
    try await compare(["a.json"], ["--rules", "rules.json"] + options)
    #expect(try folder.text(of: "plan.json").contains("\"pointer\":\"/cars\""))
    #expect(try folder.text(of: "one.json").contains("foreign-key"))
  }

  @Test func `split and single-process runs give the same reports for JSON Lines, several files and small files`() async throws {
    let lines = (0..<60_000).map { "{\"id\": \($0), \"km\": \($0 % 20_000 == 9 ? 99_999 : 1)}\($0 % 100 == 0 ? "\n" : "")\n" }
      .joined()
    try folder.write(
      "{\"primaryKey\": \"id\", \"items\": {\"properties\": {\"km\": {\"maximum\": 90000}}}}", to: "lines.rules.json")
    try folder.write(lines + "{\"id\": 1, \"km\": 99999}", to: "a.ndjson")
    try folder.write("{\"id\": 1}\n{\"id\": 1}\n", to: "small.ndjson")
    try folder.write("", to: "empty.ndjson")
    #expect(try await run(["compress", "small.ndjson"]).status == 0)
    try await compare(
      ["a.ndjson", "small.ndjson", "empty.ndjson", "small.ndjson.lz4"], ["--rules", "lines.rules.json"], tasks: 4)
    #expect(try folder.text(of: "plan.json").contains("\"gap\":0"))
    try folder.write("{\"id\": 1}\n{\"id\": tru}\n" + lines, to: "a.ndjson")
    try await compare(["a.ndjson"], ["--rules", "lines.rules.json"])
  }

  @Test func `split and single-process runs give the same reports for formats, archives and unknown documents`() async throws {
    for (format, name) in [("ev-charging-tracker", "ev.json"), ("smilepile", "photos.zip"), ("swiff", "swiff.json")] {
      let defects = format == "ev-charging-tracker" ? ["--defect", "reference=2", "--defect", "order=1", "--size", "3MB"] : []
      let run = try await run(
        ["generate", format, name, "--seed", "3", "--size", "50kB"].dropLast(defects.isEmpty ? 0 : 2) + defects)
      #expect(run.status == 0, "\(run.errors)")
    }
    #expect(try await run(["compress", "swiff.json"]).status == 0)
    try folder.write("{\"what\": \"is this\"}", to: "unknown.json")
    try folder.write("", to: "empty.json")
    try folder.write("{\"a\": [1, 2", to: "cut.json")
    try await compare(["ev.json", "photos.zip", "swiff.json.lz4", "unknown.json", "empty.json", "cut.json"], [], tasks: 5)
    try await compare(["photos.zip", "swiff.json"], ["--redact"], tasks: 2)
    try await compare(["empty.json"], [], tasks: 4)
    try await compare(["ev.json"], ["--syntax-only"])
  }

  @Test func `split and single-process runs give the same error for malformed and truncated documents`() async throws {
    var text = Self.document
    text.removeLast(200)
    try folder.write(text, to: "a.json")
    try await compare(["a.json"], ["--rules", "rules.json"])
    let middle = try #require(text.range(of: "{\"id\": 15000, \"km\""))
    text.replaceSubrange(middle, with: "{\"id\": 15000; \"km\"")
    try folder.write(text, to: "a.json")
    try await compare(["a.json"], ["--rules", "rules.json", "--redact"])
  }

  @Test func `split and single-process runs give the same error for a record that the rules can't judge`() async throws {
    try folder.write(Self.document.replacing("{\"id\": 15000, \"km\"", with: "{\"id\": 15000, \"x\": {}, \"km\""), to: "a.json")
    let rules = Self.rules.replacing(
      "{\"km\": {\"maximum\": 90000}", with: "{\"km\": {\"maximum\": 90000}, \"x\": {\"$ref\": \"gone\"}")
    try folder.write(rules, to: "rules.json")
    try await compare(["a.json"], ["--rules", "rules.json"])
    #expect(try folder.text(of: "one.json").contains("unresolved-reference"))
  }

  // MARK: Scans

  @Test func `a plan from scans and a single process give the same reports`() async throws {
    try folder.write(Self.document, to: "a.json")
    let count = Self.document.utf8.count
    let bytes = Array(Self.document.utf8)
    var scans = ""
    for start in stride(from: 0, to: count, by: 1 << 20) {
      let end = min(start + 1 << 20, count)
      let ofFile = try await run(["split", "scan", "--range", "\(start)-\(end)", "a.json"])
      #expect(ofFile.status == 0 && ofFile.output.utf8.count < 1000, "\(ofFile.errors)")
      let piece = String(decoding: bytes[start..<end], as: UTF8.self)
      let ofStream = try await run(["split", "scan", "--range", "\(start)-", "--name", "a.json", "-"], input: piece)
      #expect(ofStream.output == ofFile.output)
      scans = ofFile.output + scans
    }
    try folder.write(scans, to: "scans.ndjson")
    try await compare(["a.json"], ["--rules", "rules.json"], planned: ["--scans", "scans.ndjson"])
    let planned = try folder.text(of: "plan.json")
    try await compare(["a.json"], ["--rules", "rules.json"])
    let key = #/"key":\[[0-9]+,[0-9]+\]/#
    let scanned = try folder.text(of: "plan.json")
    #expect(scanned.replacing(key, with: "") == planned.replacing(key, with: ""))
  }

  @Test func `wrong scans are refused by name`() async throws {
    try folder.write(Self.document, to: "a.json")
    let count = Self.document.utf8.count
    for (name, range) in [("0.scan", "0-1000000"), ("1.scan", "1000000-"), ("2.scan", "999999-\(count)"), ("3.scan", "1000001-")]
    {
      #expect(try await run(["split", "scan", "--range", range, "a.json", "--output", name]).status == 0)
    }
    func refusal(_ scans: String...) async throws -> String {
      let scans = scans.flatMap { ["--scans", $0] }
      let run = try await run(["split", "plan", "a.json", "--tasks", "2", "--output", "plan.json"] + scans)
      #expect(run.status == 4)
      #expect(try !folder.names.contains("plan.json"))
      return run.errors
    }
    #expect(try await refusal("1.scan") == "coffer: a.json: bytes 0-1000000 have not been scanned\n")
    #expect(try await refusal("0.scan") == "coffer: a.json: bytes 1000000-\(count) have not been scanned\n")
    #expect(try await refusal("3.scan", "0.scan") == "coffer: a.json: bytes 1000000-1000001 have not been scanned\n")
    #expect(
      try await refusal("0.scan", "2.scan")
        == "coffer: a.json: the scans of 0-1000000 and 999999-\(count) overlap: pass only one of them\n")
    try folder.write("[1, 2]", to: "other.json")
    #expect(try await run(["split", "other.json", "--tasks", "2", "--scans", "0.scan", "--scans", "1.scan"]).status == 4)
    try folder.write("{\"range\": [0, 5]}\n", to: "bad.scan")
    let bad = try await run(["split", "a.json", "--tasks", "2", "--scans", "bad.scan"])
    #expect(bad.status == 3)
    #expect(bad.errors == "coffer: bad.scan:1: this is not a scan; coffer split scan writes scans\n")
    #expect(try await run(["split", "scan", "--range", "2-5", "a.json"]).status == 2)
    #expect(try await run(["split", "scan", "--range", "5-5", "a.json"]).status == 2)
    #expect(try await run(["split", "scan", "--range", "-5", "a.json"]).status == 2)
    #expect(try await run(["split", "scan", "--range", "0-99999999", "a.json"]).status == 4)
    #expect(try await run(["split", "scan", "--range", "0-", "."]).status == 3)
    #expect(try await run(["split", "scan", "--range", "0-", "a.json", "--output", "a.json"]).status == 4)
  }

  // MARK: Baselines

  @Test func `a baseline has the same effect as in a single process`() async throws {
    try folder.write(Self.document, to: "a.json")
    let update = ["--baseline", "known.json", "--update-baseline"]
    try await compare(["a.json"], ["--rules", "rules.json", "--max-findings", "2"], planned: update, joined: update)
    let known = try folder.text(of: "known.json")
    #expect(known.contains("foreign-key"))
    // The run of one process has written the same file.
    #expect(try await run(["validate", "a.json", "--rules", "rules.json", "--max-findings", "2"] + update).status == 0)
    #expect(try folder.text(of: "known.json") == known)
    let accept = ["--baseline", "known.json"]
    let changed = Self.document.replacing(
      "{\"id\": 9999}", with: "{\"id\": 9999, \"car\": 1, \"note\": \"\(String(repeating: "x", count: 50))\"}")
    try folder.write(changed, to: "a.json")
    for options in [[], ["--max-findings", "1"], ["--redact"]] {
      try await compare(["a.json"], ["--rules", "rules.json"] + options, planned: accept, joined: accept)
      #expect(try folder.text(of: "one.json").contains("\"new\""))
    }
    try folder.write("{\"cars\": [{\"id\": 1, \"km\": 99999}], \"trips\": []}", to: "small.json")
    try await compare(["small.json"], ["--rules", "rules.json", "--redact"], tasks: 1, planned: accept, joined: accept)
  }

  @Test func `a baseline that the plan doesn't know is refused`() async throws {
    try folder.write("{\"cars\": [{\"id\": 1, \"km\": 99999}, {\"id\": 2, \"km\": 99999}]}", to: "a.json")
    let update = ["--baseline", "known.json", "--update-baseline"]
    #expect(try await run(["validate", "a.json", "--rules", "rules.json"] + update).status == 0)
    func merge(_ planned: [String], _ joined: [String]) async throws -> String {
      let split = try await run(["split", "a.json", "--rules", "rules.json", "--tasks", "1", "--output", "plan.json"] + planned)
      #expect(split.status == 0, "\(split.errors)")
      #expect(try await run(["validate", "--plan", "plan.json", "--task", "0", "--partial", "0.partial"]).status == 0)
      let run = try await run(["report", "merge", "--plan", "plan.json", "0.partial"] + joined)
      #expect(run.status == 4)
      return run.errors
    }
    let known = ["--baseline", "known.json"]
    #expect(try await merge([], known).contains("the plan was made without a baseline: pass --baseline to coffer split, too"))
    #expect(try await merge(known, []).contains("the plan was made with a baseline: pass it with --baseline"))
    #expect(try await merge(known, update).contains("--update-baseline must be given both for coffer split and here"))
    try folder.write("{\"formatVersion\": 1, \"findings\": [{\"code\": \"maximum\", \"pointer\": \"/x\"}]}", to: "other.json")
    #expect(
      try await merge(known, ["--baseline", "other.json"]).contains(
        "the plan was made with a baseline of 2 findings, but this one has 1"))
    #expect(try await run(["split", "a.json", "--tasks", "1", "--redact"] + update).status == 2)
    #expect(
      try await run(["report", "merge", "--plan", "plan.json", "0.partial", "--partial", "x", "--baseline", "y"]).status == 2)
  }

  // MARK: Refusals

  @Test func `missing, repeated and foreign results are named`() async throws {
    try folder.write(Self.document, to: "a.json")
    for plan in ["a", "b"] {
      let run = try await run(["split", "a.json", "--rules", "rules.json", "--tasks", "3", "--output", "\(plan).plan"])
      #expect(run.status == 0)
    }
    for task in 0..<3 {
      let arguments = ["validate", "--plan", "a.plan", "--task", "\(task)", "--partial", "\(task).partial"]
      #expect(try await run(arguments).status == 0)
    }
    #expect(try await run(["validate", "--plan", "b.plan", "--task", "1", "--partial", "b.partial"]).status == 0)
    func refusal(_ partials: String..., status: Int32 = 4) async throws -> String {
      let run = try await run(["report", "merge", "--plan", "a.plan"] + partials)
      #expect(run.status == status)
      #expect(run.output == "")
      return run.errors
    }
    #expect(try await refusal("0.partial", "2.partial").contains("the result of task 1 is missing"))
    #expect(try await refusal("0.partial").contains("the results of the tasks 1 to 2 are missing"))
    #expect(
      try await refusal("0.partial", "1.partial", "2.partial", "1.partial")
        .contains("1.partial and 1.partial both have the result of task 1: pass only one of them"))
    #expect(try await refusal("0.partial", "b.partial", "2.partial").contains("b.partial belongs to another plan"))
    #expect(try await refusal("0.partial", "rules.json", "2.partial", status: 3).contains("rules.json is not a partial result"))
    #expect(try await refusal("0.partial", "none.partial", "2.partial", status: 3).contains("none.partial"))
    #expect(try await run(["validate", "--plan", "a.plan", "--task", "3", "--partial", "3.partial"]).status == 4)
    #expect(try await run(["validate", "--plan", "a.plan", "--task", "0", "--partial", "a.json"]).status == 4)
    #expect(try await run(["report", "merge", "--plan", "a.plan", "0.partial", "--output", "0.partial"]).status == 4)
    // Another file of the same name.
    try folder.write(Self.document + " ", to: "a.json")
    let changed = try await run(["validate", "--plan", "a.plan", "--task", "0", "--partial", "new.partial"])
    #expect(changed.status == 4)
    #expect(changed.errors.contains("a.json differs from the file that was planned, in size or content"))
    #expect(try !folder.names.contains("new.partial"))
  }

  @Test func `a task on standard input needs exactly the bytes of its parts`() async throws {
    try folder.write(Self.document, to: "a.json")
    #expect(try await run(["split", "a.json", "--tasks", "2", "--rules", "rules.json", "--output", "plan.json"]).status == 0)
    let task = ["validate", "--plan", "plan.json", "--task", "0", "--partial", "0.partial", "-"]
    for input in ["", "[1", Self.document] {
      let run = try await run(task, input: input)
      #expect(run.status == 4, "\(run.errors)")
      #expect(try !folder.names.contains("0.partial"))
    }
  }

  @Test func `a plan has the files that its rules refer to`() async throws {
    try folder.write(Self.document, to: "a.json")
    try folder.write(#"{"properties": {"cars": {"items": {"$ref": "car.json"}}}}"#, to: "main.json")
    try folder.write(#"{"properties": {"km": {"maximum": 90000}}}"#, to: "car.json")
    let one = try await run(["validate", "a.json", "--rules", "main.json", "--json", "--now", "2026-07-01T00:00:00Z"])
    let split = [
      "split", "a.json", "--rules", "main.json", "--tasks", "2", "--now", "2026-07-01T00:00:00Z", "--output", "plan.json",
    ]
    #expect(try await run(split).status == 0)
    try folder.write("{}", to: "car.json")
    for task in 0..<2 {
      #expect(
        try await run(["validate", "--plan", "plan.json", "--task", "\(task)", "--partial", "\(task).partial"]).status == 0)
    }
    let merged = try await run(["report", "merge", "--plan", "plan.json", "0.partial", "1.partial", "--json"])
    #expect(merged.output == one.output)
    #expect(merged.output.contains("maximum"))
  }

  @Test func `a damaged file of violations is named`() async throws {
    try folder.write("[1]", to: "a.json")
    let plan = ["--plan", "plan.json"]
    #expect(
      try await run(["split", "a.json", "--tasks", "1", "--key-buckets", "1", "--output", "plan.json", "--rules", "rules.json"])
        .status == 0)
    #expect(try await run(["validate"] + plan + ["--task", "0", "--partial", "0.partial", "--keys", "0.rows"]).status == 0)
    #expect(try await run(["report", "merge"] + plan + ["--keys", "rest.rows", "0.partial"]).status == 0)
    let bucket = ["report", "keys"] + plan + ["--bucket", "0", "--output", "0.violations", "0.rows", "rest.rows"]
    #expect(try await run(bucket).status == 0)
    let whole = try Data(contentsOf: URL(filePath: folder.path.appending("0.violations").string))
    try whole.dropLast(10).write(to: URL(filePath: folder.path.appending("0.violations").string))
    let merge = try await run(["report", "merge"] + plan + ["--violations", "0.violations", "0.partial"])
    #expect(merge.status == 3)
    #expect(merge.errors.hasPrefix("coffer: 0.violations: "), "\(merge.errors)")
  }

  @Test func `the bytes of a task's parts may come on standard input`() async throws {
    try folder.write(Self.document, to: "a.json")
    #expect(try await run(["split", "a.json", "--rules", "rules.json", "--tasks", "3", "--output", "plan.json"]).status == 0)
    struct Plan: Decodable {
      struct Mark: Decodable { let offset: Int }
      struct Part: Decodable { let gap: Int, start: Mark, end: Mark }
      struct Gap: Decodable { let end: Mark }
      struct File: Decodable { let gaps: [Gap] }
      struct Task: Decodable { let parts: [Part] }
      let files: [File], tasks: [Task]
    }
    let plan = try JSONDecoder().decode(Plan.self, from: Data(folder.text(of: "plan.json").utf8))
    let bytes = Array(Self.document.utf8)
    for task in 0..<3 {
      let parts = plan.tasks[task].parts.flatMap { part in
        // The last part of a collection includes its closing bracket.
        let isLast = part.end.offset == plan.files[0].gaps[part.gap].end.offset
        return bytes[part.start.offset..<part.end.offset + (isLast ? 1 : 0)]
      }
      #expect(try await run(["validate", "--plan", "plan.json", "--task", "\(task)", "--partial", "file"]).status == 0)
      let run = try await run(
        ["validate", "--plan", "plan.json", "--task", "\(task)", "--partial", "stream", "-"],
        input: String(decoding: parts, as: UTF8.self))
      #expect(run.status == 0, "\(run.errors)")
      let (file, stream) = (folder.path.appending("file").string, folder.path.appending("stream").string)
      #expect(FileManager.default.contentsEqual(atPath: file, andPath: stream))
    }
  }

  @Test func `files of a range server give the same reports as local files`() async throws {
    let server = try FileServer([
      "mem:/a.json": Array(Self.document.utf8), "mem:/b.json": Array("{\"cars\": [{\"id\": 1}]}".utf8),
    ])
    let files = ["mem:/a.json", "mem:/b.json"]
    let served = ["--range-server", "\(server.connection.rawValue)"]
    let now = ["--now", "2026-07-01T00:00:00Z"]
    let split = try await run(
      ["split"] + files + served + now + ["--rules", "rules.json", "--tasks", "2", "--output", "plan.json"])
    #expect(split.status == 0, "\(split.errors)")
    // Tasks need no server: other processes give them the bytes. Here they are files.
    try folder.write(Self.document, to: "a.json")
    try folder.write("{\"cars\": [{\"id\": 1}]}", to: "b.json")
    for task in 0..<2 {
      let run = try await run(
        ["validate", "--plan", "plan.json", "--task", "\(task)", "--partial", "\(task).partial", "a.json", "b.json"])
      #expect(run.status == 0, "\(run.errors)")
    }
    let merge = ["report", "merge", "--plan", "plan.json", "0.partial", "1.partial", "--json"]
    let merged = try await run(merge + served)
    let one = try await run(["validate", "a.json", "b.json", "--rules", "rules.json", "--json"] + now)
    #expect(merged.status == one.status, "\(merged.errors)")
    #expect(merged.output.replacing("mem:/", with: "") == one.output)
    #expect(try await run(merge).status == 3)
    #expect(try await run(["split", "mem:/gone.json", "--tasks", "1"] + served).errors.contains("mem:/gone.json: no such file"))
    #expect(try await run(["split", "a.json", "--tasks", "1", "--range-server", "2"]).status == 2)
  }

  @Test func `a list may name the files`() async throws {
    try folder.write("[1]", to: "a b.json")
    try folder.write("[2]", to: "c.json")
    try folder.write("[3]", to: "d.json")
    try folder.write("a b.json\n\nc.json\r\n", to: "list")
    let now = ["--now", "2026-07-01T00:00:00Z", "--tasks", "2"]
    let listed = try await run(["split", "d.json", "--files-from", "list"] + now)
    let named = try await run(["split", "d.json", "a b.json", "c.json"] + now)
    #expect(listed.status == 0, "\(listed.errors)")
    let key = #/"key":\[[0-9]+,[0-9]+\]/#
    #expect(listed.output.replacing(key, with: "") == named.output.replacing(key, with: ""))
    let piped = try await run(["split", "--files-from", "-"] + now, input: "c.json")
    #expect(piped.status == 0 && piped.output.contains("\"name\":\"c.json\""), "\(piped.errors)")
    #expect(try await run(["split", "--files-from", "-"] + now, input: "\n").status == 2)
    let dash = try await run(["split", "--files-from", "-"] + now, input: "a b.json\n-\n")
    #expect(dash.status == 3 && dash.errors.contains("./-: no such file"), "\(dash.errors)")
    #expect(try await run(["split", "--files-from", "gone"] + now).status == 3)
    #expect(try await run(["split", "--files-from", "list", "--output", "c.json"] + now).status == 4)
    #expect(try await run(["split", "--files-from", "-", "--scans", "-"] + now, input: "c.json").status == 2)
  }

  @Test func `a plan needs regular files, and is read with care`() async throws {
    #expect(try await run(["split", "none.json", "--tasks", "2"]).status == 3)
    #expect(try await run(["split", folder.path.appending("none").string, "--tasks", "2"]).status == 3)
    #expect(try await run(["split", "-", "--tasks", "2"]).status == 2)
    #expect(try await run(["split", "rules.json", "--tasks", "0"]).status == 2)
    #expect(try await run(["split", "rules.json", "--tasks", "2", "--output", "rules.json"]).status == 4)
    try folder.write("[1, 2, 3]", to: "a.json")
    #expect(try await run(["split", "a.json", "--tasks", "2", "--output", "plan.json"]).status == 0)
    let plan = try folder.text(of: "plan.json")
    let damages = [
      ("", 3), ("[]", 3), ("{}", 3), (String(plan.dropLast(10)), 3), (plan.replacing("\"offset\":0", with: "\"offset\":-1"), 3),
      (plan.replacing("\"offset\":0", with: "\"offset\":9223372036854775807"), 3),
      (plan.replacing("\"offset\":0", with: "\"offset\":1e300"), 3),
      (plan.replacing("\"formatVersion\":1", with: "\"formatVersion\":2"), 4),
      (plan.replacing(#/"tool":"[^"]*"/#, with: "\"tool\":\"0.0.0\""), 4),
      (plan.replacing("\"bytes\":9", with: "\"bytes\":10"), 4),
    ]
    for (text, status) in damages {
      try folder.write(text, to: "bad.json")
      let run = try await run(["validate", "--plan", "bad.json", "--task", "1", "--partial", "1.partial"])
      #expect(run.status == Int32(status), "\(text.prefix(60)) \(run.errors)")
      #expect(try !folder.names.contains("1.partial"))
    }
  }
}
