import ByteStreams
import Findings
import JSONEvents
import Rules
import TestSupport
import Testing

@Suite struct DuplicateKeyTests {
  private static let key = SipHash128.Key(low: 1, high: 2)

  private static func findings(
    _ rules: String, _ document: some Sequence<UInt8>, chunkSize: Int = 1 << 16, severity: Severity? = .warning
  ) throws -> [Finding] {
    var limits = ReaderLimits()
    limits.chunkSize = chunkSize
    var options = EvaluationOptions(now: Evaluation.now, key: key)
    options.duplicateKeys = severity
    var reader = JSONEventReader(MemorySource(document), limits: limits, keys: options.keyComparison)
    var evaluator = DocumentEvaluator(try RuleDocument(MemorySource(rules.utf8)).compiled(), options: options)
    while try reader.next() { try evaluator.consume(reader.batch, lines: reader.lines) }
    try evaluator.finish()
    return evaluator.collector.findings().filter { $0.code == "duplicate-key" }
  }

  private static func lines(_ findings: [Finding]) -> [String] {
    findings.map { "\($0.place.pointer) \($0.place.line):\($0.place.column) @\($0.place.offset)" }
  }

  private struct Level {
    var keys: Set<[UInt8]>?
    var step = ""
    var index = 0
  }

  /// Returns `pointer line:column @offset` of each duplicate key, found by keeping all keys of all open objects.
  private static func expected(_ document: some Sequence<UInt8>) throws -> [String] {
    var levels: [Level] = []
    var lines: [String] = []
    func endValue() { if let last = levels.last, last.keys == nil { levels[levels.count - 1].index += 1 } }
    var reader = JSONEventReader(MemorySource(document))
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        switch event.kind {
        case .objectStart: levels.append(Level(keys: []))
        case .arrayStart: levels.append(Level())
        case .objectEnd, .arrayEnd:
          levels.removeLast()
          endValue()
        case .key:
          let name = reader.batch.text(of: event)
          levels[levels.count - 1].step = name.string.pointerToken
          if levels[levels.count - 1].keys?.insert(name.array).inserted == true { continue }
          let pointer = levels.map { "/" + ($0.keys == nil ? String($0.index) : $0.step) }.joined()
          let place = reader.lines.position(at: reader.batch.offset(of: event))
          lines.append("\(pointer) \(place.line):\(place.column) @\(place.offset)")
        default: endValue()
        }
      }
    }
    return lines
  }

  private static let rules = [
    "true", "{}", #"{"properties": {"a": true, "items": {"items": {"properties": {"id": true}}}}}"#,
    #"{"type": ["array", "object"], "additionalProperties": {"type": "array", "items": {"type": "object"}}}"#,
    #"{"items": {"anyOf": [{"properties": {"id": {"type": "string"}}}, {"properties": {"id": {"type": "integer"}}}]}}"#,
    #"{"properties": {"tags": {"uniqueItems": true}, "é": {"patternProperties": {"^n": {"const": {"a": 1}}}}}}"#,
  ]

  @Test(arguments: rules, [1, 50, 1 << 16])
  func `duplicate keys are found everywhere with any rules`(rules: String, chunkSize: Int) throws {
    var count = 0
    for seed in 0..<60 as Range<UInt64> {
      let document = RandomDocument(
        seed: seed, size: 700, names: ["id", "a", "tags", "items", "é", "a name of more than 16 bytes"])
      let expected = try Self.expected(document.bytes)
      let found = try Self.lines(Self.findings(rules, document.bytes, chunkSize: chunkSize))
      #expect(found == expected, "seed \(seed)")
      count += found.count
    }
    #expect(count > 200)
  }

  @Test func `a finding has the place of the duplicate key`() throws {
    let finding = try #require(Self.findings("{}", "{\"é/~\": 1,\n  \"é/~\": 2}".utf8, severity: .error).first)
    #expect(
      finding
        == Finding(
          code: "duplicate-key", keyword: "", severity: .error, message: "an earlier member of this object has the same key",
          place: Place(pointer: "/é~1~0", at: TextPosition(offset: 14, line: 2, column: 3)), schemaLocation: ""))
  }

  @Test func `duplicate keys are ignored by default`() throws {
    #expect(try Self.findings("{}", #"{"a":1,"a":2}"#.utf8, severity: nil).isEmpty)
  }

  @Test func `each member with a duplicate key is validated`() throws {
    let evaluation = try Evaluation(#"{"additionalProperties": {"type": "null"}}"#, #"{"a": 1, "a": null, "a": 2}"#)
    #expect(evaluation.lines == ["type /a", "type /a"])
  }

  @Test func `a duplicate key inside branches is one finding whatever their result`() throws {
    let rules = #"{"anyOf": [{"type": "null"}, {"properties": {"a": {"type": "object"}}}, {"required": ["c"]}]}"#
    #expect(try Self.lines(Self.findings(rules, #"{"a": {"b": 1, "b": 2}}"#.utf8)) == ["/a/b 1:16 @15"])
    #expect(try Self.lines(Self.findings(rules, #"{"a": {"b": 1, "b": 2}, "c": 1}"#.utf8)) == ["/a/b 1:16 @15"])
    #expect(try Self.lines(Self.findings(rules, #"{"a": [{"b": 1, "b": 2}]}"#.utf8)) == ["/a/0/b 1:17 @16"])
  }
}
