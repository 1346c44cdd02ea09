import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct VerifyCommandTests {
  @Test func `each backup has its verdict`() async throws {
    let run = try await BackupFolder.mixed().run("verify")
    #expect(run.output == Self.verdicts)
    #expect(run.errors == "")
    #expect(run.status == 3)
  }

  private static let verdicts = """
    invalid         trips_20260606-2.json: 2 errors, the first: /trips/0/id: expected integer, found a string: 'x' [type]
    valid           trips_20260606.json (trips 2, 2 records)
    damaged         trips_20260605-2.json: the document ends where ',' or ']' was expected, with 2 brackets open (line 1, column 65) [truncated]
    valid           trips_20260605.json (trips 2, 2 records)
    valid           trips_20260604.json (trips 2, 2 records)
    valid           trips_20260603.json (trips 2, 2 records)
    valid           trips_20260602.json (trips 2, 2 records)
    valid           trips_20260601.json (trips 2, 2 records)
    unknown-format  settings.json: well-formed; unknown format
    not backups: notes.txt
    backups: 8 backups: 6 valid, 1 invalid, 1 damaged; 1 other file can't be restored: 1 unknown-format

    """

  @Test(
    arguments: [
      ([("a.json", #"{"version": 2, "trips": []}"#)], 0, "backups: 1 backup: 1 valid\n"),
      (
        [("a.json", #"{"version": 2, "trips": []}"#), ("b.json", #"{"version": 2, "trips": [{}]}"#)], 1,
        "backups: 2 backups: 1 valid, 1 invalid\n"
      ),
      ([("a.json", #"{"version": 9, "trips": []}"#)], 1, "backups: 1 backup: 1 newer-version\n"),
      (
        [("a.json", #"{"version": 2, "trips": [{}]}"#), ("trips_20260601.json", "")], 3,
        "backups: 2 backups: 1 invalid, 1 damaged\n"
      ),
      (
        [("a.json", #"{"version": 2, "trips": []}"#), ("b.json", ""), ("c.zip", "noise")], 3,
        "backups: 1 backup: 1 valid; 2 other files can't be restored: 2 damaged\n"
      ),
      (
        [("a.json", #"{"version": 2, "trips": []}"#), ("b.JSON", #"{"version": 2}"#)], 1,
        "backups: 1 backup: 1 valid; 1 other file can't be restored: 1 unknown-format\n"
      ),
      ([("a.json", "[")], 3, "backups: no backups found; 1 other file can't be restored: 1 damaged\n"),
      (
        [("a.json", #"{"version": 2, "trips": []}"#), (".b.json", ""), ("c.txt", "")], 0,
        "not backups: .b.json, c.txt\nbackups: 1 backup: 1 valid\n"
      ),
      ([], 3, "backups: no backups found\n"), ([("a.txt", "x")], 3, "backups: no backups found, but a.txt\n"),
    ] as [([(String, String)], Int32, String)])
  func `the worst file decides the status`(
    _ files: [(name: String, text: String)], _ status: Int32, _ summary: String
  ) async throws {
    let folder = try BackupFolder()
    for file in files { try folder.write(file.text, to: file.name) }
    let run = try await folder.run("verify")
    #expect(run.status == status)
    #expect(run.output.hasSuffix(summary), "\(run.output)")
    let json = try await folder.run("verify", "--json")
    #expect(json.status == status)
    #expect(json.output.contains(#""formatVersion": 1"#))
  }

  /// A ZIP archive without its last bytes has no directory.
  @Test func `a truncated archive is damaged`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Command("generate", "smilepile", "whole.zip", "--size", "3kB", in: folder)
    let whole = try Data(contentsOf: URL(fileURLWithPath: folder.path.appending("whole.zip").string))
    try FileManager.default.createDirectory(atPath: folder.path.appending("backups").string, withIntermediateDirectories: false)
    for count in [whole.count - 1, whole.count / 2, 40, 3] {
      try whole.prefix(count).write(to: URL(fileURLWithPath: folder.path.appending("backups/cut.zip").string))
      let run = try await Command("verify", "backups", in: folder)
      #expect(run.status == 3)
      #expect(run.output.hasPrefix("damaged  cut.zip: "), "\(run.output)")
    }
  }

  /// With `--rules`, backups of other known formats are not verified.
  @Test func `a backup of another format is listed but not verified`() async throws {
    let folder = try BackupFolder()
    try folder.write("a.json", on: "2026-06-01")
    _ = try await Command("generate", "keeptrack", "backups/other.json", "--size", "2KB", in: folder.folder)
    let run = try await folder.run("verify")
    #expect(run.status == 0)
    #expect(run.output.contains("\nnot backups: other.json (another format)\n"))
  }

  // MARK: Reports

  @Test func `--max-findings limits the findings of each file, but not the counts`() async throws {
    let folder = try BackupFolder()
    try folder.write("a.json", on: "2026-06-01", trips: #"{"id": "x"}, {"id": "y"}, {"id": "z"}"#)
    let run = try await folder.run("verify", "--json", "--max-findings", "1")
    #expect(run.status == 1)
    #expect(run.output.matches(of: /"pointer": "\/trips\/\d\/id"/).count == 2, "one finding, and the listing's: \(run.output)")
    #expect(run.output.contains(#""errors": 3"#))
    #expect(try await folder.run("verify", "--max-findings", "0").output.hasPrefix("invalid  a.json: 3 errors\n"))
    #expect(try await folder.run("verify", "--max-findings", "-1").status == 2)
  }

  @Test func `--redact hides values`() async throws {
    let folder = try BackupFolder()
    try folder.write(#"{"version": 2, "at": "2026-06-01T12:34:56Z", "app": "5.6.7", "trips": [{"id": "secret"}]}"#, to: "a.json")
    try folder.write(#"{"version": 98765, "at": "2026-06-02T12:34:56Z", "trips": []}"#, to: "b.json")
    try folder.write(#"{"version": 2, "trips": [secret]}"#, to: "trips_20260603.json")
    let values = ["secret", "12:34:56", "5.6.7", "98765"]
    for format in ["text", "json", "sarif", "junit", "html", "rdjsonl"] {
      let plain = try await folder.run("verify", "--output-format", format)
      #expect(plain.output.contains("secret"), "\(format)")
      let redacted = try await folder.run("verify", "--output-format", format, "--redact")
      #expect(redacted.status == plain.status)
      for value in values { #expect(!redacted.output.contains(value), "\(format): \(redacted.output)") }
    }
    let text = try await folder.run("verify", "--redact").output
    #expect(text.contains("newer-version  b.json: the version is newer than any known version\n"), "\(text)")
    #expect(text.contains("/trips/0/id: expected integer, found a string [type]\n"), "\(text)")
    let report = try await folder.run("verify", "--redact", "--json", "--output", "stored.json")
    #expect(report.status == 3)
    #expect(try folder.folder.text(of: "stored.json").contains(#""redacted": true"#))
  }

  @Test func `verify and validate write the same reports, for the files that decide`() async throws {
    let folder = try BackupFolder.mixed()
    let names = ["a.txt", "a.json", "a.sarif", "a.xml", "a.html", "a.rdjsonl"]
    let reports = zip(["text", "json", "sarif", "junit", "html", "rdjsonl"], names).flatMap { ["--report", "\($0)=\($1)"] }
    let run = try await Command(
      ["verify", "backups", "--rules", "trips.json", "--now", "2026-06-10T12:00:00Z"] + reports, in: folder.folder)
    #expect(run.status == 3)
    #expect(run.output == Self.verdicts)
    #expect(try folder.folder.text(of: "a.txt") == run.output)
    #expect(try folder.folder.text(of: "a.json") == (try await folder.run("verify", "--json").output))
    let junit = try folder.folder.text(of: "a.xml")
    let suites = junit.matches(of: /<testsuite name="([^"]+)"/).map { String($0.1) }
    #expect(
      suites == [
        "backups/trips_20260606-2.json", "backups/trips_20260606.json", "backups/trips_20260605-2.json",
        "backups/trips_20260605.json", "backups/trips_20260604.json", "backups/trips_20260603.json",
        "backups/trips_20260602.json",
        "backups/trips_20260601.json", "backups/settings.json",
      ])
    // The invalid one, the truncated one and the one of an unknown format.
    let named = try folder.folder.text(of: "a.rdjsonl").matches(of: /"path": *"([^"]+)"/).map { String($0.1) }
    #expect(Set(named) == ["backups/trips_20260606-2.json", "backups/trips_20260605-2.json", "backups/settings.json"])
    #expect(try folder.folder.text(of: "a.sarif").contains("backups/trips_20260606-2.json"))
    #expect(try folder.folder.text(of: "a.rdjsonl").contains("/trips/0/id"))
    #expect(try folder.folder.text(of: "a.html").contains("trips_20260606-2.json"))
  }

  @Test func `coffer report renders the JSON report of verify`() async throws {
    let folder = try BackupFolder.mixed()
    _ = try await folder.run("verify", "--json", "--output", "stored.json")
    let github = try await Command("report", "stored.json", "--output-format", "github", in: folder.folder)
    let direct = try await folder.run("verify", "--output-format", "github")
    #expect(direct.output.contains("::error file=backups/trips_20260606-2.json"))
    #expect(github.output == direct.output)
    #expect(github.status == direct.status)
  }

  /// Some formats' rules only warn of a newer version.
  @Test func `a backup of a newer version fails in reports, too`() async throws {
    let folder = try BackupFolder()
    _ = try await Command("generate", "keeptrack", "a.json", "--size", "2kB", in: folder.folder)
    let text = try folder.folder.text(of: "a.json").replacing(/"version": *1/, with: #""version": 99"#)
    try folder.write(text, to: "a.json")
    let run = try await Command("verify", "backups", "--output-format", "junit", in: folder.folder)
    #expect(run.status == 1)
    #expect(run.output.contains(#"type="newer-version""#), "\(run.output)")
  }

  @Test func `--quiet shows only files that fail, and --summary only counts`() async throws {
    let folder = try BackupFolder.mixed()
    let lines = try await folder.run("verify").output.split(separator: "\n")
    let quiet = try await folder.run("verify", "--quiet").output.split(separator: "\n")
    #expect(quiet == lines.filter { !$0.hasPrefix("valid ") && !$0.hasPrefix("not backups: ") })
    #expect(quiet.count < lines.count)
    #expect(try await folder.run("verify", "--summary").output.split(separator: "\n") == lines.suffix(1))
    let valid = try BackupFolder()
    _ = try await Command("generate", "keeptrack", "a.json", "--size", "2kB", in: valid.folder)
    try valid.folder.write(try valid.folder.text(of: "a.json"), to: "backups/a.json")
    #expect(try await Command("verify", "backups", "--quiet", in: valid.folder).output == "")
  }

  /// Many findings of many files must not fill the memory.
  @Test func `the findings of each file are limited`() async throws {
    let folder = try BackupFolder()
    let trips = Array(repeating: "{}", count: 3000).joined(separator: ",")
    for day in 1...2 { try folder.write("trips_2026060\(day).json", on: "2026-06-0\(day)", trips: trips) }
    let run = try await folder.run("verify", "--json")
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let files = try #require(report["files"] as? [[String: Any]])
    #expect(files.map { ($0["findings"] as? [Any])?.count } == [1000, 1000])
    #expect(files.map { $0["notShown"] as? Int } == [2000, 2000])
  }

  @Test(arguments: ["verify", "list"])
  func `a report is never written to the folder`(verb: String) async throws {
    let folder = try BackupFolder.mixed()
    let names = try folder.names
    let text = try folder.folder.text(of: "backups/trips_20260601.json")
    let link = folder.folder.path.appending("link.json").string
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "backups/new.json")
    for output in [
      "backups/trips_20260601.json", "./backups/../backups/trips_20260601.json", "backups/new.json", "link.json",
    ] {
      let run = try await folder.run(verb, "--output", output)
      #expect(run.status == 4)
      #expect(run.errors.contains("would be in the folder of backups"), "\(run.errors)")
    }
    if verb == "verify" { #expect(try await folder.run(verb, "--report", "html=backups/report.html").status == 4) }
    #expect(try folder.folder.text(of: "backups/trips_20260601.json") == text)
    #expect(try folder.names == names)
  }
}
