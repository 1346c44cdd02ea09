import Coffer
import Reports
import Testing

/// What each step changes in a record and what it leaves unchanged.
@Suite struct MigrationStepTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let step: String
    let before: String
    let after: String
    let counts: String

    init(_ step: String, _ before: String, _ after: String, _ counts: String = "1 0") {
      self.step = step
      self.before = before
      self.after = after
      self.counts = counts
    }

    var testDescription: String { "\(step) on \(before)" }
  }

  private static func expect(_ test: Case) throws {
    let (after, counts) = try Migrating.run(test.step, on: #""notes":[\#(test.before)]"#)
    #expect(after == #""notes":[\#(test.after)]"#)
    #expect(counts == [test.counts])
  }

  @Test(arguments: [
    Case(#"{"default": "/notes/*/kind", "value": "text"}"#, #"{"id":1}"#, #"{"id":1,"kind":"text"}"#),
    Case(#"{"default": "/notes/*/kind", "value": "text"}"#, "{}", #"{"kind":"text"}"#),
    Case(#"{"default": "/notes/*/kind", "value": "text"}"#, #"{"kind":null}"#, #"{"kind":null}"#, "0 0"),
    Case(#"{"default": "/notes/*/kind", "value": "text", "orNull": true}"#, #"{"kind":null,"b":1}"#, #"{"kind":"text","b":1}"#),
    Case(#"{"default": "/notes/*/kind", "value": "text"}"#, #"{"k\u0069nd":7}"#, #"{"k\u0069nd":7}"#, "0 0"),
    Case(
      #"{"default": "/notes/*/kind", "value": {"a": [1.50, "ü\"\u0001", true, null, {}]}}"#, "{}",
      #"{"kind":{"a":[1.50,"ü\"\u0001",true,null,{}]}}"#),
    Case(#"{"default": "/notes/*/at", "now": "date-time-seconds"}"#, "{}", #"{"at":"2026-07-01T10:00:00Z"}"#),
    Case(#"{"default": "/notes/*/at", "now": "unix-time-ms"}"#, "{}", #"{"at":1782900000000}"#),
    Case(#"{"default": "/notes/*/at", "now": "apple-reference-time"}"#, "{}", #"{"at":804592800}"#),
    Case(#"{"default": "/notes/*/kind", "value": 1}"#, "7", "7", "0 1"),
    Case(#"{"default": "/notes/*/kind", "value": 1}"#, "null", "null", "0 0"),
    Case(#"{"default": "/notes/*/a/b", "value": 1}"#, #"{"a":{}}"#, #"{"a":{"b":1}}"#),
    Case(#"{"default": "/notes/*/a/b", "value": 1}"#, #"{}"#, #"{}"#, "0 0"),
    Case(#"{"default": "/notes/*/a/*/b", "value": 1}"#, #"{"a":[{},{"b":2},{}]}"#, #"{"a":[{"b":1},{"b":2},{"b":1}]}"#),
  ])
  func `default fills in absent members only`(test: Case) throws { try Self.expect(test) }

  @Test(arguments: [
    Case(#"{"set": "/notes/*/a", "value": 2}"#, #"{"a":1,"b":3}"#, #"{"a":2,"b":3}"#),
    Case(#"{"set": "/notes/*/a", "value": 2}"#, #"{"b":3}"#, #"{"b":3,"a":2}"#),
    Case(#"{"set": "/notes/*/a", "value": [2, {"b": "c"}]}"#, #"{"a":[2,{"b":"c"}]}"#, #"{"a":[2,{"b":"c"}]}"#, "0 0"),
    Case(#"{"set": "/notes/*/a", "value": 2}"#, #"{"a":1,"a":3}"#, #"{"a":1,"a":3}"#, "0 1"),
    Case(#"{"rename": "/notes/*/a", "to": "b\"c"}"#, #"{"a":1e400,"z":2}"#, #"{"b\"c":1e400,"z":2}"#),
    Case(#"{"rename": "/notes/*/a", "to": "b"}"#, #"{"a":1,"b":2}"#, #"{"a":1,"b":2}"#, "0 1"),
    Case(#"{"rename": "/notes/*/a", "to": "b"}"#, #"{"b":2}"#, #"{"b":2}"#, "0 0"),
    Case(#"{"rename": "/notes/*/a", "to": "b"}"#, #"{"a":1,"a":2}"#, #"{"a":1,"a":2}"#, "0 1"),
    Case(#"{"drop": "/notes/*/a"}"#, #"{"a":{"x":[1]},"b":2}"#, #"{"b":2}"#),
    Case(#"{"drop": "/notes/*/a"}"#, #"{"b":2,"a":1}"#, #"{"b":2}"#),
    Case(#"{"drop": "/notes/*/a"}"#, #"{"a":1,"b":2,"a":3}"#, #"{"b":2}"#),
    Case(#"{"drop": "/notes/*/a"}"#, #"{"a":1}"#, "{}"),
    Case(#"{"drop": "/notes/*/a/b"}"#, #"{"a":[]}"#, #"{"a":[]}"#, "0 1"),
  ])
  func `set, rename and drop change the members they name`(test: Case) throws { try Self.expect(test) }

  @Test(arguments: [
    Case(#"{"map": "/notes/*/u", "values": {"g": "grams", "l": "ml"}}"#, #"{"u":"g"}"#, #"{"u":"grams"}"#),
    Case(#"{"map": "/notes/*/u", "values": {"g": "grams"}}"#, #"{"u":"\u0067"}"#, #"{"u":"grams"}"#),
    Case(#"{"map": "/notes/*/u", "values": {"g": "grams"}}"#, #"{"u":"gr"}"#, #"{"u":"gr"}"#, "0 0"),
    Case(#"{"map": "/notes/*/u", "values": {"g": "grams"}, "otherwise": "none"}"#, #"{"u":"gr"}"#, #"{"u":"none"}"#),
    Case(#"{"map": "/notes/*/u", "values": {"g": "grams"}, "otherwise": "none"}"#, #"{"u":"grams"}"#, #"{"u":"grams"}"#, "0 0"),
    Case(#"{"map": "/notes/*/u", "values": {"yes": true, "no": null}}"#, #"{"u":"yes"}"#, #"{"u":true}"#),
    Case(#"{"map": "/notes/*/u", "values": {"g": "grams"}}"#, #"{"u":5}"#, #"{"u":5}"#, "0 1"),
    Case(#"{"map": "/notes/*/u/*", "values": {"g": "grams"}}"#, #"{"u":["g","x","g"]}"#, #"{"u":["grams","x","grams"]}"#),
    Case(#"{"map": "/notes/*", "values": {"g": "grams"}}"#, #""g""#, #""grams""#),
  ])
  func `map replaces the listed strings`(test: Case) throws { try Self.expect(test) }

  @Test(arguments: [
    Case(#"{"move": "/notes/*/a", "to": "/notes/*/b/c"}"#, #"{"a":-0,"z":1}"#, #"{"z":1,"b":{"c":-0}}"#),
    Case(#"{"move": "/notes/*/a", "to": "/notes/*/b/c"}"#, #"{"b":{"x":1},"a":2}"#, #"{"b":{"x":1,"c":2}}"#),
    Case(#"{"move": "/notes/*/a/b", "to": "/notes/*/b"}"#, #"{"a":{"b":[1],"c":2}}"#, #"{"a":{"c":2},"b":[1]}"#),
    Case(#"{"move": "/notes/*/a", "to": "/notes/*/b/c"}"#, #"{"a":1,"b":{"c":2}}"#, #"{"a":1,"b":{"c":2}}"#, "0 1"),
    Case(#"{"move": "/notes/*/a", "to": "/notes/*/b/c"}"#, #"{"a":1,"b":5}"#, #"{"a":1,"b":5}"#, "0 1"),
    Case(#"{"move": "/notes/*/a", "to": "/notes/*/b/c"}"#, #"{"b":{}}"#, #"{"b":{}}"#, "0 0"),
    Case(#"{"move": "/notes/*/a/x/y", "to": "/notes/*/y"}"#, #"{"a":{"x":7}}"#, #"{"a":{"x":7}}"#, "0 1"),
    Case(
      #"{"move": "/notes/*/l/*/a", "to": "/notes/*/l/*/b/c"}"#, #"{"l":[{"a":1},{},{"a":2}]}"#,
      #"{"l":[{"b":{"c":1}},{},{"b":{"c":2}}]}"#),
  ])
  func `move moves a value within its record`(test: Case) throws { try Self.expect(test) }

  @Test(arguments: [
    Case(
      #"{"split": "/notes/*/name", "pattern": "^(\\S+) (.+)$", "into": ["first", "last"]}"#, #"{"name":"Zoë \"de\" Wit","a":1}"#,
      #"{"a":1,"first":"Zoë","last":"\"de\" Wit"}"#),
    Case(
      #"{"split": "/notes/*/name", "pattern": "(\\d+)(?: (.*))?", "into": ["name", "rest"]}"#, #"{"name":"12"}"#,
      #"{"name":"12"}"#),
    Case(
      #"{"split": "/notes/*/name", "pattern": "(\\S+) (\\S+)", "into": ["first", "last"]}"#, #"{"name":"a b c"}"#,
      #"{"name":"a b c"}"#, "0 1"),
    Case(
      #"{"split": "/notes/*/name", "pattern": "(a)(b)", "into": ["first", "last"]}"#, #"{"name":"ab","last":1}"#,
      #"{"name":"ab","last":1}"#, "0 1"),
    Case(
      #"{"split": "/notes/*/name", "pattern": "(a)(b)", "into": ["first", "last"]}"#, #"{"name":["ab"]}"#, #"{"name":["ab"]}"#,
      "0 1"),
    Case(
      #"{"split": "/notes/*/name", "pattern": "((x+x+)+)y", "into": ["first", "last"]}"#,
      #"{"name":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#,
      #"{"name":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}"#, "0 1"),
  ])
  func `split splits strings that the whole pattern matches`(test: Case) throws { try Self.expect(test) }

  @Test(arguments: [
    ("apple-reference-time", "date-time-seconds", "790587012", #""2026-01-20T07:30:12Z""#, "1 0"),
    ("apple-reference-time", "date-time-seconds", "790587012.999999", #""2026-01-20T07:30:12Z""#, "1 0"),
    ("apple-reference-time", "date-time", "790587012.250", #""2026-01-20T07:30:12.25Z""#, "1 0"),
    ("apple-reference-time", "date-time", "-0.5", #""2000-12-31T23:59:59.5Z""#, "1 0"),
    ("apple-reference-time", "date-time-seconds", "-0.5", #""2000-12-31T23:59:59Z""#, "1 0"),
    ("apple-reference-time", "date-time-seconds", "7.90587012e8", #""2026-01-20T07:30:12Z""#, "1 0"),
    ("apple-reference-time", "date-time-seconds", "1e400", "1e400", "0 1"),
    ("apple-reference-time", "date-time-seconds", "-99999999999", "-99999999999", "0 1"),
    ("apple-reference-time", "date-time-seconds", #""2026-01-20T07:30:12Z""#, #""2026-01-20T07:30:12Z""#, "0 0"),
    ("apple-reference-time", "date-time-seconds", #""yesterday""#, #""yesterday""#, "0 1"),
    ("apple-reference-time", "date-time-seconds", "null", "null", "0 0"),
    ("apple-reference-time", "date-time-seconds", "[1]", "[1]", "0 1"),
    ("date-time", "apple-reference-time", #""2026-01-20T08:30:12.125+01:00""#, "790587012.125", "1 0"),
    ("date-time", "unix-time-ms", #""1969-12-31T23:59:59.9995Z""#, "-0.5", "1 0"),
    ("date-time", "unix-time", #""2026-01-20T07:30:12Z""#, "1768894212", "1 0"),
    ("date-time", "unix-time", #""2026-02-30T07:30:12Z""#, #""2026-02-30T07:30:12Z""#, "0 1"),
    ("unix-time", "unix-time-ms", "1768894212.000001", "1768894212000.001", "1 0"),
    ("unix-time-ms", "date-time", "1768894212001", #""2026-01-20T07:30:12.001Z""#, "1 0"),
  ])
  func `convert changes the format of a time exactly`(
    from: String, to: String, before: String, after: String, counts: String
  ) throws {
    try Self.expect(
      Case(
        #"{"convert": "/notes/*/at", "from": "\#(from)", "to": "\#(to)"}"#, #"{"at":\#(before)}"#, #"{"at":\#(after)}"#, counts))
  }

  @Test func `the report counts the fractions of seconds that were cut off`() throws {
    let format = try Migrating.format(
      steps: #"{"convert": "/notes/*/at", "from": "apple-reference-time", "to": "date-time-seconds"}"#)
    let (_, report) = try Migrating.migrate(#"{"notes":[{"at":1},{"at":1.5},{"at":2.25}]}"#, format)
    #expect(report.steps.map { [$0.changed, $0.cut] } == [[3, 2]])
    #expect(
      TextReport().text(of: report, named: "a").contains(
        "converted from apple-reference-time to date-time-seconds, in 3 records; fractions of a second cut off, in 2 records"))
  }

  @Test(arguments: [
    ("1000", "0.25", "250"), ("1000", "1", "1000"), ("1000", "1e400", "1e403"), ("1000", "-0", "-0"), ("1000", "0.000", "0.000"),
    ("1000", "9223372036854775807.00000000000000000001", "9223372036854775807000.00000000000000001"), ("-0.5", "3", "-1.5"),
    ("0.001", "12345", "12.345"), ("1000", "1E99999999999999999999", "1E99999999999999999999"), ("1000", #""1""#, #""1""#),
  ])
  func `scale multiplies numbers exactly`(factor: String, before: String, after: String) throws {
    let (text, _) = try Migrating.run(#"{"scale": "/notes/*/n", "by": \#(factor)}"#, on: #""notes":[{"n":\#(before)}]"#)
    #expect(text == #""notes":[{"n":\#(after)}]"#)
  }

  @Test(arguments: [
    (#"{"required": ["u"], "properties": {"u": {"const": "l"}}}"#, [true, false, false, false]),
    (#"{"required": ["u"], "properties": {"u": {"enum": ["l", "ml"]}}}"#, [true, true, false, false]),
    (#"{"properties": {"u": {"pattern": "^m"}}}"#, [false, true, true, true]),
    (#"{"not": {"required": ["u"]}}"#, [false, false, false, true]),
    (#"{"required": ["n"], "properties": {"n": {"exclusiveMinimum": 1.0, "maximum": 2}}}"#, [false, true, true, true]),
    (#"{"required": ["n"], "properties": {"n": {"type": "integer"}}}"#, [true, true, false, false]),
    (#"{"required": ["n"], "properties": {"n": {"const": 1.0}}}"#, [true, false, false, false]),
    (
      #"{"anyOf": [{"required": ["n"], "properties": {"n": {"type": ["null"]}}}, {"not": {"required": ["u"]}}]}"#,
      [false, false, true, true]
    ),
    (
      #"{"allOf": [{"required": ["n", "u"]}], "properties": {"n": {"minimum": 1, "exclusiveMaximum": 2}}}"#,
      [true, false, true, false]
    ),
  ])
  func `a where condition selects the records`(condition: String, chosen: [Bool]) throws {
    let records = [#"{"u":"l","n":1}"#, #"{"u":"ml","n":2.0}"#, #"{"u":5,"n":null}"#, #"{"n":1.5}"#]
    let (text, _) = try Migrating.run(
      #"{"set": "/notes/*/x", "value": 1, "where": \#(condition)}"#, on: #""notes":[\#(records.joined(separator: ","))]"#)
    let expected = zip(records, chosen).map { $1 ? $0.dropLast() + #","x":1}"# : $0[...] }
    #expect(text == #""notes":[\#(expected.joined(separator: ","))]"#)
  }
}
