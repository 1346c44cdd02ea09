import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// `coffer backup` and `coffer restore`: from a database into a folder of backups, and back.
@Suite struct BackupCommandTests {
  private let backups: BackupFolder

  init() async throws {
    backups = try BackupFolder()
    try backups.folder.write(
      #"{"version": 2, "at": "2026-01-01T12:00:00Z", "app": "1.0", "trips": [{"id": 1}, {"id": 2}]}"#, to: "in.json")
    let run = try await Command("import", "in.json", "--into", "trips.db", "--rules", "trips.json", in: backups.folder)
    #expect(run.status == 0, "\(run.errors)")
  }

  private func backup(on day: String, _ arguments: String...) async throws -> Command {
    try await Command(
      ["backup", "trips.db", "--into", "backups", "--rules", "trips.json", "--now", "\(day)T12:00:00Z"] + arguments,
      in: backups.folder)
  }

  private func restore(_ arguments: String..., into database: String = "new.db") async throws -> Command {
    try await Command(["restore", "backups"] + arguments + ["--into", database, "--rules", "trips.json"], in: backups.folder)
  }

  @Test func `a backup is named by its format and has the current time`() async throws {
    let run = try await backup(on: "2026-06-10")
    #expect(run.output == "valid  trips_20260610.json (trips 2, 2 records)\nbackups: 1 backup written\n")
    #expect(run.errors == "")
    #expect(run.status == 0)
    let text = try backups.folder.text(of: "backups/trips_20260610.json")
    #expect(text.contains(#""at":"2026-06-10T12:00:00Z""#), "\(text)")
  }

  @Test func `--only leaves the other collections empty`() async throws {
    let unknown = try await backup(on: "2026-06-10", "--only", "x")
    #expect(unknown.status == 2 && unknown.errors.contains("trips has no collection 'x': it has trips"), "\(unknown.errors)")
    #expect(try backups.names == [])
    let run = try await backup(on: "2026-06-10", "--only", "trips")
    #expect(run.output.contains("trips_20260610-part.json (trips 2, 2 records)"), "\(run.output)")
    #expect(run.status == 0)
    // It doesn't replace a complete backup.
    #expect(try await restore().status == 3)
    #expect(try await backup(on: "2026-06-09", "--if-due", "7d").output.contains("trips_20260609.json"))
    #expect(try await restore().output.contains("trips_20260609.json"))
    for _ in 0..<2 { _ = try await backup(on: "2026-06-11", "--only", "trips") }
    let pruned = try await Command(
      "prune", "backups", "--rules", "trips.json", "--keep-last", "1", "--now", "2026-06-12T00:00:00Z", in: backups.folder)
    #expect(pruned.status == 0)
    #expect(try backups.names == ["trips_20260609.json", "trips_20260611-part-2.json", "trips_20260611-part.json"])
  }

  @Test func `--name-start chooses among the names of the format`() async throws {
    let other = try await backup(on: "2026-06-10", "--name-start", "rides")
    #expect(
      other.status == 2 && other.errors.contains("no backup of 'trips' has a name that begins with 'rides'"), "\(other.errors)")
    let run = try await backup(on: "2026-06-10", "--name-start", "trips")
    #expect(run.status == 0 && run.output.contains("trips_20260610.json"))
  }

  @Test func `a new backup never replaces an existing file`() async throws {
    try backups.write("precious", to: "trips_20260610.json")
    for name in ["trips_20260610-2.json", "trips_20260610-3.json"] {
      #expect(try await backup(on: "2026-06-10").output.contains(name))
    }
    #expect(try backups.folder.text(of: "backups/trips_20260610.json") == "precious")
    #expect(try backups.names == ["trips_20260610-2.json", "trips_20260610-3.json", "trips_20260610.json"])
  }

  @Test func `--if-due makes a backup only if the last valid one is old enough`() async throws {
    #expect(try await backup(on: "2026-06-01", "--if-due", "7d").status == 0)
    let early = try await backup(on: "2026-06-07", "--if-due", "7d")
    #expect(early.output == "not due: trips_20260601.json is 6 days old, due in 23 hours\n")
    #expect(early.status == 0)
    #expect(try backups.names == ["trips_20260601.json"])
    // An invalid backup doesn't count.
    try backups.write(#"{"version": 2, "at": "2026-06-07T12:00:00Z", "trips": [{}]}"#, to: "trips_20260607.json")
    #expect(try await backup(on: "2026-06-08", "--if-due", "7d").status == 0)
    #expect(try backups.names == ["trips_20260601.json", "trips_20260607.json", "trips_20260608.json"])
  }

  @Test func `a second writer is refused`() async throws {
    let descriptor = open(backups.folder.path.appending("backups").string, O_RDONLY | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    let run = try await backup(on: "2026-06-10")
    close(descriptor)
    #expect(run.status == 4)
    #expect(try backups.names == [])
  }

  @Test(arguments: ["new", "new/../a/b", "./new/b/", "backups/c"])
  func `a missing folder is created with its parents`(_ path: String) async throws {
    let run = try await Command(
      "backup", "trips.db", "--into", path, "--rules", "trips.json", "--now", "2026-06-10T12:00:00Z", in: backups.folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try backups.folder.text(of: "\(path)/trips_20260610.json").contains("trips"))
    #expect(try permissions(of: path) == permissions(of: "backups"))
  }

  private func permissions(of name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: backups.folder.path.appending(name).string)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test func `a file in the place of the folder or its parent is an error`() async throws {
    for path in ["in.json", "in.json/backups"] {
      let run = try await Command("backup", "trips.db", "--into", path, "--rules", "trips.json", in: backups.folder)
      #expect(run.status == 3)
      #expect(run.errors.hasPrefix("coffer: cannot ") && run.errors.contains(" in.json"), "\(run.errors)")
    }
  }

  @Test func `--json has the path, size, counts and duration`() async throws {
    func object(_ run: Command) throws -> [String: Any] {
      try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    }
    let run = try await backup(on: "2026-06-10", "--json")
    #expect(run.status == 0)
    let report = try object(run)
    #expect(report["formatVersion"] as? Int == 1)
    #expect(report["written"] as? Bool == true)
    #expect(report["path"] as? String == "backups/trips_20260610.json")
    #expect(report["size"] as? Int == (try backups.folder.text(of: "backups/trips_20260610.json").utf8.count))
    #expect(report["records"] as? Int == 2)
    #expect((report["collections"] as? [[String: Any]])?.first?["count"] as? Int == 2)
    #expect(report["state"] as? String == "valid")
    #expect(try #require(report["seconds"] as? Double) > 0)
    let next = try object(try await backup(on: "2026-06-11", "--json", "--if-due", "7d"))
    #expect(next["written"] as? Bool == false)
    #expect(next["path"] as? String == "backups/trips_20260610.json")
  }

  /// cron mails what a job prints.
  @Test func `--quiet prints only a backup that is not valid`() async throws {
    #expect(try await backup(on: "2026-06-10", "--quiet").output == "")
    #expect(try await backup(on: "2026-06-11", "--quiet", "--if-due", "7d").output == "")
    #expect(try backups.names == ["trips_20260610.json"])
    #expect(try await backup(on: "2026-06-11", "--quiet", "--json").status == 2)
    let edit = try await Command(script: #"sqlite3 trips.db "UPDATE trips SET id = NULL WHERE id = 1""#, in: backups.folder)
    try #require(edit.status == 0, "\(edit.errors)")
    let run = try await backup(on: "2026-06-12", "--quiet")
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("invalid  trips_20260612.json: "))
  }

  @Test func `a missing database is an error, and no folder is created`() async throws {
    let noDatabase = try await Command("backup", "none.db", "--into", "new", "--rules", "trips.json", in: backups.folder)
    #expect(noDatabase.status == 3)
    #expect(try !backups.folder.names.contains("new"))
    #expect(try await Command("backup", "trips.db", in: backups.folder).status == 2)
    #expect(try await Command("backup", "trips.db", "--into", "backups", "--if-due", "soon", in: backups.folder).status == 2)
    #expect(try backups.names == [])
  }

  @Test(arguments: [("before-backup-commit", 0), ("after-backup-commit", 1)])
  func `a killed run leaves a whole backup or none`(_ place: String, _ count: Int) async throws {
    let line = "coffer backup trips.db --into backups --rules trips.json --now 2026-06-10T12:00:00Z; echo $?"
    let (output, _) = try await backups.shell(line, failpoint: place)
    #expect(output.hasSuffix("137\n"))
    let names = try backups.names
    #expect(names.filter { $0.hasPrefix("trips_") }.count == count)
    let (again, _) = try await backups.shell(line)
    #expect(again.hasSuffix("\n0\n"))
  }

  // MARK: And back

  @Test func `the latest valid backup is restored`() async throws {
    try backups.write("a.json", on: "2026-06-01", trips: #"{"id": 1}"#)
    try backups.write("b.json", on: "2026-06-02")
    try backups.write("c.json", on: "2026-06-03", trips: "{}")
    let run = try await restore()
    #expect(run.errors == "skipping c.json, which is invalid\nrestoring b.json, made 2026-06-02T12:00:00Z\n")
    #expect(run.status == 0)
    #expect(run.output.contains("trips: 2 inserted"), "\(run.output)")
    let named = try await restore("a.json", into: "other.db")
    #expect(named.status == 0)
    #expect(named.output.contains("trips: 1 inserted"))
    let preview = try await restore("--latest", "--dry-run", into: "third.db")
    #expect(preview.status == 0)
    #expect(try !backups.folder.names.contains("third.db"))
  }

  @Test func `nothing is restored without a valid backup`() async throws {
    let empty = try await restore()
    #expect(empty.status == 3)
    #expect(empty.errors == "coffer: backups: no backups found\n")
    try backups.write("c.json", on: "2026-06-03", trips: "{}")
    let invalid = try await restore()
    #expect(invalid.status == 3)
    #expect(invalid.errors == "coffer: backups: no valid backup found: c.json is invalid\n")
    #expect(try await restore("none.json").status == 3)
    #expect(try await restore("../in.json").status == 2)
    #expect(try await restore("--latest", "c.json").status == 2)
    #expect(try !backups.folder.names.contains("new.db"))
  }

  @Test func `a copy with the same date is neither restored nor kept instead of the original`() async throws {
    try backups.write("trips_20260610.json", on: "2026-06-10", trips: #"{"id": 1}, {"id": 2}"#)
    try backups.write("trips_20260610 (conflicted copy).json", on: "2026-06-10", trips: #"{"id": 1}"#)
    let run = try await restore()
    #expect(run.errors == "restoring trips_20260610.json, made 2026-06-10T12:00:00Z\n")
    #expect(run.output.contains("trips: 2 inserted"), "\(run.output)")
    let prune = try await Command(
      "prune", "backups", "--rules", "trips.json", "--keep-last", "1", "--now", "2026-07-01T12:00:00Z", in: backups.folder)
    #expect(prune.status == 0)
    #expect(try backups.names.count == 2)
  }

  @Test func `a symbolic link is no backup of the folder`() async throws {
    try backups.write("a.json", on: "2026-06-01", trips: #"{"id": 1}"#)
    try FileManager.default.createSymbolicLink(
      atPath: backups.folder.path.appending("backups/link.json").string, withDestinationPath: "a.json")
    let run = try await restore("link.json")
    #expect(run.status == 3)
    #expect(run.errors == "coffer: backups/link.json is a symbolic link, and not a backup of the folder\n")
    #expect(try !backups.folder.names.contains("new.db"))
  }

  @Test func `restoring from a folder with several formats is refused`() async throws {
    for format in ["aquavate", "swiff"] {
      _ = try await Command("generate", format, "backups/\(format).json", "--size", "2KB", "--seed", "1", in: backups.folder)
    }
    let run = try await Command("restore", "backups", "--into", "new.db", in: backups.folder)
    #expect(run.status == 2)
    #expect(
      run.errors == "coffer: backups has backups of several formats: name one with --rules (aquavate, swiff), or the backup\n")
  }

  @Test func `a restored backup exports the same document`() async throws {
    _ = try await backup(on: "2026-06-10")
    #expect(try await restore().status == 0)
    let exported = try await Command("export", "new.db", "-", "--rules", "trips.json", in: backups.folder)
    #expect(exported.output == (try backups.folder.text(of: "backups/trips_20260610.json")))
  }
}
