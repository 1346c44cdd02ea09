import ByteStreams
import SystemPackage
import TestSupport
import Testing

@testable import JSONEvents
@testable import Rules

@Suite struct KeyIndexTests {
  private static let key = SipHash128.Key(low: 0x1234_5678_9ABC_DEF0, high: 0x0FED_CBA9_8765_4321)

  /// Returns a layout with few, small partitions that are soon too large.
  private static func layout(seed: UInt64) -> KeySpill.Layout {
    var random = SeededRandom(seed: seed)
    var layout = KeySpill.Layout()
    layout.partitionBits = .random(in: 0...3, using: &random)
    layout.bufferSize = 32 << Int.random(in: 0...3, using: &random)
    layout.blockSize = layout.bufferSize * 4
    return layout
  }

  /// Calls `body` with the lines of a document that has an occasional line break.
  private static func withLines<R>(_ body: (LineCursor) throws -> R) rethrows -> R {
    let bytes = (0...RandomKeyLogs.length).map { UInt8(ascii: $0 % 37 == 5 ? "\n" : "x") }
    return try bytes.withUnsafeBufferPointer { buffer in
      let base = buffer.baseAddress ?? UnsafePointer(bitPattern: 1)
      guard let base else { preconditionFailure("the document is not empty") }
      var lines = LineCursor(bytes: base)
      lines.rebase(bytes: base, count: buffer.count)
      return try body(lines)
    }
  }

  private static func violations(of logs: [KeyLog], memory: Int, layout: KeySpill.Layout) throws -> [KeyViolation: Int] {
    try withLines { lines in
      var lines = lines
      var index = KeyIndex(
        setCount: RandomKeyLogs.setCount, memoryLimit: memory, key: key, spillFolder: SpillFile.defaultFolder, layout: layout)
      var violations: [KeyViolation: Int] = [:]
      for log in logs { try index.apply(log, lines: &lines) { violations[$0.violation, default: 0] += 1 } }
      try index.finish { violations[$0.violation, default: 0] += 1 }
      return violations
    }
  }

  private static func expected(of logs: [KeyLog]) -> [KeyViolation: Int] {
    withLines { lines in
      var lines = lines
      var model = KeyModel()
      for log in logs { model.apply(log, lines: &lines) }
      model.finish()
      return model.violations.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
  }

  @Test(arguments: TestDepth.cases(everyday: 50, deep: 300))
  func `violations equal those of the model with any memory limit`(seed: Int) throws {
    let logs = RandomKeyLogs(seed: UInt64(seed)).logs
    let expected = Self.expected(of: logs)
    let layout = Self.layout(seed: UInt64(seed))
    for room in [0, 400, 1000, 2000, 5000, 10_000, 40_000, 1 << 40] {
      let violations = try Self.violations(of: logs, memory: layout.memory + room, layout: layout)
      #expect(violations == expected, "with room for \(room) bytes")
    }
  }

  @Test(arguments: TestDepth.cases(everyday: 20, deep: 100))
  func `duplicates in a document that ends early don't depend on the memory`(seed: Int) throws {
    let logs = RandomKeyLogs(seed: UInt64(seed)).logs
    let layout = Self.layout(seed: UInt64(seed))
    let expected = Self.expected(of: logs).filter { $0.key.kind == .duplicate }
    try Self.withLines { lines in
      for room in [400, 5000, 1 << 40] {
        var lines = lines
        var index = KeyIndex(
          setCount: RandomKeyLogs.setCount, memoryLimit: layout.memory + room, key: Self.key,
          spillFolder: SpillFile.defaultFolder,
          layout: layout)
        var violations: [KeyViolation: Int] = [:]
        for log in logs { try index.apply(log, lines: &lines) { violations[$0.violation, default: 0] += 1 } }
        try index.finishEarly { violations[$0.violation, default: 0] += 1 }
        #expect(violations == expected, "with room for \(room) bytes")
      }
    }
  }

  /// A slice whose log is too large is evaluated batch by batch.
  @Test func `a log counts its operations, and pointers, which may be longer than their arrays`() {
    var log = KeyLog()
    for number in 0..<1000 {
      let container = log.container(String(repeating: "/0", count: 500) + "/\(number)")
      log.claim(KeyValue(integer: 1), in: .scope(0), step: 0, at: KeySite(container: container, index: 0, offset: 0))
    }
    #expect((1_064_000...1_200_000).contains(log.size))
    log.removeAll()
    #expect(log.size == 0)
  }

  @Test func `a key that is repeated endlessly takes the memory of one`() throws {
    var log = KeyLog()
    let container = log.container("/cars")
    for number in 0..<20_000 {
      log.claim(
        KeyValue(integer: 7 << 40), in: .document(0), step: 0, at: KeySite(container: container, index: number, offset: 0))
    }
    var layout = KeySpill.Layout()
    layout.partitionBits = 1
    let violations = try Self.violations(of: [log], memory: layout.memory + 400, layout: layout)
    #expect(violations.values.reduce(0, +) == 19_999)
  }

  /// Limits that users may set, with the layout that follows from them.
  @Test(arguments: [0, 1 << 20, .max])
  func `many keys are distinguished within any memory limit`(limit: Int) throws {
    let count = 60_000
    var log = KeyLog()
    let container = log.container("/cars")
    for number in 0..<count {
      let site = KeySite(container: container, index: number, offset: 0)
      // Each key occurs twice. A third of the references precede their keys, and one in a hundred dangles.
      log.claim(KeyValue(.digest, UInt64(number / 2), 1), in: .document(0), step: 0, at: site)
      let other = number % 100 == 0 ? count : number % 3 == 0 ? number / 2 + 1000 : number / 4
      log.refer(to: KeyValue(.digest, UInt64(min(other, number % 100 == 0 ? .max : count / 2 - 1)), 1), in: 0, step: 1, at: site)
    }
    var duplicates = 0
    var dangling = 0
    try Self.withLines { lines in
      var lines = lines
      var index = KeyIndex(setCount: 1, memoryLimit: limit, key: Self.key, spillFolder: SpillFile.defaultFolder)
      let report = { (record: KeyRecord) in
        if record.violation.kind == .duplicate { duplicates += 1 } else { dangling += 1 }
      }
      try index.apply(log, lines: &lines, report: report)
      try index.finish(report: report)
    }
    #expect(duplicates == count / 2)
    #expect(dangling == count / 100)
  }

  @Test func `a missing folder is an error only if keys spill to disk`() throws {
    var log = KeyLog()
    let container = log.container("/cars")
    for number in 0..<100_000 {
      log.claim(
        KeyValue(.digest, UInt64(number), 1), in: .document(0), step: 0,
        at: KeySite(container: container, index: number, offset: 0))
    }
    try Self.withLines { lines in
      var lines = lines
      var index = KeyIndex(setCount: 1, memoryLimit: .max, key: Self.key, spillFolder: "/missing")
      try index.apply(log, lines: &lines) { _ in }
      try index.finish { _ in }
      var smallIndex = KeyIndex(setCount: 1, memoryLimit: 1 << 20, key: Self.key, spillFolder: "/missing")
      var failure: CofferError?
      do throws(CofferError) { try smallIndex.apply(log, lines: &lines) { _ in } } catch { failure = error }
      #expect(failure?.code == .notFound)
    }
  }

  @Test func `a log can be reused after it is emptied`() {
    var log = KeyLog()
    let site = KeySite(container: log.container("/cars"), index: 3, offset: 40, line: 2, column: 5)
    log.claim(KeyValue(integer: 1), in: .document(0), step: 8, at: site)
    log.removeAll()
    #expect(log.entries.isEmpty)
    #expect(log.companions.isEmpty)
    #expect(log.container("/expenses") == 0)
    #expect(log.container("/expenses") == 0)
    #expect(log.container("/cars") == 1)
  }
}
