import CByteScan
import Testing

/// Returns the scanner's result for `bytes`.
private func scanned(_ bytes: [UInt8]) -> UTF8Prefix {
  var incomplete: CInt = -1
  let count = coffer_utf8_prefix(bytes, bytes.count, &incomplete)
  return UTF8Prefix(count: count, isIncomplete: incomplete == 1)
}

@Suite struct UTF8PrefixTests {
  /// The bytes on both sides of every boundary in Unicode's table 3-7.
  private static let borders: [UInt8] = [
    0x00, 0x22, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1,
    0xF3, 0xF4, 0xF5, 0xF7, 0xFF,
  ]

  private static let sequences: [[UInt8]] = [
    [0xC3, 0xA9], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xE2, 0x82, 0xAC], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80],
    [0xEF, 0xBF, 0xBF],
    [0xF0, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x94, 0x8B], [0xF4, 0x8F, 0xBF, 0xBF],
    [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xFE], [0xFF],
    [0xC3], [0xE2], [0xE2, 0x82], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x94], [0xC3, 0x41], [0xE2, 0x82, 0x41],
    [0xF0, 0x9F, 0x94, 0x41],
  ]

  @Test func `every scalar is well-formed`() {
    var text = String.UnicodeScalarView()
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      if let scalar = Unicode.Scalar(value) { text.append(scalar) }
    }
    let bytes = Array(String(text).utf8)
    #expect(scanned(bytes) == UTF8Prefix(count: bytes.count, isIncomplete: false))
  }

  @Test func `the scanner agrees with Swift on all sequences of one and two bytes`() {
    let all = UInt8.min...UInt8.max
    let sequences = all.map { [$0] } + all.flatMap { first in all.map { [first, $0] } }
    #expect(sequences.filter { scanned($0) != UTF8Prefix(decoding: $0) } == [])
  }

  @Test func `the scanner agrees with Swift on sequences of three and four bytes`() {
    var wrong: [[UInt8]] = []
    for first in Self.borders {
      for second in Self.borders {
        for third in Self.borders where scanned([first, second, third]) != UTF8Prefix(decoding: [first, second, third]) {
          wrong.append([first, second, third])
        }
        for third in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
          for fourth in [0x7F, 0x80, 0xBF, 0xC0] as [UInt8] {
            let sequence = [first, second, third, fourth]
            if scanned(sequence) != UTF8Prefix(decoding: sequence) { wrong.append(sequence) }
          }
        }
      }
    }
    #expect(wrong == [])
  }

  /// The scanner skips ASCII in blocks of 32 bytes: a sequence may be before, in, across or after a block.
  @Test(arguments: sequences)
  func `the result does not depend on the place of a sequence in a block`(sequence: [UInt8]) {
    var wrong: [[Int]] = []
    for before in 0...70 {
      for after in [0, 1, 2, 3, 31, 32, 33, 64] {
        let bytes =
          Array(repeating: UInt8(ascii: "a"), count: before) + sequence + Array(repeating: UInt8(ascii: "z"), count: after)
        if scanned(bytes) != UTF8Prefix(decoding: bytes) { wrong.append([before, after]) }
      }
    }
    #expect(wrong == [])
  }

  @Test func `nothing is read past the count`() {
    var incomplete: CInt = 0
    let bytes: [UInt8] = [0x61, 0xE2, 0x82, 0xAC]
    #expect(coffer_utf8_prefix(bytes, 3, &incomplete) == 1)
    #expect(incomplete == 1)
    #expect(coffer_utf8_prefix(bytes, 0, &incomplete) == 0)
    #expect(incomplete == 0)
  }
}
