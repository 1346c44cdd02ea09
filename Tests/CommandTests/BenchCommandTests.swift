import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@Suite struct BenchCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func generate(_ format: String = "swiff", _ name: String = "a.json", _ more: String...) async throws {
    let run = try await Command(["generate", format, name, "--size", "100kB"] + more, in: folder)
    try #require(run.status == 0)
  }

  private func report(_ run: Command) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  private func measurements(_ run: Command) throws -> [[String: Any]] {
    try #require(try report(run)["measurements"] as? [[String: Any]])
  }

  @Test func `each step is measured with each number of workers`() async throws {
    try await generate()
    let run = try await Command(spawning: ["bench", "a.json", "--json", "--jobs", "1,3"], in: folder)
    #expect(run.status == 0)
    #expect(run.errors == "")
    let measured = try measurements(run).filter { ($0["step"] as? String)?.hasPrefix("sqlite3") == false }
    let steps = ["parse", "validate", "convert", "compress", "decompress", "import", "merge", "export"]
    #expect(measured.map { $0["step"] as? String } == steps.flatMap { [$0, $0] })
    #expect(measured.map { $0["jobs"] as? Int } == steps.flatMap { _ in [1, 3] })
    for each in measured {
      #expect(each["failure"] is NSNull)
      #expect(try #require(each["seconds"] as? Double) > 0)
      #expect(try #require(each["bytesPerSecond"] as? Int) > 0)
      #expect(try #require(each["recordsPerSecond"] as? Int) > 0)
      #expect(try #require(each["peakMemory"] as? Int) > 1 << 20)
    }
    let report = try report(run)
    let bytes = try folder.text(of: "a.json").utf8.count
    #expect(report["bytes"] as? Int == bytes)
    #expect(report["kind"] as? String == "json")
    #expect(report["format"] as? String == "swiff")
    #expect(try #require(report["records"] as? Int) > 10)
    #expect(try folder.names == ["a.json"])
  }

  @Test func `a compressed backup is measured by its decompressed size`() async throws {
    try await generate()
    _ = try await Command("compress", "a.json", in: folder)
    let run = try await Command(
      spawning: ["bench", "a.json.lz4", "--json", "--jobs", "2", "--steps", "validate,compress,decompress"], in: folder)
    #expect(run.status == 0)
    let report = try report(run)
    #expect(report["kind"] as? String == "lz4")
    #expect(report["bytes"] as? Int == (try folder.text(of: "a.json").utf8.count))
    #expect(try measurements(run).allSatisfy { $0["failure"] is NSNull })
  }

  @Test func `a backup is measured by rules of one's own`() async throws {
    try folder.write(#"{"trips": [{"id": 1, "km": -1}]}"#, to: "a.json")
    try folder.write(#"{"properties": {"trips": {"items": {"properties": {"km": {"minimum": 0}}}}}}"#, to: "rules/km.json")
    let steps = ["--jobs", "1", "--steps", "validate,import,export", "--json"]
    let plain = try await Command(spawning: ["bench", "a.json", "--rules", "rules/km.json"] + steps, in: folder)
    #expect(plain.status == 1, "\(plain.errors)")
    #expect(try measurements(plain).map { $0["step"] as? String } == ["validate"])
    #expect(plain.output.contains("the rules describe no format"))
    try folder.write(
      #"{"backup": {"name": "trips", "detect": "/trips"}, "properties": {"trips": {"items": {"$ref": "../parts/trip.json"}}}}"#,
      to: "rules/trips.json")
    try folder.write(#"{"type": "object"}"#, to: "parts/trip.json")
    try folder.write("formats: [rules/trips.json]", to: "coffer.yaml")
    let run = try await Command(spawning: ["bench", "a.json"] + steps, in: folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try measurements(run).map { $0["step"] as? String } == ["validate", "import", "export"])
    #expect(try measurements(run).allSatisfy { $0["failure"] is NSNull })
    #expect(try report(run)["format"] as? String == "trips")
  }

  @Test func `the steps that do not apply to an archive are listed`() async throws {
    try await generate("smilepile", "a.zip")
    let run = try await Command(spawning: ["bench", "a.zip", "--jobs", "1"], in: folder)
    #expect(run.status == 0)
    for step in ["validate", "import", "merge", "export"] {
      #expect(run.output.contains(try Regex("\n  \(step) +1 +[0-9.]+ ")), "\(run.output)")
    }
    #expect(
      run.output.hasSuffix(
        """
          parse skipped: an archive is always checked completely
          convert skipped: an archive has no JSON layout
          compress skipped: an archive is already compressed
          decompress skipped: an archive is already compressed
          sqlite3-import skipped: sqlite3 can't handle the files in an archive
          sqlite3-export skipped: sqlite3 can't handle the files in an archive

        """))
  }

  @Test func `the chart and the table have the same numbers`() async throws {
    try await generate()
    try folder.write("old", to: "a.svg")
    let run = try await Command(
      spawning: ["bench", "a.json", "--steps", "convert", "--jobs", "1", "--rounds", "3", "--svg", "a.svg", "--output", "a.txt"],
      in: folder)
    #expect(run.status == 0)
    #expect(run.output == "")
    let table = try folder.text(of: "a.txt")
    let row = try #require(
      table.firstMatch(of: #/  convert +1  [0-9.]+ \([0-9.]+–[0-9.]+\) +([0-9.,]+) +([0-9,]+) +([0-9.]+)\n/#))
    #expect(table.contains("3 rounds: median"))
    let picture = try folder.text(of: "a.svg")
    for number in [row.1, row.2, row.3] { #expect(picture.contains(">\(number)</text>")) }
    #expect(try folder.names == ["a.json", "a.svg", "a.txt"])
  }

  @Test func `a backup with findings is measured, and the import is refused`() async throws {
    try await generate("swiff", "a.json", "--defect", "duplicate")
    let run = try await Command(spawning: ["bench", "a.json", "--steps", "validate,import,export", "--jobs", "1"], in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains("  import            1  refused: findings\n  export            1  no database\n"))
    #expect(run.output.contains(" records, with findings\n"))
    #expect(try #require(run.output.firstMatch(of: #/  validate +1 +([0-9.]+) /#)).1 != "0")
  }

  @Test func `an error in one step does not stop the others`() async throws {
    try folder.write(#"{"a": [1, 2"#, to: "a.json")
    let run = try await Command(spawning: ["bench", "a.json", "--steps", "parse,compress", "--jobs", "1"], in: folder)
    #expect(run.status == 3)
    #expect(run.output.contains("; not read completely: the document ends where"))
    #expect(run.output.contains("  parse             1  unreadable\n"))
    #expect(run.output.contains(#/  compress +1 +[0-9.]+ /#))
  }

  @Test(arguments: [
    ("a.json --jobs 0", 2), ("a.json --jobs 1,,2", 2), ("a.json --jobs 257", 2), ("a.json --steps parsing", 2),
    ("a.json --steps parse,", 2), ("a.json --rounds 0", 2), ("a.json --svg -", 2), ("-", 2), ("", 2),
    ("missing.json", 3), (".", 3), ("a.json --scratch missing", 3), ("a.json --svg missing/a.svg", 3),
    ("a.json --svg ./a.json", 4), ("a.json --output a.json", 4),
  ])
  func `invalid arguments end with their status and leave no files`(words: String, status: Int32) async throws {
    let arguments = words.split(separator: " ").map(String.init)
    try folder.write("{}", to: "a.json")
    let run = try await Command(["bench"] + arguments, in: folder)
    #expect(run.status == status)
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("coffer: "))
    #expect(try folder.text(of: "a.json") == "{}")
    #expect(try folder.names == ["a.json"])
  }

  /// 1000 rounds keep the run at work; a file in the scratch folder shows that it has begun.
  @Test(arguments: [("INT", "130"), ("TERM", "143")])
  func `a signal ends the run and leaves nothing`(signal: String, status: String) async throws {
    try await generate()
    let script = """
      mkdir scratch
      "$0" bench a.json --steps parse,validate --rounds 1000 --svg a.svg --scratch scratch &
      until ls scratch/.coffer-*/nothing.json >/dev/null 2>&1 || ! kill -0 $!; do :; done
      kill -$1 $!
      wait $!
      echo $?
      ls -A scratch
      """
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", script, Command.path, signal], workingDirectory: folder.path,
      output: .string(limit: 1000), error: .string(limit: 1000))
    #expect(result.standardOutput == status + "\n")
    #expect(result.standardError == "")
    #expect(try folder.names == ["a.json", "scratch"])
  }
}
