import Coffer
import CofferSQLite
import GRDB
import Testing

@Suite struct ExportTests {
  private let database: DatabaseQueue

  init() throws {
    database = try DatabaseQueue()
    try Storing.put(
      #"{"version":2,"made":"2026-01-01T00:00:00Z","count":2,"cars":[{"id":1}],"trips":[{"id":1,"car":1},{"id":2}]}"#,
      into: database)
  }

  @Test func `the options set the date and app of an export`() throws {
    var options = DatabaseExportOptions()
    options.createdAt = Storing.now
    options.app = "a \"b\""
    let text = try Storing.text(of: database, Storing.trips, options)
    #expect(text.hasPrefix(#"{"version":2,"made":"2026-07-01T10:00:00Z","count":2,"#))
    // The document had no such member.
    #expect(text.hasSuffix(#""id":2}],"by":"a \"b\""}"#))
  }

  @Test(arguments: [
    (#","settings":{"a":1,"last":"2026-01-01T00:00:00Z"}"#, #"{"a":1,"last":"2026-07-01T10:00:00Z"}"#),
    (#","settings":{"last":null}"#, #"{"last":"2026-07-01T10:00:00Z"}"#), (#","settings":{"a":1}"#, #"{"a":1}"#),
    (#","settings":null"#, "null"), ("", nil),
  ])
  func `the time of the last backup is updated where the settings have one`(_ settings: String, _ exported: String?) throws {
    let format = try BackupFormat(
      descriptor: """
        {"$schema": "urn:coffer:rules:1", "type": "object",
         "backup": {"name": "x", "lastBackup": "/settings/last", "settings": "/settings", "collections": {"/list": {}}},
         "properties": {"list": {"items": {"type": "object"}},
                        "settings": {"properties": {"last": {"type": ["string", "null"], "format": "date-time"}}}}}
        """)
    let database = try DatabaseQueue()
    try Storing.put(#"{"list":[]\#(settings)}"#, into: database, of: format)
    var options = DatabaseExportOptions()
    #expect(try Storing.text(of: database, format, options) == #"{"list":[]\#(settings)}"#)
    options.backedUpAt = Storing.now
    #expect(
      try Storing.text(of: database, format, options)
        == #"{"list":[]"# + (exported.map { #","settings":\#($0)}"# } ?? "}"))
  }

  @Test func `fields that repeat the origin follow it`() throws {
    let format = try #require(Storing.catalog["swiff"])
    let bytes = try Storing.backup(of: format, seed: 1, size: 4_000)
    let database = try DatabaseQueue()
    try Storing.put(String(decoding: bytes, as: UTF8.self), into: database, of: format)
    var options = DatabaseExportOptions()
    options.createdAt = Storing.now
    options.app = "987.6"
    let text = try Storing.text(of: database, format, options)
    #expect(text.ranges(of: #""createdDate":"2026-07-01T10:00:00Z""#).count == 2)
    #expect(text.ranges(of: #""appVersion":"987.6""#).count == 2)
    let validator = Validator(.format(format), options: ValidationOptions(now: Storing.now))
    let report = try validator.validate(MemorySource(Array(text.utf8)), named: "test")
    #expect(report.isValid && !report.findings.contains { $0.code == "consistency" })
  }

  @Test func `a count field has the current number of rows`() throws {
    try database.write { try $0.execute(sql: "INSERT INTO trips (id) VALUES (3)") }
    #expect(try Storing.text(of: database).contains(#""count":3"#))
  }

  @Test func `collections that are not selected are exported empty`() throws {
    var options = DatabaseExportOptions()
    options.only = CollectionSelection(["cars"])
    let expected = #"{"version":2,"made":"2026-01-01T00:00:00Z","count":0,"cars":[{"id":1}],"trips":[]}"#
    #expect(try Storing.text(of: database, Storing.trips, options) == expected)
  }

  @Test func `exporting a database without a backup is an error`() throws {
    let empty = try DatabaseQueue()
    #expect { try Storing.text(of: empty) } throws: { ($0 as? CofferError)?.code == .noBackup }
  }

  @Test func `tables and indexes follow the format`() throws {
    let text = try database.read {
      try String.fetchAll($0, sql: "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")
    }
    #expect(
      text == [
        #"CREATE TABLE "cars" ("id" INTEGER, "name" TEXT, "coffer_extra" TEXT) STRICT"#,
        #"CREATE UNIQUE INDEX "cars_by_id" ON "cars" ("id")"#,
        "CREATE TABLE coffer_backup (name TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID",
        "CREATE TABLE coffer_members (position INTEGER PRIMARY KEY, name TEXT UNIQUE, value TEXT) STRICT",
        #"CREATE TABLE "log" ("text" TEXT, "at" INTEGER, "coffer_extra" TEXT) STRICT"#,
        """
        CREATE TABLE "trips" ("id" INTEGER, "car" INTEGER, "km" REAL, "note" TEXT, "isPaid" INTEGER, "stops" TEXT, "changed" TEXT, \
        "coffer_extra" TEXT, FOREIGN KEY ("car") REFERENCES "cars" ("id")) STRICT
        """,
        #"CREATE INDEX "trips_by_car" ON "trips" ("car")"#,
        #"CREATE UNIQUE INDEX "trips_by_id" ON "trips" ("id")"#,
      ])
  }

  /// An imported null stays in `coffer_extra` until its column gets a value.
  @Test func `a value in a column overrides an imported null`() throws {
    let database = try DatabaseQueue()
    try Storing.put(
      #"{"trips":[{"id":1,"note":null,"new":{"note":[1,2]},"km":null},{"id":2,"note":null}]}"#, into: database,
      Storing.options(allowsFindings: true))
    try database.write { try $0.execute(sql: "UPDATE trips SET note = 'x' WHERE id = 1") }
    #expect(
      try Storing.text(of: database) == #"{"trips":[{"id":1,"note":"x","new":{"note":[1,2]},"km":null},{"id":2,"note":null}]}"#)
  }

  @Test(arguments: [
    "UPDATE cars SET name = CAST(x'ff41' AS TEXT)", "UPDATE coffer_members SET value = 'oops' WHERE name = 'version'",
    "DROP TABLE cars; CREATE VIEW cars AS SELECT 1 AS id", "ALTER TABLE cars ADD COLUMN rowid TEXT",
  ])
  func `exporting a damaged or altered database is an error`(_ sql: String) throws {
    try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = OFF; \(sql)") }
    #expect(throws: CofferError.self) { try Storing.text(of: database) }
  }

  @Test func `rows of a collection without a recorded position are written at the end`() throws {
    try database.write { try $0.execute(sql: "DELETE FROM coffer_members WHERE name = 'cars'") }
    #expect(try Storing.text(of: database).hasSuffix(#","cars":[{"id":1}]}"#))
  }
}
