import Findings
import Rules
import Testing

/// Keys of records, references between collections, counts, and comparisons with other values.
@Suite struct KeyTests {
  typealias Case = KeywordTests.Case

  static let unique = [
    Case(#"{"primaryKey": "id"}"#, #"[{"id": 1}, {"id": "1"}, {"id": 1.0}]"#, "primary-key /2/id"),
    Case(
      #"{"primaryKey": "id"}"#, #"[{"id": null}, {}, {"id": [1]}]"#, "primary-key /0/id", "primary-key /1/id", "primary-key /2/id"
    ),
    Case(#"{"primaryKey": ["a", "b"]}"#, #"[{"a": 1, "b": 2}, {"a": 2, "b": 1}, {"b": 2, "a": 1}]"#, "primary-key /2/a"),
    Case(
      #"{"uniqueKeys": [["a"], "b"]}"#, #"[{"a": 1, "b": 1}, {"a": 1}, {"a": null}, {"a": null, "b": 1}]"#, "unique-key /1/a",
      "unique-key /3/b"),
    Case(#"{"uniqueKeys": [{"fields": "n", "ignoreCase": true}]}"#, #"[{"n": "Éa"}, {"n": "éA"}]"#, "unique-key /1/n"),
    Case(
      #"{"uniqueKeys": [{"fields": [], "ignoreCase": true}]}"#,
      #"["Éa", "éA", "B-1", 1, "b-1", 1.0, {"a": "X"}, {"a": "x"}, {"a": "X"}, [], null, null]"#,
      "unique-key /1", "unique-key /4", "unique-key /5", "unique-key /8", "unique-key /11"),
    Case(#"{"uniqueKeys": [{"fields": []}]}"#, #"["a", "A", "a"]"#, "unique-key /2"),
    Case(
      #"{"anyOf": [{"uniqueKeys": [{"fields": [], "ignoreCase": true}]}, {"maxItems": 2}]}"#, #"["a", "B", "A"]"#,
      "any-of "),
    Case(#"{"uniqueKeys": [{"fields": "n"}]}"#, #"[{"n": "Éa"}, {"n": "éA"}]"#),
    // Each inner array has its own unique keys.
    Case(
      #"{"items": {"properties": {"m": {"uniqueKeys": ["id"]}}}}"#, #"[{"m": [{"id": 1}]}, {"m": [{"id": 1}, {"id": 1}]}]"#,
      "unique-key /1/m/1/id"),
    Case(
      #"{"uniqueKeys": ["k"]}"#,
      #"[{"k": "a string of more than fifteen bytes"}, {"k": "a string of more than fifteen bytes"}]"#, "unique-key /1/k"),
  ]

  static let withoutCase = [
    Case(
      #"{"primaryKey": {"fields": "id", "ignoreCase": true}}"#,
      #"[{"id": "3f1C0a52-7b0e-4c57-9a41-6d2e8f10b7c3"}, {"id": "3F1C0A52-7B0E-4C57-9A41-6D2E8F10B7C3"}, {}]"#,
      "primary-key /1/id", "primary-key /2/id"),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "c", "ignoreCase": true, "reference": {"resource": "/c", "fields": "id"}}]}}}"#,
      #"{"x": [{"c": "ÄB"}, {"c": "b"}, {"c": 1}, {"c": "1"}], "c": [{"id": "äb"}, {"id": "B"}, {"id": 1}]}"#,
      "foreign-key /x/3/c"),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "c/*", "ignoreCase": true, "reference": {"resource": "/c", "fields": "id"}}]}}}"#,
      #"{"c": [{"id": "a"}], "x": [{"c": ["A", "a", "b"]}]}"#, "foreign-key /x/0/c/2"),
    // The key and the reference share one set.
    Case(
      #"""
      {"properties": {"c": {"uniqueKeys": [{"fields": "id", "ignoreCase": true}]},
        "x": {"foreignKeys": [{"fields": "c", "ignoreCase": true, "reference": {"resource": "/c", "fields": "id"}}]}}}
      """#, #"{"c": [{"id": "a"}, {"id": "A"}, {"id": "b"}], "x": [{"c": "B"}, {"c": "C"}]}"#, "foreign-key /x/1/c",
      "unique-key /c/1/id"),
    // A long string, and one that is not ASCII.
    Case(
      #"{"uniqueKeys": [{"fields": "n", "ignoreCase": true}]}"#,
      "[{\"n\": \"\(String(repeating: "aB", count: 40))\"}, {\"n\": \"\(String(repeating: "Ab", count: 40))\"}]",
      "unique-key /1/n"),
  ]

  static let lists = [
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "tag", "reference": {"resource": "/tags"}}]}}}"#,
      #"{"x": [{"tag": "a"}, {"tag": "c"}, {"tag": 1}, {"tag": null}], "tags": ["a", 1, null, ["c"]]}"#, "foreign-key /x/1/tag"),
    Case(
      membership,
      #"{"p": [{"id": 1}, {"id": 2}], "g": [{"m": [1], "e": [{"by": 1, "for": [1, 2]}]}, {"e": [{"by": 2, "for": []}], "m": [2]}]}"#,
      "consistency /g/0/e/0/for/1"),
    // An unknown person isn't a member either, which is one fault.
    Case(
      membership, #"{"p": [{"id": 1}], "g": [{"m": [1], "e": [{"by": 9, "for": [9]}]}]}"#, "foreign-key /g/0/e/0/by",
      "foreign-key /g/0/e/0/for/0"),
    // A list with a wrong name may lack the right one for that reason.
    Case(
      membership,
      #"{"g": [{"m": [1, 9], "e": [{"by": 2, "for": [2, 1]}]}, {"m": [1], "e": [{"by": 2, "for": []}]}], "p": [{"id": 1}, {"id": 2}]}"#,
      "consistency /g/1/e/0/by", "foreign-key /g/0/m/1"),
    Case(membership, #"{"p": [{"id": 1}], "g": [{"e": [{"by": 1, "for": []}]}]}"#, "consistency /g/0/e/0/by"),
  ]

  static let membership = #"""
    {"properties": {"g": {
      "foreignKeys": [{"fields": "m/*", "reference": {"resource": "/p", "fields": "id"}}],
      "items": {"properties": {"e": {"foreignKeys": [
        {"fields": "by", "reference": {"resource": "/p", "fields": "id"}}, {"fields": "for/*", "reference": {"resource": "/p", "fields": "id"}},
        {"fields": "by", "reference": {"resource": "3/m"}, "code": "consistency"},
        {"fields": "for/*", "reference": {"resource": "3/m"}, "code": "consistency"}]}}}}}}
    """#

  static let acrossArrays = [
    Case(
      #"{"items": {"properties": {"m": {"uniqueKeys": [{"fields": "id", "acrossArrays": true}]}}}}"#,
      #"[{"m": [{"id": 1}]}, {"m": [{"id": 2}, {"id": 1}]}, {"m": []}, {"m": [{"id": 2}]}]"#, "unique-key /1/m/1/id",
      "unique-key /3/m/0/id"),
    Case(
      #"{"items": {"properties": {"m": {"primaryKey": {"fields": "id", "acrossArrays": true, "ignoreCase": true}}}}}"#,
      #"[{"m": [{"id": "a"}]}, {"m": [{"id": "A"}]}]"#, "primary-key /1/m/0/id"),
  ]

  static let moved = [
    Case(
      #"{"properties": {"a": {"format": "date-time", "formatMinimum": {"$data": "1/b", "minus": "PT1S"}}}}"#,
      #"{"a": "2026-02-01T09:29:58Z", "b": "2026-02-01T09:30:00Z"}"#, "format-minimum /a"),
    Case(
      #"{"properties": {"a": {"format": "date-time", "formatMinimum": {"$data": "1/b", "minus": "PT1S"}}}}"#,
      #"{"a": "2026-02-01T09:29:59Z", "b": "2026-02-01T09:30:00Z"}"#),
    Case(#"{"properties": {"a": {"const": {"$data": "1/b", "prefix": "p/"}}}}"#, #"{"a": "p/x", "b": "x"}"#),
    Case(#"{"properties": {"a": {"const": {"$data": "1/b", "prefix": "p/"}}}}"#, #"{"b": "x", "a": "x"}"#, "const /a"),
    Case(#"{"properties": {"a": {"const": {"$data": "1/b", "prefix": "p/"}}}}"#, #"{"b": "", "a": "p/"}"#),
    Case(#"{"properties": {"a": {"const": {"$data": "1/b", "prefix": "p/"}}}}"#, #"{"b": "yp/", "a": "p/y"}"#, "const /a"),
  ]

  static let references = [
    Case(
      carsAndExpenses, #"{"cars": [{"id": 1}], "expenses": [{"carId": 1}, {"carId": 2}, {"carId": null}, {}]}"#,
      "foreign-key /expenses/1/carId"),
    // Definitions may come after uses.
    Case(
      carsAndExpenses, #"{"expenses": [{"carId": 2}, {"carId": 1}, {"carId": 2}], "cars": [{"id": 1}]}"#,
      "foreign-key /expenses/0/carId", "foreign-key /expenses/2/carId"),
    Case(carsAndExpenses, #"{"expenses": [{"carId": 2}]}"#, "foreign-key /expenses/0/carId"),
    Case(carsAndExpenses, #"{"cars": [{"id": "7"}], "expenses": [{"carId": 7}]}"#, "foreign-key /expenses/0/carId"),
    // A condition on the referenced record, on the referencing one, and one finding for one cause.
    Case(
      fuelNeedsHybrid,
      #"{"cars": [{"id": 1, "t": "e"}, {"id": 2, "t": "h"}], "x": [{"c": 1, "k": "fuel"}, {"c": 2, "k": "fuel"}, {"c": 1, "k": "wash"}]}"#,
      "foreign-key /x/0/k"),
    Case(
      fuelNeedsHybrid, #"{"x": [{"c": 1, "k": "fuel"}, {"c": 9, "k": "fuel"}], "cars": [{"id": 1, "t": "e"}]}"#,
      "foreign-key /x/0/k", "foreign-key /x/1/c"),
    Case(
      sameCar, #"{"n": [{"m": 5, "c": 1}, {"m": 5, "c": 2}, {"m": 6, "c": 1}], "m": [{"id": 5, "c": 1}]}"#, "foreign-key /n/1/c",
      "foreign-key /n/2/m"),
    Case(
      #"{"properties": {"g": {"items": {}}, "x": {"foreignKeys": [{"fields": "e", "reference": {"resource": "/g/*/e", "fields": "id"}}]}}}"#,
      #"{"g": [{"e": [{"id": 1}]}, {"e": [{"id": 2}]}], "x": [{"e": 1}, {"e": 2}, {"e": 3}]}"#, "foreign-key /x/2/e"),
    // A collection may refer to itself.
    Case(
      #"{"primaryKey": "id", "foreignKeys": [{"fields": "parent", "reference": {"resource": "", "fields": "id"}}]}"#,
      #"[{"id": 1, "parent": 2}, {"id": 2, "parent": 3}]"#, "foreign-key /1/parent"),
  ]

  static let carsAndExpenses = """
    {"properties": {"expenses": {"foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}]}}}
    """
  static let fuelNeedsHybrid = """
    {"properties": {"x": {"foreignKeys": [
      {"fields": "c", "reference": {"resource": "/cars", "fields": "id"}},
      {"fields": "c", "when": {"properties": {"k": {"const": "fuel"}}}, "at": "k",
       "reference": {"resource": "/cars", "fields": "id", "where": {"properties": {"t": {"const": "h"}}}}}]}}}
    """
  static let sameCar = """
    {"properties": {"n": {"foreignKeys": [
      {"fields": "m", "reference": {"resource": "/m", "fields": "id"}},
      {"fields": ["m", "c"], "at": "c", "reference": {"resource": "/m", "fields": ["id", "c"]}}]}}}
    """

  static let comparisons = [
    Case(#"{"properties": {"n": {"countOf": "/a"}}}"#, #"{"n": 2, "a": [1, [2, 3]]}"#),
    Case(#"{"properties": {"n": {"countOf": "/a"}}}"#, #"{"a": [1], "n": 2.0}"#, "count-of /n"),
    Case(#"{"properties": {"n": {"countOf": "/a/b"}}}"#, #"{"n": 1}"#, "count-of /n"),
    Case(#"{"properties": {"b": {"minimum": {"$data": "1/a"}}}}"#, #"{"a": 3, "b": 2}"#, "minimum /b"),
    Case(#"{"properties": {"b": {"minimum": {"$data": "1/a"}}}}"#, #"{"b": 2, "a": 3}"#, "minimum /b"),
    Case(#"{"properties": {"b": {"minimum": {"$data": "1/a"}}}}"#, #"{"b": 2}"#),
    Case(#"{"properties": {"b": {"minimum": {"$data": "1/a"}}}}"#, #"{"b": 2, "a": "3"}"#, "minimum /b"),
    Case(
      #"{"items": {"properties": {"b": {"const": {"$data": "1/a"}}}}}"#, #"[{"a": "x", "b": "x"}, {"b": "y", "a": "x"}]"#,
      "const /1/b"),
    Case(
      #"{"properties": {"i": {"items": {"properties": {"v": {"maximum": {"$data": "3/top"}}}}}}}"#,
      #"{"i": [{"v": 1}, {"v": 9}], "top": 5}"#, "maximum /i/1/v"),
    Case(
      #"{"properties": {"i": {"items": {"properties": {"v": {"maximum": {"$data": "/m/top"}}}}}}}"#,
      #"{"i": [{"v": 1}, {"v": 9}], "m": {"top": 5}}"#, "maximum /i/1/v"),
    Case(
      #"{"properties": {"u": {"format": "date", "formatMinimum": {"$data": "1/c", "plus": "P1D"}}}}"#,
      #"{"u": "2026-01-01", "c": "2026-01-01"}"#, "format-minimum /u"),
    // A comparison in a branch depends on the branch.
    // A value that waits for the record, and then one that waits for an object around it.
    Case(
      #"{"properties": {"i": {"items": {"properties": {"v": {"maximum": {"$data": "1/m"}}, "w": {"maximum": {"$data": "3/top"}}}}}}}"#,
      #"{"i": [{"v": 2, "w": 2, "m": 1}, {"v": 1, "w": 1, "m": 1}, {"v": 1, "w": 1, "m": 0}], "top": 1}"#, "maximum /i/0/v",
      "maximum /i/0/w", "maximum /i/2/v"),
    Case(#"{"if": {"required": ["k"]}, "then": {"properties": {"b": {"minimum": {"$data": "1/a"}}}}}"#, #"{"b": 2, "a": 3}"#),
    Case(
      #"{"if": {"required": ["k"]}, "then": {"properties": {"b": {"minimum": {"$data": "1/a"}}}}}"#, #"{"b": 2, "a": 3, "k": 1}"#,
      "minimum /b"),
    Case(
      #"{"backup": {"version": {"pointer": "/v"}}, "properties": {"new": {"since": 3}, "newer": {"since": 4}}}"#,
      #"{"new": 1, "newer": [2], "v": 3}"#, "since /newer"),
  ]

  static let equalRecords = [
    Case(
      graded("warning"), #"[{"id": 1, "n": 2.0}, {"n": 2, "id": 1}, {"id": 1, "n": 3}, {"id": 1, "n": 3}]"#,
      "unique-key /1/id warning", "unique-key /2/id error", "unique-key /3/id warning"),
    Case(graded("none"), #"[{"id": 1}, {"id": 1}, {"id": 1, "n": null}]"#, "unique-key /2/id error"),
    // Nested values are compared, too.
    Case(
      graded("note"), #"[{"id": 1, "n": [{"a": 1}]}, {"id": 1, "n": [{"a": 1}]}, {"id": 1, "n": [{"a": 2}]}]"#,
      "unique-key /1/id note", "unique-key /2/id error"),
    Case(
      #"{"items": {"properties": {"m": {"uniqueKeys": [{"fields": "id", "ifEqual": "warning"}]}}}}"#,
      #"[{"m": [{"id": 1}]}, {"m": [{"id": 1}, {"id": 1}]}]"#, "unique-key /1/m/1/id warning"),
    Case(
      #"{"items": {"properties": {"m": {"uniqueKeys": [{"fields": "id", "acrossArrays": true, "ifEqual": "warning"}]}}}}"#,
      #"[{"m": [{"id": 1}]}, {"m": [{"id": 1}, {"id": 1, "x": 0}]}]"#, "unique-key /1/m/0/id warning",
      "unique-key /1/m/1/id error"),
  ]

  private static func graded(_ grade: String) -> String { #"{"uniqueKeys": [{"fields": "id", "ifEqual": "\#(grade)"}]}"# }

  @Test(arguments: equalRecords)
  func `equal records with the same key get their own severity`(_ test: Case) throws {
    for chunkSize in [1, 7, 1 << 16] {
      let findings = try Evaluation(test.rules, test.document, chunkSize: chunkSize).findings
      #expect(findings.map { "\($0.code) \($0.place.pointer) \($0.severity.rawValue)" }.sorted() == test.findings.sorted())
    }
  }

  @Test func `graded duplicates are counted exactly beyond the limit of findings`() throws {
    let records = (0..<3000).map { #"{"id": 1, "n": \#($0 % 3 == 0 ? 0 : $0)}"# }.joined(separator: ",")
    let evaluation = try Evaluation(Self.graded("warning"), "[\(records)]", maximumFindings: 5)
    #expect(evaluation.counts.count(.warning) == 999)
    #expect(evaluation.counts.count(.error) == 2000)
    #expect(evaluation.findings.map(\.severity) == [.error, .error, .warning, .error, .error])
  }

  static let conditions = [
    Case(
      #"{"uniqueKeys": [{"fields": "n", "when": {"properties": {"n": {"not": {"const": 0}}}}}]}"#,
      #"[{"n": 0}, {"n": 1}, {"n": 0}, {"n": 1}]"#, "unique-key /3/n"),
    Case(
      #"{"uniqueKeys": [{"fields": "at", "asInstants": true}]}"#,
      #"[{"at": "2026-01-01T00:00:00Z"}, {"at": "2026-01-01T01:00:00+01:00"}, {"at": "2026-01-01T00:00:00.5Z"}, {"at": "2026-01-01T00:00:00.50Z"}]"#,
      "unique-key /1/at", "unique-key /3/at"),
    Case(
      #"{"uniqueKeys": [{"fields": ["at", "by"], "asInstants": true, "ignoreCase": true}]}"#,
      #"[{"at": "2026-01-01T00:00:00Z", "by": "a"}, {"by": "A", "at": "2026-01-01T01:00:00+01:00"}, {"at": "soon", "by": "a"}, {"at": "SOON", "by": "A"}]"#,
      "unique-key /1/at", "unique-key /3/at"),
  ]

  /// One fault is one finding: a value that is wrong itself is not also reported as a dangling reference.
  static let faults = [
    Case(
      typedReference, #"{"cars": [{"id": 1}], "x": [{"c": "1"}, {"c": 2}, {"c": "1"}]}"#, "type /x/0/c", "type /x/2/c",
      "foreign-key /x/1/c"),
    Case(typedReference, #"{"x": [{"c": "1"}, {"c": 9}], "cars": [{"id": 1}]}"#, "type /x/0/c", "foreign-key /x/1/c"),
    Case(typedReference, #"{"x": [{"d": ["a", 7, 1]}], "cars": [{"id": 1}]}"#, "type /x/0/d/0", "foreign-key /x/0/d/1"),
    Case(typedReference, #"{"x": [{"e": "Q"}, {"e": "q!"}], "cars": [{"id": 1}]}"#, "foreign-key /x/0/e", "pattern /x/1/e"),
    // A warning about the value leaves an error about the reference.
    Case(typedReference, #"{"x": [{"w": 0}], "cars": [{"id": 1}]}"#, "minimum /x/0/w", "foreign-key /x/0/w"),
    // An error about a scalar suppresses a warning of the same schema.
    Case(#"{"minimum": 0, "allOf": [{"severity": "warning", "minimum": 10}]}"#, "-1", "minimum "),
    Case(#"{"minimum": 0, "allOf": [{"severity": "warning", "minimum": 10}]}"#, "5", "minimum "),
  ]

  static let typedReference = """
    {"properties": {"x": {
      "items": {"properties": {"c": {"type": "integer"}, "d": {"items": {"type": "integer"}}, "e": {"pattern": "^[a-zA-Z]*$"},
        "w": {"severity": "warning", "minimum": 1}}},
      "foreignKeys": [
        {"fields": "c", "reference": {"resource": "/cars", "fields": "id"}},
        {"fields": "d/*", "reference": {"resource": "/cars", "fields": "id"}},
        {"fields": "e", "ignoreCase": true, "reference": {"resource": "/cars", "fields": "id"}},
        {"fields": "w", "reference": {"resource": "/cars", "fields": "id"}}]}}}
    """

  static let emptyBeforeAVersion = [
    Case(sinceTwo, #"{"v": 1, "x": [{"c": 1}], "cars": []}"#),
    Case(sinceTwo, #"{"x": [{"c": 1}], "cars": []}"#),
    Case(sinceTwo, #"{"v": 2, "x": [{"c": 1}], "cars": []}"#, "foreign-key /x/0/c"),
    Case(sinceTwo, #"{"x": [{"c": 1}], "cars": [], "v": 2}"#, "foreign-key /x/0/c"),
    Case(sinceTwo, #"{"v": 1, "x": [{"c": 1}], "cars": [{"id": 2}]}"#, "foreign-key /x/0/c"),
  ]

  static let sinceTwo = """
    {"backup": {"version": {"pointer": "/v"}}, "properties": {"x": {"foreignKeys": [
      {"fields": "c", "reference": {"resource": "/cars", "fields": "id", "ifEmpty": {"severity": "none", "before": 2}}}]}}}
    """

  @Test(
    arguments: unique + withoutCase + conditions + faults + emptyBeforeAVersion + acrossArrays + lists + references + moved
      + comparisons)
  func `keys, references, counts and comparisons have the expected findings`(_ test: Case) throws {
    for chunkSize in [1, 5, 1 << 16] {
      #expect(try Evaluation(test.rules, test.document, chunkSize: chunkSize).lines.sorted() == test.findings.sorted())
    }
  }

  @Test func `a dangling reference decided at the end has its own place`() throws {
    let document = "{\n\"expenses\": [\n  {\"x\": 1,\n   \"carId\": 99}],\n\"cars\": []}"
    for chunkSize in [1, 7, 1 << 16] {
      let finding = try #require(try Evaluation(Self.carsAndExpenses, document, chunkSize: chunkSize).findings.first)
      #expect(finding.place.line == 4)
      #expect(finding.place.column == 13)
      #expect(finding.place.offset == 39)
      #expect(finding.excerpt == "99")
      #expect(finding.message == "carId 99 refers to no record of /cars")
    }
  }

  @Test func `dangling references beyond the limit of findings are counted`() throws {
    let expenses = (0..<3000).map { #"{"carId": \#($0 % 7)}"# }.joined(separator: ",")
    let evaluation = try Evaluation(
      Self.carsAndExpenses, #"{"expenses": [\#(expenses)], "cars": [{"id": 3}]}"#, maximumFindings: 5)
    #expect(evaluation.counts.total == 3000 - 429)
    #expect(evaluation.lines == [0, 1, 2, 4, 5].map { "foreign-key /expenses/\($0)/carId" })
  }
}
