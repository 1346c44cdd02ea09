import CByteScan
import TestSupport
import Testing

@Suite struct ByteScanTests {
  @Test(arguments: [
    ("", 0), ("abc\n\r\t", 6), ("\u{0B}", 0), ("\u{0C}", 0), ("ab\u{0B}c\u{0C}", 2), ("ab\u{0C}c\u{0B}", 2), ("ab\u{0C}", 2),
  ])
  func `vertical space is found`(text: String, expected: Int) {
    let bytes = Array(text.utf8)
    #expect(coffer_find_vertical_space(bytes, bytes.count) == expected)
  }

  /// The scan counts in blocks of 240 bytes.
  @Test(arguments: [0, 1, 239, 240, 241, 479, 480, 481, 1000])
  func `positions count lines and scalars`(length: Int) {
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
  func `lone surrogates are found`(inside: String, expected: Int?) {
    let bytes = Array(inside.utf8)
    #expect(coffer_find_lone_surrogate(bytes, bytes.count) == expected ?? bytes.count)
  }

  @Test(arguments: [
    (#"abc""#, 3), (#"""#, 0), (#"a\"b" "#, 4), (#"a\\""#, 3), (#"a\\\"""#, 5), (#"\u0022""#, 6), (#"abc"#, nil), (#"a\"#, nil),
    (#"a\""#, nil), ("", nil),
  ])
  func `the end of a string is found for every split of the bytes`(inside: String, expected: Int?) {
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

  /// Tries each byte in each place of UUIDs without letters, with capitals, with small letters, and with both.
  @Test(arguments: [
    ("00112233-4455-6677-8899-001122334455", 0), ("ABCDEF01-2345-6789-ABCD-EF0123456789", COFFER_UUID_CAPITALS),
    ("abcdef01-2345-6789-abcd-ef0123456789", COFFER_UUID_SMALL_LETTERS),
    ("abcdef01-2345-6789-ABCD-EF0123456789", COFFER_UUID_CAPITALS | COFFER_UUID_SMALL_LETTERS),
  ])
  func `UUIDs are read and anything else is refused`(text: String, letters: Int) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    let uuid = Array(text.utf8)
    #expect(coffer_read_uuid(uuid, &high, &low) == CInt(letters))
    let digits = text.filter { $0 != "-" }
    #expect(high == UInt64(digits.prefix(16), radix: 16))
    #expect(low == UInt64(digits.suffix(16), radix: 16))
    for place in uuid.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = uuid
        changed[place] = byte
        let isUUID =
          uuid[place] == UInt8(ascii: "-") ? byte == uuid[place] : byte < 0x80 && Character(UnicodeScalar(byte)).isHexDigit
        #expect((coffer_read_uuid(changed, &high, &low) >= 0) == isUUID, "\(byte) at \(place)")
      }
    }
  }
}
