import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct ValueScanTests {
  private static func outcome(_ bytes: [UInt8], depth: Int = 0, isEnd: Bool = true) -> ValueScan.Outcome {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return .unfinished }
      var scan = ValueScan(ByteView(base, count: buffer.count), limits: ReaderLimits(), isEnd: isEnd)
      return scan.scan(from: 0, depth: depth)
    }
  }

  private static func isAccepted(_ bytes: [UInt8]) -> Bool {
    var reader = JSONEventReader(MemorySource(bytes))
    do {
      while try reader.next() {}
      return true
    } catch {
      return false
    }
  }

  @Test(arguments: TestDepth.cases(everyday: 2000, deep: 50_000) as Range<UInt64>)
  func `it accepts what the reader accepts`(_ seed: UInt64) {
    var document = RandomDocument(seed: seed, size: 200)
    if seed % 4 > 0 { document.damage() }
    let bytes = Array(document.bytes.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x0A, 0x0D, 0x09].contains($0) })
    let isWhole: Bool
    if case .value(let end) = Self.outcome(bytes) {
      isWhole = bytes[end...].allSatisfy { [0x20, 0x0A, 0x0D, 0x09].contains($0) }
    } else {
      isWhole = false
    }
    #expect(isWhole == Self.isAccepted(bytes), "\(String(decoding: bytes, as: UTF8.self))")
  }

  @Test(
    arguments: [
      (#"{"a": 1} x"#, .value(end: 8)), (#"{"a": }"#, .broken(at: 6)), (#"{"a": 1"#, .unfinished), (#"{"a": tru"#, .unfinished),
      (#"[1,]"#, .broken(at: 3)), (#"{"a": "\x"}"#, .broken(at: 7)), ("\"a\u{1}\"", .broken(at: 2)),
      (#""\ud800""#, .broken(at: 1)),
      ("12", .value(end: 2)), ("-", .unfinished), ("01", .broken(at: 1)),
    ] as [(String, ValueScan.Outcome)])
  func `the end of a value, or the first byte that can't belong to it`(_ text: String, _ expected: ValueScan.Outcome) {
    #expect(Self.outcome(Array(text.utf8)) == expected)
  }

  @Test func `a number at the end of the bytes is unfinished, if it may go on`() {
    #expect(Self.outcome(Array("12".utf8), isEnd: false) == .unfinished)
    #expect(Self.outcome(Array("12".utf8), depth: 1) == .unfinished)
  }

  @Test func `too many brackets are a fault`() {
    #expect(Self.outcome([UInt8](repeating: UInt8(ascii: "["), count: 600)) == .broken(at: 512))
  }
}
