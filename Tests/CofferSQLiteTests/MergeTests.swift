import Coffer
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import CofferSQLite

/// How imports treat existing rows.
@Suite struct MergeTests {
  private let database: DatabaseQueue
  private let old =
    #"{"made":"2026-01-01T00:00:00Z","trips":[{"id":1,"km":1.50,"changed":"2026-01-02T00:00:00Z"},{"id":2}],"unit":"km"}"#
  private let new =
    #"{"unit":"mi","trips":[{"id":3},{"km":1.75,"id":1,"changed":"2026-01-02T02:00:00+03:00"}],"made":"2026-02-01T00:00:00Z"}"#

  init() throws {
    database = try DatabaseQueue()
    try Storing.put(old, into: database)
  }

  @Test(arguments: [
    (ConflictRule.keepExisting, "1.50", "km"), (.replace, "1.75", "mi"),
    // The record in the backup is an hour older, though the text of its date is greater; the settings there are newer.
    (.keepNewest, "1.50", "mi"),
  ])
  func `the conflict rule decides which record stays`(rule: ConflictRule, kilometres: String, unit: String) throws {
    let report = try Storing.put(new, into: database, Storing.options(.merge, rule))
    let changes = try #require(report.changes.collections.first { $0.title == "trips" })
    #expect(changes.inserted == 1 && changes.onlyInDatabase == 1 && changes.unchanged == 0)
    #expect(changes.replaced + changes.kept == 1)
    let text = try Storing.text(of: database)
    #expect(text.contains(#""km":\#(kilometres)"#) && text.contains(#""unit":"\#(unit)""#))
    #expect(try Storing.put(new, into: database, Storing.options(.merge, rule)).changes.isEmpty)
    #expect(try Storing.text(of: database) == text)
  }

  @Test func `keeping the newest without any date is an error`() throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":1,"km":1}]}"#, into: database)
    let before = try Storing.text(of: database)
    #expect { try Storing.put(#"{"trips":[{"id":1,"km":2}]}"#, into: database, Storing.options(.merge, .keepNewest)) } throws: {
      ($0 as? CofferError)?.code == .noTime
    }
    #expect(try Storing.text(of: database) == before)
  }

  /// Without a key, a merge keeps as many equal records as the side that has more of them.
  @Test(arguments: [
    (#"[{"text":"a"},{"text":"a"}]"#, #"[{"text":"a"},{"text":"a"},{"text":"a"},{"text":"b"}]"#, 2, ["a", "a", "a", "b"]),
    (#"[{"text":"a"},{"text":"a"}]"#, #"[{"text":"a"}]"#, 0, ["a", "a"]),
    ("[]", #"[{"text":"a"},{"text":"a"}]"#, 2, ["a", "a"]),
    (#"[{"text":"b"},{"text":"a"}]"#, #"[{"text":"a"},{"text":"c"},{"text":"a"}]"#, 2, ["a", "a", "b", "c"]),
  ])
  func `a merge keeps equal records without a key`(_ there: String, _ comes: String, inserted: Int, texts: [String]) throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[],"log":\#(there)}"#, into: database)
    let report = try Storing.put(#"{"trips":[],"log":\#(comes)}"#, into: database)
    #expect(report.changes.collections.first { $0.title == "log" }?.inserted == inserted)
    #expect(try database.read { try String.fetchAll($0, sql: "SELECT text FROM log ORDER BY text") } == texts)
    #expect(try Storing.put(#"{"trips":[],"log":\#(comes)}"#, into: database).changes.isEmpty)
  }

  @Test func `a replacement gives exactly the backup`() throws {
    let report = try Storing.put(new, into: database, Storing.options(.replace))
    let changes = try #require(report.changes.collections.first { $0.title == "trips" })
    #expect(changes.inserted == 1 && changes.replaced == 1 && changes.removed == 1)
    #expect(try Storing.canonical(Array(Storing.text(of: database).utf8)) == Storing.canonical(Array(new.utf8)))
  }

  @Test func `a preview reports the changes of the import and writes nothing`() throws {
    let before = try Storing.text(of: database)
    for mode in DatabaseImportOptions.Mode.allCases {
      for rule in ConflictRule.allCases {
        let options = Storing.options(mode, rule)
        let database = try DatabaseQueue()
        try Storing.put(old, into: database)
        let preview = try BackupStore(database, catalog: FormatCatalog([Storing.trips]))
          .preview({ MemorySource(Array(new.utf8)) }, named: "test", rules: .format(Storing.trips), options: options)
        #expect(try Storing.text(of: database) == before)
        #expect(try Storing.put(new, into: database, options).changes == preview.changes)
      }
    }
  }

  @Test func `a preview works on a read-only connection`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("x.db").string
    try Storing.put(old, into: try DatabaseQueue(path: path))
    var configuration = Configuration()
    configuration.readonly = true
    let database = try DatabaseQueue(path: path, configuration: configuration)
    for mode in DatabaseImportOptions.Mode.allCases {
      let options = Storing.options(mode, .replace)
      let preview = try BackupStore(database, catalog: FormatCatalog([Storing.trips]))
        .preview({ MemorySource(Array(new.utf8)) }, named: "test", rules: .format(Storing.trips), options: options)
      let copy = try DatabaseQueue()
      try Storing.put(old, into: copy)
      #expect(try Storing.put(new, into: copy, options).changes == preview.changes)
    }
  }

  @Test func `only the selected collections change`() throws {
    var options = Storing.options(.replace)
    options.validation.only = CollectionSelection(["cars"])
    try Storing.put(#"{"unit":"mi","cars":[{"id":7}],"trips":[]}"#, into: database, options)
    let text = try Storing.text(of: database)
    #expect(text.contains(#""id":7"#) && text.contains(#""km":1.50"#) && text.contains(#""unit":"km""#))
  }

  @Test func `columns, indexes and tables added by an app stay`() throws {
    try database.write { database in
      try database.execute(
        sql: """
          ALTER TABLE trips ADD COLUMN starred INTEGER;
          UPDATE trips SET starred = id * 10;
          CREATE INDEX mine ON trips (km);
          CREATE TABLE mine_too (x);
          """)
    }
    for mode in [DatabaseImportOptions.Mode.merge, .replace] {
      try Storing.put(new, into: database, Storing.options(mode, .replace))
      #expect(try database.read { try Int.fetchOne($0, sql: "SELECT starred FROM trips WHERE id = 1") } == 10)
      let count = "SELECT count(*) FROM sqlite_schema WHERE name IN ('mine', 'mine_too')"
      #expect(try database.read { try Int.fetchOne($0, sql: count) } == 2)
    }
  }

  /// In formats whose keys ignore case, keys match whatever their case, and the row gets the backup's spelling.
  @Test(arguments: ["keeptrack", "swiff", "aquavate", "ev-charging-tracker", "smilepile"])
  func `a changed record is replaced and not duplicated`(_ name: String) throws {
    let format = try #require(Storing.catalog[name])
    let bytes = try Storing.backup(of: format, seed: 3, size: 5_000)
    let layout = try DatabaseLayout(format)
    let table = try #require(
      layout.tables.first { !$0.key.isEmpty && $0.columns.contains { $0.kind == .text && $0.name.hasSuffix("ame") } })
    let column = try #require(table.columns.first { $0.kind == .text && $0.name.hasSuffix("ame") }).name
    let database = try DatabaseQueue()
    let store = BackupStore(database, catalog: Storing.catalog)
    _ = try store.importBackup({ MemorySource(bytes) }, named: "test", rules: .format(format), options: Storing.options())
    let count = try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table.name.quotedIdentifier)") }
    try database.write {
      try $0.execute(sql: "UPDATE \(table.name.quotedIdentifier) SET \(column.quotedIdentifier) = 'another' WHERE rowid = 1")
    }
    let report = try store.importBackup(
      { MemorySource(bytes) }, named: "test", rules: .format(format), options: Storing.options(.merge, .replace))
    let changes = try #require(report.changes.collections.first { $0.pointer == table.pointer })
    #expect(changes.replaced == 1 && changes.inserted == 0 && changes.count == count)
    var sink = MemorySink()
    try store.export(to: &sink)
    #expect(try Storing.canonical(sink.bytes) == Storing.canonical(bytes))
  }

  @Test func `keys that ignore case match despite different letters`() throws {
    let format = try BackupFormat(
      descriptor: #"""
        {"backup": {"name": "words", "detect": "/words", "collections": {"/words": {"key": "id"}}}, "type": "object", "properties": {
          "words": {"type": "array", "uniqueKeys": [{"fields": ["id"], "ignoreCase": true}],
            "items": {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}}}}}
        """#)
    let database = try DatabaseQueue()
    try Storing.put(#"{"words":[{"id":"aB","n":1}]}"#, into: database, of: format)
    #expect(try Storing.put(#"{"words":[{"id":"aB","n":1}]}"#, into: database, of: format).changes.isEmpty)
    let report = try Storing.put(#"{"words":[{"id":"Ab","n":1}]}"#, into: database, of: format, Storing.options(.merge, .replace))
    #expect(report.changes.collections.first?.replaced == 1)
    #expect(try Storing.text(of: database, format) == #"{"words":[{"id":"Ab","n":1}]}"#)
  }

  @Test func `unique values may change places`() throws {
    let format = try BackupFormat(
      descriptor: #"""
        {"backup": {"name": "seats", "detect": "/seats", "collections": {"/seats": {"key": "id"}}}, "type": "object", "properties": {
          "seats": {"type": "array", "primaryKey": "id", "uniqueKeys": [["who"]],
            "items": {"type": "object", "properties": {"id": {"type": "integer"}, "who": {"type": "string"}}}}}}
        """#)
    let database = try DatabaseQueue()
    try Storing.put(#"{"seats":[{"id":1,"who":"A"},{"id":2,"who":"B"}]}"#, into: database, of: format)
    let swapped = #"{"seats":[{"id":1,"who":"B"},{"id":2,"who":"A"}]}"#
    try Storing.put(swapped, into: database, of: format, Storing.options(.merge, .replace))
    #expect(try Storing.text(of: database, format) == swapped)
    // The rule still applies.
    #expect(throws: CofferError.self) {
      try Storing.put(#"{"seats":[{"id":3,"who":"A"}]}"#, into: database, of: format)
    }
    #expect(try Storing.text(of: database, format) == swapped)
  }

  @Test func `values of an app's unique index may change places`() throws {
    let database = try DatabaseQueue()
    let trips = (3...20).map { #"{"id":\#($0),"note":"\#($0)"}"# }.joined(separator: ",")
    try Storing.put(#"{"cars":[],"trips":[{"id":1,"note":"A"},{"id":2,"note":"B"},\#(trips)]}"#, into: database)
    try database.write { try $0.execute(sql: "CREATE UNIQUE INDEX mine ON trips (note)") }
    let swapped = #"{"cars":[],"trips":[{"id":1,"note":"B"},{"id":2,"note":"A"},\#(trips)]}"#
    try Storing.put(swapped, into: database, Storing.options(.replace))
    #expect(try Storing.text(of: database) == swapped)
  }

  /// Existing dangling references don't block an import; new ones do.
  @Test func `only new dangling references are refused`() throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"cars":[],"trips":[{"id":1,"car":9}]}"#, into: database, Storing.options(allowsFindings: true))
    try Storing.put(#"{"cars":[{"id":2}],"trips":[{"id":2,"car":2}]}"#, into: database)
    var options = Storing.options()
    options.validation.only = CollectionSelection(["trips"])
    #expect { try Storing.put(#"{"cars":[{"id":3}],"trips":[{"id":3,"car":3}]}"#, into: database, options) } throws: {
      ($0 as? CofferError)?.code == .conflict
    }
  }
}
