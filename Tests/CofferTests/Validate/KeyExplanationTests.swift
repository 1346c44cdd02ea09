import Testing

@testable import Coffer

/// Messages about keys tell what a second evaluation of the document finds out.
@Suite struct KeyExplanationTests {
  private static let rules = """
    {"properties": {
      "cars": {"primaryKey": "id", "items": {"properties": {"wheels": {"uniqueKeys": ["n"]}, "tags": {"uniqueItems": true}}}},
      "slots": {"uniqueKeys": [["day", "slot"]]},
      "trips": {"foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}]},
      "stays": {"foreignKeys": [{"fields": ["day", "slot"], "reference": {"resource": "/slots", "fields": ["day", "slot"]}}]}}}
    """

  /// Returns the messages, from large collections that are read in slices and from small ones.
  private func messages(
    _ document: String, named name: String = "a.json", rules: String = Self.rules, slices: Slicer.Options? = nil,
    _ change: (inout ValidationOptions) -> Void = { _ in }
  ) throws -> [String] {
    var options = ValidationOptions(now: Instant(seconds: 0))
    options.explainsKeys = true
    options.slices = slices
    change(&options)
    let rules = RuleSource.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules")
    return try Validator(rules, options: options).validate(MemorySource(document.utf8), named: name).findings.map(\.message)
  }

  private static func slices(_ size: Int) -> Slicer.Options {
    var options = Slicer.Options()
    options.sliceSize = size
    return options
  }

  @Test(arguments: [
    (#"{"cars": [{"id": 28},"# + "\n" + #"{"id": 7}, {"id": 28}]}"#, "duplicate id 28: /cars/0 at 1:18 has it"),
    (
      "{\"cars\": [{\"id\": \"c\"},\n{\"id\": \"a\"}, {\"id\": \"a\"}, {\"id\": \"b\"}]}",
      "duplicate id a: /cars/1 at 2:8 has it"
    ),
    (
      #"{"slots": [{"day": "2026-05-01", "slot": 7}, {"day": "2026-05-01", "slot": 7}]}"#,
      "duplicate combination of day 2026-05-01, slot 7: /slots/0 at 1:20 has it"
    ),
    (
      #"{"stays": [{"day": "2026-05-01", "slot": true}]}"#,
      "day 2026-05-01, slot refers to no record of /slots"
    ),
    // Each array has keys of its own.
    (
      #"{"cars": [{"id": 1, "wheels": [{"n": 1}]}, {"id": 2, "wheels": [{"n": 2}, {"n": 1}, {"n": 1}]}]}"#,
      "duplicate n 1: /cars/1/wheels/1 at 1:81 has it"
    ),
    (#"{"cars": [{"id": 1, "tags": ["x", [1], "y", [1.0]]}]}"#, "duplicate item: /cars/0/tags/1 at 1:35 is equal"),
    (
      #"{"cars": [{"id": "a key of more than fifteen bytes"}, {"id": "a key of more than fifteen bytes"}]}"#,
      "duplicate id a key of more than fifteen bytes: /cars/0 at 1:18 has it"
    ),
    (
      #"{"cars": [{"id": 12345678901234567890}, {"id": 1234567890123456789e1}]}"#,
      "duplicate id 1234567890123456789e1: /cars/0 at 1:18 has it"
    ),
    (
      #"{"trips": [{"car": "A1 "}], "cars": [{"id": "b1"}, {"id": "a1"}]}"#,
      "car A1  refers to no record of /cars; a record has 'a1': only case and spaces differ"
    ),
    (
      #"{"trips": [{"car": "A1"}], "cars": [{"id": "a1"}]}"#,
      "car A1 refers to no record of /cars; a record has 'a1': only the case differs"
    ),
    (
      #"{"trips": [{"car": "a1"}], "cars": [{"id": " a1"}]}"#,
      "car a1 refers to no record of /cars; a record has ' a1': only spaces differ"
    ),
    (#"{"trips": [{"car": "7"}], "cars": [{"id": 7}]}"#, "car 7 refers to no record of /cars; a record has the number 7"),
    (#"{"trips": [{"car": 7}], "cars": [{"id": "7"}]}"#, "car 7 refers to no record of /cars; a record has the string '7'"),
    (
      #"{"trips": [{"car": "0B5BD7A7-3B5B-4E7F-8F0B-6A1E5A3C2D10"}], "cars": [{"id": "0b5bd7a7-3b5b-4e7f-8f0b-6a1e5a3c2d10"}]}"#,
      "car 0B5BD7A7-3B5B-4E7F-8F0B-6A1E5A3C2D10 refers to no record of /cars; a record has "
        + "'0b5bd7a7-3b5b-4e7f-8f0b-6a1e5a3c2d10': only the case differs"
    ),
    (#"{"trips": [{"car": "x"}], "cars": [{"id": "y"}]}"#, "car x refers to no record of /cars"),
  ])
  func `messages name the first record, the values and similar keys`(document: String, message: String) throws {
    #expect(try messages(document) == [message])
    #expect(try messages(document, slices: Self.slices(8)) == [message])
  }

  @Test func `a duplicate that equals an earlier record names the first record with its key`() throws {
    let rules = #"{"properties": {"cars": {"uniqueKeys": [{"fields": "id", "ifEqual": "warning"}]}}}"#
    let document = #"{"cars": [{"id": 1}, {"id": 1, "a": 1}, {"id": 1, "a": 1}]}"#
    #expect(
      try messages(document, rules: rules) == [
        "duplicate id 1: /cars/0 at 1:18 has it",
        "duplicate id 1: an earlier record is equal to this one; the first with this key is /cars/0 at 1:18",
      ])
  }

  @Test func `all threads, little memory, JSON Lines and broken documents give the same messages`() throws {
    let rules = #"{"primaryKey": "id", "items": {"properties": {"id": {"type": "integer"}}}}"#
    let records = (0..<4000).map { #"{"id": \#($0 % 3990), "text": "some text"}"# }
    let expected = (3990..<4000).map { "duplicate id \($0 - 3990): /\($0 - 3990) at \($0 - 3989):8 has it" }
    let lines = records.joined(separator: "\n")
    for jobs in [1, 3] {
      for memory in [1 << 14, 1 << 20] {
        let found = try messages(lines, named: "a.jsonl", rules: rules, slices: Self.slices(1000)) {
          $0.execution.jobs = jobs
          $0.execution.memoryLimit = memory
        }
        #expect(found == expected)
      }
    }
    #expect(
      try messages("[\(records.joined(separator: ",\n"))", rules: rules, slices: Self.slices(1000))
        == expected.map { $0.replacing("/0 at 1:8", with: "/0 at 1:9") })
  }

  @Test func `names that are meant don't depend on slices and threads`() throws {
    let rules = #"{"items": {"properties": {"name": {}}, "required": ["name"], "additionalProperties": false}}"#
    let records = (0..<3000).map { "{\"\($0 % 3 == 0 ? "nam" : "x\($0)")\": \($0 % 2 == 0 ? "1" : "{}")}" }
    let document = "[\(records.joined(separator: ",\n"))]"
    let expected = try messages(document, rules: rules) { $0.maximumFindings = 100 }
    #expect(expected.contains("the member 'name' is missing; 'nam' may be meant for it"))
    for jobs in [1, 3] {
      let found = try messages(document, rules: rules, slices: Self.slices(500)) {
        $0.maximumFindings = 100
        $0.execution.jobs = jobs
      }
      #expect(found == expected)
    }
  }

  @Test func `values are left out, and messages of rules stay`() throws {
    let document = #"{"cars": [{"id": "secret"}, {"id": "secret"}], "trips": [{"car": "SECRET"}]}"#
    #expect(
      try messages(document) { $0.redacts = true } == [
        "duplicate id: /cars/0 at 1:18 has it", "car refers to no record of /cars",
      ])
    let rules = #"{"properties": {"cars": {"primaryKey": "id", "errorMessage": "one of each"}}}"#
    #expect(try messages(document, rules: rules) == ["one of each"])
  }

  @Test func `a flood has a message for each finding that is kept`() throws {
    let rules = #"{"properties": {"cars": {"primaryKey": "id"}}}"#
    let records = (0..<3000).map { #"{"id": \#($0 / 2)}"# }
    let found = try messages(#"{"cars": [\#(records.joined(separator: ", "))]}"#, rules: rules) { $0.maximumFindings = 100 }
    #expect(found.count == 100)
    for (index, message) in found.enumerated() { #expect(message.hasPrefix("duplicate id \(index): /cars/\(index * 2) at 1:")) }
  }
}
