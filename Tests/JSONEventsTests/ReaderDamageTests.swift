import ByteStreams
import FoundationComparison
import JSONEvents
import TestSupport
import Testing

@Suite struct ReaderDamageTests {
  private static let document = #"""
    {"name": "é€🔋 \"quoted\" \u00e9\ud83d\udd0b\\", "numbers": [0, -1, 2.5e-3, 12345678901234567890],
     "flags": [true, false, null], "nested": [{"a": {}}, [[]], ""],	"κλειδί": "\/\b\f\n\r\t"}

    """#

  /// The object's last bracket and the line break after it.
  private static let end = 2

  @Test(arguments: [1, 2, 7, 65536])
  func `every truncation is reported with its place`(chunkSize: Int) throws {
    let bytes = Array(Self.document.utf8)
    for length in 0...bytes.count - Self.end {
      let dump = try EventDump(bytes[..<length], limits: ReaderLimits(chunkSize: chunkSize))
      let error = try #require(dump.error)
      #expect(error.code == (length == 0 ? .empty : .truncated), "of \(length) bytes")
      #expect(error.position.offset <= length && error.position.offset >= length - 3)
    }
    #expect(try EventDump(bytes[..<(bytes.count - 1)]).error == nil)
  }

  @Test func `flipped bits never trap and give the same result as Foundation`() throws {
    let sound = Array(Self.document.utf8)
    var random = SeededRandom(seed: 7)
    for _ in TestDepth.cases(everyday: 200, deep: 1000) {
      var bytes = sound
      let index = Int.random(in: 0..<bytes.count, using: &random)
      let bit = Int.random(in: 0..<8, using: &random)
      bytes[index] ^= 1 << bit
      let dump = try EventDump(bytes)
      if case .different(let difference) = FoundationComparison(bytes) {
        Issue.record("bit \(bit) of byte \(index): \(difference)")
      }
      let chunked = try EventDump(bytes, limits: ReaderLimits(chunkSize: 3))
      #expect(chunked.error == dump.error)
      #expect(chunked.events == dump.events)
    }
  }

  @Test func `random bytes never trap`() throws {
    let alphabet = [UInt8](document: #"[]{}:,"\u0dD8 1-.eEtrufalsn‹0A EF BB BF C3 A9 ED A0 80 F0 9F 94 8B FF 00 0B 7F›"#)
    var random = SeededRandom(seed: 11)
    for _ in TestDepth.cases(everyday: 500, deep: 2000) {
      let bytes = (0..<Int.random(in: 1...24, using: &random)).map { _ in
        alphabet[Int.random(in: alphabet.indices, using: &random)]
      }
      let dump = try EventDump(bytes)
      let expected = String(validating: bytes, as: UTF8.self) != nil
      #expect(dump.error != nil || expected)
      for size in [1, 2, 5] {
        let chunked = try EventDump(bytes, limits: ReaderLimits(chunkSize: size))
        #expect(chunked == dump, "\(bytes) in chunks of \(size)")
      }
    }
  }
}
