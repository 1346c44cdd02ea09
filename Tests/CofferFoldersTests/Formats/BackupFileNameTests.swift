import BackupFormats
import ByteStreams
import Rules
import Testing

/// The file names of backups, as listed in docs/formats.
@Suite struct BackupFileNameTests {
  static let time = CivilTime(year: 2026, month: 2, day: 1, hour: 9, minute: 30, second: 5)

  private func fileName(of format: String) throws -> BackupFileName {
    try #require(FormatCatalog.builtIn[format]?.fileName)
  }

  @Test(arguments: [
    ("aquavate", "Aquavate-Backup-2026-02-01.json"),
    ("ev-charging-tracker", "ev_charging_tracker_backup_2026-02-01_09-30-05.json"),
    ("keeptrack", "AutoBackup-2026-02-01-0930.json"), ("smilepile", "SmilePileBackup_2026-02-01_093005.zip"),
    ("smilepile-specification", "SmilePileBackup_2026-02-01_093005.zip"), ("swiff", "swiff_backup_2026-02-01_09-30-05.json"),
  ])
  func `new backups get the names that the apps give`(_ format: String, _ name: String) throws {
    let fileName = try fileName(of: format)
    let time = try #require(Self.time)
    #expect(fileName.name(at: time) == name)
    #expect(fileName.fits(name))
    #expect(fileName.fits(name + ".lz4"))
    // If the name is taken, a number is added, and it still matches.
    let second = try #require(fileName.name(at: time, number: 2))
    #expect(second == name.replacing(/\.([a-z]+)$/) { "-2." + $0.output.1 })
    #expect(fileName.fits(second))
    #expect(fileName.time(in: second) == fileName.time(in: name))
  }

  @Test(
    arguments: [
      ("ev-charging-tracker", "ev_charging_tracker_export", "ev_charging_tracker_export_2026-02-01_09-30-05.json"),
      ("ev-charging-tracker", "ev_charging_tracker_backup_dev_", "ev_charging_tracker_backup_dev_2026-02-01_09-30-05.json"),
      ("keeptrack", "KeepTrack-Backup", "KeepTrack-Backup-2026-02-01-0930.json"),
      ("ev-charging-tracker", "export", nil), ("ev-charging-tracker", "", nil), ("ev-charging-tracker", "../a", nil),
    ] as [(String, String, String?)])
  func `names may begin with another start of the format`(_ format: String, _ start: String, _ name: String?) throws {
    let time = try #require(Self.time)
    #expect(try fileName(of: format).starting(with: start)?.name(at: time) == name)
  }

  @Test(
    arguments: [
      ("ev-charging-tracker", "ev_charging_tracker_backup_2026-02-01_09-30-05-2.json.lz4", nil),
      ("ev-charging-tracker", "ev_charging_tracker_export_2026-02-01_09-30-05.json", "ev_charging_tracker_export_"),
      ("ev-charging-tracker", "ev_charging_tracker_backup_dev_2026-02-01_09-30-05.json", "ev_charging_tracker_backup_dev_"),
      ("ev-charging-tracker", "safety_backup_before_import_2026-02-01_09-30-05.json", "safety_backup_before_import_"),
      ("ev-charging-tracker", "mine.json", nil), ("keeptrack", "KeepTrack-Backup-2026-02-01-0930.json", "KeepTrack-Backup-"),
    ] as [(String, String, String?)])
  func `copies that an app names otherwise are of another series`(_ format: String, _ name: String, _ series: String?) throws {
    #expect(try fileName(of: format).series(of: name) == series)
  }

  @Test(
    arguments: [
      ("swiff", "swiff_backup_2026-02-01_09-30-05.json", "2026-02-01 09:30:05"),
      ("swiff", "swiff_backup_2026-02-01_09-30-05-12.json.lz4", "2026-02-01 09:30:05"),
      ("ev-charging-tracker", "safety_backup_before_import_2026-02-01_09-30-05.json", "2026-02-01 09:30:05"),
      ("ev-charging-tracker", "ev_charging_tracker_backup_dev_2026-02-01_09-30-05.json", "2026-02-01 09:30:05"),
      ("keeptrack", "KeepTrack-Backup-2026-02-01-0930.json", "2026-02-01 09:30:00"),
      ("smilepile", "smilepile_backup_20260201_093005.json", "2026-02-01 09:30:05"),
      // A day without a time is not enough.
      ("aquavate", "Aquavate-Backup-2026-02-01.json", nil),
      // This day and this time don't exist.
      ("swiff", "swiff_backup_2026-02-30_09-30-05.json", nil), ("swiff", "swiff_backup_2026-02-01_25-30-05.json", nil),
      // Of the years that end a century, only every fourth is a leap year.
      ("swiff", "swiff_backup_2000-02-29_09-30-05.json", "2000-02-29 09:30:05"),
      ("swiff", "swiff_backup_2100-02-29_09-30-05.json", nil),
      // These names have no template.
      ("keeptrack-legacy-entries", "entrystore.json", nil),
      ("swiff-database-copy", "copy_2026-02-01_09-30-05_metadata.json", nil),
    ] as [(String, String, String?)])
  func `a file name gives the time of the backup`(_ format: String, _ name: String, _ expected: String?) throws {
    let fileName = try fileName(of: format)
    #expect(fileName.fits(name))
    let time = fileName.time(in: name)
    #expect(time == expected.flatMap(Self.time(_:)))
  }

  @Test(arguments: [
    "swiff_backup_2026-02-01_09-30-05.json.bak", "swiff_backup_2026-02-01_09-30-05", "a-swiff_backup_2026-02-01_09-30-05.json",
    "swiff_backup_2026-02-01_09-30-05-1.json", "swiff_backup_2026-02-01_09-30-05-02.json",
    "swiff_backup_2026-02-01_09-30-05-x.json",
    "swiff_backup_2026-02-01_09-30-05-2-2.json", "", ".lz4", "-2.json", "AutoBackup-2026-02-01-0930.json",
  ])
  func `other names do not match`(_ name: String) throws {
    #expect(try !fileName(of: "swiff").fits(name))
    #expect(try fileName(of: "swiff").time(in: name) == nil)
  }

  @Test func `clocks convert between instants and civil times`() throws {
    let instant = Instant(seconds: 1_769_938_205)
    #expect(WallClock.utc.time(at: instant) == Self.time)
    #expect(WallClock.utc.instant(of: try #require(Self.time)) == instant)
    let local = try #require(WallClock.local.time(at: instant))
    #expect(WallClock.local.instant(of: local) == instant)
  }

  // MARK: Descriptors

  @Test(arguments: [
    (#""fileName": "x""#, "/backup/fileName", "fileName needs a pattern"),
    (#""fileName": {}"#, "/backup/fileName", "fileName needs a pattern"),
    (#""fileName": {"pattern": "("}"#, "/backup/fileName/pattern", "invalid pattern"),
    (#""fileName": {"pattern": "^a", "template": 3}"#, "/backup/fileName/template", "expected a file name"),
    (
      #""fileName": {"pattern": "^a", "template": "a/{year}{month}{day}"}"#, "/backup/fileName/template",
      "expected a file name"
    ),
    (
      #""fileName": {"pattern": "^a", "template": "a{year}{month}"}"#, "/backup/fileName/template",
      "a template needs {year}, {month} and {day}"
    ),
    (#""fileName": {"pattern": "^a", "template": "a{day}{month}{year}"}"#, "/backup/fileName/template", "a template needs {year"),
    (
      #""fileName": {"pattern": "^a", "template": "a{year}{month}{day}{day}"}"#, "/backup/fileName/template",
      "a template needs {year}"
    ),
    (
      #""fileName": {"pattern": "^a", "template": "a{year}{month}{day}{second}"}"#, "/backup/fileName/template",
      "a template needs {year}"
    ),
    (
      #""fileName": {"pattern": "^a", "template": "a{year}{month}{day}{week}"}"#, "/backup/fileName/template",
      "a template needs {year}"
    ),
    (
      #""fileName": {"pattern": "^a", "template": "a2{year}{month}{day}"}"#, "/backup/fileName/template",
      "a template must not contain digits"
    ),
    (
      #""fileName": {"pattern": "^b", "template": "a{year}{month}{day}"}"#, "/backup/fileName/template",
      "the pattern doesn't match a name from the template: 'a20261130'"
    ),
    (#""retention": {}"#, "/backup/retention", "retention must keep"),
    (#""retention": 3"#, "/backup/retention", "retention must keep"),
    (#""retention": [{"keeps": "all"}, {"keeps": "newest"}]"#, "/backup/retention/1", "retention must keep"),
    (#""retention": {"keeps": "all", "count": 3}"#, "/backup/retention", "retention must keep"),
    (#""retention": [{"keeps": "newest", "count": 0}]"#, "/backup/retention/0/count", "expected a positive integer"),
    (#""retention": {"keeps": "newest", "days": "30"}"#, "/backup/retention/days", "expected a positive integer"),
  ])
  func `a mistake in a descriptor is an error with its place`(_ member: String, _ pointer: String, _ message: String) throws {
    let error = #expect(throws: CofferError.self) {
      try BackupFormat(descriptor: #"{"backup": {"name": "x", \#(member)}}"#)
    }
    #expect(error?.place.pointer == pointer)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    (
      "ev-charging-tracker",
      ["iCloud backups: the 5 newest, and none older than 30 days, by creation of the file", "safety backups: the 3 newest"]
    ),
    ("swiff", ["the 5 newest, by creation of the file"]), ("keeptrack", ["the 5 newest, by creation of the file"]),
    ("aquavate", ["all"]),
    ("smilepile", ["all"]), ("swiff-database-copy", []),
  ])
  func `the retention of each app is as documented`(_ format: String, _ words: [String]) throws {
    #expect(FormatCatalog.builtIn[format]?.retention.map(\.words) == words)
  }

  private static func time(_ text: String) -> CivilTime? {
    let numbers = text.split { "- :".contains($0) }.compactMap { Int($0) }
    return CivilTime(
      year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4], second: numbers[5])
  }
}
