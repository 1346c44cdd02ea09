import ByteStreams
import Findings
import Rules
import Testing

@Suite struct CheckedRulesTests {
  private func checkedRules(of rules: String) throws -> [CheckedRule] {
    try RuleDocument(MemorySource(Array(rules.utf8))).compiled().checkedRules
  }

  @Test func `rules are listed by code with their places and expectations`() throws {
    let rules = try checkedRules(
      of: #"""
        {"$schema": "urn:coffer:rules:1", "type": "object", "required": ["cars", "year"],
         "properties": {
           "cars": {"primaryKey": "id", "items": {"properties": {"a/b": {"minLength": 2}}}},
           "trips": {"foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}]},
           "year": {"maximum": 2100, "severity": "warning", "code": "far", "errorMessage": "too late"},
           "notes": {"additionalProperties": {"type": "string"}}}}
        """#)
    let lines = rules.map { rule in
      let words = rule.message ?? rule.expectation ?? "?"
      return "\(rule.severity) \(rule.code) \(rule.places.joined(separator: ", ")): \(words) <- \(rule.schemaLocation)"
    }
    #expect(
      lines == [
        "warning far /year: too late <- /properties/year/maximum",
        "error foreign-key /trips/*/car: the key of a record of /cars <- /properties/trips/foreignKeys/0",
        "error min-length /cars/*/a~1b: at least 2 characters <- /properties/cars/items/properties/a~1b/minLength",
        "warning not-checked /cars: primaryKey applies to records; a reference looks for id in records <- "
          + "/properties/cars/primaryKey",
        "warning not-checked /trips: foreignKeys applies to records <- /properties/trips/foreignKeys/0",
        "error primary-key /cars/*/id: a unique value <- /properties/cars/primaryKey",
        "error required /cars, /year: present <- /required",
        "error type : object <- /type",
        "error type /notes/*: string <- /properties/notes/additionalProperties/type",
      ])
  }

  /// A bound needs its format, which is often required beside it, too.
  @Test func `a format that is required again is one rule`() throws {
    let date = #"{"format": "apple-date-time"}"#
    let again = #"{"format": "apple-date-time", "formatMaximum": "2030-01-01T00:00:00Z", "severity": "warning"}"#
    #expect(try checkedRules(of: #"{"allOf": [\#(date), \#(again)]}"#).map(\.code) == ["format", "format-maximum"])
  }

  @Test(arguments: [
    (#"{"format": "date-time", "severity": "warning"}"#, #"{"format": "date-time"}"#),
    (#"{"format": "apple-date-time", "severity": "warning"}"#, #"{"format": "date-time-seconds"}"#),
    (#"{"format": "date-time-seconds"}"#, #"{"format": "apple-date-time", "severity": "note"}"#),
  ])
  func `a lighter finding about a format hides no error`(_ first: String, _ second: String) throws {
    let rules = #"{"allOf": [\#(first), \#(second)]}"#
    #expect(try !Evaluation(rules, #""garbage""#).isValid)
  }

  @Test func `a schema in several places has no place`() throws {
    let rules = try checkedRules(
      of: ##"""
        {"properties": {"a": {"$ref": "#/$defs/n"}, "b": {"items": {"$ref": "#/$defs/n"}}, "c": {"$ref": "#/$defs/tree"}},
         "$defs": {"n": {"maximum": 5}, "tree": {"minProperties": 1, "properties": {"next": {"$ref": "#/$defs/tree"}}}}}
        """##)
    #expect(rules.map(\.places) == [[], []])
    #expect(rules.map(\.expectation) == ["at most 5", "at least 1 member"])
  }

  @Test(arguments: [
    ##"{"items": {"$ref": "#"}, "maximum": 5}"##, ##"{"properties": {"a": {"properties": {"b": {"$ref": "#"}}, "maximum": 5}}}"##,
    ##"{"$ref": "#/$defs/a", "$defs": {"a": {"additionalProperties": {"$ref": "#/$defs/a"}, "maximum": 5}}}"##,
  ]) func `rules of a schema that contains itself have no place`(rules: String) throws {
    #expect(try checkedRules(of: rules).map(\.places) == [[]])
  }

  @Test func `a rule with many places lists the first ten`() throws {
    let names = (0..<30).map { "\"m\($0)\"" }.joined(separator: ", ")
    let rules = try checkedRules(of: "{\"required\": [\(names)]}")
    #expect(rules.map(\.code) == ["required"])
    #expect(rules[0].places.count == 10)
  }
}
