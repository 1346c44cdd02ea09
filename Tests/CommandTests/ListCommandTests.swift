import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct ListCommandTests {
  @Test func `the text report is a table`() async throws {
    let run = try await BackupFolder.mixed().run("list")
    #expect(run.output == Self.table)
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  private static let table = """
      name                   created               age         size  format  version  state    app  holds
      trips_20260606-2.json  2026-06-06T12:00:00Z  4 days old  86 B  trips         2  invalid  1.0  trips 2
      trips_20260606.json    2026-06-06T12:00:00Z  4 days old  91 B  trips         2  valid    1.0  trips 2
      trips_20260605-2.json  2026-06-05T13:00:00Z  4 days old  64 B  trips         2  damaged       trips 1
      trips_20260605.json    2026-06-05T12:00:00Z  5 days old  91 B  trips         2  valid    1.0  trips 2
      trips_20260604.json    2026-06-04T12:00:00Z  6 days old  91 B  trips         2  valid    1.0  trips 2
      trips_20260603.json    2026-06-03T12:00:00Z  7 days old  91 B  trips         2  valid    1.0  trips 2
      trips_20260602.json    2026-06-02T12:00:00Z  8 days old  91 B  trips         2  valid    1.0  trips 2
      trips_20260601.json    2026-06-01T12:00:00Z  9 days old  91 B  trips         2  valid    1.0  trips 2

      trips_20260606-2.json: 2 errors, the first: /trips/0/id: expected integer, found a string: 'x' [type]
      trips_20260605-2.json: the document ends where ',' or ']' was expected, with 2 brackets open (line 1, column 65) [truncated]
      settings.json: well-formed; unknown format

      not backups: notes.txt

      8 backups, 696 B

    """

  @Test func `files that no format fits are an error`() async throws {
    let folder = try BackupFolder()
    try folder.write(#"{"my": 1}"#, to: "my.json")
    for arguments in [["list"], ["prune", "--keep-last", "1"], ["prune", "--keep-last", "1", "--dry-run"]] {
      let run = try await Command([arguments[0], "backups"] + arguments.dropFirst(), in: folder.folder)
      #expect(run.status == 3)
      #expect(
        run.output
          == "backups: no backups found; name a format of your own with --rules\n  my.json: well-formed; unknown format\n")
    }
  }

  @Test func `the JSON report has all backups and other files`() async throws {
    let run = try await BackupFolder.mixed().run("list", "--json")
    #expect(run.status == 0)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect(report["formatVersion"] as? Int == 1)
    #expect(report["folder"] as? String == "backups")
    let backups = try #require(report["backups"] as? [[String: Any]])
    #expect(
      backups.map { $0["state"] as? String } == ["invalid", "valid", "damaged", "valid", "valid", "valid", "valid", "valid"])
    let invalid = try #require(backups.first)
    #expect(invalid["errors"] as? Int == 2)
    #expect((invalid["finding"] as? [String: Any])?["pointer"] as? String == "/trips/0/id")
    #expect((backups[2]["error"] as? [String: Any])?["code"] as? String == "truncated")
    #expect(backups[1]["created"] as? String == "2026-06-06T12:00:00Z")
    #expect(backups[1]["createdBy"] as? String == "document")
    #expect(backups[1]["age"] as? Int == 345_600)
    #expect(backups[1]["version"] as? Int == 2)
    #expect((backups[1]["collections"] as? [[String: Any]])?.first?["count"] as? Int == 2)
    let others = try #require(report["others"] as? [[String: String]])
    #expect(others == [["name": "notes.txt", "kind": "file"], ["name": "settings.json", "kind": "unknown-format"]])
  }

  @Test func `a folder without backups is reported as such`() async throws {
    let folder = try BackupFolder()
    let run = try await folder.run("list")
    #expect(run.output == "backups: no backups found\n")
    #expect(run.status == 0)
    try folder.write("x", to: "notes.txt")
    #expect(try await folder.run("list").output == "backups: no backups found, but notes.txt\n")
    let json = try await folder.run("list", "--json")
    #expect(json.status == 0)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect((report["backups"] as? [Any])?.isEmpty == true)
  }

  /// A name with only a day gives no time: the date of the file is used, and the table says so.
  @Test func `the table says if the date is that of the file`() async throws {
    let folder = try BackupFolder()
    try folder.write(#"{"version": 2, "trips": []}"#, to: "trips_20260601.json")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_780_000_000)],
      ofItemAtPath: folder.folder.path.appending("backups/trips_20260601.json").string)
    #expect(try await folder.run("list").output.contains("2026-05-28T20:26:40Z (the file)  12 days old"))
  }

  /// File names have local times.
  @Test func `times in file names are local`() async throws {
    let folder = try BackupFolder()
    try folder.write("", to: "swiff_backup_2026-07-01_09-30-05.json")
    for (zone, time) in [("UTC0", "2026-07-01T09:30:05Z"), ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01T07:30:05Z")] {
      let (output, _) = try await folder.shell("TZ=\(zone) coffer list backups --now 2026-07-02T00:00:00Z")
      #expect(output.contains(" \(time) (its name) "), "\(output)")
    }
  }

  @Test func `backups of all built-in formats are listed, or of one`() async throws {
    let folder = try BackupFolder()
    for format in ["aquavate", "swiff"] {
      let made = try await Command(
        "generate", format, "backups/\(format).json", "--size", "2KB", "--seed", "1", in: folder.folder)
      #expect(made.status == 0)
    }
    _ = try await Command("compress", "backups/swiff.json", in: folder.folder)
    let run = try await Command("list", "backups", "--now", "2026-07-01T00:00:00Z", in: folder.folder)
    #expect(run.output.split(separator: "\n").count { $0.contains(" valid ") } == 3, "\(run.output)")
    let one = try await Command("list", "backups", "--rules", "aquavate", in: folder.folder)
    #expect(one.output.contains("aquavate.json"))
    #expect(one.output.contains("not backups: swiff.json (another format), swiff.json.lz4 (another format)\n"))
  }

  @Test func `a folder that cannot be read ends with status 3`() async throws {
    let run = try await Command("list", "none")
    #expect(run.status == 3)
    #expect(run.errors == "coffer: cannot read none: no such file or directory\n")
    let file = try await Command("list", "/dev/null")
    #expect(file.status == 3)
  }

  @Test(arguments: [["list"], ["list", "a", "b"], ["list", "a", "--now", "today"], ["list", "a", "--rules", "none"]])
  func `wrong usage is refused`(arguments: [String]) async throws { #expect(try await Command(arguments).status == 2) }

  @Test func `control characters in file names are escaped`() async throws {
    let folder = try BackupFolder()
    try folder.write("a\u{1B}[31m\n.json", on: "2026-06-01")
    try folder.write("x", to: "b\u{7}.txt")
    let run = try await folder.run("list")
    #expect(run.output.contains(#"a\u{1B}[31m\u{A}.json"#))
    #expect(run.output.contains(#"b\u{7}.txt"#))
  }
}
