import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents
@testable import Rules

/// Operations that are divided among buckets give the violations of one index.
@Suite struct KeyJoinTests {
  private static func schema(isDetailed: Bool) -> KeySchema {
    KeySchema(
      setCount: RandomKeyLogs.setCount, isDetailed: Array(repeating: isDetailed, count: Int(baseStep) + 1),
      baseSets: Set(0..<RandomKeyLogs.setCount))
  }

  /// The step of the references that others refine. Random logs lack them.
  private static let baseStep: Int32 = 301

  private static func options(_ memoryLimit: Int) -> EvaluationOptions {
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 5, high: 6))
    options.memoryLimit = memoryLimit
    options.maximumFindings = 3
    return options
  }

  private static func rows(_ logs: [KeyLog], buckets: Int) throws -> [[UInt8]] {
    var rows = Array(repeating: [[UInt8]](), count: buckets)
    try withLines { lines in
      var lines = lines
      var scopes = ScopeNumbers(setCount: RandomKeyLogs.setCount)
      let writer = KeyRowWriter(bucketCount: buckets, key: options(0).key) { rows[$0].append(Array($1)) }
      for log in logs {
        try log.forEachRecord(&scopes, &lines) { record throws(CofferError) in
          if let base = record.base {
            var reference = KeyRecord(operation: .refer, set: Int(base.set), violation: record.violation)
            (reference.violation.key, reference.violation.step) = (base.key, baseStep)
            try writer.append(reference)
          }
          try writer.append(record)
        }
      }
      try writer.flush()
    }
    return rows.map { $0.flatMap(\.self) }
  }

  private static func withLines(_ body: (LineCursor) throws -> Void) throws {
    let bytes = (0...RandomKeyLogs.length).map { UInt8(ascii: $0 % 37 == 5 ? "\n" : "x") }
    try bytes.withUnsafeBufferPointer { buffer in
      let base = try #require(buffer.baseAddress)
      try body(LineCursor(bytes: base, count: buffer.count, at: TextPosition(offset: 0, line: 1, column: 1)))
    }
  }

  private static func joined(
    _ rows: [[UInt8]], _ schema: KeySchema, _ options: EvaluationOptions
  ) throws -> [KeyViolation] {
    var decisions = KeyDecisions(schema, options)
    var violations: [KeyViolation] = []
    for bucket in rows {
      var join = KeyJoin(schema, options)
      try join.append(bucket)
      var sink = MemorySink()
      try join.finish(to: &sink)
      var source = MemorySource(sink.bytes)
      var decided = try KeyRows(decoding: &source, in: options.temporaryFolder) { $0.isValid(schema, hasScope: { _ in false }) }
      try decided.forEach { row throws(CofferError) in try decisions.append(row) { violations.append($0) } }
    }
    try decisions.finish { violations.append($0) }
    return violations.filter { $0.step != baseStep }
  }

  private static func expected(_ logs: [KeyLog]) throws -> [KeyViolation] {
    var violations: [KeyViolation] = []
    try withLines { lines in
      var lines = lines
      var model = KeyModel()
      for log in logs { model.apply(log, lines: &lines) }
      model.finish()
      violations = model.violations
    }
    return violations
  }

  @Test(arguments: TestDepth.cases(everyday: 60, deep: 600))
  func `buckets and a single index give the same verdicts`(seed: Int) throws {
    let logs = RandomKeyLogs(seed: UInt64(seed)).logs
    let expected = Dictionary(grouping: try Self.expected(logs)) { $0 }.mapValues(\.count)
    for buckets in [1, 2, 7] {
      let rows = try Self.rows(logs, buckets: buckets)
      for memoryLimit in [0, 1 << 14, 1 << 24] {
        let joined = try Self.joined(rows, Self.schema(isDetailed: true), Self.options(memoryLimit))
        #expect(Dictionary(grouping: joined) { $0 }.mapValues(\.count) == expected)
      }
    }
  }

  /// The first ones have places, and the others are counted.
  @Test(arguments: TestDepth.cases(everyday: 20, deep: 200))
  func `repeated violations are counted`(seed: Int) throws {
    let logs = RandomKeyLogs(seed: UInt64(seed), stepCount: 2).logs
    let expected = try Self.expected(logs)
    let joined = try Self.joined(try Self.rows(logs, buckets: 3), Self.schema(isDetailed: false), Self.options(1 << 20))
    for step in Set(expected.map(\.step)) {
      let (own, others) = (joined.filter { $0.step == step }, expected.filter { $0.step == step })
      #expect(own.reduce(0) { $0 + $1.count } == others.count)
      // Rows that count others have the place of the first of these.
      let places = own.map(\.offset).sorted().prefix(3)
      #expect(places.elementsEqual(others.map(\.offset).sorted().prefix(places.count)))
    }
  }

  @Test func `a row names a step that has findings`() {
    let schema = KeySchema(setCount: 1, isDetailed: [nil, false], baseSets: [])
    for (step, isValid) in [(-1, false), (0, false), (1, true), (2, false)] as [(Int32, Bool)] {
      let record = KeyRecord(
        operation: .refer, set: 0,
        violation: KeyViolation(
          kind: .dangling, step: step, key: KeyValue(integer: 1), container: "/a", index: 0, offset: 1, line: 1, column: 1))
      #expect(record.isValid(schema, hasScope: { _ in false }) == isValid)
    }
  }

  @Test func `damaged rows are an error, or other rows`() throws {
    let bytes = try Self.rows(RandomKeyLogs(seed: 3).logs, buckets: 1)[0]
    var random = SeededRandom(seed: 9)
    for _ in 0..<TestDepth.count(everyday: 300, deep: 5000) {
      var damaged = bytes
      for _ in 0...Int(random.next() % 4) { damaged[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() & 255) }
      if random.next() % 4 == 0 { damaged.removeLast(Int(random.next() % UInt64(bytes.count))) }
      do {
        _ = try Self.joined([damaged], Self.schema(isDetailed: true), Self.options(1 << 16))
      } catch let error as CofferError {
        #expect(error.code == .damagedPartial)
      }
    }
  }
}
