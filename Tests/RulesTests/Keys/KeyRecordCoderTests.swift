import JSONEvents
import TestSupport
import Testing

@testable import Rules

@Suite struct KeyRecordCoderTests {
  /// Returns records that differ as much as possible.
  private static func records(_ count: Int, seed: UInt64) -> [KeyRecord] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      let operation = KeyRecord.Operation.allCases.randomElement(using: &random) ?? .claim
      var record = KeyRecord(
        operation: operation, set: number(&random) & .max,
        violation: KeyViolation(
          kind: operation == .refer ? .dangling : .duplicate, step: -1, key: key(&random), container: "", index: 0, offset: 0,
          line: 0, column: 0))
      if operation == .define { return record }
      record.violation.step = Int32(truncatingIfNeeded: number(&random))
      record.violation.container = ["", "/cars", String(repeating: "/é", count: 300)].randomElement(using: &random) ?? ""
      record.violation.index = number(&random)
      record.violation.offset = number(&random)
      record.violation.line = number(&random)
      record.violation.column = number(&random)
      if Bool.random(using: &random) { record.violation.count = number(&random) }
      if Bool.random(using: &random) { record.violation.excerpt = key(&random) }
      if Bool.random(using: &random) {
        record.base = KeyLog.Target(set: Int32(truncatingIfNeeded: number(&random)), key: key(&random))
      }
      return record
    }
  }

  private static func number(_ random: inout SeededRandom) -> Int {
    [0, 1, -1, .max, .min, Int.random(in: 0...1000, using: &random), Int.random(in: .min ... .max, using: &random)]
      .randomElement(using: &random) ?? 0
  }

  private static func key(_ random: inout SeededRandom) -> KeyValue {
    let form = KeyValue.Form.allCases.randomElement(using: &random) ?? .digest
    if form == .integer { return KeyValue(integer: Int64(number(&random))) }
    if form != .shortString { return KeyValue(form, random.next(), random.next()) }
    let text = String(repeating: "k", count: .random(in: 0...15, using: &random))
    return ByteView.with(text) { KeyValue(string: $0, key: SipHash128.Key(low: 1, high: 2)) }
  }

  private static func bytes(_ records: [KeyRecord]) -> [UInt8] {
    var coder = KeyRecordCoder()
    var buffer = ByteBuffer()
    for record in records { coder.encode(record, into: &buffer) }
    return Array(buffer.bytes)
  }

  @Test func `a record takes at most its limit`() {
    var coder = KeyRecordCoder()
    var buffer = ByteBuffer()
    for record in Self.records(5000, seed: 1) {
      let start = buffer.count
      coder.encode(record, into: &buffer)
      #expect(buffer.count - start <= KeyRecordCoder.sizeLimit(of: record))
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `decoded records equal the encoded ones`(seed: UInt64) {
    let records = Self.records(200, seed: seed)
    var reader = KeyRecordReader(Self.bytes(records))
    for record in records { #expect(reader.next() == record) }
    #expect(reader.next() == nil)
    #expect(reader.isAtEnd)
  }

  @Test(arguments: [1, 2, 7, 64, 1000])
  func `records can be read in pieces of any size`(size: Int) {
    let records = Self.records(50, seed: 7)
    let bytes = Self.bytes(records)
    var reader = KeyRecordReader()
    var read: [KeyRecord] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      reader.append(bytes[start..<min(start + size, bytes.count)])
      while let record = reader.next() { read.append(record) }
    }
    #expect(read == records)
    #expect(reader.isAtEnd)
  }

  @Test func `a truncated record is not returned`() {
    let records = Self.records(30, seed: 3)
    let bytes = Self.bytes(records)
    for count in 0..<bytes.count {
      var reader = KeyRecordReader(Array(bytes.prefix(count)))
      var read = 0
      while let record = reader.next() {
        #expect(record == records[read])
        read += 1
      }
      #expect(read < records.count)
    }
  }

  @Test func `damaged records never trap`() {
    var random = SeededRandom(seed: 11)
    let bytes = Self.bytes(Self.records(20, seed: 5))
    for _ in 0..<5000 {
      var damaged = bytes
      for _ in 0..<3 { damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8(truncatingIfNeeded: random.next()) }
      var reader = KeyRecordReader(damaged)
      while let record = reader.next() { _ = SpilledKey(record.key, in: record.set, seed: 7) }
    }
  }

  @Test func `a reference in an array takes less than 14 bytes`() {
    let records = (0..<1000).map { number in
      KeyRecord(
        operation: .refer, set: 3,
        violation: KeyViolation(
          kind: .dangling, step: 12, key: KeyValue(integer: Int64(number * 1000)), container: "/expenses", index: number,
          offset: number * 250, line: number * 8, column: 17))
    }
    #expect(Self.bytes(records).count < 14 * records.count)
  }
}
