import JSONEvents

/// A UUID as text: 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4), read eight at a time.
struct UUIDText {
  /// Its sixteen bytes, the first one on top.
  let high: UInt64
  let low: UInt64
  let hasCapitals: Bool
  let hasSmallLetters: Bool

  init?(_ text: ByteView) {
    let hyphen = UInt8(ascii: "-")
    guard text.count == 36, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen else { return nil }
    // The groups of four digits make words by two: what stands before and behind a hyphen.
    guard let first = Digits(text.word(at: 0)),
      let second = Digits(text.word(at: 9) & 0xffff_ffff | text.word(at: 14) << 32),
      let third = Digits(text.word(at: 19) & 0xffff_ffff | text.word(at: 24) << 32),
      let fourth = Digits(text.word(at: 28))
    else { return nil }
    high = first.value << 32 | second.value
    low = third.value << 32 | fourth.value
    hasCapitals = (first.capitals | second.capitals | third.capitals | fourth.capitals) != 0
    hasSmallLetters = (first.smallLetters | second.smallLetters | third.smallLetters | fourth.smallLetters) != 0
  }

  /// Eight hexadecimal digits, a byte each, the first one lowest. All that is below is done to eight bytes at once, each of which stays
  /// below 0x80 but for the bit on top that a comparison sets.
  private struct Digits {
    let value: UInt64
    /// 0x80 in each byte that is a letter of this case.
    let capitals: UInt64
    let smallLetters: UInt64

    @inline(__always)
    init?(_ word: UInt64) {
      guard word & Self.each(0x80) == 0 else { return nil }
      let small = word | Self.each(0x20)
      let letters = Self.from(UInt8(ascii: "a"), small) & ~Self.from(UInt8(ascii: "g"), small)
      let digits = Self.from(UInt8(ascii: "0"), word) & ~Self.from(UInt8(ascii: "9") + 1, word)
      guard letters | digits == Self.each(0x80) else { return nil }
      smallLetters = letters & word << 2
      capitals = letters & ~(word << 2)
      // A letter's low half is one more than its place in the alphabet, which begins at ten.
      var nibbles = (word & Self.each(0x0f) &+ (letters >> 7) &* 9).byteSwapped
      nibbles = (nibbles | nibbles >> 4) & 0x00ff_00ff_00ff_00ff
      nibbles = (nibbles | nibbles >> 8) & 0x0000_ffff_0000_ffff
      value = (nibbles | nibbles >> 16) & 0xffff_ffff
    }

    @inline(__always)
    private static func each(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

    /// 0x80 in each byte that is `least` or more.
    @inline(__always)
    private static func from(_ least: UInt8, _ word: UInt64) -> UInt64 {
      ((word | each(0x80)) &- each(UInt64(least))) & each(0x80)
    }
  }
}
