import Coffer
import CofferSQLite
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

/// Any JSON goes into a database without rules, and comes back by value: Tests/Fixtures/AnyJSON has files in the shape of public exports.
@Suite struct AnyJSONTests {
  private static let files = Checkout.names(in: Checkout.fixtures.appending(path: "AnyJSON"))

  private let folder: TemporaryFolder
  private var database: FilePath { folder.path.appending("any.db") }

  init() throws { folder = try TemporaryFolder() }

  private func load(_ text: String, named name: String, _ rules: RuleSource = .detected(.builtIn)) throws -> DatabaseImportReport
  {
    try folder.write(text, to: name)
    return try DatabaseImporter(rules, catalog: .builtIn, options: Storing.options())
      .run(folder.path.appending(name), into: database)
  }

  private func exported() throws -> String {
    var sink = MemorySink()
    _ = try DatabaseExporter(.builtIn, options: DatabaseExportOptions(), now: Storing.now).export(database, to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  private func query(_ sql: String) throws -> [String] {
    try DatabaseQueue(path: database.string).read { try String.fetchAll($0, sql: sql) }
  }

  private func tables() throws -> [String] {
    try query("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'coffer_%' ORDER BY name")
  }

  /// JSON Lines come back as an array.
  private static func canonical(_ text: String, isLines: Bool = false) throws -> String {
    let text = isLines ? "[\(text.split(separator: "\n").filter { !$0.isEmpty }.joined(separator: ","))]" : text
    return try Storing.canonical(Array(text.utf8))
  }

  @Test(arguments: files) func `a file of any kind survives import and export`(name: String) throws {
    let text = try String(contentsOf: Checkout.fixtures.appending(path: "AnyJSON/\(name)"), encoding: .utf8)
    let report = try load(text, named: name)
    #expect(report.assumed?.origin == .drafted && report.validation.counts.total == 0)
    let expected = try Self.canonical(text, isLines: name.hasSuffix(".ndjson"))
    #expect(try Self.canonical(exported()) == expected)
    // The second import follows the stored rules, and changes nothing.
    let again = try load(text, named: name)
    #expect(again.assumed?.origin == .database && again.assumed?.additions == 0 && again.changes.isEmpty)
    #expect(try Self.canonical(exported()) == expected)
  }

  @Test(
    arguments: [
      (#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#, ["any"]),
      (#"{"db":{"version":3,"entries":[{"uuid":"x"},{"uuid":"y"}]}}"#, ["db_entries"]),
      (#"{"a":{"items":[{"id":1},{"id":2}]},"b":{"c":{"items":[{"id":1}]}}}"#, ["a_items", "b_c_items"]),
      (#"{"tags":["a","b"],"mixed":[{"id":1},5],"empty":[]}"#, []),
      (#"[1,2]"#, []), (#""text""#, []), ("{}", []), ("[]", []), ("null", []), ("1e400", []),
      (#"[{"a":1},5]"#, []),
    ] as [(String, [String])])
  func `arrays of records become tables, everything else stays as it is`(text: String, names: [String]) throws {
    _ = try load(text, named: "any.json")
    #expect(try tables() == names)
    #expect(try exported() == text)
  }

  @Test(arguments: [
    (#"{"users":{"u1":{"n":1.50},"u2":{"n":2,"x":null},"u3":{},"ü\"4":{"n":"x"}},"v":1}"#, "users"),
    (#"{"2026-01-01":{"km":1},"2026-01-02":{"km":2},"2026-01-03":{"km":3},"2026-01-04":{"km":4.0}}"#, "any"),
  ])
  func `objects of records become tables with their names`(text: String, name: String) throws {
    let rules =
      #"{"backup":{"name":"any"},"properties":{"users":{"additionalProperties":{"type":"object","properties":{"n":{"type":"number"}}}}}}"#
    let root =
      #"{"backup":{"name":"any","collections":{"":{"title":"any"}}},"additionalProperties":{"type":"object","properties":{"km":{"type":"integer"}}}}"#
    let format = try BackupFormat(descriptor: name == "any" ? root : rules)
    var options = Storing.options(allowsFindings: true, sliceSize: 16)
    options.mode = .merge
    try folder.write(text, to: "any.json")
    for _ in 1...2 {
      let importer = DatabaseImporter(.format(format), catalog: FormatCatalog([format]), options: options)
      _ = try importer.run(folder.path.appending("any.json"), into: database)
      #expect(try tables() == [name])
      #expect(try Self.canonical(exported()) == Self.canonical(text))
    }
    let names = try query(#"SELECT coffer_name FROM "\#(name)" ORDER BY rowid"#)
    #expect(names == (name == "any" ? ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"] : ["u1", "u2", "u3", "ü\"4"]))
    // A record is matched by its name.
    let changed = text.replacing(name == "any" ? #""km":2"# : #""n":2"#, with: name == "any" ? #""km":7"# : #""n":7"#)
    try folder.write(changed, to: "any.json")
    options.conflicts = .replace
    let report = try DatabaseImporter(.format(format), catalog: FormatCatalog([format]), options: options)
      .run(folder.path.appending("any.json"), into: database)
    #expect(report.changes.collections.map(\.replaced) == [1])
    #expect(try Self.canonical(exported()) == Self.canonical(changed))
  }

  @Test func `references to the names of records become foreign keys`() throws {
    let rules = #"""
      {"backup": {"name": "app", "detect": "/users"},
       "properties": {
         "users": {"additionalProperties": {"type": "object", "properties": {"n": {"type": "string"}}}},
         "posts": {"primaryKey": "id", "foreignKeys": [{"fields": "user", "reference": {"resource": "/users", "fields": "0#"}}],
           "items": {"type": "object", "properties": {"id": {"type": "integer"}, "user": {"type": "string"}}}}}}
      """#
    let text = #"{"users":{"a":{"n":"x"},"b":{"n":"y"}},"posts":[{"id":1,"user":"b"}]}"#
    _ = try load(text, named: "app.json", .format(try BackupFormat(descriptor: rules)))
    let keys = try query(#"SELECT "from" || ' ' || "table" || ' ' || "to" FROM pragma_foreign_key_list('posts')"#)
    #expect(keys == ["user users coffer_name"])
    #expect(try exported() == text)
  }

  @Test func `keys and references are drafted`() throws {
    let cars = (1...12).map { #"{"id":\#($0),"name":"car \#($0)"}"# }.joined(separator: ",")
    let trips = (1...40).map { #"{"id":\#(100 + $0),"carId":\#($0 % 12 + 1),"km":\#($0).5}"# }.joined(separator: ",")
    let report = try load(#"{"cars":[\#(cars)],"trips":[\#(trips)]}"#, named: "log.json")
    #expect(report.assumed?.keys == 2 && report.assumed?.references == 1)
    #expect(try query(#"SELECT "from" || ' ' || "table" FROM pragma_foreign_key_list('trips')"#) == ["carId cars"])
    #expect(try query("SELECT CAST(max(km) AS TEXT) FROM trips") == ["40.5"])
  }

  @Test func `the next file adds columns`() throws {
    _ = try load(#"{"version":1,"notes":[{"id":1,"text":"a"},{"id":2,"text":"b"}]}"#, named: "january.json")
    let next = #"{"version":2,"notes":[{"id":1,"text":"a"},{"id":2,"text":null},{"id":3,"text":"c","pinned":true}]}"#
    let report = try load(next, named: "february.json")
    #expect(report.assumed?.origin == .database && report.assumed?.additions == 1)
    #expect(report.changes.collections.first?.inserted == 1)
    #expect(try query("SELECT id || ' ' || coalesce(pinned, '-') FROM notes") == ["1 -", "2 -", "3 1"])
  }

  /// What a second file changes: the result of a merge that replaces conflicts, or `nil` if it is refused.
  static let sequences: [(first: String, second: String, result: String?)] = [
    // Values that don't fit a column, and text that looks like JSON.
    (
      #"{"r":[{"id":1,"v":1},{"id":4,"v":2}]}"#, #"{"r":[{"id":2,"v":1.5},{"id":3,"v":"x"}]}"#,
      #"{"r":[{"id":1,"v":1},{"id":4,"v":2},{"id":2,"v":1.5},{"id":3,"v":"x"}]}"#
    ),
    (
      #"{"r":[{"id":1,"d":"5"},{"id":2,"d":"null"}]}"#, #"{"r":[{"id":3,"d":7},{"id":4,"d":"x"}]}"#,
      #"{"r":[{"id":1,"d":"5"},{"id":2,"d":"null"},{"id":3,"d":7},{"id":4,"d":"x"}]}"#
    ),
    // Collections that were empty, or null.
    (#"{"e":[],"k":1}"#, #"{"e":[{"id":1},{"id":2}],"k":1}"#, #"{"e":[{"id":1},{"id":2}],"k":1}"#),
    (#"{"e":null,"k":1}"#, #"{"e":[{"id":1},{"id":2}],"k":1}"#, #"{"e":[{"id":1},{"id":2}],"k":1}"#),
    (#"{"db":{"e":[]},"k":1}"#, #"{"db":{"e":[{"id":1},{"id":2}]},"k":1}"#, #"{"db":{"e":[{"id":1},{"id":2}]},"k":1}"#),
    // Names of tables stay.
    (
      #"{"b":{"items":[{"id":1},{"id":2}]},"k":1}"#, #"{"b":{"items":[{"id":1}]},"k":1,"items":[{"id":7},{"id":8}]}"#,
      #"{"b":{"items":[{"id":1},{"id":2}]},"k":1,"items":[{"id":7},{"id":8}]}"#
    ),
    // Something else in the place of a table.
    (#"{"r":[{"id":1},{"id":2}],"k":1}"#, #"{"r":[{"id":3},7],"k":2}"#, nil),
    (#"{"r":[{"id":1},{"id":2}],"k":1}"#, #"{"r":{"a":{"id":1},"b":{"id":2}},"k":1}"#, nil),
    (#"{"r":[{"id":1},{"id":2}],"k":1}"#, #"{"r":null,"k":1}"#, nil),
    (#"{"db":{"e":[{"id":1},{"id":2}]},"k":1}"#, #"{"db":null,"k":1}"#, nil),
    (#"[{"id":1},{"id":2}]"#, #"{"data":[{"id":1}],"page":1}"#, nil),
    // Names that only bytes distinguish.
    (
      #"{"é":[{"id":1},{"id":5}],"e\u0301":[{"id":2},{"id":6}]}"#, #"{"é":[{"id":3}],"e\u0301":[{"id":2}]}"#,
      #"{"é":[{"id":1},{"id":5},{"id":3}],"e\u0301":[{"id":2},{"id":6}]}"#
    ),
    // Reserved names, and one that SQLite doesn't tell from another.
    (#"{"Items":[{"a":1}],"items":[{"b":1}],"sqlite_x":[{"c":1}],"":[{"d":1}]}"#, "7", nil),
  ]

  @Test(arguments: sequences) func `a second file loses nothing`(first: String, second: String, result: String?) throws {
    _ = try load(first, named: "any.json")
    #expect(try Self.canonical(exported()) == Self.canonical(first))
    try folder.write(second, to: "any.json")
    let importer = DatabaseImporter(.detected(.builtIn), catalog: .builtIn, options: Storing.options(.merge, .replace))
    if let result {
      _ = try importer.run(folder.path.appending("any.json"), into: database)
      #expect(try Self.canonical(exported()) == Self.canonical(result))
    } else {
      #expect(throws: CofferError.self) { try importer.run(folder.path.appending("any.json"), into: database) }
      #expect(try Self.canonical(exported()) == Self.canonical(first))
    }
  }

  @Test func `members that differ and stay are counted`() throws {
    _ = try load(#"{"a":1,"b":{"c":2},"r":[{"id":1},{"id":2}]}"#, named: "any.json")
    let report = try load(#"{"a":2,"b":{"c":3},"r":[{"id":1}],"new":1}"#, named: "any.json")
    #expect(report.changes.keptMembers == 2 && report.changes.changedMembers == 1)
  }

  @Test func `the stored rules count, whatever else has the format's name`() throws {
    let text = #"{"accounts":[{"id":1},{"id":2}],"k":1}"#
    _ = try load(text, named: "keeptrack.json")
    #expect(try exported() == text)
    let name = try query("SELECT value FROM coffer_backup WHERE name = 'format'")
    let other = try BackupFormat(descriptor: #"{"backup":{"name":"\#(name[0])"},"properties":{"accounts":{}}}"#)
    var sink = MemorySink()
    _ = try DatabaseExporter(FormatCatalog([other]), options: DatabaseExportOptions(), now: Storing.now).export(
      database, to: &sink)
    #expect(String(decoding: sink.bytes, as: UTF8.self) == text)
    // Rules without a collection that has a table would lose its records.
    var options = DatabaseExportOptions()
    options.format = other
    #expect { try DatabaseExporter(.builtIn, options: options, now: Storing.now).export(database, to: &sink) } throws: {
      ($0 as? CofferError)?.code == .incompatible
    }
  }

  @Test func `a null that an app writes into a column of numbers counts`() throws {
    _ = try load(#"{"r":[{"id":1,"p":1.10},{"id":2,"p":null}]}"#, named: "any.json")
    try DatabaseQueue(path: database.string).write { try $0.execute(sql: "UPDATE r SET p = NULL WHERE id = 1") }
    #expect(try exported() == #"{"r":[{"id":1},{"id":2,"p":null}]}"#)
  }

  @Test func `another document is refused, and changes nothing`() throws {
    _ = try load(#"{"notes":[{"id":1},{"id":2}]}"#, named: "notes.json")
    let before = try exported()
    #expect {
      try load(#"{"cars":[{"id":1},{"id":2}]}"#, named: "cars.json")
    } throws: { ($0 as? CofferError)?.code == .unknownFormat && "\($0)".contains("unknown format") }
    #expect(try exported() == before)
  }

  @Test func `the database keeps the rules of a format of one's own`() throws {
    let rules =
      #"{"backup":{"name":"own","detect":"/t","collections":{"/t":{"key":"id"}}},"properties":{"t":{"primaryKey":"id","items":{"properties":{"id":{"type":"integer"},"n":{"type":"integer"}}}}}}"#
    let format = try BackupFormat(descriptor: rules)
    #expect(try load(#"{"t":[{"id":1}]}"#, named: "a.json", .format(format)).assumed == nil)
    #expect(try exported() == #"{"t":[{"id":1}]}"#)
    let second = try load(#"{"t":[{"id":1},{"id":2}]}"#, named: "b.json")
    #expect(second.assumed?.origin == .database && second.assumed?.additions == nil)
    // Coffer widens only rules that it drafted.
    #expect { try load(#"{"t":[{"id":3,"n":"x"}]}"#, named: "c.json") } throws: { ($0 as? CofferError)?.code == .findings }
    #expect(try exported() == #"{"t":[{"id":1},{"id":2}]}"#)
  }

  @Test func `records inside a member keep their place if an app removes it`() throws {
    _ = try load(#"{"db":{"v":3,"entries":[{"id":1},{"id":2}]}}"#, named: "any.json")
    try DatabaseQueue(path: database.string).write { try $0.execute(sql: #"UPDATE coffer_members SET value = '{"v":4}'"#) }
    #expect(try exported() == #"{"db":{"v":4,"entries":[{"id":1},{"id":2}]}}"#)
    try DatabaseQueue(path: database.string).write { try $0.execute(sql: "DELETE FROM coffer_members") }
    #expect(try exported() == #"{"db":{"entries":[{"id":1},{"id":2}]}}"#)
    try DatabaseQueue(path: database.string).write {
      try $0.execute(sql: #"INSERT INTO coffer_members VALUES (0, 'db', '{"entries":[7]}')"#)
    }
    #expect { try exported() } throws: { ($0 as? CofferError)?.code == .damagedDatabase }
  }

  // MARK: Views of lists in records

  private static let invoices = #"""
    {"invoices": [
      {"id": 7, "to": "Ann", "lines": [{"sku": "a", "price": 1.50, "taxes": [{"rate": 19}, {"rate": 7}]}, 5, {"sku": "b\"", "x.y": null}]},
      {"id": 8, "to": "Bob", "lines": []}, {"id": 9, "to": "Cy", "lines": {"no": "list"}},
      {"id": 10, "lines": [{"sku": "c", "price": 2, "taxes": [], "lines_index": "own"}], "ship": {"parcels": [{"id": 1, "open": true}]}}]}
    """#

  @Test func `a list in records is a view`() throws {
    try folder.write(Self.invoices, to: "any.json")
    var options = Storing.options(allowsFindings: true)
    options.addsNestedViews = true
    let importer = DatabaseImporter(.detected(.builtIn), catalog: .builtIn, options: options)
    let preview = try importer.preview(folder.path.appending("any.json"), into: database)
    let report = try importer.run(folder.path.appending("any.json"), into: database)
    let views = ["invoices_lines", "invoices_lines_taxes", "invoices_ship_parcels"]
    #expect(report.changes.views == views && preview.changes.views == views)
    #expect(try Self.canonical(exported()) == Self.canonical(Self.invoices))
    #expect(
      try query("SELECT json_array(invoices_id, lines_index, sku, price, \"x.y\", lines_index_2) FROM invoices_lines")
        == [#"[7,0,"a",1.5,null,null]"#, #"[7,2,"b\"",null,null,null]"#, #"[10,0,"c",2,null,"own"]"#])
    #expect(
      try query("SELECT json_array(invoices_id, lines_index, taxes_index, rate) FROM invoices_lines_taxes") == [
        "[7,0,0,19]", "[7,0,1,7]",
      ])
    #expect(try query("SELECT json_array(invoices_id, parcels_index, id, open) FROM invoices_ship_parcels") == ["[10,0,1,1]"])
    // A later import replaces Coffer's views, and no others.
    #expect(try importer.run(folder.path.appending("any.json"), into: database).changes.isEmpty)
    try DatabaseQueue(path: database.string).write {
      try $0.execute(sql: "DROP VIEW invoices_lines; CREATE VIEW Invoices_Lines AS SELECT 1")
    }
    for run in [importer.preview, importer.run] {
      #expect { try run(folder.path.appending("any.json"), database) } throws: { ($0 as? CofferError)?.code == .incompatible }
    }
    #expect(try Self.canonical(exported()) == Self.canonical(Self.invoices))
  }

  @Test(
    arguments: [
      (#"[{"a":[{"b":1}]},{"a":[{"b":2}]}]"#, "any_a", "[1,0,1] [2,0,2]"),
      (
        #"{"r":{"u1":{"n":7,"a":[{"b":1}]},"u2":{"n":8,"a":[{"b":2}]},"u3":{"n":9,"a":[{"b":3}]}}}"#, "r_a",
        #"["u1",0,1] ["u2",0,2] ["u3",0,3]"#
      ),
      (#"{"r":[{"a b\"":[{"b":1}],"c":[{"'; DROP TABLE r; --":1}]}],"r_c":[{"id":1}]}"#, "r_c_2", "[1,0,1]"),
      (#"{"r":[{"a":[1,2],"b":{"c":1}}],"k":1}"#, "", ""),
      // Names and lists as they may be written.
      (#"{"r":[{"id":1,"gr\u00f6\u00dfe":[{"sl\/ash":5,"q\"\\":true}]}]}"#, "r_größe", #"[1,0,5,1]"#),
      (#"{"r":[{"id":1,"o":{"\u00e9":[{"x":{"y":[1]}}]}}]}"#, "r_o_é", #"[1,0,"{\"y\":[1]}"]"#),
      (#"{"r":[{"id":1,"b":[[{"x":1},7],[{"x":3}]]}]}"#, "r_b", "[1,0,0,1] [1,1,0,3]"),
      (#"{"r":[{"id":1,"b":[{"s":1},[1]]}]}"#, "r_b", "[1,0,1]"),
      (#"{"r":[{"id":1,"b":{"*":[{"r":1}]}}]}"#, "", ""),
      (#"{"coffer":[{"id":1,"members":[{"x":1}]}]}"#, "_coffer_members", "[1,0,1]"),
    ]) func `views have the key of their table`(text: String, view: String, rows: String) throws
  {
    try folder.write(text, to: "any.json")
    var options = Storing.options()
    options.addsNestedViews = true
    let report = try DatabaseImporter(.detected(.builtIn), catalog: .builtIn, options: options)
      .run(folder.path.appending("any.json"), into: database)
    #expect(report.changes.views?.last == (view.isEmpty ? nil : view))
    #expect(try Self.canonical(exported()) == Self.canonical(text))
    if view.isEmpty { return }
    let columns = try query("SELECT name FROM pragma_table_info('\(view)')").map(\.quotedIdentifier).joined(separator: ", ")
    #expect(try query("SELECT json_array(\(columns)) FROM \(view)") == rows.split(separator: " ").map(String.init))
  }

  @Test func `views follow the rules, and an app's objects stay`() throws {
    func run(_ text: String, _ type: String, hasViews: Bool = true) throws -> DatabaseImportReport {
      let items = type == "array" ? #"{"items":{"type":"object","properties":{"x":{}}}}"# : "{}"
      let table = type == "table" ? #","a_b":{"items":{"type":"object","properties":{"id":{}}}}"# : ""
      let rules =
        #"{"backup":{"name":"own","detect":"/a"},"properties":{"a":{"primaryKey":"id","items":{"type":"object","properties":{"id":{"type":"integer"},"b":\#(items)}}}\#(table)}}"#
      try folder.write(text, to: "a.json")
      var options = Storing.options(.replace)
      options.addsNestedViews = hasViews
      let format = try BackupFormat(descriptor: rules)
      return try DatabaseImporter(.format(format), catalog: FormatCatalog([format]), options: options)
        .run(folder.path.appending("a.json"), into: database)
    }
    func views() throws -> [String] { try query("SELECT name FROM sqlite_schema WHERE type = 'view'") }
    func execute(_ sql: String) throws { try DatabaseQueue(path: database.string).write { try $0.execute(sql: sql) } }
    let list = #"{"a":[{"id":1,"b":[{"x":1}]}]}"#
    _ = try run(list, "array")
    try execute("CREATE TRIGGER mine INSTEAD OF DELETE ON a_b BEGIN SELECT 1; END")
    // The same view keeps its trigger, and another one is not replaced.
    _ = try run(list, "array")
    #expect(try query("SELECT name FROM sqlite_schema WHERE type = 'trigger'") == ["mine"])
    #expect { try run(#"{"a":[{"id":1,"b":"x"}]}"#, "text") } throws: { ($0 as? CofferError)?.code == .incompatible }
    try execute("DROP TRIGGER mine; UPDATE a SET b = 'not json'")
    #expect(try query("SELECT x FROM a_b").isEmpty)
    #expect(try run(#"{"a":[{"id":1,"b":"x"}]}"#, "text").changes.views == [] && views() == [])
    // A table needs the name of a view.
    _ = try run(list, "array")
    #expect { try run(#"{"a":[],"a_b":[{"id":3}]}"#, "table", hasViews: false) } throws: { "\($0)".contains("drop the view") }
  }

  @Test func `damaged rules in a database are an error`() throws {
    _ = try load(#"{"notes":[{"id":1},{"id":2}]}"#, named: "notes.json")
    try DatabaseQueue(path: database.string).write {
      try $0.execute(sql: "UPDATE coffer_backup SET value = '{' WHERE name = 'rules'")
    }
    #expect { try exported() } throws: { ($0 as? CofferError)?.code == .damagedDatabase }
  }
}
