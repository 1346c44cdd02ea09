import Coffer
import Reports
import Testing

/// Which migrations apply to a document, and which documents are refused.
@Suite struct MigrationPlanTests {
  private static let migrations = """
    [{"title": "always", "steps": [{"default": "/zero", "value": true}]},
     {"to": 2, "title": "second", "steps": [{"default": "/two", "value": true}]},
     {"title": "as of two", "steps": [{"default": "/more", "value": true}]},
     {"to": 3, "steps": [{"default": "/three", "value": true}]},
     {"to": 3, "when": "/notes/*/old", "steps": [{"drop": "/notes/*/old"}]}]
    """

  @Test(
    arguments: [
      (#"{"version":1}"#, nil, #"{"version":3,"zero":true,"two":true,"more":true,"three":true}"#),
      (#"{"version":1}"#, 3, #"{"version":3,"zero":true,"two":true,"more":true,"three":true}"#),
      (#"{"version":1}"#, 2, #"{"version":2,"zero":true,"two":true,"more":true}"#),
      (#"{"version":1}"#, 1, #"{"version":1,"zero":true}"#),
      (#"{"version":2}"#, nil, #"{"version":3,"zero":true,"more":true,"three":true}"#),
      (#"{"version":3}"#, nil, #"{"version":3,"zero":true,"more":true}"#),
      (#"{"version":2,"notes":[{"old":1}]}"#, nil, #"{"version":3,"notes":[{}],"zero":true,"more":true,"three":true}"#),
    ] as [(String, Int?, String)])
  func `the migrations up to the target version are applied`(before: String, target: Int?, after: String) throws {
    #expect(try Migrating.migrate(before, Migrating.format(Self.migrations)) { $0.version = target }.text == after)
  }

  @Test(
    arguments: [
      (
        #"{"version":4}"#, nil, CofferError.Code.newerVersion,
        "version 4 of 'notes' is newer than 3, the newest that Coffer knows"
      ),
      (#"{"version":0}"#, nil, .olderVersion, "version 0 of 'notes' is older than 1, the oldest that Coffer knows"),
      (#"{"version":"3"}"#, nil, .noVersion, "the version at /version is a string, not an integer"),
      (#"{"version":1.5}"#, nil, .noVersion, "the version at /version is not a 64-bit integer"),
      (#"{"version":1,"version":2}"#, nil, .noVersion, "several versions at /version"),
      (#"{"version":2}"#, 1, .noMigration, "cannot migrate version 2 back to 1"),
      (#"{"version":2}"#, 4, .noMigration, "unknown version 4 of 'notes': the newest is 3"),
    ] as [(String, Int?, CofferError.Code, String)])
  func `versions that cannot be migrated are refused with a reason`(
    document: String, target: Int?, code: CofferError.Code, message: String
  ) throws {
    let format = try Migrating.format(Self.migrations)
    let error = #expect(throws: CofferError.self) { try Migrating.migrate(document, format) { $0.version = target } }
    #expect(error == CofferError(code, message))
  }

  @Test func `migration is refused if nothing leads to the target version`() throws {
    let format = try Migrating.format("[]")
    let error = #expect(throws: CofferError.self) { try Migrating.migrate(#"{"version":1}"#, format) }
    #expect(error?.code == .noMigration)
    #expect(try Migrating.migrate(#"{"version":3}"#, format).report.hasChanged == false)
    let hole = try Migrating.format(#"[{"to": 2, "steps": []}]"#)
    #expect(try Migrating.migrate(#"{"version":1}"#, hole).report.versionAfter == 2)
    #expect(throws: CofferError.self) { try Migrating.migrate(#"{"version":1}"#, hole) { $0.version = 3 } }
  }

  @Test(
    arguments: [
      (#"[{"to": 2, "steps": []}]"#, nil, "version 1 -> 2; no migration from version 2 to 3", true),
      (
        #"[{"to": 3, "when": "/old", "steps": []}]"#, nil,
        "version 1: only the layout changed; no migration from version 1 to 3", true
      ),
      (#"[{"to": 2, "steps": []}]"#, 2, "version 1 -> 2", false),
      (#"[{"to": 2, "steps": []}]"#, 1, "version 1: only the layout changed", false),
      (#"[{"to": 3, "steps": []}]"#, nil, "version 1 -> 3", false),
    ] as [(String, Int?, String, Bool)])
  func `the report says if migrations end before the current version`(
    migrations: String, target: Int?, words: String, endsEarly: Bool
  ) throws {
    let format = try Migrating.format(migrations)
    let report = try Migrating.migrate(#"{"version":1}"#, format) { $0.version = target }.report
    #expect(TextReport().text(of: report, named: "a") == "a: notes, \(words)\n")
    #expect(report.endsEarly == endsEarly)
    #expect(report.currentVersion == 3)
    #expect(JSONReport().text(of: NamedReport(report, named: "a")).contains(#""endsEarly": \#(endsEarly)"#))
  }

  @Test func `documents of unknown or ambiguous format are refused`() throws {
    #expect(
      throws: CofferError(.unknownFormat, "unknown format")
    ) {
      try Migrating.migrate(#"{"a":1}"#, nil)
    }
    let twins = [try Migrating.format("[]", named: "one"), try Migrating.format("[]", named: "two")]
    #expect(
      throws: CofferError(
        .ambiguousFormat,
        "several formats fit: one, for /notes exists; two, for /notes exists")
    ) {
      try Migrating.migrate(#"{"notes":1}"#, nil, others: twins)
    }
    // The format is unknown only because the document is malformed.
    let error = #expect(throws: CofferError.self) { try Migrating.migrate(#"{"a":1"#, nil) }
    #expect(error?.code == .truncated)
  }

  @Test func `formats that become each other are refused`() throws {
    func format(_ name: String, becomes other: String) throws -> BackupFormat {
      try BackupFormat(descriptor: #"{"backup": {"name": "\#(name)", "migrations": [{"becomes": "\#(other)", "steps": []}]}}"#)
    }
    let one = try format("one", becomes: "two")
    for others in [[], [one, try format("two", becomes: "one")]] {
      let error = #expect(throws: CofferError.self) { try Migrating.migrate("[]", one, others: others) }
      #expect(error?.code == .noMigration)
    }
  }
}
