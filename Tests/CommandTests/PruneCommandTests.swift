import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite struct PruneCommandTests {
  private static let others = ["notes.txt", "settings.json"]

  @Test func `each backup is listed with the reason to keep or remove it`() async throws {
    let folder = try BackupFolder.mixed()
    let all = try folder.names
    let preview = try await folder.run("prune", "--keep-last", "3", "--keep-within", "8d", "--dry-run")
    #expect(preview.output == Self.plan + "3 would be removed (273 B), 5 kept\n")
    #expect(preview.status == 0)
    #expect(try folder.names == all)
    let run = try await folder.run("prune", "--keep-last", "3", "--keep-within", "8d")
    #expect(run.output == Self.plan + "3 removed (273 B), 5 kept\n")
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(
      try folder.names
        == Self.others + [
          "trips_20260604.json", "trips_20260605-2.json", "trips_20260605.json", "trips_20260606-2.json", "trips_20260606.json",
        ])
    let again = try await folder.run("prune", "--keep-last", "3", "--keep-within", "8d")
    #expect(again.output.hasSuffix("\nnothing to remove, 5 kept\n"))
    #expect(again.status == 0)
  }

  private static let plan = """
      plan    name                   created               age         size  why
      keep    trips_20260606-2.json  2026-06-06T12:00:00Z  4 days old  86 B  fewer than 3 valid backups are newer; within 8d
      keep    trips_20260606.json    2026-06-06T12:00:00Z  4 days old  91 B  1 of the 3 newest; within 8d
      keep    trips_20260605-2.json  2026-06-05T13:00:00Z  4 days old  64 B  fewer than 3 valid backups are newer; within 8d
      keep    trips_20260605.json    2026-06-05T12:00:00Z  5 days old  91 B  2 of the 3 newest; within 8d
      keep    trips_20260604.json    2026-06-04T12:00:00Z  6 days old  91 B  3 of the 3 newest; within 8d
      remove  trips_20260603.json    2026-06-03T12:00:00Z  7 days old  91 B  3 newer valid backups
      remove  trips_20260602.json    2026-06-02T12:00:00Z  8 days old  91 B  3 newer valid backups
      remove  trips_20260601.json    2026-06-01T12:00:00Z  9 days old  91 B  3 newer valid backups; older than 8d

    """

  @Test func `exports and safety copies take no place of the app's backups`() async throws {
    let folder = try TemporaryFolder()
    let text = try String(contentsOf: Checkout.formatExamples.appending(path: "ev-charging-tracker.json"), encoding: .utf8)
    let created = try #require(text.firstMatch(of: /"createdAt": "([^"]+)",\s*"databaseSchemaVersion"/)?.1)
    for (name, day) in [
      ("ev_charging_tracker_backup", 1), ("ev_charging_tracker_backup", 2), ("ev_charging_tracker_export", 3),
      ("ev_charging_tracker_export", 4), ("safety_backup_before_import", 5),
    ] {
      let date = "2026-06-0\(day)"
      try folder.write(text.replacing(created, with: "\(date)T12:00:00Z"), to: "backups/\(name)_\(date)_12-00-00.json")
    }
    let run = try await Command("prune", "backups", "--keep-last", "1", "--now", "2026-07-10T12:00:00Z", in: folder)
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path.appending("backups").string).sorted()
    #expect(
      kept == [
        "ev_charging_tracker_backup_2026-06-02_12-00-00.json", "ev_charging_tracker_export_2026-06-04_12-00-00.json",
        "safety_backup_before_import_2026-06-05_12-00-00.json",
      ], "\(run.output)")
  }

  @Test func `the newest of each day, week, month and year is kept`() async throws {
    let folder = try BackupFolder()
    for (name, day) in [("e", "2026-06-10"), ("d", "2026-06-09"), ("c", "2026-06-03"), ("b", "2026-06-02"), ("a", "2025-01-05")] {
      try folder.write("\(name).json", on: day)
    }
    let (output, _) = try await folder.shell(
      "TZ=UTC coffer prune backups --rules trips.json --now 2026-06-10T12:00:00Z --keep-daily 1 --keep-weekly 2 --keep-yearly 5")
    #expect(
      output == """
          plan    name    created               age            size  why
          keep    e.json  2026-06-10T12:00:00Z  0 minutes old  91 B  the newest of its day (1 of 1); the newest of its week (1 of 2); the newest of its year (1 of 5)
          keep    c.json  2026-06-03T12:00:00Z  7 days old     91 B  the newest of its week (2 of 2)
          keep    a.json  2025-01-05T12:00:00Z  521 days old   91 B  the newest of its year (2 of 5)
          remove  d.json  2026-06-09T12:00:00Z  24 hours old   91 B  1 later day has a valid backup; its week has a newer valid backup; its year has a newer valid backup
          remove  b.json  2026-06-02T12:00:00Z  8 days old     91 B  1 later day has a valid backup; its week has a newer valid backup; its year has a newer valid backup
        2 removed (182 B), 3 kept

        """)
    #expect(try folder.names == ["a.json", "c.json", "e.json"])
  }

  @Test func `the JSON report has the removed backups and their reasons`() async throws {
    let folder = try BackupFolder.mixed()
    let run = try await folder.run("prune", "--keep-within", "5d", "--json")
    #expect(run.status == 0)
    // Printed before anything is removed.
    #expect(
      run.errors == """
        remove trips_20260604.json: older than 5d
        remove trips_20260603.json: older than 5d
        remove trips_20260602.json: older than 5d
        remove trips_20260601.json: older than 5d

        """)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(report["dryRun"] as? Bool == false)
    let removed = try #require(report["remove"] as? [[String: Any]])
    #expect(removed.map { $0["removed"] as? Bool } == [true, true, true, true])
    #expect((removed[0]["reasons"] as? [[String: String]])?.first == ["code": "too-old", "words": "older than 5d"])
    #expect((report["keep"] as? [[String: Any]])?.count == 4)
    let preview = try await folder.run("prune", "--keep-last", "1", "--json", "--dry-run")
    #expect(preview.output.contains(#""dryRun": true"#))
    #expect(preview.errors == "")
  }

  @Test func `a folder without backups is reported as such`() async throws {
    let folder = try BackupFolder()
    try folder.write("x", to: "notes.txt")
    let run = try await folder.run("prune", "--keep-last", "1")
    #expect(run.output == "backups: no backups found, but notes.txt\n")
    #expect(run.status == 0)
    #expect(try folder.names == ["notes.txt"])
  }

  @Test(arguments: [
    ["prune", "a"], ["prune", "a", "--keep-last", "0"], ["prune", "a", "--keep-last", "-1"],
    ["prune", "a", "--keep-within", "30"], ["prune", "a", "--keep-daily", "0"],
    ["prune", "a", "--keep-last", "1", "--keep-yearly", "-1"],
    ["prune", "--keep-last", "1"],
  ])
  func `wrong usage is refused`(arguments: [String]) async throws { #expect(try await Command(arguments).status == 2) }

  @Test func `a second writer is refused, a reader is not`() async throws {
    let folder = try BackupFolder.mixed()
    let all = try folder.names
    let descriptor = open(folder.folder.path.appending("backups").string, O_RDONLY | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    let run = try await folder.run("prune", "--keep-last", "1")
    #expect(run.status == 4)
    #expect(run.errors == "coffer: backups is in use by another run of coffer: try again when it has finished\n")
    #expect(try folder.names == all)
    // Reading needs no lock.
    #expect(try await folder.run("prune", "--keep-last", "1", "--dry-run").status == 0)
    #expect(try await folder.run("list").status == 0)
    close(descriptor)
    #expect(try await folder.run("prune", "--keep-last", "1").status == 0)
  }

  /// Nothing is removed before its reason is printed.
  @Test func `nothing is removed if the plan cannot be printed`() async throws {
    let folder = try BackupFolder.mixed()
    let all = try folder.names
    let line = "coffer prune backups --rules trips.json --keep-last 1 >&-; echo $? >status"
    _ = try await folder.shell(line)
    #expect(try folder.folder.text(of: "status") == "3\n")
    #expect(try folder.names == all)
  }

  // MARK: Failures

  private static let prune = "coffer prune backups --rules trips.json --now 2026-06-10T12:00:00Z --keep-last 2; echo $?"
  private static let removed = ["trips_20260601.json", "trips_20260602.json", "trips_20260603.json", "trips_20260604.json"]

  /// At each failpoint only the oldest backups are gone, with their reasons printed, and the next run removes the rest.
  @Test(
    arguments: [
      ("before-prune-removal", 0), ("before-prune-removal:kill:3", 2), ("between-prune-removals", 1),
      ("between-prune-removals:kill:3", 3),
      ("before-prune-sync", 4),
    ])
  func `a killed run has removed only the oldest, and the next does the rest`(_ place: String, _ count: Int) async throws {
    let folder = try BackupFolder.mixed()
    let all = try folder.names
    let (output, _) = try await folder.shell(Self.prune, failpoint: place)
    #expect(output.hasSuffix("137\n"), "\(output)")
    for name in Self.removed.prefix(count) { #expect(output.contains("remove  \(name) ")) }
    #expect(try folder.names == all.filter { !Self.removed.prefix(count).contains($0) })
    // The lock ended with the process.
    let (again, errors) = try await folder.shell(Self.prune)
    #expect(again.hasSuffix("\n0\n"))
    #expect(errors == "")
    #expect(try folder.names == all.filter { !Self.removed.contains($0) })
  }

  @Test(arguments: ["before-prune-removal:EIO:2", "between-prune-removals:EIO:1"])
  func `a file that cannot be removed is reported, and the others are removed`(_ place: String) async throws {
    let folder = try BackupFolder.mixed()
    let all = try folder.names
    let (output, errors) = try await folder.shell(Self.prune, failpoint: place)
    #expect(output.hasSuffix("\n3 removed (273 B), 4 kept, 1 not removed\n3\n"), "\(output)")
    #expect(errors == "coffer: cannot remove trips_20260602.json: input/output error\n")
    #expect(try folder.names == all.filter { !Self.removed.contains($0) || $0 == "trips_20260602.json" })
  }

  @Test func `a folder that cannot be synced is reported`() async throws {
    let folder = try BackupFolder.mixed()
    let (output, errors) = try await folder.shell(Self.prune, failpoint: "before-prune-sync:EIO")
    #expect(output.hasSuffix("\n4 removed (364 B), 4 kept\n3\n"), "\(output)")
    #expect(errors.hasPrefix("coffer: cannot sync backups: "))
  }
}
