import Foundation
import SystemPackage
import TestSupport
import Testing

/// What the apps' documentation requires of imports, exports and folders in addition to the records.
@Suite struct ImportOptionsTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ arguments: String...) async throws -> Command { try await Command(arguments, in: folder) }

  /// Writes a changed example of a format.
  private func write(_ example: String, as name: String, _ changes: [(String, String)] = []) throws {
    var text = try String(contentsOf: Checkout.formatExamples.appending(path: example + ".json"), encoding: .utf8)
    for (original, replacement) in changes {
      try #require(text.contains(original))
      text = text.replacing(original, with: replacement)
    }
    try folder.write(text, to: name)
  }

  // MARK: Newer versions

  @Test func `--allow-newer imports a backup of a newer version`() async throws {
    try write(
      "ev-charging-tracker", as: "a.json",
      [
        (#""databaseSchemaVersion": 9"#, #""databaseSchemaVersion": 10"#),
        (#""energyCharged""#, #""tariff": "night", "energyCharged""#),
      ])
    let refused = try await run("import", "a.json", "--into", "x.db")
    #expect(refused.status == 4 && refused.errors.hasSuffix("the newest that Coffer knows; --allow-newer imports it\n"))
    #expect(try !folder.names.contains("x.db"))

    let taken = try await run("import", "a.json", "--into", "x.db", "--allow-newer")
    #expect(taken.status == 0)
    #expect(
      taken.errors == """
        coffer: warning: a.json: version 10 of 'ev-charging-tracker' is newer than 9, the newest that Coffer knows; \
        unknown fields are kept unchecked: /expenses/*/tariff

        """)
    #expect(try await run("export", "x.db", "b.json").status == 0)
    #expect(try await run("diff", "a.json", "b.json").status == 0)
  }

  @Test(
    arguments: [
      (
        "ev-charging-tracker", #""databaseSchemaVersion": 9"#, #""databaseSchemaVersion": 10"#, #""energyCharged": "#,
        #""energyCharged": -"#, "energyCharged"
      ),
      ("swiff", "  \"version\": 1\n}\n", "  \"version\": 2\n}\n", #""personSource": "manual","#, "", "personSource"),
    ])
  func `--allow-newer still refuses a backup with other errors`(
    format: String, version: String, newVersion: String, original: String, replacement: String, finding: String
  ) async throws {
    try write(format, as: "a.json", [(version, newVersion), (original, replacement)])
    let run = try await run("import", "a.json", "--into", "x.db", "--allow-newer")
    #expect(run.status == 1 && run.errors.contains(finding), "\(run.errors)")
  }

  @Test func `--allow-newer still refuses a version that is too old`() async throws {
    try write("aquavate", as: "a.json", [(#""formatVersion": 1"#, #""formatVersion": 0"#)])
    #expect(try await run("import", "a.json", "--into", "x.db", "--allow-newer").status == 4)
  }

  // MARK: Settings

  @Test(
    arguments: [
      ("aquavate", #""healthKitSyncEnabled": true"#, #""healthKitSyncEnabled": false"#, nil, true),
      ("aquavate", #""healthKitSyncEnabled": true"#, #""healthKitSyncEnabled": false"#, "keep", false),
      ("aquavate", #""healthKitSyncEnabled": true"#, #""healthKitSyncEnabled": false"#, "replace", true),
      ("ev-charging-tracker", #""preferredLanguage": "en""#, #""preferredLanguage": "tr""#, nil, false),
      ("ev-charging-tracker", #""preferredLanguage": "en""#, #""preferredLanguage": "tr""#, "keep", false),
      ("ev-charging-tracker", #""preferredLanguage": "en""#, #""preferredLanguage": "tr""#, "replace", true),
    ] as [(String, String, String, String?, Bool)])
  func `a merge keeps or replaces settings as the option or the format says`(
    format: String, original: String, replacement: String, policy: String?, isReplaced: Bool
  ) async throws {
    try write(format, as: "a.json")
    try write(format, as: "b.json", [(original, replacement)])
    _ = try await run("import", "a.json", "--into", "x.db")
    let options = policy.map { ["--settings", $0] } ?? []
    let preview = try await Command(["import", "b.json", "--into", "x.db", "--dry-run"] + options, in: folder)
    #expect(preview.output.contains("1 member changed") == isReplaced, "\(preview.output)")
    #expect(try await Command(["import", "b.json", "--into", "x.db"] + options, in: folder).status == 0)
    let exported = try await run("export", "x.db", "-").output
    #expect(exported.contains(replacement.replacing(": ", with: ":")) == isReplaced)
  }

  /// The app keeps its own goal, too.
  @Test(arguments: ["", #""dailyGoalMl": null,\#n    "#])
  func `a setting that the backup lacks is kept`(goal: String) async throws {
    try write("aquavate", as: "a.json")
    try write("aquavate", as: "b.json", [(#""dailyGoalMl": 2500,\#n    "dailyReminder"#, goal + #""dailyReminder"#)])
    _ = try await run("import", "a.json", "--into", "x.db")
    #expect(try await run("import", "b.json", "--into", "x.db", "--allow-findings").output.contains("nothing new"))
    _ = try await run("export", "x.db", "x.json")
    #expect(try await run("diff", "a.json", "x.json").status == 0)
  }

  @Test(arguments: [["--mode", "replace"], ["--only", "bottles"]])
  func `--settings applies only to merges of whole backups`(other: [String]) async throws {
    try write("aquavate", as: "a.json")
    let run = try await Command(["import", "a.json", "--into", "x.db", "--settings", "keep"] + other, in: folder)
    #expect(run.status == 2 && run.errors.contains("--settings is for merges of whole backups"))
  }

  @Test func `--settings is refused for a format without settings`() async throws {
    try write("swiff", as: "a.json")
    let run = try await Command(["import", "a.json", "--into", "x.db", "--settings", "keep"], in: folder)
    #expect(run.status == 4 && run.errors.contains("'swiff' declares no settings member"), "\(run.errors)")
    #expect(try folder.names == ["a.json"])
  }

  @Test func `an import says that it has no new records, also with other settings or a new database`() async throws {
    try folder.write(
      """
      {"backup": {"name": "s", "detect": "/s", "collections": {"/list": {}}},
       "properties": {"s": {}, "list": {"type": "array", "primaryKey": "id", "items": {"type": "object"}}}}
      """, to: "rules.json")
    try folder.write(#"{"s": 1, "list": []}"#, to: "empty.json")
    try folder.write(#"{"s": 1, "list": [{"id": 1}]}"#, to: "one.json")
    try folder.write(#"{"s": 2, "list": [{"id": 1}]}"#, to: "other.json")
    let options = ["--rules", "rules.json", "--into", "x.db", "--on-conflict", "replace"]
    let lines = [
      ("empty.json", "  no new records: the backup has no records\n"), ("one.json", "  list: 1 inserted\n"),
      ("one.json", "  nothing new: the database already has the 1 record\n"),
      ("other.json", "  no new records: the database already has the 1 record\n"),
    ]
    for (file, line) in lines {
      let run = try await Command(["import", file] + options, in: folder)
      #expect(run.status == 0 && run.output.contains(line), "\(run.output)\(run.errors)")
    }
  }

  @Test func `a refused import reports it as JSON, too`() async throws {
    try write("swiff", as: "a.json", [(#""createdDate": "2026-02-01T09:30:00Z""#, #""createdDate": "x""#)])
    let run = try await Command(["import", "a.json", "--into", "x.db", "--json"], in: folder)
    #expect(run.status == 1 && run.errors.contains("nothing was imported"))
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    #expect((report["error"] as? [String: Any])?["code"] as? String == "findings")
    #expect((report["validation"] as? [String: Any])?["valid"] as? Bool == false)
    let missing = try await Command(["import", "missing.json", "--into", "x.db", "--json"], in: folder)
    #expect(missing.status == 3 && missing.output.contains(#""code": "not-found""#))
    #expect(try folder.names == ["a.json"])
  }

  // MARK: Older backups

  /// The findings of an older backup are at its own places, not at those of the migrated copy.
  @Test func `a refused import of an older backup shows places of the file`() async throws {
    try write("ev-charging-tracker-v5", as: "a.json", [(#""energyCharged": 0"#, #""energyCharged": -5"#)])
    try write("keeptrack-legacy-goalsstore", as: "goals.json", [(#""dosage": "#, #""dosage": "x", "was": "#)])
    for file in ["a.json", "goals.json"] {
      let importing = try await run("import", file, "--into", "x.db")
      let validation = try await run("validate", file)
      #expect(importing.status == 1 && validation.status == 1)
      let place = try #require(validation.output.split(separator: "\n").first)
      #expect(importing.errors.contains(place), "\(importing.errors)\n\(place)")
    }
  }

  @Test func `an import says what its migration changed`() async throws {
    try write("keeptrack-legacy-entrystore", as: "entries.json", [("790587012", "790587012.25")])
    let text = try await run("import", "entries.json", "--into", "x.db", "--dry-run")
    #expect(
      text.output.contains(
        """
          migrated from keeptrack-legacy-entries
            /*/date: converted from apple-reference-time to date-time-seconds, in 2 records; fractions of a second cut off, in 1 record

        """), "\(text.output)")
    #expect(
      text.output.contains("  validation of the migrated backup: 2 notes (coffer migrate writes it, coffer validate"),
      "\(text.output)")
    let json = try await run("import", "entries.json", "--into", "x.db", "--dry-run", "--json")
    #expect(json.output.contains(#""migration": {"#))
  }

  /// The versions of this format differ only in their numbers.
  @Test func `a version that needs no migration stays as it is`() async throws {
    try write("ev-charging-tracker-spec", as: "a.json")
    #expect(try await run("import", "a.json", "--into", "x.db").status == 0)
    _ = try await run("export", "x.db", "b.json")
    #expect(try await run("diff", "a.json", "b.json").status == 0)
    let version = try #require(try folder.text(of: "a.json").firstMatch(of: /"databaseSchemaVersion": (\d)/)?.1)
    let next = version == "9" ? "8" : "9"
    try write(
      "ev-charging-tracker-spec", as: "c.json", [("\"databaseSchemaVersion\": \(version)", "\"databaseSchemaVersion\": \(next)")])
    #expect(try await run("import", "c.json", "--into", "x.db").status == 0)
  }

  @Test func `an import with findings changes only what they are about`() async throws {
    let type = #""transactionType": "Payment""#
    let source = #""personSource": "manual","#
    try write("swiff", as: "a.json", [(#""peopleCount": 2"#, #""peopleCount": 7"#), (type, #""old": 1"#)])
    #expect(try await run("import", "a.json", "--into", "x.db", "--allow-findings").status == 0)
    #expect(try await !run("export", "x.db", "-").output.contains(#""old":1,"transactionType""#))
    try write("swiff", as: "b.json", [(#""peopleCount": 2"#, #""peopleCount": 7"#), (type, #""old": 1"#), (source, "")])
    #expect(try await run("import", "b.json", "--into", "y.db", "--allow-findings").status == 0)
    let export = try await run("export", "y.db", "-").output
    #expect(export.contains(#""personSource":"manual""#) && !export.contains(#""old":1,"transactionType""#))
  }

  @Test func `keep-newest says where the backups' dates decide`() async throws {
    try write("swiff", as: "a.json")
    try write("swiff", as: "b.json", [("🏕️", "x"), ("2026-02-01T09:30:00Z", "2026-02-02T09:30:00Z")])
    _ = try await run("import", "a.json", "--into", "x.db")
    let merged = try await run("import", "b.json", "--into", "x.db", "--on-conflict", "keep-newest")
    #expect(
      merged.output.contains(
        "  groups: chosen by the backups' creation times, because their records have no modification dates\n"),
      "\(merged.output)\(merged.errors)")
    let json = try await run("import", "a.json", "--into", "x.db", "--on-conflict", "keep-newest", "--json")
    #expect(json.output.contains(/"chosenByCreation": \[\s*"groups"\s*\]/), "\(json.output)")
  }

  /// The apps treat these backups as having no settings.
  @Test func `settings that are null replace nothing`() async throws {
    try folder.write(
      """
      {"backup": {"name": "s", "detect": "/s", "settings": "/s", "collections": {"/list": {}}, "import": {"settingsOnMerge": "replace"}},
       "properties": {"s": {}, "list": {"type": "array", "items": {"type": "object"}}}}
      """, to: "rules.json")
    try folder.write(#"{"s":{"a":1},"list":[]}"#, to: "old.json")
    try folder.write(#"{"s":null,"list":[]}"#, to: "new.json")
    _ = try await run("import", "old.json", "--into", "x.db", "--rules", "rules.json")
    _ = try await run("import", "new.json", "--into", "x.db", "--rules", "rules.json")
    #expect(try await run("export", "x.db", "-", "--rules", "rules.json").output == #"{"s":{"a":1},"list":[]}"#)
  }

  // MARK: Words

  @Test func `the report says if a backup has nothing new`() async throws {
    try write("aquavate", as: "a.json")
    let sentence = "  nothing new: the database already has all 7 records\n"
    #expect(try await !run("import", "a.json", "--into", "x.db").output.contains(sentence))
    #expect(try await run("import", "a.json", "--into", "x.db").output.contains(sentence))
  }

  @Test func `the report of a migration names a format without versions`() async throws {
    try write("keeptrack-legacy-goalsstore", as: "a.json")
    let run = try await run("import", "a.json", "--into", "x.db")
    #expect(run.output.contains("  migrated from keeptrack-legacy-goals\n"), "\(run.output)\(run.errors)")
  }

  // MARK: Export and folders

  @Test func `an export sorts keys like a conversion`() async throws {
    try write("smilepile", as: "a.json")
    _ = try await run("import", "a.json", "--into", "x.db")
    let sorted = try await run("export", "x.db", "-", "--sort-keys")
    #expect(sorted.status == 0)
    #expect(try await sorted.output == run("convert", "a.json", "-", "--sort-keys").output)
  }

  @Test(
    arguments: [
      ("aquavate", []), ("keeptrack", []),
      // Numbers keep their digits; the apps write no ".0".
      ("ev-charging-tracker", [(": 32.0", ": 32")]), ("swiff", [("64.0", "64"), ("32.0", "32")]),
    ] as [(String, [(String, String)])])
  func `an indented export is the same as the app's own`(format: String, changes: [(String, String)]) async throws {
    try write(format, as: "a.json", changes)
    _ = try await run("import", "a.json", "--into", "x.db")
    let exported = try await run("export", "x.db", "-", "--pretty", "--sort-keys")
    #expect(try exported.output == appleJSON(folder.text(of: "a.json")))
    _ = try await run("export", "x.db", "b.json.lz4", "--pretty", "--sort-keys", "--jobs", "2")
    #expect(try await run("decompress", "b.json.lz4", "-").output == exported.output)
  }

  @Test func `a pretty export for SmilePile is indented by four spaces`() async throws {
    try write("smilepile", as: "a.json")
    _ = try await run("import", "a.json", "--into", "x.db")
    let exported = try await run("export", "x.db", "-", "--pretty").output
    #expect(try await exported + "\n" == run("convert", "a.json", "-", "--pretty", "--indent", "4").output)
  }

  @Test func `layout options are refused for archives`() async throws {
    let run = try await run("export", "x.db", "a.zip", "--pretty")
    #expect(run.status == 2 && run.errors.contains("--pretty and --sort-keys don't apply to ZIP archives"))
  }

  @Test func `files that end in .smilepile are listed`() async throws {
    _ = try await run("generate", "smilepile", "a.zip", "--size", "3kB", "--seed", "7")
    try FileManager.default.moveItem(
      atPath: folder.path.appending("a.zip").string, toPath: folder.path.appending("a.smilepile").string)
    #expect(try await run("list", ".").output.contains("a.smilepile"))
  }

  @Test(arguments: ["ev_charging_tracker_export", "ev_charging_tracker_backup_dev", "safety_backup_before_import"])
  func `the name of a damaged backup shows its format and time`(name: String) async throws {
    try folder.write("{", to: "\(name)_2026-06-28_20-15-00.json")
    try folder.write("{", to: "\(name)_2026.json")
    let output = try await run("list", ".").output
    let known = output.split(separator: "\n").filter { $0.contains("ev-charging-tracker") }
    #expect(known.count == 1 && known[0].contains("\(name)_2026-06-28_20-15-00.json"), "\(output)")
  }

  // MARK: Rules

  @Test(arguments: [["--dry-run"], []])
  func `a run and its preview say that the database can't keep rules that refer to files`(options: [String]) async throws {
    try folder.write(##"{"$defs": {"row": {"properties": {"id": {"type": "integer"}}}}}"##, to: "defs.json")
    try folder.write(
      ##"{"backup": {"name": "own", "detect": "/t"}, "properties": {"t": {"primaryKey": "id", "items": {"$ref": "defs.json#/$defs/row"}}}}"##,
      to: "own.json")
    try folder.write(#"{"t": [{"id": 1}]}"#, to: "a.json")
    let run = try await Command(["import", "a.json", "--rules", "own.json", "--into", "x.db"] + options, in: folder)
    #expect(run.status == 0)
    let warning = "the rules refer to other files, so the database doesn't keep them: exports need them again\n"
    #expect(run.errors.contains(warning) || run.output.contains(warning), "\(run.errors)")
  }

  // MARK: Records with errors

  @Test(arguments: [#""version":2"#, #""version":1"#])
  func `--skip-invalid imports the other records, and is not complete`(_ version: String) async throws {
    let trips = try TripsFolder()
    try trips.folder.write(
      #"{"made":"2026-01-01T00:00:00Z",\#(version),"trips":[{"id":1,"km":-1},{"id":2,"km":7},{"id":2,"km":8},{"id":3}],"unit":"km"}"#,
      to: "bad.json")
    #expect(try await trips.run("import", "bad.json", "--into", "x.db").status == 1)
    #expect(try !trips.folder.names.contains("x.db"))
    let run = try await trips.run("import", "bad.json", "--into", "x.db", "--skip-invalid", "--rejects", "rejects.ndjson")
    #expect(run.status == 1 && run.errors == "")
    #expect(run.output.contains("  not complete: left out 2 parts (1 invalid, 1 duplicate), "), "\(run.output)")
    #expect(run.output.contains("  trips: 2 inserted\n"))
    let exported = try await trips.run("export", "x.db", "-")
    #expect(exported.output.filter { !$0.isWhitespace }.contains(#""trips":[{"id":2,"km":7},{"id":3}]"#))
    let rejects = try trips.folder.text(of: "rejects.ndjson").split(separator: "\n")
    #expect(
      rejects.map { $0.hasSuffix(#""text":"{\"id\":1,\"km\":-1}"}"#) || $0.hasSuffix(#""text":"{\"id\":2,\"km\":8}"}"#) } == [
        true, true,
      ])
    #expect(
      try await trips.run("import", "bad.json", "--into", "x.db", "--skip-invalid", "--dry-run", "--json").output.contains(
        #""skipped": {"#))
  }

  @Test func `--skip-invalid leaves out records that a table can't hold`() async throws {
    let trips = try TripsFolder()
    try trips.folder.write(
      #"{"made":"2026-01-01T00:00:00Z","trips":[{"id":"x"},{"id":2},{"id":3,"id":4}],"unit":"km"}"#, to: "bad.json")
    #expect(try await trips.run("import", "bad.json", "--into", "x.db").status != 0)
    let run = try await trips.run("import", "bad.json", "--into", "x.db", "--skip-invalid")
    #expect(run.status == 1 && run.output.contains("  trips: 1 inserted\n"), "\(run.output)\(run.errors)")
  }

  @Test func `--skip-invalid changes nothing about a valid backup, and can't make one of anything`() async throws {
    let trips = try TripsFolder()
    let run = try await trips.run("import", "a.json", "--into", "x.db", "--skip-invalid", "--rejects", "rejects.ndjson")
    #expect(run.status == 0 && !run.output.contains("complete"))
    #expect(try trips.folder.text(of: "rejects.ndjson") == "")
    // The error is outside of records.
    try trips.folder.write(#"{"made":7,"trips":[{"id":1}],"unit":"km"}"#, to: "bad.json")
    #expect(try await trips.run("import", "bad.json", "--into", "y.db", "--skip-invalid").status == 1)
    #expect(try !trips.folder.names.contains("y.db"))
    #expect(try await trips.run("import", "a.json", "--into", "y.db", "--rejects", "r.ndjson").status == 2)
    #expect(try await trips.run("import", "a.json", "--into", "y.db", "--skip-invalid", "--allow-findings").status == 2)
    #expect(try await trips.run("import", "a.json", "--into", "y.db", "--skip-invalid", "--rejects", "a.json").status == 4)
  }
}
