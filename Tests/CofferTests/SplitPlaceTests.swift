import TestSupport
import Testing

@testable import Coffer

/// The merging process finds the ends of values, and the records that hold them, by reading only near findings.
@Suite struct SplitPlaceTests {
  private static let rules = """
    {"properties": {"trips": {"primaryKey": "id", "items": {"required": ["id", "to"],
      "items": {"properties": {"id": {"maximum": 490}}}, "properties": {
      "km": {"maximum": 9}, "to": {"type": "object", "required": ["a\\\\b"]},
      "stops": {"items": {"items": {"required": ["0"], "properties": {"x": {"maxLength": 2}}}}}}}},
      "data": {"properties": {"cars": {"primaryKey": ["id", "n"], "items": {"properties": {"n": {"maximum": 1}}}}}}}}
    """

  private struct Run {
    let report: ValidationReport
    let expected: ValidationReport
    /// The number of bytes that the merging process has read.
    let readCount: Int
  }

  private static func run(
    _ document: [UInt8], named name: String = "trips.json", tasks: Int = 3, rangeSize: Int, explainingKeys: Bool = false
  ) throws -> Run {
    let rules = RuleSource.document(try RuleDocument(MemorySource(Self.rules.utf8)), name: "rules")
    var options = ValidationOptions(now: Instant(seconds: 0))
    options.addsPlaces = true
    options.explainsKeys = explainingKeys
    let planned = try SplitPlanner(Validator(rules, options: options), rangeSize: rangeSize).plan(
      [name], into: tasks, tool: "test", format: nil, rules: nil
    ) { StoredBytes(document, named: $0) }
    var sink = MemorySink()
    try planned.write(to: &sink)
    let (plan, digest) = try SplitPlan.read(MemorySource(sink.bytes), tool: "test")
    options.digestKey = SipHash128.Key(low: plan.key[0], high: plan.key[1])
    let validator = Validator(rules, options: options)
    let partials = try plan.tasks.indices.map { task in
      var sink = MemorySink()
      var keys: MemorySink?
      try SplitTask(task, of: plan, digest: digest, validator).run(
        .files { StoredBytes(document, named: $0) }, to: &sink, keys: &keys)
      return (name: "\(task)", source: MemorySource(sink.bytes) as any ByteSource)
    }
    #expect(!plan.files[0].gaps.isEmpty)
    let progress = WorkProgress()
    var report = try PlanMerge(plan, digest: digest, validator) {
      StoredBytes(document, named: $0, progress: progress)
    }.reports(partials)[0]
    report.seconds = 0
    var expected = try Validator(rules, options: options).validate(MemorySource(document), named: name)
    expected.seconds = 0
    return Run(report: report, expected: expected, readCount: progress.snapshot.bytesRead)
  }

  /// A valid record, whose strings look like structure.
  private static func record(_ id: Int, _ members: String = #""to": {"a\\b": 1}"#) -> String {
    #"{"id": \#(id), \#(members), "text": "]}, {\"é\\", "tags": ["[", {"a": "\\\\\""}]}"#
  }

  private static let defects = [
    #""km": 10, "to": {"a\\b": 1}"#, #""from": 1"#, #""to": {}"#, #""to": {"to": {}, "b": [{}]}"#, #""to": 7"#,
    #""to": {"a\\b": 1}, "stops": [[{"0": 1, "x": "long"}], [{"x": "é"}], [[]]]"#, #""to": {"a\\b": 1}, "id": 5"#,
  ]

  @Test(arguments: defects) func `a finding in a large collection is found by reading kilobytes`(defect: String) throws {
    for separator in [",", ",\n  "] {
      let records = (0..<4000).map { Self.record($0, $0 == 2500 ? defect : #""to": {"a\\b": 1}"#) }
      let document = Array("{\"trips\": [\(records.joined(separator: separator))], \"data\": {}}".utf8)
      let run = try Self.run(document, rangeSize: 10_000)
      #expect(run.expected.counts.total > 0)
      #expect(run.expected.findings.allSatisfy { $0.record != nil })
      #expect(run.report == run.expected)
      #expect(run.readCount > 0 && run.readCount < 200_000 && document.count > 280_000)
    }
  }

  @Test func `messages about keys name the first record, too`() throws {
    let records = (0..<4000).map { Self.record($0 % 3990) }
    let run = try Self.run(
      Array("{\"trips\": [\(records.joined(separator: ",\n"))]}".utf8), rangeSize: 10_000, explainingKeys: true)
    #expect(run.report == run.expected)
    #expect(
      run.report.findings.map(\.message)
        == (0..<10).map { "duplicate id \($0): /trips/\($0) at \($0 + 1):\($0 == 0 ? 19 : 8) has it" })
  }

  @Test func `a record larger than a window is found, too`() throws {
    let long = String(repeating: "x\\\\\\\"", count: 20_000)
    for defect in Self.defects {
      let records = (0..<40).map {
        Self.record($0, $0 == 25 ? #""before": "\#(long)", \#(defect), "after": "\#(long)""# : #""to": {"a\\b": 1}"#)
      }
      let document = Array("{\"trips\": [\(records.joined(separator: ", "))]}".utf8)
      let run = try Self.run(document, rangeSize: 1000)
      #expect(run.expected.counts.total > 0)
      #expect(run.report == run.expected, "\(defect)")
    }
  }

  @Test func `a finding in a record that is not an object is found`() throws {
    let items = (0..<500).map { "[\($0), {\"id\": \($0)}]" } + ["{\"id\": 1, \"to\": {}}", "7", "[[{}]]", "null"]
    let run = try Self.run(Array("{\"trips\": [\(items.joined(separator: ", "))]}".utf8), rangeSize: 100)
    #expect(run.expected.findings.contains { $0.place.pointer == "/trips/495/1/id" })
    #expect(run.report == run.expected)
  }

  @Test func `findings in the envelope and after collections are found`() throws {
    let records = (0..<300).map { Self.record($0) }.joined(separator: ",")
    let cars = (0..<300).map { "{\"id\": \($0), \"n\": \($0 % 100 == 0 ? 2 : 1)}" }.joined(separator: ",\n")
    for end in ["}", "", "]"] {
      let document = "{\"trips\": [\(records)], \"data\": {\"cars\": [\(cars)], \"x\": 1}, \"trips\": [{}] \(end)"
      let run = try Self.run(Array(document.utf8), rangeSize: 500)
      #expect(run.expected.counts.total > 3)
      #expect(run.report == run.expected, "\(end)")
    }
  }

  @Test func `findings before a fault are found`() throws {
    let records = (0..<600).map { Self.record($0, $0 % 150 == 20 ? #""to": {"a\\b": 1}, "km": 10"# : #""to": {"a\\b": 1}"#) }
    for fault in ["{\"id\": ]", "{\"id\": 1, \"km\": 20, \"to\": tru}", "{\"km\": 30,"] {
      for place in [100, 300, 599] {
        let text = (records[..<place] + [fault] + records[place...]).joined(separator: ",")
        let run = try Self.run(Array("{\"trips\": [\(text)]}".utf8), rangeSize: 2000)
        #expect(run.expected.error != nil)
        #expect(run.report == run.expected, "\(fault) \(place)")
      }
    }
  }
}
