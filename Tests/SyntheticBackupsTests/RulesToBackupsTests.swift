import ByteStreams
import JSONEvents
import Testing

@testable import SyntheticBackups

/// Documents generated from plain rules, one idea at a time. All of them are valid because creating a format fails otherwise.
@Suite struct RulesToBackupsTests {
  private static func text(_ rules: String, seed: UInt64 = 1, size: Int = 2000) throws -> String {
    let format = try Generated.format(rules)
    var sink = MemorySink()
    _ = try SyntheticBackup(of: format, options: .init(size: size, seed: seed, layout: .compact)).write(to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    #"{"type": "object", "required": ["a"], "properties": {"a": {"const": 7}}}"#,
    #"{"type": "array", "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "multipleOf": 7, "minimum": 15}}}}"#,
    #"{"oneOf": [{"type": "string", "maxLength": 3}, {"type": "integer"}]}"#,
    #"{"type": "array", "minItems": 3, "uniqueItems": true, "items": {"enum": ["a", "b", "c", "d"]}}"#,
    #"{"type": "object", "minProperties": 2, "additionalProperties": {"type": "string"}}"#,
    #"{"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}"#,
    #"{"type": "number", "exclusiveMinimum": 0.001, "exclusiveMaximum": 0.002}"#,
    #"{"type": "string", "not": {"enum": ["Green tea"]}, "minLength": 40}"#,
    #"{"if": {"type": "object", "required": ["k"], "properties": {"k": {"const": 1}}}, "then": {"required": ["b"]}, "type": "object", "required": ["k"], "properties": {"k": {"enum": [1, 2]}, "b": {"type": "boolean"}}}"#,
    #"{"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "exclusiveMinimum": {"$data": "1/a"}}}}"#,
    #"{"type": "object", "required": ["from", "to"], "properties": {"from": {"type": "string", "format": "date", "formatMaximum": {"$data": "1/to"}}, "to": {"type": "string", "format": "date", "formatMinimum": {"$data": "1/from"}}}}"#,
    #"{"type": "object", "required": ["t"], "properties": {"t": {"type": "integer", "format": "unix-time-ms", "formatMaximum": "now"}}}"#,
    ##"{"type": "object", "required": ["tree"], "properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": {"type": "object", "required": ["children"], "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}}"##,
    #"{"type": "object", "required": ["n", "list"], "properties": {"n": {"type": "integer", "countOf": "/list"}, "list": {"type": "array", "items": {"type": "object", "required": ["x"], "properties": {"x": {"type": "string"}}}}}}"#,
    #"{"type": "object", "required": ["sum", "list"], "properties": {"sum": {"type": "number", "sumOf": {"values": "/list/*/x"}}, "list": {"type": "array", "items": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number"}}}}}}"#,
    #"{"type": "array", "sortedBy": "n", "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "number", "multipleOf": 0.25}}}}"#,
    #"{"type": "array", "primaryKey": "n", "sortedBy": {"field": "n", "order": "descending"}, "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}}"#,
    #"{"type": "array", "sortedBy": {"field": "t", "order": "descending", "asInstants": true}, "items": {"type": "object", "properties": {"t": {"type": "string", "format": "date-time", "formatMaximum": "now"}}}}"#,
    #"{"type": "array", "sortedBy": {"field": "s", "order": "descending"}, "items": {"type": "object", "required": ["s"], "properties": {"s": {"type": "string"}}}}"#,
    #"{"type": "array", "sortedBy": "s", "items": {"type": "object", "required": ["s"], "properties": {"s": {"enum": ["b", "a"]}}}}"#,
    #"{"type": "array", "sortedBy": "s", "items": {"type": "object", "required": ["s"], "properties": {"s": {"type": "string", "pattern": "^[A-Z]{3}$"}}}}"#,
    #"{"type": "array", "contains": {"type": "object", "required": ["main"], "properties": {"main": {"const": true}}}, "maxContains": 1, "items": {"type": "object", "required": ["main"], "properties": {"main": {"type": "boolean"}}}}"#,
    #"{"type": "array", "primaryKey": ["id", "n"], "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "n": {"type": "integer"}}}}"#,
    #"{"type": "array", "minItems": 9, "items": {"type": "string", "maxBytes": 5}}"#,
    #"{"type": "array", "minItems": 9, "items": {"type": "string", "maxBytes": 3, "enum": ["éé", "é", "abc"]}}"#,
    #"{"type": "array", "minItems": 9, "items": {"type": "string", "maxBytes": 6, "minLength": 3, "pattern": "^[a-dа-г]+$"}}"#,
    #"{"type": "array", "primaryKey": "k", "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "string", "maxBytes": 12}}}}"#,
    #"{"type": "object", "minProperties": 2, "propertyNames": {"maxBytes": 6}, "additionalProperties": {"type": "string"}}"#,
    #"{"type": "string", "not": {"maxBytes": 20}}"#,
    #"{"oneOf": [{"type": "integer"}, {"type": "number"}]}"#,
    #"{"type": "number", "not": {"type": "integer"}, "minimum": 3, "exclusiveMaximum": 3.5}"#,
    #"{"type": "number", "not": {"type": "integer"}, "maximum": -7}"#,
    #"{"type": "number", "not": {"type": "integer"}, "multipleOf": 0.25}"#,
    #"{"type": "array", "minItems": 3, "items": {"type": "object", "required": ["x"], "properties": {"x": {"type": "number", "not": {"type": "integer"}}}}}"#,
  ])
  func `plain rules suffice to generate valid documents`(rules: String) throws {
    for seed in 1...5 as ClosedRange<UInt64> { #expect(try !Self.text(rules, seed: seed).isEmpty) }
  }

  @Test func `references lead to records that satisfy their condition`() throws {
    let text = try Self.text(
      """
      {"type": "object", "required": ["cars", "trips"], "properties": {
        "cars": {"type": "array", "primaryKey": "id", "items": {"type": "object", "required": ["id", "kind"], "properties": {
          "id": {"type": "integer"}, "kind": {"enum": ["new", "old"]}}}},
        "trips": {"type": "array", "foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id",
          "where": {"properties": {"kind": {"const": "old"}}, "required": ["kind"]}}}],
          "items": {"type": "object", "required": ["car"], "properties": {"car": {"type": "integer"}}}}}}
      """, size: 20_000)
    #expect(text.contains(#""kind":"new""#))
  }

  /// Objects of records, at the root, in members and with all that concerns their names.
  @Test(arguments: [
    #"{"type": "object", "additionalProperties": {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}, "additionalProperties": false}, "uniqueKeys": [{"fields": "a"}]}"#,
    #"{"type": "object", "required": ["m", "n"], "properties": {"n": {"type": "integer", "countOf": "/m"}, "m": {"type": "object", "minProperties": 3, "maxProperties": 5, "propertyNames": {"pattern": "^u[0-9]{4}$"}, "additionalProperties": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}}}}"#,
    #"{"type": "object", "required": ["m"], "properties": {"m": {"type": "object", "sortedBy": "0#", "additionalProperties": {"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}}}}"#,
    #"{"type": "object", "required": ["s", "db"], "properties": {"s": {"type": "number", "sumOf": {"values": "/db/m/*/x"}}, "db": {"type": "object", "required": ["m"], "properties": {"m": {"type": "object", "primaryKey": "id", "additionalProperties": {"type": "object", "required": ["id", "x"], "properties": {"id": {"type": "integer"}, "x": {"type": "number"}}}}}}}}"#,
  ])
  func `an object of records is valid`(rules: String) throws {
    for seed in 1...5 as ClosedRange<UInt64> {
      let text = try Self.text(rules, seed: seed)
      #expect(text.contains(#":{"a":"#) || text.contains(#":{"id":"#), "\(text)")
      #expect(!text.contains("0#"))
    }
  }

  @Test(arguments: [JSONEventWriter.Layout.compact, .pretty(indent: 2)])
  func `references lead to the names of records, and defects to their places`(layout: JSONEventWriter.Layout) throws {
    let format = try Generated.format(
      #"""
      {"type": "object", "required": ["dogs", "walks"], "properties": {
        "dogs": {"type": "object", "uniqueKeys": [{"fields": "chip"}],
          "foreignKeys": [{"fields": "mother", "reference": {"resource": "/dogs"}}],
          "additionalProperties": {"type": "object", "required": ["chip", "born"], "properties": {
            "chip": {"type": "integer"}, "mother": {"type": "string"}, "born": {"type": "string", "format": "date"}}}},
        "walks": {"type": "array", "foreignKeys": [{"fields": "dog", "reference": {"resource": "/dogs"}}],
          "items": {"type": "object", "required": ["dog"], "properties": {"dog": {"type": "string"}}}}}}
      """#)
    for (pointer, code) in [
      ("/dogs/*/chip", "unique-key"), ("/dogs/*/born", "format"), ("/dogs/*/mother", "foreign-key"),
      ("/walks/*/dog", "foreign-key"),
      ("/dogs/*/chip", "required"),
    ] {
      #expect(format.defects.contains { $0.pointer == pointer && $0.code == code }, "\(pointer) \(code): \(format.defects)")
    }
    var results: Set<[UInt8]> = []
    for jobs in 1...2 {
      var options = SyntheticBackup.Options(size: 400_000, seed: 3, layout: layout)
      options.jobs = jobs
      options.defects = [.duplicate: 2, .format: 3, .reference: 4]
      var (sink, ledger) = (MemorySink(), [LedgerEntry]())
      let summary = try SyntheticBackup(of: format, options: options).write(to: &sink) { ledger.append($0) }
      let root = try JSONValue(parsing: sink.bytes)
      let names = Set(try #require(root["dogs"]?.members).keys)
      #expect(summary.records["/dogs"] == names.count && names.count > 500)
      let dangling = try #require(root["walks"]?.items).count { !names.contains($0["dog"]?.text ?? "") }
      #expect(ledger.count == 9 && dangling <= 4)
      // Each place is that of a record's name.
      for entry in ledger where entry.pointer.hasPrefix("/dogs/") {
        #expect(names.contains(entry.pointer.pointerTokens?[1] ?? ""), "\(entry)")
      }
      results.insert(sink.bytes)
    }
    #expect(results.count == 1)
  }

  @Test func `a limit of bytes has a defect`() throws {
    let format = try Generated.format(
      #"{"type": "array", "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "string", "maxBytes": 9, "maxLength": 9}}}}"#
    )
    #expect(format.defects.contains { $0 == (.range, "/*/n", "max-bytes") })
  }

  @Test func `collections that refer to each other have the same keys`() throws {
    func records(_ field: String, _ other: String, _ key: String) -> String {
      """
      {"type": "array", "primaryKey": "id", "foreignKeys": [{"fields": "\(field)", "reference": {"resource": "/\(other)", "fields": "\(key)"}}],
        "items": {"type": "object", "required": ["id", "\(field)"], "properties": {"id": {"type": "integer"}, "\(field)": {"type": "string"}}}}
      """
    }
    let text = try Self.text(
      """
      {"type": "object", "required": ["photos", "files"], "properties": {
        "photos": \(records("path", "files", "name")), "files": \(records("name", "photos", "path"))}}
      """, size: 20_000)
    let root = try JSONValue(parsing: Array(text.utf8))
    let paths = try #require(root["photos"]?.items).map { $0["path"]?.text }
    #expect(paths.count > 20)
    #expect(try #require(root["files"]?.items).map { $0["name"]?.text } == paths)
  }

  @Test func `text that no sample fits needs a hint`() throws {
    let pattern = #"{"type": "string", "pattern": "^(?=.*zzz)(?=.*qqq)[a-z]{12}$"}"#
    let error = try #require(throws: CofferError.self) {
      try Self.text(#"{"type": "object", "required": ["code"], "properties": {"code": \#(pattern)}}"#)
    }
    #expect(error.code == .hintNeeded)
    #expect(error.message.contains("'/code'"))
    let hinted = try Self.text(
      """
      {"backup": {"name": "x", "generate": {"values": {"/code": {"among": ["zzzqqqzzzqqq"]}}}},
       "type": "object", "required": ["code"], "properties": {"code": \(pattern)}}
      """)
    #expect(hinted == #"{"code":"zzzqqqzzzqqq"}"#)
  }

  @Test func `a number that must not be whole has a fraction`() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let text = try Self.text(#"{"oneOf": [{"type": "integer"}, {"type": "number"}]}"#, seed: seed)
      #expect(text.wholeMatch(of: /[0-9]+\.[0-9]*[1-9][0-9]*/) != nil, "\(text)")
    }
  }

  @Test(arguments: [
    #"{"type": "integer", "minimum": 3, "maximum": 2}"#, #"{"type": "integer", "not": {"type": "integer"}}"#,
    #"{"oneOf": [{"type": "number"}, {"type": "number"}]}"#, #"{"type": "boolean", "not": {"enum": [true, false]}}"#,
    #"{"type": "null", "not": {"const": null}}"#,
  ])
  func `rules that no value satisfies are an error`(_ rules: String) throws {
    let error = try #require(throws: CofferError.self) { try Self.text(rules) }
    #expect(error.code == .impossible)
  }

  /// The largest integers have no successor, and each level of this recursion could multiply the alternatives of the one below.
  @Test(arguments: [
    #"{"enum": [9223372036854775807, 9223372036854775806]}"#,
    """
    {"type": "object", "required": ["c", "b"], "properties": {
      "c": {"type": "array", "foreignKeys": [{"fields": "x", "reference": {"resource": "/b", "fields": "id"}}],
        "items": {"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}}},
      "b": {"type": "array", "primaryKey": "id", "items": {"type": "object", "required": ["id"], "properties": {
        "id": {"enum": [9223372036854775805, 9223372036854775806, 9223372036854775807]}}}}}}
    """,
    ##"""
    {"$ref": "#/$defs/n", "$defs": {"n": {
      "if": {"items": {"$ref": "#/$defs/n"}}, "then": {"items": {"$ref": "#/$defs/n"}}, "else": {"items": {"$ref": "#/$defs/n"}},
      "not": {"not": {"items": {"$ref": "#/$defs/n"}}}, "type": ["array", "integer"]}}}
    """##,
  ])
  func `extreme rules have defects`(rules: String) throws {
    #expect(try !Generated.format(rules).defectKinds.isEmpty)
  }

  @Test func `hints decide what rules leave open`() throws {
    let rules = """
      {"backup": {"name": "x", "generate": {"order": "declared", "collections": {"/b": {"share": 30}},
        "values": {"/a/*/z": {"absent": 100}, "/b/*/t": {"text": ["n", {"number": [7, 7]}]}},
        "variants": {"/b": [{"weight": 1, "set": {"k": "two"}}]}}},
       "type": "object", "required": ["b", "a"], "properties": {
        "b": {"type": "array", "items": {"type": "object", "required": ["t", "k"], "properties": {"t": {"type": "string"}, "k": {"enum": ["one", "two"]}}}},
        "a": {"type": "array", "items": {"type": "object", "properties": {"z": {"type": "string"}}}}}}
      """
    let text = try Self.text(rules)
    #expect(text.hasPrefix(#"{"b":[{"t":"n7","k":"two"},"#))
    #expect(text.hasSuffix(#""a":[{},{},{}]}"#))
  }

  /// Returns rules of nested objects.
  private static func nested(_ depth: Int) -> String {
    let start = String(repeating: #"{"type": "object", "required": ["a"], "properties": {"a": "#, count: depth)
    return start + #"{"const": 1}"# + String(repeating: "}}", count: depth)
  }

  @Test func `simple nesting is generated to its end`() throws {
    #expect(try Self.text(Self.nested(40)).hasSuffix(#""a":1"# + String(repeating: "}", count: 40)))
  }

  @Test(arguments: [
    (nested(80), "the rules nest values more than 64 levels deep, or chain too many references for one value"),
    (doubling(30), "the rules describe more than 20000 kinds of values"),
    (
      circle(["a", "b", "c"]),
      "some values depend on themselves, through references or other values"
    ),
    (
      #"{"type": "array", "minItems": 4, "primaryKey": "k", "items": {"type": "object", "required": ["k"], "properties": {"k": {"enum": [1, 2, 3]}}}}"#,
      "it needs 4 distinct keys, but only 3 are possible"
    ),
    (#"{"type": "array", "minItems": 9223372036854775807}"#, tooManyItems),
    (#"{"type": "array", "minItems": 1000001, "items": {"type": "object"}}"#, tooManyItems),
    (#"{"type": "array", "minItems": 2000, "items": {"type": "array", "minItems": 2000, "items": {"const": 1}}}"#, tooManyItems),
    (
      #"{"type": "object", "required": ["a"], "properties": {"a": {"type": "array", "minItems": 1000000000000000000, "items": {"type": "object"}}}}"#,
      tooManyItems
    ),
  ])
  func `rules without bound are refused`(rules: String, message: String) throws {
    let error = try #require(throws: CofferError.self) { try Self.text(rules) }
    #expect(error.code == .impossible)
    #expect(error.message.hasSuffix(message), "\(error.message)")
  }

  private static let tooManyItems = "it would need more than 1000000 items"

  /// Returns schemas that each have two members of the next one.
  private static func doubling(_ count: Int) -> String {
    let schemas = (0..<count).map { number in
      let next = ##"{"$ref": "#/$defs/\##(number + 1)"}"##
      return #""\#(number)": {"type": "object", "required": ["a", "b"], "properties": {"a": \#(next), "b": \#(next)}}"#
    }
    return ##"{"$ref": "#/$defs/0", "$defs": {\##(schemas.joined(separator: ", ")), "\##(count)": {"const": 1}}}"##
  }

  /// Returns collections whose keys are those of the next one.
  private static func circle(_ names: [String]) -> String {
    let collections = names.indices.map { index in
      let target = names[(index + 1) % names.count]
      let key = #"{"fields": "id", "reference": {"resource": "/\#(target)", "fields": "id"}}"#
      return
        #""\#(names[index])": {"type": "array", "primaryKey": "id", "foreignKeys": [\#(key)], "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}}"#
    }
    return #"{"type": "object", "required": ["a", "b"], "properties": {\#(collections.joined(separator: ", "))}}"#
  }

  /// The limited collection limits the other one, whatever the requested size.
  @Test(arguments: [1_000_000, 10_000_000, .max])
  func `there are at most as many records with unique references as targets`(size: Int) throws {
    let text = try Self.text(
      """
      {"type": "object", "required": ["a", "b"], "properties": {
        "a": {"type": "array", "uniqueKeys": [["bid"]],
          "foreignKeys": [{"fields": "bid", "reference": {"resource": "/b", "fields": "id"}}],
          "items": {"type": "object", "required": ["bid"], "properties": {"bid": {"type": "integer"}}}},
        "b": {"type": "array", "primaryKey": "id", "maxItems": 5,
          "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}}}}
      """, size: size)
    let root = try JSONValue(parsing: Array(text.utf8))
    #expect(root["a"]?.items.count == 5)
    #expect(root["b"]?.items.count == 5)
  }

  /// These rules have no `type` that makes them arrays, or their items objects.
  @Test(arguments: [
    #"{"properties": {"cars": {"items": {"required": ["id"], "properties": {"id": {"type": "integer"}}}}}}"#,
    #"{"properties": {"cars": {"primaryKey": "id"}}}"#, #"{"properties": {"cars": {"items": {"minProperties": 1}}}}"#,
    #"{"properties": {"cars": {"primaryKey": "id", "items": {"required": ["id", "name"]}}}}"#,
  ])
  func `collections are recognised without a type`(rules: String) throws {
    let text = try Self.text(rules, size: 20_000)
    #expect((15_000...25_000).contains(text.utf8.count), "\(text.utf8.count)")
    let cars = try #require(try JSONValue(parsing: Array(text.utf8))["cars"]?.items)
    #expect(cars.allSatisfy { !$0.members.isEmpty })
  }

  @Test func `references without types lead to existing records`() throws {
    let text = try Self.text(
      """
      {"type": "object", "required": ["cars", "expenses"], "properties": {
        "cars": {"primaryKey": "id", "items": {"required": ["id", "name"]}},
        "expenses": {"foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}]},
        "expenseCount": {"countOf": "/expenses"}}}
      """, size: 20_000)
    let root = try JSONValue(parsing: Array(text.utf8))
    let keys = Set(try #require(root["cars"]?.items).compactMap { $0["id"]?.text })
    let named = try #require(root["expenses"]?.items).compactMap { $0["carId"]?.text }
    #expect(named.count > 20)
    #expect(named.allSatisfy { $0 == "null" || keys.contains($0) })
  }

  /// No two records have the same key, whatever the requested size.
  @Test(arguments: [
    (#"{"enum": ["a", "b", "c", "d"]}"#, 4...4), (#"{"type": "integer", "minimum": 5, "maximum": 20}"#, 16...16),
    (#"{"type": "string", "pattern": "^[a-d]{2}$"}"#, 10...16), (#"{"type": "string", "format": "date"}"#, 100...2000),
  ])
  func `keys are unique whatever the size of the document`(key: String, expected: ClosedRange<Int>) throws {
    let text = try Self.text(
      #"{"type": "array", "primaryKey": "k", "items": {"type": "object", "required": ["k"], "properties": {"k": \#(key)}}}"#,
      size: 100_000)
    let keys = try JSONValue(parsing: Array(text.utf8)).items.compactMap { $0["k"]?.text }
    #expect(expected.contains(keys.count))
    #expect(Set(keys).count == keys.count)
  }
}
