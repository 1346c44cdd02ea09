import Coffer
import CofferStore
import GRDB
import Testing

/// Columns whose allowed values decide their type, and databases from before they did.
@Suite struct UpgradeTests {
  static let format: BackupFormat = {
    do {
      return try BackupFormat(
        descriptor: #"""
          {"backup": {"name": "costs", "detect": "/costs", "collections": {"/costs": {"key": ["kind", "id"]}}}, "type": "object",
           "properties": {"costs": {"type": "array", "primaryKey": ["kind", "id"],
             "items": {"type": "object", "properties": {
               "id": {"type": "integer"}, "kind": {"enum": ["a", "ü", "7"]}, "currency": {"enum": ["€", "$", null]},
               "level": {"enum": [1, 2]}, "isPaid": {"const": true}, "rate": {"enum": [0.5, 1]}, "any": {"enum": ["x", 1]},
               "unit": {"severity": "warning", "enum": ["km"]}}}}}}
          """#)
    } catch { preconditionFailure("\(error)") }
  }()

  static let text =
    #"{"costs":[{"id":1,"kind":"\u00fc","currency":"\u20ac","level":2,"isPaid":true,"rate":0.50,"any":"\u0078","unit":5},"#
    + #"{"id":1,"kind":"a","currency":"$","level":1,"rate":1,"any":1,"unit":"k\u006d"},{"id":1,"kind":"7","currency":null}]}"#

  /// What the version before made of `text`.
  static func earlier() throws -> DatabaseQueue {
    let database = try DatabaseQueue()
    try database.write {
      try $0.execute(
        sql: #"""
          CREATE TABLE coffer_backup (name TEXT PRIMARY KEY, value TEXT) STRICT, WITHOUT ROWID;
          CREATE TABLE coffer_members (position INTEGER PRIMARY KEY, name TEXT UNIQUE, value TEXT) STRICT;
          CREATE TABLE costs (id INTEGER, kind TEXT, currency TEXT, level TEXT, isPaid TEXT, rate TEXT, "any" TEXT, unit TEXT, more TEXT) STRICT;
          CREATE UNIQUE INDEX costs_by_kind_id ON costs (kind, id);
          CREATE INDEX mine ON costs (level);
          CREATE TRIGGER no BEFORE UPDATE ON costs WHEN new.level IS NOT old.level AND new.level IS NOT NULL BEGIN SELECT RAISE(ABORT, 'no'); END;
          INSERT INTO coffer_backup VALUES ('format', 'costs'), ('form', '1');
          INSERT INTO coffer_members VALUES (0, 'costs', NULL);
          INSERT INTO costs VALUES (1, '"\u00fc"', '"\u20ac"', '2', 'true', '0.50', '"\u0078"', '5', NULL),
            (1, '"a"', '"$"', '1', NULL, '1', '1', '"k\u006d"', NULL), (1, '"7"', NULL, NULL, NULL, NULL, NULL, NULL, '{"currency":null}')
          """#)
    }
    return database
  }

  private static func rows(_ database: DatabaseQueue) throws -> [String] {
    try database.read {
      try String.fetchAll(
        $0,
        sql: """
          SELECT kind || ' ' || coalesce(currency, '-') || ' ' || typeof(level) || coalesce(' ' || level, '') || coalesce(' ' || isPaid, '')
            || coalesce(' ' || rate, '') || coalesce(' ' || "any", '') || coalesce(' ' || unit, '') || coalesce(' ' || more, '')
          FROM costs ORDER BY rowid
          """)
    }
  }

  static let stored = [
    #"ü € integer 2 1 0.50 "\u0078" {"unit":5}"#, "a $ integer 1 1 1 km", #"7 - null {"currency":null}"#,
  ]

  @Test func `allowed values decide the type of a column`() throws {
    let database = try DatabaseQueue()
    try Storing.put(Self.text, into: database, of: Self.format)
    #expect(try Self.rows(database) == Self.stored)
    #expect(
      try Storing.canonical(Array(Storing.text(of: database, Self.format).utf8)) == Storing.canonical(Array(Self.text.utf8)))
  }

  @Test func `an earlier database is exported as it is`() throws {
    let database = try Self.earlier()
    #expect(
      try Storing.canonical(Array(Storing.text(of: database, Self.format).utf8)) == Storing.canonical(Array(Self.text.utf8)))
  }

  @Test(arguments: StoreImportOptions.Mode.allCases)
  func `the next import upgrades an earlier database`(mode: StoreImportOptions.Mode) throws {
    let database = try Self.earlier()
    let preview = try BackupStore(database, catalog: FormatCatalog([Self.format])).preview(
      { MemorySource(Array(Self.text.utf8)) }, named: "test", rules: .format(Self.format), options: Storing.options(mode))
    #expect(preview.changes.isEmpty)
    #expect(try Storing.put(Self.text, into: database, of: Self.format, Storing.options(mode)).changes.isEmpty)
    #expect(try Self.rows(database) == Self.stored)
    #expect(
      try Storing.canonical(Array(Storing.text(of: database, Self.format).utf8)) == Storing.canonical(Array(Self.text.utf8)))
    let names = try database.read { try String.fetchSet($0, sql: "SELECT name FROM sqlite_schema WHERE sql IS NOT NULL") }
    #expect(names == ["coffer_backup", "coffer_members", "costs", "costs_by_kind_id", "mine", "no"])
    #expect(try database.read { try String.fetchOne($0, sql: "SELECT value FROM coffer_backup WHERE name = 'form'") } == "2")
  }

  @Test func `an upgrade comes with what an import changes`() throws {
    let database = try Self.earlier()
    let report = try Storing.put(
      #"{"costs":[{"id":1,"kind":"a","currency":"€"},{"id":2,"kind":"a"}]}"#, into: database, of: Self.format,
      Storing.options(.merge, .replace))
    #expect(report.changes.collections.first.map { [$0.inserted, $0.replaced, $0.untouched] } == [1, 1, 2])
    #expect(try Self.rows(database).map { $0.prefix(3) } == ["ü €", "a €", "7 -", "a -"])
  }

  @Test func `a refused import leaves an earlier database as it was`() throws {
    let database = try Self.earlier()
    let before = try database.read { try Row.fetchAll($0, sql: "SELECT * FROM costs") }
    try database.write {
      try $0.execute(sql: "CREATE TRIGGER none BEFORE INSERT ON costs BEGIN SELECT RAISE(ABORT, 'none'); END")
    }
    #expect(throws: StoreError.self) {
      try Storing.put(#"{"costs":[{"id":2,"kind":"a"}]}"#, into: database, of: Self.format)
    }
    #expect(try database.read { try Row.fetchAll($0, sql: "SELECT * FROM costs") } == before)
    #expect(try database.read { try String.fetchOne($0, sql: "SELECT value FROM coffer_backup WHERE name = 'form'") } == "1")
  }
}
