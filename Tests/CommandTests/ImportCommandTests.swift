import TestSupport
import Testing

@Suite struct ImportCommandTests {
  private let trips: TripsFolder

  init() throws { trips = try TripsFolder() }

  private static let copy = "x.db.before-import-20260701T000000Z.sqlite"

  @Test func `an imported backup is exported unchanged`() async throws {
    let run = try await trips.run("import", "a.json", "--into", "x.db")
    #expect(run.errors == "" && run.status == 0)
    #expect(
      run.output == """
        a.json: trips 2, made 2026-01-01T00:00:00Z, into x.db (new)
          trips: 2 inserted

        """)
    let export = try await trips.run("export", "x.db", "out.json")
    #expect(export.errors == "out.json: trips 2: trips 2\n" && export.output == "" && export.status == 0)
    #expect(try trips.folder.text(of: "out.json") == trips.folder.text(of: "a.json"))
    #expect(try trips.folder.names == ["a.json", "b.json", "out.json", "trips-format.json", "x.db"])
  }

  @Test(arguments: [["out.json", "--pretty"], ["out.json.lz4"], ["out.json"]])
  func `every layout reports what was written`(arguments: [String]) async throws {
    _ = try await trips.run("import", "a.json", "--into", "x.db")
    let export = try await Command(["export", "x.db"] + arguments + TripsFolder.rules, in: trips.folder)
    #expect(export.errors == "\(arguments[0]): trips 2: trips 2\n" && export.status == 0)
  }

  @Test(arguments: ["--app", "--device"])
  func `an origin that the format has no field for is wrong usage`(option: String) async throws {
    _ = try await Command("generate", "keeptrack", "k.json", "--size", "2KB", in: trips.folder)
    _ = try await Command("import", "k.json", "--into", "k.db", in: trips.folder)
    let export = try await Command("export", "k.db", "out.json", option, "x", in: trips.folder)
    #expect(export.status == 2)
    #expect(export.errors == "coffer: \(option) can't be used here: backups of 'keeptrack' have no field for it\n")
    #expect(try !trips.folder.names.contains("out.json"))
  }

  @Test(arguments: [["export", "k.db", "out.json"], ["backup", "k.db", "--into", "backups"]])
  func `a database of another format than the rules describe is refused`(_ arguments: [String]) async throws {
    _ = try await Command("generate", "keeptrack", "k.json", "--size", "2KB", in: trips.folder)
    _ = try await Command("import", "k.json", "--into", "k.db", in: trips.folder)
    let run = try await Command(arguments + TripsFolder.rules, in: trips.folder)
    #expect(run.status == 4)
    #expect(run.errors.contains("k.db holds a backup of 'keeptrack', not of 'trips'"), "\(run.errors)")
    #expect(try !trips.folder.names.contains(where: ["out.json", "backups"].contains))
  }

  @Test func `a merge reports what it did`() async throws {
    _ = try await trips.run("import", "a.json", "--into", "x.db")
    let dry = try await trips.run("import", "b.json", "--into", "x.db", "--on-conflict", "replace", "--dry-run")
    #expect(dry.status == 0)
    #expect(
      dry.output == """
        b.json: trips 2, made 2026-02-01T00:00:00Z, would go into x.db
          trips: 1 inserted, 1 replaced, 1 only in the database
          outside the collections: 2 members changed, 0 removed
        nothing was written

        """)
    let run = try await trips.run(
      "import", "b.json", "--into", "x.db", "--on-conflict", "replace", "--now", "2026-07-01T00:00:00Z")
    #expect(
      run.output == """
        b.json: trips 2, made 2026-02-01T00:00:00Z, into x.db
          trips: 1 inserted, 1 replaced, 1 only in the database
          outside the collections: 2 members changed, 0 removed
        safety copy: \(Self.copy)

        """)
    let again = try await trips.run("import", "b.json", "--into", "x.db", "--on-conflict", "replace")
    #expect(
      again.output == """
        b.json: trips 2, made 2026-02-01T00:00:00Z, into x.db
          trips: 2 unchanged, 1 only in the database
          nothing new: the database already has all 2 records

        """)
    #expect(
      try await trips.run("export", "x.db", "-").output
        == #"{"made":"2026-02-01T00:00:00Z","trips":[{"id":1,"km":1.50},{"id":2,"km":8},{"id":3,"km":9}],"unit":"mi"}"#)
  }

  @Test func `the JSON report has all counts`() async throws {
    _ = try await trips.run("import", "a.json", "--into", "x.db")
    let run = try await trips.run(
      "import", "b.json", "--into", "x.db", "--mode", "replace", "--force", "--json", "--now", "2026-07-01T00:00:00Z")
    #expect(run.errors == "" && run.status == 0)
    #expect(
      run.output == """
        {
          "formatVersion": 1,
          "file": "b.json",
          "database": "x.db",
          "format": "trips",
          "version": 2,
          "createdAt": "2026-02-01T00:00:00Z",
          "mode": "replace",
          "preview": false,
          "new": false,
          "collections": [
            {
              "pointer": "/trips",
              "title": "trips",
              "count": 2,
              "inserted": 1,
              "replaced": 1,
              "kept": 0,
              "unchanged": 0,
              "onlyInDatabase": 0,
              "removed": 1
            }
          ],
          "members": {
            "changed": 2,
            "kept": 0,
            "removed": 0
          },
          "safetyCopy": "\(Self.copy)",
          "findings": {
            "error": 0,
            "warning": 0,
            "note": 0
          }
        }

        """)
  }

  @Test func `replacing a database needs --force`() async throws {
    _ = try await trips.run("import", "a.json", "--into", "x.db")
    let refused = try await trips.run("import", "b.json", "--into", "x.db", "--mode", "replace")
    #expect(refused.status == 4 && refused.output == "")
    #expect(
      refused.errors
        == "coffer: x.db already holds a backup: --force replaces it, --mode merge adds to it, --dry-run shows what would change\n"
    )
    #expect(try await trips.run("export", "x.db", "-").output == trips.folder.text(of: "a.json"))
    // A new database has nothing to lose.
    #expect(try await trips.run("import", "b.json", "--into", "y.db", "--mode", "replace").status == 0)
  }

  @Test func `streams and compressed backups are imported`() async throws {
    _ = try await Command("compress", "a.json", in: trips.folder)
    #expect(try await trips.run("import", "a.json.lz4", "--into", "x.db").status == 0)
    let text = try trips.folder.text(of: "a.json")
    #expect(try await trips.run("import", "-", "--into", "y.db", input: text).status == 0)
    for database in ["x.db", "y.db"] { #expect(try await trips.run("export", database, "-").output == text) }
    #expect(try await trips.run("export", "x.db", "out.json.lz4", "--pretty").status == 0)
    #expect(try await Command("decompress", "out.json.lz4", in: trips.folder).status == 0)
    #expect(try trips.folder.text(of: "out.json").hasPrefix("{\n  \"made\""))
  }

  @Test(arguments: [
    (["import", "a.json"], "Missing expected argument '--into <db>'"),
    (["import", "a.json", "--into", ""], "--into must name a database file"),
    (["import", "a.json", "--into", "-"], "--into must name a database file"),
    (["import", "a.json", "--into", "x.db", "--only", "cars"], "trips has no collection 'cars': it has trips"),
    (["import", "", "--into", "x.db"], "a file's name is empty"),
    (["import", "a.json", "--into", "x.db", "--memory-limit", "-1"], "'-1' is not a value of --memory-limit"),
    (["prune", "", "--keep-last", "1"], "the folder's name is empty"),
    (["restore", "", "--into", "x.db"], "the folder's name is empty"),
    (["export", "-", "x.json"], "the database must be a file"),
    (["export", "x.db", "x.jsonl"], "can't export JSON Lines"),
    (["export", "x.db", "-", "--created-at", "yesterday"], "The value 'yesterday' is invalid"),
  ])
  func `wrong usage is explained`(_ arguments: [String], _ message: String) async throws {
    let run = try await Command(arguments + TripsFolder.rules, in: trips.folder)
    #expect(run.status == 2 && run.output == "")
    #expect(run.errors.contains(message), "\(run.errors)")
    #expect(try trips.folder.names == ["a.json", "b.json", "trips-format.json"])
  }

  /// The files of a renamed database are not taken for those of a new one.
  @Test func `a renamed database keeps its photos`() async throws {
    let folder = try TemporaryFolder()
    _ = try await Command("generate", "smilepile", "p.zip", "--size", "20KB", in: folder)
    #expect(try await Command("import", "p.zip", "--into", "a.db", in: folder).status == 0)
    #expect(try await Command(script: "mv a.db old.db", in: folder).status == 0)
    let refused = try await Command("import", "p.zip", "--into", "a.db", in: folder)
    #expect(refused.status == 4 && refused.errors.contains("has the files of another database with this name"))
    #expect(try await Command(script: "mv a.db.files old.db.files", in: folder).status == 0)
    #expect(try await Command("export", "old.db", "out.zip", in: folder).status == 0)
    #expect(try await Command("validate", "out.zip", in: folder).status == 0)
    #expect(try await Command("import", "p.zip", "--into", "a.db", in: folder).status == 0)
  }

  @Test func `a report that cannot be written does not undo the import`() async throws {
    let run = try await Command(
      script: "'\(Command.path)' import a.json --into x.db --rules trips-format.json > /dev/full", in: trips.folder)
    #expect(run.status == 3 && run.errors.contains("a.json was imported, but the report can't be written"))
    #expect(try await trips.run("export", "x.db", "-").output == trips.folder.text(of: "a.json"))
  }

  @Test func `SQLite's files next to a database are never overwritten`() async throws {
    _ = try await trips.run("import", "a.json", "--into", "x.db")
    try trips.folder.write("log", to: "x.db-wal")
    let run = try await trips.run("export", "x.db", "x.db-wal", "--force")
    #expect(run.status == 4)
    #expect(try trips.folder.text(of: "x.db-wal") == "log")
  }
}
