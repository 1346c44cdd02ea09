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
    for index in [1, 3] { #expect((logged[index]["error"] as? String)?.isEmpty == false) }
    #expect(logged[3]["files"] as? [String] == ["bad\u{1B}\u{9B}.json"])
    let text = try backups.folder.text(of: "log.jsonl")
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F..<0xA0).contains($0.value) })
  }

  @Test func `a log that cannot be opened prevents the run`() async throws {
    for log in ["none/log.jsonl", "."] {
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

  @Test func `a log never damages what the run uses`() async throws {
    let folder = backups.folder
    let backup = "backups/trips_20260601.json"
    _ = try await Command("import", backup, "--into", "a.db", "--rules", "trips.json", in: folder)
    _ = try await Command(
      "validate", backup, "--rules", "trips.json", "--baseline", "known.json", "--update-baseline", in: folder)
    try FileManager.default.createDirectory(atPath: folder.path.appending("schemas").string, withIntermediateDirectories: false)
    try folder.write("true", to: "schemas/a.json")
    try folder.write("other", to: "old.html")
    // A link in the folder of backups.
    try folder.write(try folder.text(of: backup), to: "linked.json")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path.appending("backups/trips_20260603.json").string, withDestinationPath: "../linked.json")
    let before = try backups.names
    let files = [backup, "backups/trips_20260602.json", "trips.json", "known.json", "schemas/a.json", "old.html", "linked.json"]
    let texts = try files.map(folder.text(of:))
    for line in [
      "validate \(backup) --rules trips.json --log trips.json",
      "validate \(backup) --rules trips.json --map urn:a:=schemas --log schemas/a.json",
      "validate \(backup) --rules trips.json --map urn:a:=schemas --log schemas/new.json",
      "validate \(backup) --rules trips.json --baseline known.json --log known.json",
      "validate \(backup) --rules trips.json --output old.html --log old.html",
      "validate \(backup) --rules trips.json --report html=new.html --log ./new.html",
      "validate - --rules trips.json --log \(backup) --report html=\(backup)",
      "verify backups --rules trips.json --log \(backup)",
      "verify backups --rules trips.json --log backups/new.jsonl",
      "verify backups --rules trips.json --log linked.json",
      "verify backups --rules trips.json --report html=old.html --log old.html",
      "prune backups --rules trips.json --keep-last 1 --log backups/trips_20260602.json",
      "delete \(backup) --rules trips.json --force --log backups/trips_20260602.json",
      "delete \(backup) --rules trips.json --force --log trips.json",
      "backup a.db --into backups --rules trips.json --log backups/log.jsonl",
      "backup a.db --into backups --rules trips.json --log a.db-wal",
      "restore backups --into b.db --rules trips.json --log \(backup)",
      "export a.db out.json --rules trips.json --log trips.json",
      "import \(backup) --into b.db --rules trips.json --log trips.json",
    ] {
      let run = try await Command(line.split(separator: " ").map(String.init), in: folder)
      #expect(run.status == 4, "\(line): \(run.errors)")
      #expect(run.errors.contains("which the run uses"), "\(line): \(run.errors)")
    }
    #expect(try files.map(folder.text(of:)) == texts)
    #expect(try backups.names == before)
    #expect(try folder.names.filter { ["b.db", "new.html", "out.json", "a.db-wal"].contains($0) } == [])
  }

  @Test func `a log is never the pipe that the run reads`() async throws {
    for line in [
      "cat trips.json | coffer validate --syntax-only - --log /dev/stdin",
      "coffer validate --syntax-only - --log trips.json < trips.json",
      "mkfifo pipe; cat trips.json > pipe & coffer validate --syntax-only pipe --log pipe",
    ] {
      let text = try backups.folder.text(of: "trips.json")
      let run = try await backups.shell("\(line); status=$?; [ -p pipe ] && cat pipe >/dev/null; echo $status")
      #expect(run.output == "4\n", "\(line): \(run.errors)")
      #expect(try backups.folder.text(of: "trips.json") == text)
    }
    let run = try await backups.shell("coffer validate --syntax-only trips.json --quiet --log /dev/stdout | grep -c seconds")
    #expect(run.output == "1\n", "\(run.errors)")
  }

  @Test func `wrong usage is not logged`() async throws {
    #expect(try await Command("verify", "backups", "--log", "-", in: backups.folder).status == 2)
    #expect(try await run("prune backups").status == 2)
    #expect(try !backups.folder.names.contains("log.jsonl"))
  }
}
