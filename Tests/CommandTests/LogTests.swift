import Foundation
import SystemPackage
import TestSupport
import Testing

/// `--log FILE`, which is the same for all verbs.
@Suite struct LogTests {
  private let backups: BackupFolder

  init() throws {
    backups = try BackupFolder()
    try backups.write("trips_20260601.json", on: "2026-06-01")
    try backups.write("trips_20260602.json", on: "2026-06-02")
  }

  private var lines: [[String: Any]] {
    get throws {
      let text = try backups.folder.text(of: "log.jsonl")
      #expect(text.hasSuffix("\n"))
      return try text.split(separator: "\n").map { line in
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      }
    }
  }

  private func run(_ line: String) async throws -> Command {
    try await Command(
      line.split(separator: " ").map(String.init) + ["--rules", "trips.json", "--log", "log.jsonl"], in: backups.folder)
  }

  @Test func `each run appends a line with its result and counts`() async throws {
    let runs: [(line: String, status: Int, files: [String], counts: [String: Int])] = [
      (
        "validate backups/trips_20260601.json", 0, ["backups/trips_20260601.json"],
        ["files": 1, "valid": 1, "errors": 0, "warnings": 0]
      ),
      (
        "import backups/trips_20260601.json --into a.db", 0, ["backups/trips_20260601.json", "a.db"],
        [
          "inserted": 2, "replaced": 0, "removed": 0, "unchanged": 0,
        ]
      ),
      ("restore backups --into b.db", 0, ["backups", "b.db"], ["inserted": 2, "replaced": 0, "removed": 0, "unchanged": 0]),
      ("export a.db out.json", 0, ["a.db", "out.json"], ["records": 2]),
      ("verify backups", 0, ["backups"], ["backups": 2, "valid": 2, "lost": 0]),
      ("prune backups --keep-last 1", 0, ["backups"], ["removed": 1, "bytes": 91, "failed": 0, "kept": 1]),
      ("backup a.db --into backups --if-due 1d --now 2026-06-02T13:00:00Z", 0, ["a.db", "backups"], ["written": 0]),
      (
        "delete backups/trips_20260602.json --force", 0, ["backups/trips_20260602.json"],
        ["deleted": 1, "bytes": 91, "failed": 0]
      ),
    ]
    for (line, status, _, _) in runs {
      let run = try await run(line)
      #expect(run.status == Int32(status), "\(line): \(run.errors)")
    }
    let logged = try lines
    #expect(logged.count == runs.count)
    for (line, run) in zip(logged, runs) {
      #expect(line["verb"] as? String == run.line.split(separator: " ").first.map(String.init))
      #expect(line["files"] as? [String] == run.files)
      #expect(line["counts"] as? [String: Int] == run.counts, "\(run.line)")
      #expect(line["result"] as? String == "success" && line["status"] as? Int == run.status)
      #expect(line["error"] is NSNull)
      #expect((line["seconds"] as? Double).map { $0 >= 0 } == true)
      #expect((line["time"] as? String)?.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z/) != nil)
    }
  }

  @Test func `a failed run is logged with its error`() async throws {
    try backups.write(#"{"trips": ["#, to: "bad\u{1B}\u{9B}.json")
    #expect(try await run("verify none").status == 3)
    #expect(try await run("verify backups").status == 3)
    #expect(try await run("delete backups/trips_20260601.json").status == 4)
    #expect(try await run("validate bad\u{1B}\u{9B}.json").status == 3)
    let logged = try lines
    #expect(logged.map { $0["result"] as? String } == ["unreadable", "unreadable", "refused", "unreadable"])
    #expect(logged[0]["error"] as? String == "cannot read none: no such file or directory")
    #expect(logged[1]["error"] is NSNull)
    #expect(logged[3]["files"] as? [String] == ["bad\u{1B}\u{9B}.json"])
    let text = try backups.folder.text(of: "log.jsonl")
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) })
  }

  @Test func `a log that cannot be opened prevents the run`() async throws {
    for log in ["none/log.jsonl", "backups"] {
      let run = try await Command(
        ["delete", "backups/trips_20260601.json", "--force", "--rules", "trips.json", "--log", log], in: backups.folder)
      #expect(run.status == 3)
      #expect(run.errors.hasPrefix("coffer: cannot write the log \(log): "), "\(run.errors)")
    }
    #expect(try backups.names == ["trips_20260601.json", "trips_20260602.json"])
  }

  @Test func `a log is never a file of the run`() async throws {
    let text = try backups.folder.text(of: "backups/trips_20260601.json")
    let run = try await Command(
      "validate", "backups/trips_20260601.json", "--log", "./backups/trips_20260601.json", in: backups.folder)
    #expect(run.status == 4)
    #expect(try backups.folder.text(of: "backups/trips_20260601.json") == text)
  }

  @Test func `wrong usage is not logged`() async throws {
    #expect(try await run("prune backups").status == 2)
    #expect(try !backups.folder.names.contains("log.jsonl"))
  }
}
