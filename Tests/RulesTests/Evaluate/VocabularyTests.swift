import ByteStreams
import Findings
import JSONEvents
import TestSupport
import Testing

/// Coffer's own keywords that compare several places.
@Suite struct VocabularyTests {
  typealias Case = KeywordTests.Case

  static let paths = [
    Case(
      #"{"properties": {"groups": {"foreignKeys": [{"fields": "members/*", "reference": {"resource": "/people", "fields": "id"}}]}}}"#,
      #"{"groups": [{"members": [1, 2, null]}, {"members": [3, "1"]}, {}], "people": [{"id": 1}, {"id": 2}]}"#,
      "foreign-key /groups/1/members/0", "foreign-key /groups/1/members/1"),
    Case(
      #"""
      {"properties": {"trips": {"foreignKeys": [
        {"fields": "riders/*/person/id", "reference": {"resource": "/people", "fields": "key/id"}}]}}}
      """#,
      #"""
      {"people": [{"key": {"id": "a"}}, {"key": "b"}],
       "trips": [{"riders": [{"person": {"id": "a"}}, {"person": {"id": "b"}}]}]}
      """#, "foreign-key /trips/0/riders/1/person/id"),
    Case(
      #"{"primaryKey": "meta/id"}"#, #"[{"meta": {"id": 1}}, {"meta": {"id": 2}}, {"meta": {"id": 1}}, {"meta": {}}]"#,
      "primary-key /2/meta/id", "primary-key /3/meta/id"),
    Case(#"{"uniqueKeys": [["a/b", "c"]]}"#, #"[{"a": {"b": 1}, "c": 2}, {"c": 2, "a": {"b": 1}}]"#, "unique-key /1/a/b"),
    Case(
      #"""
      {"properties": {"groups": {"foreignKeys": [
        {"fields": "members/*", "when": {"required": ["isOpen"]}, "reference": {"resource": "/people", "fields": "id"}}]}}}
      """#, #"{"people": [], "groups": [{"members": [7]}, {"members": [8], "isOpen": true}]}"#, "foreign-key /groups/1/members/0"),
  ]

  static let targets = [
    Case(
      #"""
      {"properties": {"debts": {"foreignKeys": [
        {"fields": "who", "reference": [{"resource": "/people", "fields": "id"}, {"resource": "/groups", "fields": "key"}]}]}}}
      """#,
      #"{"debts": [{"who": 1}, {"who": "g"}, {"who": 3}], "people": [{"id": 1}], "groups": [{"key": "g", "id": 3}]}"#,
      "foreign-key /debts/2/who"),
    // Equal names in another group don't count.
    Case(
      #"""
      {"items": {"properties": {"bills": {"foreignKeys": [
        {"fields": "by", "reference": {"resource": "3/members", "fields": "name"}}]}}}}
      """#,
      #"""
      [{"members": [{"name": "x"}], "bills": [{"by": "x"}, {"by": "y"}]},
       {"bills": [{"by": "x"}, {"by": "y"}], "members": [{"name": "y"}]}]
      """#, "foreign-key /0/bills/1/by", "foreign-key /1/bills/0/by"),
    Case(
      #"{"foreignKeys": [{"fields": "favourite", "reference": {"resource": "1/choices", "fields": "id"}}]}"#,
      #"[{"choices": [{"id": 1}], "favourite": 1}, {"choices": [{"id": 2}], "favourite": 1}]"#, "foreign-key /1/favourite"),
    // With recursive rules, the outermost records have no container that many levels up.
    Case(
      #"""
      {"$ref": "#/$defs/list", "$defs": {"list": {
        "foreignKeys": [{"fields": "by", "reference": {"resource": "4/*/ids", "fields": "id"}}],
        "items": {"properties": {"list": {"$ref": "#/$defs/list"}}}}}}
      """#, #"[{"by": 1, "ids": [{"id": 2}], "list": [{"by": 2}, {"by": 3}]}]"#, "foreign-key /0/list/1/by"),
    Case(
      #"{"foreignKeys": [{"fields": "splits/*/by", "reference": {"resource": "1/members", "fields": "id"}}]}"#,
      #"[{"splits": [{"by": 1}, {"by": 2}], "members": [{"id": 1}]}]"#, "foreign-key /0/splits/1/by"),
  ]

  static let sums = [
    Case(
      #"{"properties": {"total": {"sumOf": {"values": "/expenses/*/amount"}}}}"#,
      #"{"total": 0.3, "expenses": [{"amount": 0.1}, {"amount": 0.2}, {"amount": null}, {}]}"#),
    Case(
      #"{"properties": {"total": {"sumOf": {"values": "/expenses/*/amount"}}}}"#,
      #"{"expenses": [{"amount": 9007199254740993}, {"amount": 1e-30}], "total": 9007199254740993}"#, "sum-of /total"),
    Case(
      #"{"items": {"properties": {"total": {"sumOf": {"values": "1/parts/*", "tolerance": "0.01"}}}}}"#,
      #"[{"total": 1, "parts": [0.33, 0.33, 0.33]}, {"parts": [0.33, 0.33], "total": 1}, {"total": 0}]"#, "sum-of /1/total"),
    Case(
      #"{"items": {"properties": {"share": {"properties": {"all": {"sumOf": {"values": "2/parts/*/n"}}}}}}}"#,
      #"[{"share": {"all": 3}, "parts": [{"n": 1}, {"n": 2}]}, {"share": {"all": 3}, "parts": []}]"#, "sum-of /1/share/all"),
    // A value that waits for the record's sum, and then one that waits for the sum of an object around it.
    Case(
      #"{"properties": {"i": {"items": {"properties": {"v": {"sumOf": {"values": "1/p/*"}}, "w": {"sumOf": {"values": "3/q/*"}}}}}}}"#,
      #"{"i": [{"v": 2, "w": 2, "p": [1]}, {"v": 2, "w": 1, "p": [2]}], "q": [1]}"#, "sum-of /i/0/v", "sum-of /i/0/w"),
    Case(#"{"properties": {"n": {"sumOf": {"values": "/v/*"}}}}"#, #"{"v": [1e400, -1e400, 1e9], "n": 1000000000}"#),
    Case(#"{"properties": {"n": {"sumOf": {"values": "/v/*"}}}}"#, #"{"v": [1e400000, 1], "n": 1}"#, "sum-of /n"),
  ]

  /// A decimal string counts as a number if its format says so. Other values can't be summed: that is a finding about the first of
  /// them, unless it has a finding of its own.
  static let decimals = [
    Case(totals, #"{"total": "1.00", "entries": [{"amount": "270.20"}, {"amount": 0.01}]}"#, "sum-of /total"),
    Case(totals, #"{"total": "270.21", "entries": [{"amount": "270.20"}, {"amount": 0.01}]}"#),
    Case(totals, #"{"entries": [{"amount": "270.20"}, {"amount": "1e-2"}], "total": 270.210}"#),
    Case(totals, #"{"total": "x", "entries": [{"amount": "1"}]}"#, "format /total"),
    Case(totals, #"{"total": null, "entries": [{"amount": "1"}]}"#),
    Case(totals, #"{"total": {}, "entries": [{"amount": "1"}]}"#, "sum-of /total"),
    Case(totals, #"{"total": false, "entries": [{"amount": "1"}]}"#, "sum-of /total"),
    // The amount is at fault, and not the total.
    Case(totals, #"{"total": 1, "entries": [{"amount": "x"}, {"amount": "1"}]}"#, "format /entries/0/amount"),
    Case(totals, #"{"total": 1, "entries": [{"amount": [1]}, {"amount": {}}]}"#, "sum-of /entries/0/amount"),
    Case(
      totals, #"{"total": 0, "entries": [{"amount": "x"}, {"amount": true}]}"#, "format /entries/0/amount",
      "sum-of /entries/1/amount"),
    // Without a total, nothing is summed.
    Case(totals, #"{"entries": [{"amount": [1]}]}"#),
    Case(plainTotals, #"{"total": 2, "entries": [{"amount": "1.10"}, {"amount": 2}]}"#, "sum-of /entries/0/amount"),
    Case(plainTotals, #"{"total": "2", "entries": [{"amount": 2}]}"#, "sum-of /total"),
    Case(plainTotals, #"{"total": 0, "entries": {"a": {"amount": 2}}}"#, "sum-of /total"),
    Case(plainTotals, #"{"total": 0, "entries": {}}"#),
    Case(
      #"{"items": {"properties": {"total": {"type": ["number", "string"], "anyOf": [{"type": "number"}, {"format": "decimal"}], "sumOf": {"values": "1/parts/*"}}, "parts": {"items": {"anyOf": [{"type": "number"}, {"type": "string", "format": "decimal"}]}}}}}"#,
      #"[{"total": "1.5", "parts": [1, "0.5"]}, {"parts": ["0.1", "0.2"], "total": 0.3}, {"total": "0", "parts": [1]}]"#,
      "sum-of /2/total"),
    // The format may be said by another schema of the same value.
    Case(
      ##"{"$defs": {"money": {"type": "string", "format": "decimal"}}, "items": {"allOf": [{"properties": {"parts": {"items": {"properties": {"n": {"$ref": "#/$defs/money"}}}}}}], "properties": {"sum": {"$ref": "#/$defs/money", "sumOf": {"values": "1/parts/*/n"}}}}}"##,
      #"[{"sum": "3", "parts": [{"n": "1"}, {"n": "2.0"}]}, {"sum": "3", "parts": [{"n": "1"}, {"n": 2}]}]"#,
      "type /1/parts/1/n"),
    Case(
      #"{"properties": {"total": {"sumOf": {"values": "/v/*", "tolerance": "0.01"}}, "v": {"items": {"type": "number"}}}}"#,
      #"{"total": 3, "v": [1, "2", {}]}"#, "type /v/1", "type /v/2"),
    // A warning doesn't replace an error.
    Case(
      #"{"properties": {"total": {"sumOf": {"values": "/v/*"}}, "v": {"items": {"severity": "warning", "type": "number"}}}}"#,
      #"{"v": [1, "2"], "total": 3}"#, "type /v/1", "sum-of /v/1"),
  ]

  private static let totals =
    #"{"properties": {"total": {"format": "decimal", "sumOf": {"values": "/entries/*/amount"}}, "entries": {"items": {"properties": {"amount": {"format": "decimal"}}}}}}"#
  private static let plainTotals = #"{"properties": {"total": {"sumOf": {"values": "/entries/*/amount"}}}}"#

  /// Values that can't be compared with the value elsewhere. Null stands for a missing value.
  static let incomparable = [
    Case(bounds, #"{"low": "1.50", "a": 1, "b": "2"}"#, "minimum /a"),
    Case(bounds, #"{"a": 2, "b": 1, "low": "1.50"}"#),
    Case(bounds, #"{"low": "x", "a": 1}"#, "format /low"),
    Case(bounds, #"{"a": 1, "low": true}"#, "minimum /a"),
    Case(bounds, #"{"low": [], "a": 1}"#, "minimum /a"),
    Case(bounds, #"{"low": null, "a": 1}"#),
    Case(#"{"properties": {"a": {"minimum": {"$data": "1/low"}}}}"#, #"{"low": "1.50", "a": 2}"#, "minimum /a"),
    Case(
      #"{"properties": {"low": {"type": "number"}, "a": {"minimum": {"$data": "1/low"}}}}"#, #"{"low": "1", "a": 2}"#, "type /low"
    ),
    Case(
      #"{"properties": {"low": {"type": "number"}, "a": {"minimum": {"$data": "1/low"}}}}"#, #"{"a": 2, "low": {}}"#, "type /low"),
    Case(
      #"{"properties": {"low": {"severity": "warning", "type": "number"}, "a": {"minimum": {"$data": "1/low"}}}}"#,
      #"{"low": "1", "a": 2}"#, "type /low", "minimum /a"),
    Case(prices, #"{"low": 1.5, "a": "1.40"}"#, "format-minimum /a"),
    Case(prices, #"{"a": "1.50", "low": "1.5"}"#),
    Case(prices, #"{"a": "1.50", "low": "x"}"#, "format-minimum /a"),
    Case(prices, #"{"a": "y", "low": "x"}"#, "format /a"),
    Case(
      days, #"{"rows": [{"on": "2026-01-02"}, {"on": "soon"}, {"on": "2026-01-01"}], "start": 5}"#,
      "format-minimum /rows/0/on", "format /rows/1/on", "format-minimum /rows/2/on"),
    Case(days, #"{"start": "2026-13-01", "rows": [{"on": "2026-01-02"}]}"#, "format-minimum /rows/0/on"),
    Case(days, #"{"start": null, "rows": [{"on": "2026-01-02"}]}"#),
    Case(
      #"{"properties": {"start": {"format": "date"}, "rows": {"items": {"properties": {"on": {"format": "date", "formatMinimum": {"$data": "/start"}}}}}}}"#,
      #"{"rows": [{"on": "2026-01-02"}], "start": "2026-13-01"}"#, "format /start"),
    Case(#"{"properties": {"a": {"const": {"$data": "1/b"}}}}"#, #"{"b": {}, "a": {}}"#, "const /a"),
    Case(#"{"properties": {"a": {"const": {"$data": "1/b"}}}}"#, #"{"b": 1, "a": "1"}"#, "const /a"),
  ]

  private static let bounds = #"{"properties": {"low": {"format": "decimal"}, "a": {"minimum": {"$data": "1/low"}}}}"#
  private static let prices = #"{"properties": {"a": {"format": "decimal", "formatMinimum": {"$data": "1/low"}}}}"#
  private static let days =
    #"{"properties": {"rows": {"items": {"properties": {"on": {"format": "date", "formatMinimum": {"$data": "/start"}}}}}}}"#

  static let lists = [
    Case(
      #"{"items": {"properties": {"pick": {"enum": {"$data": "1/of"}}}}}"#,
      #"[{"pick": 1, "of": [1.0, "b"]}, {"of": ["b"], "pick": 1}, {"pick": 1}, {"of": [], "pick": 1}]"#, "enum /1/pick",
      "enum /3/pick"),
    Case(
      #"{"properties": {"rows": {"items": {"properties": {"unit": {"enum": {"$data": "/units"}}}}}}}"#,
      #"{"units": ["km", "mi"], "rows": [{"unit": "km"}, {"unit": "m"}]}"#, "enum /rows/1/unit"),
    Case(
      #"{"properties": {"rows": {"items": {"properties": {"unit": {"enum": {"$data": "/units"}}}}}}}"#,
      #"{"rows": [{"unit": "km"}, {"unit": "m"}], "units": ["km", "mi"]}"#, "enum /rows/1/unit"),
  ]

  static let orders = [
    Case(#"{"sortedBy": "n"}"#, #"[{"n": 1}, {"n": 1.0}, {"n": 9007199254740993}, {"n": 9007199254740992}]"#, "sorted-by /3/n"),
    Case(#"{"sortedBy": "n"}"#, #"[{"n": -1e400}, {"n": -2}, {"n": 1e-400}, {"n": 0}, {"n": 1e400}]"#, "sorted-by /3/n"),
    // Strings are compared with strings, numbers with numbers.
    Case(
      #"{"sortedBy": "n"}"#,
      #"[{"n": 3}, {"n": "b"}, {"n": 2}, {"n": "a"}, {}, 7, {"n": null}, {"n": []}, {"n": 2}, {"n": "é"}]"#,
      "sorted-by /2/n", "sorted-by /3/n"),
    Case(
      #"{"sortedBy": {"field": "at/day", "order": "descending"}}"#,
      #"[{"at": {"day": "2026-02-01"}}, {"at": {"day": "2026-01-31"}}, {"at": 3}, {"at": {"day": "2026-02-01"}}]"#,
      "sorted-by /3/at/day"),
    // An empty string is less than any other; escapes don't matter.
    Case(#"{"sortedBy": "n"}"#, #"[{"n": ""}, {"n": "\u0061"}, {"n": "b"}, {"n": ""}]"#, "sorted-by /3/n"),
    Case(
      #"{"sortedBy": {"field": "n", "asInstants": true}}"#,
      #"[{"n": "2026-01-01"}, {"n": "2026-01-01T01:00:00+01:00"}, {"n": "soon"}, {"n": "2025-12-31T23:59:59.9Z"}, {"n": 1}]"#,
      "sorted-by /3/n"),
    // Each array has its own order, and each rule its own field.
    Case(
      #"{"items": {"properties": {"list": {"allOf": [{"sortedBy": "a"}, {"sortedBy": {"field": "b", "order": "descending"}}]}}}}"#,
      #"[{"list": [{"a": 5, "b": 5}]}, {"list": [{"a": 1, "b": 1}, {"a": 0, "b": 2}]}]"#,
      "sorted-by /1/list/1/a", "sorted-by /1/list/1/b"),
    Case(
      ##"{"$ref": "#/$defs/t", "$defs": {"t": {"sortedBy": "n", "items": {"properties": {"t": {"$ref": "#/$defs/t"}}}}}}"##,
      #"[{"n": 1, "t": [{"n": 9}, {"n": 8}]}, {"n": 2, "t": [{"n": 0, "t": []}]}, {"n": 1}]"#, "sorted-by /0/t/1/n",
      "sorted-by /2/n"),
  ]

  static let times = [
    Case(#"{"format": "unix-time", "formatMaximum": "now"}"#, "1782681300"),
    Case(#"{"format": "unix-time", "formatMaximum": "now"}"#, "1782681300.5", "format-maximum "),
    Case(#"{"format": "unix-time-ms", "formatMinimum": "2026-01-01T00:00:00Z"}"#, "1000", "format-minimum "),
    Case(#"{"format": "apple-reference-time", "formatMaximum": "2001-01-01T00:00:01Z"}"#, "1"),
    Case(#"{"format": "unix-time"}"#, "1e300", "format "),
    Case(#"{"format": "unix-time"}"#, #""soon""#),
    Case(
      #"{"properties": {"end": {"format": "unix-time", "formatMinimum": {"$data": "1/start"}}}}"#, #"{"end": 5, "start": 6}"#,
      "format-minimum /end"),
    Case(#"{"format": "color-hex"}"#, ##""#00FF7f""##),
    Case(#"{"format": "color-hex"}"#, #""00FF7F""#, "format "),
  ]

  @Test(arguments: paths + targets + sums + decimals + incomparable + lists + orders + times)
  func `keywords that compare several places have the expected findings`(_ test: Case) throws {
    for chunkSize in [1, 3, 1 << 16] {
      #expect(try Evaluation(test.rules, test.document, chunkSize: chunkSize).lines.sorted() == test.findings.sorted())
    }
  }

  @Test func `references to an empty collection get the severity of ifEmpty`() throws {
    let rules = #"""
      {"properties": {"a": {"foreignKeys": [
        {"fields": "b", "reference": {"resource": "/b", "fields": "id", "ifEmpty": "warning"}}]}}}
      """#
    #expect(try Evaluation(rules, #"{"a": [{"b": 1}], "b": []}"#).counts.count(.warning) == 1)
    #expect(try Evaluation(rules, #"{"a": [{"b": 1}]}"#).counts.count(.warning) == 1)
    #expect(try Evaluation(rules, #"{"a": [{"b": 1}], "b": [{"id": 2}]}"#).counts.count(.error) == 1)
  }

  @Test func `references to an empty collection may pass`() throws {
    let rules = #"""
      {"properties": {"a": {"foreignKeys": [{"fields": "b", "reference": [
        {"resource": "/b", "fields": "id", "ifEmpty": "none"}, {"resource": "/c", "fields": "id"}]}]}}}
      """#
    #expect(try Evaluation(rules, #"{"a": [{"b": 1}], "b": []}"#).lines == [])
    // Only `ifEmpty` of the empty collection counts.
    #expect(try Evaluation(rules, #"{"a": [{"b": 1}], "c": [{"id": 2}]}"#).lines == [])
    #expect(try Evaluation(rules, #"{"a": [{"b": 1}], "b": [{"id": 2}]}"#).lines == ["foreign-key /a/0/b"])
  }

  /// Any number of comparisons may wait.
  @Test func `pending comparisons with the root wait on disk`() throws {
    let rules = #"""
      {"properties": {"a": {"items": {"properties": {"n": {"maximum": {"$data": "/b"}},
        "t": {"format": "date-time", "formatMaximum": {"$data": "/c", "plus": "P1D"}}, "s": {"const": {"$data": "/d"}}}}}}}
      """#
    let items = (0..<6000).map { index in
      let text = index == 4321 ? #""é\n\"""# : #""d""#
      return #"{"n": \#(index % 2000), "t": "2026-01-\#(10 + index % 20)T00:00:00Z", "s": \#(text), "x": {"n": 1}}"#
    }
    let document = "{\"a\": [\(items.joined(separator: ",\n"))], \"b\": 1998, \"c\": \"2026-01-27T00:00:00Z\", \"d\": \"d\"}"
    var expected = ["const /a/4321/s"]
    for index in 0..<6000 {
      if index % 2000 == 1999 { expected.append("maximum /a/\(index)/n") }
      if index % 20 == 19 { expected.append("format-maximum /a/\(index)/t") }
    }
    expected.sort()
    for (chunkSize, memoryLimit) in [(1 << 16, 256 << 20), (1 << 16, 1 << 10), (7, 1 << 10)] {
      let evaluation = try Evaluation(rules, document, chunkSize: chunkSize, memoryLimit: memoryLimit)
      #expect(evaluation.lines.sorted() == expected)
      #expect(evaluation.findings.allSatisfy { $0.place.line > 0 && $0.place.column > 1 })
      #expect(evaluation.findings.first { $0.code == "const" }?.excerpt == "é\n\"")
    }
    // If the other value is missing, there is nothing to compare with.
    #expect(try Evaluation(rules, "{\"a\": [\(items.joined(separator: ","))]}", memoryLimit: 1 << 10).isValid)
  }

  @Test func `other pending comparisons stay within the memory limit`() throws {
    let rules = #"{"properties": {"a": {"items": {"enum": {"$data": "/b"}}}}}"#
    let document = #"{"a": ["# + Array(repeating: "1", count: 2000).joined(separator: ",") + #"], "b": [1]}"#
    #expect(try Evaluation(rules, document).isValid)
    let error = #expect(throws: CofferError.self) { try Evaluation(rules, document, memoryLimit: 1 << 10) }
    #expect(error?.position.column == 8 + 2 * 1000)
  }

  @Test func `messages say why a value can't be summed or compared`() throws {
    let message = try Evaluation(Self.plainTotals, #"{"total": 2, "entries": [{"amount": "1.10"}, {"amount": 2}]}"#).findings.map(
      \.message)
    #expect(
      message == [
        "can't be added to the sum of /entries/*/amount, which is not compared: found '1.10', without the format decimal"
      ])
    let messages = try Evaluation(Self.totals, #"{"total": "1", "entries": [{"amount": true}, {"amount": {}}, {"amount": []}]}"#)
    #expect(
      messages.findings.map(\.message) == [
        "can't be added to the sum of /entries/*/amount, which is not compared: found true, not a number; 2 more values can't be "
          + "added either"
      ])
    let redacted = try Evaluation(Self.plainTotals, #"{"total": "2", "entries": [{"amount": 2}]}"#, redacts: true)
    #expect(
      redacted.findings.map(\.message) == [
        "expected the sum of /entries/*/amount, found a string, without the format decimal"
      ])
    #expect(
      try Evaluation(Self.days, #"{"start": 5, "rows": [{"on": "2026-01-02"}]}"#).findings.map(\.message) == [
        "can't be compared with the value of /start, which is 5, not a date (RFC 3339, like 2026-06-28)"
      ])
    #expect(
      try Evaluation(Self.bounds, #"{"a": 5, "low": [1]}"#).findings.map(\.message) == [
        "can't be compared with the value of 1/low, which is an array or object, not a number"
      ])
  }

  @Test func `messages name the fields and the expected value`() throws {
    let multivalued = #"{"foreignKeys": [{"fields": "with/*", "reference": {"resource": "1/people", "fields": "id"}}]}"#
    #expect(
      try Evaluation(multivalued, #"[{"with": [7]}]"#).findings.map(\.message)
        == ["with/* 7 refers to no record of 1/people"])
    let sum = #"{"properties": {"n": {"sumOf": {"values": "1/v/*"}}}}"#
    #expect(
      try Evaluation(sum, #"{"n": 4, "v": [1, 2.5]}"#).findings.map(\.message) == [
        "expected the sum of v/*, which is 3.5, found 4"
      ])
    #expect(
      try Evaluation(#"{"sortedBy": "n"}"#, #"[{"n": 2}, {"n": 1.50}, {"n": "b"}, {"n": "a"}]"#).findings.map(\.message) == [
        "expected ascending values of n, found 1.50 after 2", "expected ascending values of n, found 'a' after 'b'",
      ])
    #expect(
      try Evaluation(#"{"items": {"uniqueItems": true}}"#, "[[1, [], 1.0, []]]").findings.map(\.message)
        == ["duplicate item: an earlier item is equal", "duplicate item: an earlier item is equal"])
  }
}
