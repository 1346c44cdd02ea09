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
    Case(#"{"uniqueKeys": [{"fields": "n"}]}"#, #"[{"n": "Éa"}, {"n": "éA"}]"#),
    // Each inner array is unique for itself.
    Case(
      #"{"items": {"properties": {"m": {"uniqueKeys": ["id"]}}}}"#, #"[{"m": [{"id": 1}]}, {"m": [{"id": 1}, {"id": 1}]}]"#,
      "unique-key /1/m/1/id"),
    Case(
      #"{"uniqueKeys": ["k"]}"#,
      #"[{"k": "a string of more than fifteen bytes"}, {"k": "a string of more than fifteen bytes"}]"#, "unique-key /1/k"),
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
    Case(#"{"properties": {"b": {"minimum": {"$data": "1/a"}}}}"#, #"{"b": 2, "a": "3"}"#),
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
    // In a branch: it goes with the branch.
    Case(#"{"if": {"required": ["k"]}, "then": {"properties": {"b": {"minimum": {"$data": "1/a"}}}}}"#, #"{"b": 2, "a": 3}"#),
    Case(
      #"{"if": {"required": ["k"]}, "then": {"properties": {"b": {"minimum": {"$data": "1/a"}}}}}"#, #"{"b": 2, "a": 3, "k": 1}"#,
      "minimum /b"),
    Case(
      #"{"backup": {"version": {"pointer": "/v"}}, "properties": {"new": {"since": 3}, "newer": {"since": 4}}}"#,
      #"{"new": 1, "newer": [2], "v": 3}"#, "since /newer"),
  ]

  @Test(arguments: unique + references + comparisons)
  func keysJudge(_ test: Case) throws {
    for chunkSize in [1, 5, 1 << 16] {
      #expect(try Evaluation(test.rules, test.document, chunkSize: chunkSize).lines.sorted() == test.findings.sorted())
    }
  }

  @Test func aDanglingReferenceHasItsPlaceThoughItWasDecidedAtTheEnd() throws {
    let document = "{\n\"expenses\": [\n  {\"x\": 1,\n   \"carId\": 99}],\n\"cars\": []}"
    for chunkSize in [1, 7, 1 << 16] {
      let finding = try #require(try Evaluation(Self.carsAndExpenses, document, chunkSize: chunkSize).findings.first)
      #expect(finding.place.line == 4)
      #expect(finding.place.column == 13)
      #expect(finding.place.offset == 39)
      #expect(finding.excerpt == "99")
      #expect(finding.message == "no record of /cars has the carId 99 that this one refers to")
    }
  }

  @Test func thousandsOfDanglingReferencesAreAllCounted() throws {
    let expenses = (0..<3000).map { #"{"carId": \#($0 % 7)}"# }.joined(separator: ",")
    let evaluation = try Evaluation(
      Self.carsAndExpenses, #"{"expenses": [\#(expenses)], "cars": [{"id": 3}]}"#, maximumFindings: 5)
    #expect(evaluation.counts.total == 3000 - 429)
    #expect(evaluation.lines == [0, 1, 2, 4, 5].map { "foreign-key /expenses/\($0)/carId" })
  }
}
