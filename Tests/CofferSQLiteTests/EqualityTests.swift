import Coffer
import CofferSQLite
import GRDB
import Testing

/// An import compares records like `diff`, and leaves equal rows as stored.
@Suite struct EqualityTests {
  static let pairs: [(there: String, comes: String)] = [
    (#"{"cars":[],"trips":[{"id":1,"km":12.5}]}"#, #"{"cars":[],"trips":[{"id":1,"km":12.500}]}"#),
    (#"{"cars":[],"trips":[{"id":1,"km":100}]}"#, #"{"cars":[],"trips":[{"id":1,"km":1e2}]}"#),
    (
      #"{"cars":[],"trips":[{"id":1,"stops":["€",{"a":1,"b":2}]}]}"#,
      #"{"cars":[],"trips":[{"id":1,"stops":["\u20ac",{"b":2.0,"a":1}]}]}"#
    ),
    (
      #"{"cars":[],"trips":[{"id":1,"new":{"x":1,"y":"ä"},"other":0}]}"#,
      #"{"cars":[],"trips":[{"other":-0,"id":1,"new":{"y":"\u00e4","x":1.0}}]}"#
    ),
    (
      #"{"cars":[],"trips":[{"id":1,"note":"€"}],"unit":"\u20ac"}"#, #"{"cars":[],"trips":[{"id":1,"note":"\u20ac"}],"unit":"€"}"#
    ),
    (
      #"{"cars":[],"trips":[],"log":[{"text":"a","at":1},{"text":"a","at":1.0}]}"#,
      #"{"cars":[],"trips":[],"log":[{"text":"\u0061","at":1e0},{"at":1,"text":"a"}]}"#
    ),
    (
      #"{"cars":[],"trips":[],"log":[{"x":1.0},{"x":2},{"x":1}]}"#,
      #"{"cars":[],"trips":[],"log":[{"x":2.0},{"x":1},{"x":1.00}]}"#
    ),
    (#"{"cars":[{"id":14}],"trips":[{"id":2.0,"car":14}]}"#, #"{"cars":[{"id":14.0}],"trips":[{"id":2,"car":1.4e1}]}"#),
  ]

  @Test(arguments: pairs, [DatabaseImportOptions.Mode.merge, .replace])
  func `rows of equal value keep their form`(_ pair: (there: String, comes: String), mode: DatabaseImportOptions.Mode) throws {
    let database = try DatabaseQueue()
    try Storing.put(pair.there, into: database)
    let before = try Storing.text(of: database)
    let report = try Storing.put(pair.comes, into: database, Storing.options(mode, .replace))
    #expect(report.changes.isEmpty)
    #expect(try Storing.text(of: database) == before)
  }

  @Test(arguments: [
    (#"{"id":1,"km":12.5}"#, #"{"id":1,"km":12.51}"#), (#"{"id":1,"km":9007199254740993}"#, #"{"id":1,"km":9007199254740992}"#),
    (#"{"id":1,"stops":[1]}"#, #"{"id":1,"stops":["1"]}"#), (#"{"id":1,"new":null}"#, #"{"id":1}"#),
    (#"{"id":1,"stops":[1,2]}"#, #"{"id":1,"stops":[2,1]}"#), (#"{"id":1,"note":"a"}"#, #"{"id":1,"note":"A"}"#),
    (#"{"id":1,"car":null}"#, #"{"id":1,"car":0}"#),
  ])
  func `rows with different values are replaced`(there: String, comes: String) throws {
    let database = try DatabaseQueue()
    let allowing = Storing.options(.merge, .replace, allowsFindings: true)
    try Storing.put(#"{"trips":[\#(there)]}"#, into: database, allowing)
    #expect(
      try Storing.put(#"{"trips":[\#(comes)]}"#, into: database, allowing).changes.collections.contains { $0.replaced == 1 })
    #expect(try Storing.text(of: database) == #"{"trips":[\#(comes)]}"#)
  }

  @Test func `a replacement keeps the spelling of equal rows among others`() throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[{"id":1,"km":1.50},{"id":2,"km":2}],"log":[{"x":1.0},{"x":2}]}"#, into: database)
    try database.write { try $0.execute(sql: "ALTER TABLE log ADD COLUMN mine INTEGER; UPDATE log SET mine = rowid * 10") }
    try Storing.put(
      #"{"trips":[{"id":3},{"id":1,"km":1.5}],"log":[{"x":3},{"x":2},{"x":1}]}"#, into: database, Storing.options(.replace))
    #expect(
      try Storing.text(of: database) == #"{"trips":[{"id":3},{"id":1,"km":1.50}],"log":[{"x":3},{"x":2},{"x":1.0}]}"#)
    #expect(try database.read { try Int?.fetchAll($0, sql: "SELECT mine FROM log ORDER BY rowid") } == [nil, 20, 10])
  }

  /// Also if all of them are written differently.
  @Test(arguments: [DatabaseImportOptions.Mode.merge, .replace])
  func `a row without a key is the counterpart of only one equal record`(mode: DatabaseImportOptions.Mode) throws {
    let database = try DatabaseQueue()
    try Storing.put(#"{"trips":[],"log":[{"x":1.0}]}"#, into: database)
    let report = try Storing.put(#"{"trips":[],"log":[{"x":1},{"x":1.00}]}"#, into: database, Storing.options(mode))
    let changes = try #require(report.changes.collections.first { $0.title == "log" })
    #expect(changes.unchanged == 1 && changes.inserted == 1)
    #expect(try Storing.text(of: database) == #"{"trips":[],"log":[{"x":1.0},{"x":1.00}]}"#)
  }

  @Test func `a replacement by an equal backup leaves an app's columns alone`() throws {
    let database = try DatabaseQueue()
    let text = #"{"trips":[],"log":[{"text":"a"},{"text":"a"},{"text":"b"}]}"#
    try Storing.put(text, into: database)
    try database.write { try $0.execute(sql: "ALTER TABLE log ADD COLUMN mine INTEGER; UPDATE log SET mine = rowid") }
    #expect(try Storing.put(text, into: database, Storing.options(.replace)).changes.isEmpty)
    #expect(try database.read { try Int?.fetchAll($0, sql: "SELECT mine FROM log ORDER BY rowid") } == [1, 2, 3])
  }

  @Test func `a key is an integer by its value`() throws {
    let database = try DatabaseQueue()
    let text = #"{"cars":[{"id":14.0},{"id":-0},{"id":1e2}],"trips":[{"id":5.00,"car":1.40e1}]}"#
    try Storing.put(text, into: database)
    #expect(try database.read { try Int.fetchAll($0, sql: "SELECT id FROM cars ORDER BY rowid") } == [14, 0, 100])
    #expect(try Storing.text(of: database) == text)
    try database.write {
      try $0.execute(
        sql: "PRAGMA defer_foreign_keys = 1; UPDATE cars SET id = 15 WHERE id = 14; UPDATE trips SET car = 15")
    }
    #expect(
      try Storing.text(of: database) == #"{"cars":[{"id":15},{"id":-0},{"id":1e2}],"trips":[{"car":15,"id":5.00}]}"#)
    #expect {
      try Storing.put(#"{"trips":[{"id":7},{"id":7.0}]}"#, into: try DatabaseQueue(), Storing.options(allowsFindings: true))
    } throws: { ($0 as? CofferError)?.code == .conflict }
  }
}
