import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents
@testable import Rules

/// Rows of a run of logs, combined in any way and with any memory, give the violations of the logs.
@Suite struct KeyCombinerTests {
  /// Random logs, and the runs of them in which all sets that are opened are closed.
  private struct Case {
    let logs: [KeyLog]
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 5, high: 6))
    let isDetailed: [Bool]
    var random: SeededRandom
    private(set) var rowCount = 0

    init(seed: UInt64) {
      // With few steps, the same references are often repeated.
      logs = RandomKeyLogs(seed: seed, stepCount: seed % 2 == 0 ? 301 : 2).logs
      random = SeededRandom(seed: seed)
      options.maximumFindings = [0, 1, 2, 5, 1000][Int(seed % 5)]
      let part = [0, 50, 100].randomElement(using: &random) ?? 0
      var detailed: [Bool] = []
      for _ in 0...300 { detailed.append(Int.random(in: 0..<100, using: &random) < part) }
      isDetailed = detailed
    }

    func index(_ memoryLimit: Int) -> KeyIndex {
      KeyIndex(
        setCount: RandomKeyLogs.setCount, memoryLimit: memoryLimit, key: options.key,
        spillFolder: options.temporaryFolder)
    }

    /// Returns the number of logs from `start` that form a run of at most `limit`.
    func length(from start: Int, limit: Int) -> Int {
      var (opened, length): ([Int32], Int) = ([], 0)
      for (count, log) in logs[start...].prefix(limit).enumerated() {
        for entry in log.entries {
          if case .openScopes(let count) = entry.operation { opened.append(count) }
          if case .closeScopes = entry.operation {
            if opened.isEmpty { return length }
            opened.removeLast()
          }
        }
        if opened.isEmpty { length = count + 1 }
      }
      return length
    }

    mutating func combiner(_ scopeNumbers: [Int]) -> KeyCombiner {
      KeyCombiner(
        setCount: RandomKeyLogs.setCount, isDetailed: isDetailed, scopeNumbers: scopeNumbers, options,
        memoryLimit: [0, 500, 2000, 10_000, 1 << 20].randomElement(using: &random) ?? 0)
    }

    /// Returns the violations if random runs are combined before an index gets them.
    mutating func combined(_ lines: LineCursor) throws -> [KeyViolation] {
      var violations: [KeyViolation] = []
      var index = index(1 << 20)
      var lines = lines
      var start = 0
      while start < logs.count {
        let length = length(from: start, limit: .random(in: 1...12, using: &random))
        if length == 0 {
          try index.apply(logs[start], lines: &lines) { violations.append($0.violation) }
          start += 1
          continue
        }
        // Some runs are two that are combined.
        let scopeNumbers = index.scopeNumbers
        var first = combiner(scopeNumbers)
        let middle = self.length(from: start, limit: .random(in: 0...length, using: &random))
        for log in logs[start..<start + middle] { try first.append(log, lines: lines) }
        var second = combiner(scopeNumbers)
        for log in logs[start + middle..<start + length] { try second.append(log, lines: lines) }
        if Bool.random(using: &random) {
          var sink = MemorySink()
          try first.encode(to: &sink)
          var source = MemorySource(sink.bytes)
          first = combiner(scopeNumbers)
          first.adopt(try KeyRows(decoding: &source, in: options.temporaryFolder) { _ in true })
          try first.recombine()
        }
        try second.forEachRow { row throws(CofferError) in try first.append(row) }
        var count = 0
        try first.forEachRow { row throws(CofferError) in
          count += 1
          try index.apply(row) { violations.append($0.violation) }
        }
        rowCount += count
        start += length
      }
      try index.finish { violations.append($0.violation) }
      return violations
    }

    func expected(_ lines: LineCursor) throws -> [KeyViolation] {
      var violations: [KeyViolation] = []
      var index = index(1 << 20)
      var lines = lines
      for log in logs { try index.apply(log, lines: &lines) { violations.append($0.violation) } }
      try index.finish { violations.append($0.violation) }
      return violations
    }
  }

  private static func withLines<R>(_ body: (LineCursor) throws -> R) rethrows -> R {
    let bytes = (0...RandomKeyLogs.length).map { UInt8(ascii: $0 % 37 == 5 ? "\n" : "x") }
    return try bytes.withUnsafeBufferPointer { buffer in
      let base = buffer.baseAddress ?? UnsafePointer(bitPattern: 1)
      guard let base else { preconditionFailure("the document is not empty") }
      return try body(LineCursor(bytes: base, count: buffer.count, at: TextPosition(offset: 0, line: 1, column: 1)))
    }
  }

  private static func counts(_ violations: [KeyViolation]) -> [Int32: Int] {
    violations.reduce(into: [:]) { $0[$1.step, default: 0] += $1.count }
  }

  /// The first places, and all of steps whose findings need them.
  private static func places(_ violations: [KeyViolation], _ this: Case) -> [String] {
    let sorted = violations.sorted { ($0.offset, $0.step, "\($0)") < ($1.offset, $1.step, "\($1)") }
    let first = sorted.prefix(this.options.maximumFindings)
    return first.map { "\($0)" } + sorted.filter { this.isDetailed[Int($0.step)] }.map { "\($0)" }
  }

  @Test(arguments: TestDepth.cases(everyday: 200, deep: 3000))
  func `combined rows give the first places and all counts of the logs`(seed: Int) throws {
    try Self.withLines { lines in
      var this = Case(seed: UInt64(seed))
      let expected = try this.expected(lines)
      let violations = try this.combined(lines)
      #expect(Self.counts(violations) == Self.counts(expected))
      #expect(Self.places(violations, this) == Self.places(expected, this))
    }
  }

  /// A log in which the same keys occur again and again.
  private static func repetitiveLog() -> KeyLog {
    var log = KeyLog()
    let container = log.container("/expenses")
    for number in 0..<5000 {
      let site = KeySite(container: container, index: number, offset: number / 2)
      log.claim(KeyValue(integer: Int64(number / 2)), in: .document(0), step: 0, at: site)
      log.refer(to: KeyValue(integer: Int64(number % 3)), in: 1, step: 1, at: site)
      log.refer(to: KeyValue(integer: Int64(number / 2)), in: 0, step: 2, at: site)
    }
    return log
  }

  @Test func `there is one row per distinct key`() throws {
    try Self.withLines { lines in
      var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 5, high: 6))
      options.maximumFindings = 10
      var combiner = KeyCombiner(
        setCount: 2, isDetailed: [false, false, false], scopeNumbers: [], options, memoryLimit: 1 << 22)
      try combiner.append(Self.repetitiveLog(), lines: lines)
      var counts: [KeyRecord.Operation: (rows: Int, operations: Int)] = [:]
      try combiner.forEachRow { row throws(CofferError) in
        counts[row.operation, default: (0, 0)].rows += 1
        counts[row.operation, default: (0, 0)].operations += row.violation.count
      }
      #expect(counts[.claim]?.rows == 2500)
      #expect(counts[.duplicate].map { [$0.rows, $0.operations] } == [11, 2500])
      // References to keys that the run has claimed are dropped.
      #expect(counts[.refer].map { [$0.rows, $0.operations] } == [33, 5000])
    }
  }

  /// A record's keys are logged after those of the records in it, which come later in the document.
  @Test func `the first place is kept even if it comes late`() throws {
    try Self.withLines { lines in
      var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 5, high: 6))
      options.maximumFindings = 1
      var log = KeyLog()
      let container = log.container("/expenses")
      for offset in [70, 60, 80, 90, 10, 75] {
        let site = KeySite(container: container, index: 0, offset: offset)
        log.refer(to: KeyValue(integer: 1), in: 0, step: 0, at: site)
      }
      var combiner = KeyCombiner(setCount: 1, isDetailed: [false], scopeNumbers: [], options, memoryLimit: 1 << 20)
      try combiner.append(log, lines: lines)
      var rows: [[Int]] = []
      try combiner.forEachRow { row throws(CofferError) in rows.append([row.violation.offset, row.violation.count]) }
      #expect(rows == [[70, 1], [60, 1], [10, 1], [75, 3]])
    }
  }

  @Test func `damaged rows are an error or other rows`() throws {
    try Self.withLines { lines in
      var this = Case(seed: 3)
      var combiner = this.combiner([])
      for log in RandomKeyLogs(seed: 12).logs.prefix(1) { try combiner.append(log, lines: lines) }
      try combiner.append(Self.repetitiveLog(), lines: lines)
      var sink = MemorySink()
      try combiner.encode(to: &sink)
      for count in stride(from: 0, to: sink.bytes.count, by: 7) {
        var source = MemorySource(sink.bytes.prefix(count))
        #expect(throws: CofferError.self) {
          _ = try KeyRows(decoding: &source, in: this.options.temporaryFolder) { _ in true }.count
        }
      }
      for _ in 0..<500 {
        var damaged = sink.bytes
        damaged[Int.random(in: 0..<damaged.count, using: &this.random)] ^= 1 << UInt8.random(in: 0..<8, using: &this.random)
        var source = MemorySource(damaged)
        _ = try? KeyRows(decoding: &source, in: this.options.temporaryFolder) { _ in true }.count
      }
    }
  }
}
