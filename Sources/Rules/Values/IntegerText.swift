package import JSONEvents

/// Reads integers in their common spelling.
package enum IntegerText {
  /// Returns the value of up to 18 digits with an optional minus sign, or `nil` for longer numbers, fractions and exponents
  /// (`ExactDecimal`).
  @inline(__always)
  package static func value(_ text: ByteView) -> Int64? {
    // Eight digits in one step: most ids and counters have no more.
    if text.count <= 8, text.count > 0, text[0] != UInt8(ascii: "-") { return digits(text.leadingWord, count: text.count) }
    // Milliseconds since 1970 have thirteen digits.
    if text.count > 8, text.count <= 16, let last = digits(text.word(at: text.count - 8), count: 8) {
      let count = text.count - 8
      let first = text.word(at: 0) & ~(~0 &<< UInt64(truncatingIfNeeded: count &* 8))
      return (count == 8 ? digits(text.word(at: 0), count: 8) : digits(first, count: count)).map { $0 * 100_000_000 + last }
        ?? longValue(text)
    }
    return longValue(text)
  }

  /// - Parameter word: the digits' bytes, the first one lowest, with zero bytes after the last.
  @inline(__always)
  package static func digits(_ word: UInt64, count: Int) -> Int64? {
    // Pads with leading zeros, so that the last digit is in the highest byte.
    let blank = UInt64(truncatingIfNeeded: 8 &- count) &* 8
    let aligned = blank == 0 ? word : word &<< blank | 0x3030_3030_3030_3030 &>> (64 &- blank)
    let isDigits =
      aligned & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
      && (aligned &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
    guard isDigits else { return nil }
    // Combines digits to pairs, pairs to quadruples, and those to eight digits (D. Lemire, "Quickly parsing eight digits").
    let pairs = ((aligned & 0x0F0F_0F0F_0F0F_0F0F) &* 2561) >> 8 & 0x00FF_00FF_00FF_00FF
    let quadruples = (pairs &* 6_553_601) >> 16 & 0x0000_FFFF_0000_FFFF
    return Int64((quadruples &* 42_949_672_960_001) >> 32)
  }

  /// Returns the digits of a number of at most 18 characters besides its sign, without an exponent, as nearly all are, and how many
  /// of them follow the point: -1 for an integer. Returns `nil` for any other.
  @inline(__always)
  package static func decimal(_ text: ByteView) -> (digits: Int64, places: Int)? {
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    var index = isNegative ? 1 : 0
    guard text.count - index <= 18 else { return nil }
    var value: Int64 = 0
    var places = -1
    while index < text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      if digit < 10 {
        value = value &* 10 &+ Int64(digit)
        if places >= 0 { places += 1 }
      } else if text[index] == UInt8(ascii: "."), places < 0 {
        places = 0
      } else {
        return nil
      }
      index += 1
    }
    return (isNegative ? -value : value, places)
  }

  private static func longValue(_ text: ByteView) -> Int64? {
    var index = 0
    let negative = text.count > 0 && text[0] == UInt8(ascii: "-")
    if negative { index = 1 }
    guard text.count > index, text.count - index <= 18 else { return nil }
    var result: Int64 = 0
    while index < text.count {
      let digit = text[index] &- 48
      guard digit < 10 else { return nil }
      result = result &* 10 &+ Int64(digit)
      index += 1
    }
    return negative ? -result : result
  }
}
