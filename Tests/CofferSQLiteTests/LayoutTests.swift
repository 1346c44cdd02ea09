import Coffer
import GRDB
import Testing

@testable import CofferSQLite

/// The columns that the rules give to a collection's table.
@Suite struct LayoutTests {
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

  private static func rows(_ database: DatabaseQueue) throws -> [String] {
    try database.read {
      try String.fetchAll(
        $0,
        sql: """
          SELECT kind || ' ' || coalesce(currency, '-') || ' ' || typeof(level) || coalesce(' ' || level, '') || coalesce(' ' || isPaid, '')
            || coalesce(' ' || rate, '') || coalesce(' ' || "any", '') || coalesce(' ' || unit, '') || coalesce(' ' || coffer_extra, '')
          FROM costs ORDER BY rowid
          """)
    }
  }

  static let stored = [
    #"ü € integer 2 1 0.5 "\u0078" {"rate":0.50,"unit":5}"#, "a $ integer 1 1.0 1 km", #"7 - null {"currency":null}"#,
  ]

  @Test func `allowed values decide the type of a column`() throws {
    let database = try DatabaseQueue()
    try Storing.put(Self.text, into: database, of: Self.format)
    #expect(try Self.rows(database) == Self.stored)
    #expect(
      try Storing.canonical(Array(Storing.text(of: database, Self.format).utf8)) == Storing.canonical(Array(Self.text.utf8)))
  }

  private static func format(_ name: String, _ collections: String, _ properties: String) throws -> BackupFormat {
    try BackupFormat(
      descriptor: """
        {"backup": {"name": "\(name)", "detect": "/t", "collections": {\(collections)}}, "type": "object", "properties": {\(properties)}}
        """)
  }

  private static func array(_ key: String, unique: String = "[]") -> String {
    #"{"type": "array", "primaryKey": \#(key), "uniqueKeys": \#(unique), "items": {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}, "a_b": {"type": "integer"}}}}"#
  }

  @Test(arguments: [
    (#""/t": {"key": "a"}"#, #""t": \#(array(#""a""#, unique: #"[{"fields": "a_b"}, {"fields": ["a", "b"]}]"#))"#),
    (#""/t": {"key": "a"}, "/t_by_a": {"key": "a"}"#, #""t": \#(array(#""a""#)), "t_by_a": \#(array(#""a""#))"#),
  ])
  func `a format whose tables or indexes would share a name is refused`(collections: String, properties: String) throws {
    let format = try Self.format("shared", collections, properties)
    let error = #expect(throws: CofferError.self) { try DatabaseLayout(format) }
    #expect(error?.code == .incompatible)
    #expect(error?.message.contains("'t_by_a") == true)
  }

  /// The statements that compare rows use columns with such names.
  @Test func `a field whose name begins with coffer_ keeps its values`() throws {
    let format = try Self.format(
      "numbers", #""/t": {}"#, #""t": {"type": "array", "items": {"properties": {"coffer_number": {"type": "string"}}}}"#)
    let database = try DatabaseQueue()
    for shift in [0, 1] {
      let text = #"{"t":[\#((0..<300).map { #"{"coffer_number":"\#(($0 + shift) % 7)"}"# }.joined(separator: ","))]}"#
      try Storing.put(text, into: database, of: format, Storing.options(.replace))
      #expect(try Storing.text(of: database, format) == text)
    }
  }

  /// "Integer or null" and "anything but null" give an integer: such a column is compared and sorted as a number.
  @Test func `types from several rules are combined`() throws {
    let format = try BackupFormat(
      descriptor: #"""
        {"backup": {"name": "ids", "detect": "/ids", "collections": {"/ids": {"key": "id"}}}, "type": "object",
         "$defs": {"neverNull": {"type": ["boolean", "number", "string", "array", "object"]}},
         "properties": {"ids": {"type": "array", "primaryKey": "id", "items": {"type": "object", "properties": {
           "id": {"type": ["integer", "null"], "allOf": [{"$ref": "#/$defs/neverNull"}]},
           "rate": {"type": ["number", "null"], "allOf": [{"$ref": "#/$defs/neverNull"}]},
           "whole": {"type": "number", "allOf": [{"type": "integer"}]}, "none": {"type": "string", "allOf": [{"type": "number"}]}}}}}}
        """#)
    let columns = try DatabaseLayout(format).tables[0].columns
    #expect(columns.map(\.kind) == [.integer, .number, .integer, .json])
    for name in Storing.catalog.names {
      let format = try #require(Storing.catalog[name])
      for table in try DatabaseLayout(format).tables {
        for column in table.columns where table.key.contains(column.name) {
          #expect(column.kind != .json, "\(name): \(table.name)")
        }
      }
    }
  }

  @Test(arguments: [("2", "export the backup with that version"), ("5", "a later version of Coffer")])
  func `tables of another form are refused and stay unchanged`(form: String, message: String) throws {
    let database = try DatabaseQueue()
    try Storing.put(Self.text, into: database, of: Self.format)
    try database.write { try $0.execute(sql: "UPDATE coffer_backup SET value = ? WHERE name = 'form'", arguments: [form]) }
    func isRefusal(_ error: any Error) -> Bool { (error as? CofferError)?.message.contains(message) == true }
    #expect { try Storing.put(Self.text, into: database, of: Self.format, Storing.options(.replace)) } throws: { isRefusal($0) }
    #expect { try Storing.text(of: database, Self.format) } throws: { isRefusal($0) }
    #expect(try Self.rows(database) == Self.stored)
  }
}
