import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite struct DeleteCommandTests {
  private let folder: BackupFolder

  init() throws {
    folder = try BackupFolder()
    for day in 1...3 { try folder.write("trips_2026060\(day).json", on: "2026-06-0\(day)") }
    try folder.write("trips_20260604.json", on: "2026-06-04", trips: "{}")
    try folder.write("precious", to: "notes.txt")
    try folder.write("{}", to: "settings.json")
  }

  private static let all = [
    "notes.txt", "settings.json", "trips_20260601.json", "trips_20260602.json", "trips_20260603.json", "trips_20260604.json",
  ]

  private func delete(_ names: [String], _ options: String...) async throws -> Command {
    try await Command(
      ["delete"] + names.map { "backups/\($0)" } + ["--rules", "trips.json", "--now", "2026-06-10T12:00:00Z"] + options,
      in: folder.folder)
  }

  @Test func `--force deletes the named backups and nothing else`() async throws {
    let run = try await delete(["trips_20260602.json", "trips_20260601.json", "trips_20260602.json"], "--force")
    #expect(
      run.output == """
          name                 created               age         size  format  version  state  app  holds
          trips_20260602.json  2026-06-02T12:00:00Z  8 days old  91 B  trips         2  valid  1.0  trips 2
          trips_20260601.json  2026-06-01T12:00:00Z  9 days old  91 B  trips         2  valid  1.0  trips 2
        2 backups (182 B) deleted

        """)
    #expect(run.errors == "")
    #expect(run.status == 0)
    #expect(try folder.names == Self.all.filter { !["trips_20260601.json", "trips_20260602.json"].contains($0) })
  }

  @Test func `without a terminal to ask on nothing is deleted`() async throws {
    let run = try await delete(["trips_20260601.json"])
    #expect(run.status == 4)
    #expect(
      run.errors == "coffer: nothing deleted: --force deletes without asking, --dry-run shows what would be deleted\n")
    #expect(try folder.names == Self.all)
  }

  @Test func `--dry-run deletes nothing`() async throws {
    let run = try await delete(["trips_20260601.json"], "--dry-run")
    #expect(run.output.hasSuffix("\n1 backup (91 B) would be deleted\n"))
    #expect(run.status == 0)
    let json = try await delete(["trips_20260601.json"], "--dry-run", "--json")
    #expect(json.output.contains(#""dryRun": true"#) && json.output.contains(#""deleted": false"#))
    #expect(json.errors == "")
    #expect(try folder.names == Self.all)
  }

  /// The invalid one doesn't justify deleting the last valid one.
  @Test func `the last valid backup of a format is deleted only with --force`() async throws {
    let valid = ["trips_20260601.json", "trips_20260602.json", "trips_20260603.json"]
    let dryRun = try await delete(valid, "--dry-run")
    #expect(dryRun.status == 4)
    let reason = "is kept, because no valid backup of 'trips' would remain: --force deletes it\n"
    #expect(dryRun.errors == valid.map { "coffer: backups/\($0) \(reason)" }.joined() + "coffer: nothing deleted\n")
    let json = try await delete(valid, "--json")
    #expect(json.status == 4)
    #expect(json.output.matches(of: /"code": "last-valid"/).count == 3)
    #expect(try folder.names == Self.all)
    #expect(try await delete(Array(valid.dropLast()), "--dry-run").status == 0)
    #expect(try await delete(["trips_20260604.json"], "--dry-run").status == 0)
    #expect(try await delete(valid, "--force").status == 0)
    #expect(try folder.names == ["notes.txt", "settings.json", "trips_20260604.json"])
  }

  /// The age of a backup from the future is unknown, so it doesn't replace another one.
  @Test func `a backup from the future does not count as the remaining valid one`() async throws {
    try folder.write("trips_20270101.json", on: "2027-01-01")
    let valid = ["trips_20260601.json", "trips_20260602.json", "trips_20260603.json"]
    #expect(try await delete(valid, "--dry-run").status == 4)
  }

  @Test func `only backups are deleted, and nothing if one of the files is not a backup`() async throws {
    for name in ["notes.txt", "settings.json"] {
      let run = try await delete(["trips_20260601.json", name], "--force")
      #expect(run.errors == "coffer: backups/\(name) is not a backup of a known format\ncoffer: nothing deleted\n")
      #expect(run.status == 4)
    }
    let missing = try await delete(["trips_20260601.json", "none.json"])
    #expect(missing.errors == "coffer: backups/none.json doesn't exist\ncoffer: nothing deleted\n")
    #expect(missing.status == 3)
    // A job may run again.
    let again = try await delete(["none.json"], "--force")
    #expect(again.output == "0 backups (0 B) deleted\n")
    #expect(again.status == 0)
    try FileManager.default.createSymbolicLink(
      atPath: folder.folder.path.appending("backups/link.json").string, withDestinationPath: "trips_20260601.json")
    #expect(try await delete(["link.json"], "--force").errors == "coffer: backups/link.json is a symbolic link\n")
    #expect(try folder.names == ["link.json"] + Self.all)
    #expect(try await Command("delete", "backups", "--force", in: folder.folder).status == 4)
  }

  @Test func `the JSON report has the deleted backups`() async throws {
    let run = try await delete(["trips_20260601.json"], "--force", "--json")
    #expect(run.status == 0)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let deleted = try #require(report["delete"] as? [[String: Any]])
    #expect(deleted.map { $0["path"] as? String } == ["backups/trips_20260601.json"])
    #expect(deleted.map { $0["deleted"] as? Bool } == [true])
    #expect((report["refused"] as? [Any])?.isEmpty == true)
  }

  @Test func `the file that the system finds by the path is deleted`() async throws {
    let folder = try BackupFolder.mixed()
    let root = folder.folder.path
    for path in ["top", "other/deep"] {
      try FileManager.default.createDirectory(atPath: root.appending(path).string, withIntermediateDirectories: true)
    }
    try FileManager.default.createSymbolicLink(
      atPath: root.appending("top/link").string, withDestinationPath: "../other/deep")
    let text = try folder.folder.text(of: "backups/trips_20260601.json")
    for path in ["top/a.json", "other/a.json"] { try folder.folder.write(text, to: path) }
    let arguments = ["--force", "--rules", "trips.json"]
    let run = try await Command(["delete", "top/link/../a.json"] + arguments, in: folder.folder)
    #expect(run.status == 0, "\(run.errors)")
    #expect(FileManager.default.fileExists(atPath: root.appending("top/a.json").string))
    #expect(!FileManager.default.fileExists(atPath: root.appending("other/a.json").string))
    // Two spellings of one folder.
    let both = try await Command(
      ["delete", "backups/trips_20260601.json", "./top/../backups/trips_20260602.json"] + arguments, in: folder.folder)
    #expect(both.status == 0, "\(both.errors)")
    #expect(try !folder.names.contains { ["trips_20260601.json", "trips_20260602.json"].contains($0) })
  }

  @Test func `a second writer is refused`() async throws {
    let descriptor = open(folder.folder.path.appending("backups").string, O_RDONLY | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(try await delete(["trips_20260601.json"], "--force").status == 4)
    close(descriptor)
    #expect(try folder.names == Self.all)
  }

  @Test(arguments: [["delete"], ["delete", ""], ["delete", "-"], ["delete", "a/.."], ["delete", "/"]])
  func `wrong usage is refused`(arguments: [String]) async throws { #expect(try await Command(arguments).status == 2) }
}
