import BackupFormats
import Coffer
import CofferSQLite
import GRDB
import Testing

/// Backups that can't be imported leave the database unchanged and give the reason.
@Suite struct RefusalTests {
  @Test(arguments: [
    (
      #"{"trips":[{"id":1,"id":2}]}"#, CofferError.Code.unsupportedValue,
      "a record of trips has the member 'id' twice"
    ),
    (#"{"trips":[7]}"#, .unsupportedValue, "a record of trips is not an object"),
    (#"{"trips":[{"id":1.5}]}"#, .unsupportedValue, "the id of a record of trips is a key"),
    (#"{"trips":[],"trips":[]}"#, .unsupportedValue, "the document has the member 'trips' twice"),
    (#"{"trips":[{"id":1},{"id":1}]}"#, .conflict, "two records of trips have the same key (id)"),
    (#"{"trips":[{"id":1]}"#, .syntax, "(test, line 1, column 18, "),
    (#"{"trips":[{"id":1}"#, .truncated, "(test, line 1, "),
  ])
  func `an invalid backup is refused and nothing is imported`(_ text: String, code: CofferError.Code, message: String) throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":5}]}"#, into: database)
    let before = try Storing.text(of: database)
    for sliceSize in [nil, 8] {
      let options = Storing.options(.replace, allowsFindings: true, sliceSize: sliceSize)
      #expect { try Storing.put(text, into: database, options) } throws: { error in
        guard let error = error as? CofferError else { return false }
        return error.code == code && error.description.contains(message)
      }
    }
    #expect(try Storing.text(of: database) == before)
  }

  @Test(arguments: [
    ("place INTEGER REFERENCES places (code)", "trips.place refers to places, which has no column code"),
    ("place INTEGER REFERENCES places", "trips.place refers to places, which has no matching primary key"),
  ])
  func `a foreign key of an app without a target refuses a merge`(column: String, message: String) throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":5}]}"#, into: database)
    try database.writeWithoutTransaction {
      try $0.execute(
        sql:
          "PRAGMA foreign_keys = OFF; CREATE TABLE places (name TEXT); ALTER TABLE trips ADD COLUMN \(column); PRAGMA foreign_keys = ON"
      )
    }
    let error = #expect(throws: CofferError.self) { try Storing.put(#"{"trips":[{"id":6}]}"#, into: database) }
    #expect(error?.code == .incompatible)
    #expect(error?.message == message)
  }

  @Test func `a backup of a newer version is refused`() throws {
    let database = try DatabaseQueue()
    #expect(
      throws: CofferError(
        .newerVersion, "version 3 of 'trips' is newer than 2, the newest that Coffer knows")
    ) { try Storing.put(#"{"version":3,"trips":[]}"#, into: database) }
  }

  @Test func `a backup with findings is refused unless they are allowed`() throws {
    let text = #"{"cars":[],"trips":[{"id":1,"car":9}]}"#
    let database = try DatabaseQueue()
    #expect { try Storing.put(text, into: database) } throws: {
      (($0 as? CofferError)?.underlying as? FindingsError)?.report.findings.first?.code == "foreign-key"
    }
    #expect(try database.read { try !$0.tableExists("trips") })
    try Storing.put(text, into: database, Storing.options(allowsFindings: true))
    #expect(try Storing.text(of: database) == text)
  }

  /// KeepTrack's two migration routes store a legacy item twice: each is imported once.
  @Test func `equal records with the same key become one row`() throws {
    let format = try #require(Storing.catalog["keeptrack"])
    func backup(_ entries: String...) -> String {
      """
      {"version":1,"exportDate":"2026-01-20T21:05:00Z","entries":[\(entries.joined(separator: ","))],"intakeTypes":[],"goals":[]}
      """
    }
    func entry(_ id: Int, amount: String) -> String {
      """
      {"id":"6D2B8F03-9C51-4E7A-A4D6-0B3F7E1C5A9\(id)","date":"2026-01-20T07:30:12Z","name":"Tea","amount":\(amount),"units":"cups","goalMet":true}
      """
    }
    let (first, second) = (entry(1, amount: "1"), entry(2, amount: "2"))
    for sliceSize in [nil, 8] {
      let database = try DatabaseQueue()
      let options = Storing.options(sliceSize: sliceSize)
      let report = try Storing.put(backup(first, second, first, entry(1, amount: "1.0")), into: database, of: format, options)
      #expect(report.validation.counts.count(.warning) == 2)
      #expect(report.changes.collections.first?.inserted == 2)
      #expect(try Storing.text(of: database, format) == backup(first, second))
      // The second import adds nothing.
      let again = try Storing.put(backup(second, second, first), into: database, of: format, options)
      #expect(again.changes.collections.first?.unchanged == 2)
      // A duplicate that was left out leaves no row that could stay.
      let nine = (1...9).map { entry($0, amount: "1") }.joined(separator: ",")
      let rest = (3...9).map { entry($0, amount: "1") }.joined(separator: ",")
      try Storing.put(backup(nine), into: database, of: format, Storing.options(.replace))
      let fewer = try Storing.put(backup(first, first, rest), into: database, of: format, Storing.options(.replace))
      #expect(fewer.changes.collections.first?.removed == 1)
      #expect(try Storing.text(of: database, format) == backup(first, rest))
      try Storing.put(backup(first, second), into: database, of: format, Storing.options(.replace))
      #expect {
        try Storing.put(backup(first, entry(1, amount: "3")), into: database, of: format, options)
      } throws: { ($0 as? CofferError)?.code == .findings }
    }
  }

  /// Two keys that are equal to the app would become one row.
  @Test func `a key column with another collation or no key column is refused`() throws {
    let format = try BackupFormat(
      descriptor: #"""
        {"backup": {"name": "words", "detect": "/words", "collections": {"/words": {"key": "id"}}}, "type": "object", "properties": {
          "words": {"type": "array", "primaryKey": "id",
            "items": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}}}
        """#)
    for sql in [
      "CREATE TABLE words (id TEXT COLLATE NOCASE, n INTEGER, coffer_extra TEXT)",
      "CREATE TABLE words (n INTEGER, coffer_extra TEXT)",
    ] {
      let database = try DatabaseQueue()
      try Storing.put(#"{"words":[{"id":"A","n":1}]}"#, into: database, of: format)
      try database.write { try $0.execute(sql: "DROP TABLE words; \(sql); INSERT INTO words (n) VALUES (1)") }
      for mode in DatabaseImportOptions.Mode.allCases {
        #expect {
          try Storing.put(
            #"{"words":[{"id":"A","n":1},{"id":"a","n":2}]}"#, into: database, of: format, Storing.options(mode, .replace))
        } throws: { ($0 as? CofferError)?.code == .incompatible }
      }
    }
  }

  @Test func `a trigger that removes rows of another table ends an import`() throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"cars":[{"id":1}],"trips":[{"id":1},{"id":2}]}"#, into: database)
    try database.write {
      try $0.execute(sql: "CREATE TRIGGER t AFTER INSERT ON log BEGIN DELETE FROM trips WHERE id = 2; END")
    }
    let before = try Storing.text(of: database)
    #expect { try Storing.put(#"{"cars":[],"trips":[],"log":[{"text":"a"}]}"#, into: database) } throws: {
      ($0 as? CofferError)?.code == .verification
    }
    #expect(try Storing.text(of: database) == before)
  }

  @Test func `a backup of an older version is migrated`() throws {
    let database = try DatabaseQueue()
    let report = try Storing.put(#"{"version":1,"trips":[{"id":1}]}"#, into: database)
    #expect(report.migration?.versionBefore == 1 && report.version == 2)
    #expect(try Storing.text(of: database) == #"{"version":2,"trips":[{"id":1}],"unit":"km"}"#)
  }

  @Test func `a database of a newer version is neither overwritten nor exported`() throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":1}]}"#, into: database)
    try database.write { try $0.execute(sql: "UPDATE coffer_backup SET value = '3' WHERE name = 'version'") }
    #expect { try Storing.put(#"{"trips":[]}"#, into: database, Storing.options(.replace)) } throws: {
      ($0 as? CofferError)?.code == .newerVersion
    }
    #expect { try Storing.text(of: database) } throws: { ($0 as? CofferError)?.code == .newerVersion }
  }

  @Test func `tables of an app are not mistaken for those of a backup`() throws {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: "CREATE TABLE trips (id); INSERT INTO trips VALUES (1)") }
    #expect { try Storing.put(#"{"trips":[]}"#, into: database) } throws: { ($0 as? CofferError)?.code == .incompatible }
    #expect(try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM trips") } == 1)
  }

  @Test(arguments: [
    ("CREATE TABLE mine (id); CREATE INDEX cars_by_id ON mine (id)", "an index 'cars_by_id' on the table 'mine'"),
    ("CREATE TABLE cars_by_id (id)", "a table 'cars_by_id'"), ("CREATE VIEW trips AS SELECT 1", "a view 'trips'"),
    ("CREATE TABLE coffer_backup (id)", "a table 'coffer_backup'"),
    ("CREATE TABLE coffer_backup (name, value); INSERT INTO coffer_backup VALUES ('x', 'y')", "a table 'coffer_backup'"),
    ("CREATE TABLE Coffer_Members (name)", "a table 'Coffer_Members'"),
    ("CREATE TABLE mine (id); CREATE INDEX coffer_backup ON mine (id)", "an index 'coffer_backup'"),
  ])
  func `an error names the object of an app that has a name that Coffer needs`(sql: String, words: String) throws {
    let database = try DatabaseQueue()
    try database.write { try $0.execute(sql: sql) }
    func schema() throws -> [String?] { try database.read { try String?.fetchAll($0, sql: "SELECT sql FROM sqlite_schema") } }
    let before = try schema()
    for mode in DatabaseImportOptions.Mode.allCases {
      #expect { try Storing.put(#"{"trips":[]}"#, into: database, Storing.options(mode)) } throws: {
        guard let error = $0 as? CofferError else { return false }
        return error.code == .incompatible && error.message.contains(words) && error.message.contains("that Coffer didn't create")
          && error.message.contains("another name") != error.message.contains("rename it")
      }
    }
    #expect(try schema() == before)
  }

  @Test(arguments: [
    "CREATE INDEX trips_by_id ON trips (km)", "CREATE UNIQUE INDEX trips_by_id ON trips (id) WHERE id > 3",
    "CREATE TABLE mine (id); CREATE INDEX trips_by_id ON mine (id)",
  ])
  func `an index of an app in the place of a key's is not dropped`(sql: String) throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":1}]}"#, into: database)
    try database.write { try $0.execute(sql: "DROP INDEX trips_by_id; \(sql)") }
    for mode in DatabaseImportOptions.Mode.allCases {
      #expect { try Storing.put(#"{"trips":[{"id":2}]}"#, into: database, Storing.options(mode, .replace)) } throws: {
        ($0 as? CofferError)?.code == .incompatible
      }
    }
  }

  @Test func `a database of another format is refused`() throws {
    let format = try #require(Storing.catalog["keeptrack"])
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":1}]}"#, into: database)
    let bytes = try Storing.backup(of: format, seed: 1, size: 2_000)
    #expect {
      try Storing.put(String(decoding: bytes, as: UTF8.self), into: database, of: format, Storing.options(.replace))
    } throws: { ($0 as? CofferError)?.code == .incompatible }
  }

  @Test func `a trigger that refuses a row rolls the import back`() throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"cars":[{"id":1}],"trips":[{"id":1}]}"#, into: database)
    try database.write {
      try $0.execute(
        sql: "CREATE TRIGGER no BEFORE INSERT ON trips WHEN new.id = 3 BEGIN SELECT RAISE(ABORT, 'no third trip'); END")
    }
    let before = try Storing.text(of: database)
    let text = #"{"cars":[{"id":1},{"id":2}],"trips":[{"id":2},{"id":3}]}"#
    #expect { try Storing.put(text, into: database) } throws: {
      ($0 as? CofferError)?.code == .conflict && "\($0)".contains("no third trip")
    }
    #expect(try Storing.text(of: database) == before)
  }

  @Test func `damaged values are an error that names the column`() throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":1,"km":1.5,"stops":[]}]}"#, into: database)
    for (column, value) in [("km", "9e999"), ("stops", "'[1,'"), ("coffer_extra", "'[1]'")] {
      try database.write {
        try $0.execute(
          sql: "UPDATE trips SET km = 1.5, stops = '[]', coffer_extra = NULL; UPDATE trips SET \(column) = \(value)")
      }
      #expect { try Storing.text(of: database) } throws: {
        ($0 as? CofferError)?.code == .damagedDatabase && "\($0)".contains(column)
      }
    }
  }
}
