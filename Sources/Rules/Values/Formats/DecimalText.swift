import JSONEvents

/// A decimal number in JSON's grammar (RFC 8259, section 6), without building the number.
///
///     -12.50e+3
///      ^^         whole: 0, or digits without a leading 0
///         ^^      fraction
///            ^^   exponent, with its own sign
struct DecimalText {
  private(set) var isNegative = false
  /// The digits before the point.
  private(set) var whole: Range<Int>
  /// The digits after the point; empty if there are none.
  private(set) var fraction: Range<Int>
  /// The exponent, limited to ±2⁴⁰: no document is long enough for numbers whose order depends on the difference.
  private(set) var exponent = 0

  /// Reads `text`. Returns `nil` if it is not a number. Cost: linear in the text.
  init?(_ text: ByteView) {
    var index = 0
    func isDigit() -> Bool { index < text.count && text[index] &- 48 < 10 }
    func digits() -> Range<Int>? {
      let start = index
      while isDigit() { index += 1 }
      return index > start ? start..<index : nil
    }
    if index < text.count, text[index] == UInt8(ascii: "-") {
      isNegative = true
      index += 1
    }
    guard let whole = digits(), text[whole.lowerBound] != 48 || whole.count == 1 else { return nil }
    self.whole = whole
    fraction = index..<index
    if index < text.count, text[index] == UInt8(ascii: ".") {
      index += 1
      guard let digits = digits() else { return nil }
      fraction = digits
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      let sign = index < text.count ? text[index] : 0
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { index += 1 }
      guard let digits = digits() else { return nil }
      for place in digits { exponent = min(exponent * 10 + Int(text[place] - 48), 1 << 40) }
      if sign == UInt8(ascii: "-") { exponent = -exponent }
    }
    guard index == text.count else { return nil }
  }
}
