import CByteScan
import Testing

/// What the scanner says of the UTF-8 in `bytes`.
private func scanned(_ bytes: [UInt8]) -> UTF8Prefix {
  var incomplete: CInt = -1
  let count = coffer_utf8_prefix(bytes, bytes.count, &incomplete)
  return UTF8Prefix(count: count, isIncomplete: incomplete == 1)
}

@Suite struct UTF8PrefixTests {
  /// Both sides of every border in Unicode's table 3-7.
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

  @Test func everyScalarIsWellFormed() {
    var text = String.UnicodeScalarView()
    for value in 0...0x10FFFF as ClosedRange<UInt32> {
      if let scalar = Unicode.Scalar(value) { text.append(scalar) }
    }
    let bytes = Array(String(text).utf8)
    #expect(scanned(bytes) == UTF8Prefix(count: bytes.count, isIncomplete: false))
  }

  @Test func oneAndTwoBytesAreJudgedAsSwiftJudgesThem() {
    let all = UInt8.min...UInt8.max
    let sequences = all.map { [$0] } + all.flatMap { first in all.map { [first, $0] } }
    #expect(sequences.filter { scanned($0) != UTF8Prefix(decoding: $0) } == [])
  }

  @Test func threeAndFourBytesAreJudgedAsSwiftJudgesThem() {
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

  /// ASCII is skipped in blocks of 32 bytes: a sequence may lie before, in, across and behind one.
  @Test(arguments: sequences)
  func verdictDoesNotDependOnBlocks(sequence: [UInt8]) {
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

  @Test func nothingIsReadPastTheCount() {
    var incomplete: CInt = 0
    let bytes: [UInt8] = [0x61, 0xE2, 0x82, 0xAC]
    #expect(coffer_utf8_prefix(bytes, 3, &incomplete) == 1)
    #expect(incomplete == 1)
    #expect(coffer_utf8_prefix(bytes, 0, &incomplete) == 0)
    #expect(incomplete == 0)
  }
}

@Suite struct ByteScanTests {
  @Test(arguments: [
    ("", 0), ("abc\n\r\t", 6), ("\u{0B}", 0), ("\u{0C}", 0), ("ab\u{0B}c\u{0C}", 2), ("ab\u{0C}c\u{0B}", 2), ("ab\u{0C}", 2),
  ])
  func verticalSpaceIsFound(text: String, expected: Int) {
    let bytes = Array(text.utf8)
    #expect(coffer_find_vertical_space(bytes, bytes.count) == expected)
  }

  /// Counting goes by blocks of 240 bytes.
  @Test(arguments: [0, 1, 239, 240, 241, 479, 480, 481, 1000])
  func positionsCountLinesAndScalars(length: Int) {
    let pieces = ["a", "é", "\n", "€", "🔋", "b\r\n", "\t"]
    var random = SeededRandom(seed: UInt64(length))
    var text = ""
    while text.utf8.count < length { text += pieces[Int(random.next() % UInt64(pieces.count))] }
    let bytes = Array(text.utf8)
    for start in [(line: 1, column: 1), (line: 7, column: 40)] as [(line: UInt64, column: UInt64)] {
      var (line, column) = start
      coffer_advance_position(bytes, bytes.count, &line, &column)
      var expected = start
      for scalar in text.unicodeScalars {
        expected = scalar == "\n" ? (expected.line + 1, 1) : (expected.line, expected.column + 1)
      }
      #expect(line == expected.line)
      #expect(column == expected.column)
    }
  }

  @Test(arguments: [
    (#"plain"#, nil), (#"\u0041\n\\"#, nil), (#"\ud83d\udd0b"#, nil), (#"\uD83D\uDD0B\uD83D\uDD0B"#, nil), (#"\\ud800"#, nil),
    (#"\ud800"#, 0), (#"\uDFFF"#, 0), (#"ab\udc00\ud800"#, 2), (#"\ud800\u0041"#, 0), (#"\ud800\ud800\udc00"#, 0),
    (#"\ud800\n1234"#, 0),
    (#"\ud83d\udd0b\udd0b"#, 12), (#"\\\ud800"#, 2), (#"\ue000\ud7ff"#, nil), (#"\ud800x\udc00"#, 0), (#"\udbff\udfff"#, nil),
  ])
  func loneSurrogatesAreFound(inside: String, expected: Int?) {
    let bytes = Array(inside.utf8)
    #expect(coffer_find_lone_surrogate(bytes, bytes.count) == expected ?? bytes.count)
  }

  @Test(arguments: [
    (#"abc""#, 3), (#"""#, 0), (#"a\"b" "#, 4), (#"a\\""#, 3), (#"a\\\"""#, 5), (#"\u0022""#, 6), (#"abc"#, nil), (#"a\"#, nil),
    (#"a\""#, nil), ("", nil),
  ])
  func stringEndIsFoundHoweverTheBytesArrive(inside: String, expected: Int?) {
    let bytes = Array(inside.utf8)
    for step in 1...max(1, bytes.count) {
      var position = 0
      var end: Int?
      var count = 0
      while end == nil, count < bytes.count {
        count = min(count + step, bytes.count)
        if coffer_find_string_end(bytes, count, &position) == 1 { end = position }
      }
      #expect(end == expected, "in steps of \(step)")
    }
  }
}
