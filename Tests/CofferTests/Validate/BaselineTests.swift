import Coffer
import Testing

@Suite struct BaselineTests {
  private static let rules = """
    {"properties": {"trips": {"primaryKey": "id", "items": {"properties": {"km": {"maximum": 9}, "day": {"format": "date"}}}}}}
    """

  private func report(on trips: String, baseline: Baseline? = nil, limit: Int = 1000) throws -> ValidationReport {
    var options = ValidationOptions(now: Validating.now)
    options.addsPlaces = true
    options.baseline = baseline
    options.maximumFindings = limit
    let rules = try RuleDocument(MemorySource(Self.rules.utf8))
    return try Validator(.document(rules, name: "rules"), options: options)
      .validate(MemorySource("{\"trips\": [\(trips)]}".utf8), named: "a.json")
  }

  private let known = #"{"id": 1, "km": 12}, {"id": 2, "km": 13}, {"id": 3, "km": 1}"#

  @Test func `known findings are accepted wherever their records are`() throws {
    let baseline = Baseline(accepting: [try report(on: known)])
    let moved = #"{"id": 9},\#n {"km": 13, "id": 2}, {"id": 8}, {"id": 1, "km": 99}"#
    let report = try report(on: moved, baseline: baseline)
    #expect(report.findings.map(\.baseline) == [.known(reason: nil), .known(reason: nil)])
    #expect(report.isValid)
    #expect(report.newCounts.total == 0)
    #expect(report.resolved == ResolvedFindings())
  }

  @Test func `another record, another field and another code are new, and missing findings are resolved`() throws {
    let baseline = Baseline(accepting: [try report(on: known)])
    let report = try report(
      on: #"{"id": 1, "km": 1, "day": "x"}, {"id": 2, "km": 13}, {"id": 3, "km": 77}"#, baseline: baseline)
    #expect(
      report.findings.map { "\($0.identity.key ?? "")\($0.identity.pointer) \($0.isAccepted)" } == [
        "1/day false", "2/km true", "3/km false",
      ])
    #expect(!report.isValid)
    #expect(report.resolved?.count == 1)
    #expect(report.resolved?.entries.map(\.identity.key) == ["1"])
  }

  @Test func `without keys, findings are known by their number`() throws {
    let trips = #"{"km": 12}, {"km": 13}"#
    let baseline = Baseline(accepting: [try report(on: trips)])
    #expect(baseline.entries.map(\.count).contains(2))
    let report = try report(on: trips + #", {"km": 14}"#, baseline: baseline)
    #expect(report.newCounts.byCode["maximum"] == 1)
  }

  @Test func `new findings are shown first`() throws {
    let baseline = Baseline(accepting: [try report(on: known)])
    let report = try report(on: known + #", {"id": 5, "km": 50}, {"id": 6, "km": 60}"#, baseline: baseline, limit: 2)
    #expect(report.findings.map(\.record?.key) == ["5", "6"])
    #expect(report.acceptedCounts.total == 2)
    #expect(report.counts.total == 4)
  }

  @Test func `an incomplete reading resolves nothing`() throws {
    let baseline = Baseline(accepting: [try report(on: known)])
    #expect(try report(on: #"{"id": 1, "km": 1}, {"#, baseline: baseline).resolved == ResolvedFindings())
  }

  @Test func `a stream is compared, too`() throws {
    let baseline = Baseline(accepting: [try report(on: known)])
    var options = ValidationOptions(now: Validating.now)
    options.baseline = baseline
    let rules = try RuleDocument(MemorySource(Self.rules.utf8))
    let report = try Validator(.document(rules, name: "rules"), options: options)
      .validate(Stream(source: MemorySource("{\"trips\": [\(known)]}".utf8)), named: "a.json")
    #expect(report.isValid && report.acceptedCounts.total == 2)
  }

  /// A source that can be read only once.
  private struct Stream: ByteSource {
    var source: MemorySource

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int { try source.read(into: buffer) }
  }

  @Test func `a baseline that is read is the one that was written`() throws {
    var baseline = Baseline(accepting: [try report(on: known)])
    baseline = Baseline(baseline.entries.map { Baseline.Entry($0.identity, count: 2, reason: "a \"quoted\"\n\u{1B} reason") })
    var sink = MemorySink()
    try baseline.write(to: &sink)
    #expect(try Baseline(MemorySource(sink.bytes)) == baseline)
    var empty = MemorySink()
    try Baseline([]).write(to: &empty)
    #expect(try Baseline(MemorySource(empty.bytes)).entries == [])
  }

  @Test func `an updated baseline keeps reasons, and drops what is resolved`() throws {
    let first = Baseline(accepting: [try report(on: known)])
    let reasoned = Baseline(first.entries.map { Baseline.Entry($0.identity, reason: "for \($0.identity.key ?? "")") })
    let updated = Baseline(accepting: [try report(on: #"{"id": 2, "km": 13}, {"id": 4, "km": 14}"#)], reasonsOf: reasoned)
    #expect(updated.entries.map(\.reason) == ["for 2", nil])
  }

  @Test(arguments: [
    (#"{"findings": []}"#, "not a baseline: the member 'formatVersion' is missing"),
    (
      #"{"formatVersion": 2, "findings": []}"#,
      "not a baseline: this version of coffer reads only baselines with format version 1"
    ),
    (#"{"formatVersion": 1, "findings": [{"code": "a"}]}"#, "not a baseline: the member 'pointer' is missing"),
    (
      #"{"formatVersion": 1, "findings": [{"code": "a", "pointer": "", "count": 0}]}"#,
      "not a baseline: expected at least 1, found 0"
    ),
    ("[", "the document ends where a value or ']' was expected, with 1 bracket open"),
  ])
  func `a malformed baseline is an error with its place`(text: String, message: String) throws {
    let error = try #require(throws: CofferError.self) { try Baseline(MemorySource(text.utf8)) }
    #expect(error.message == message)
    #expect(error.place.position != nil)
  }
}
