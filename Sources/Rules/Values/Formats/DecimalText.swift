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

/// A point in time, given as a number relative to an epoch.
///
/// The number is read as written, to 10⁻¹⁸ seconds; further digits are checked, but not compared. Values outside the years -9999
/// to 9999 are not points in time.
struct NumericTime {
  /// The epoch, in seconds since 1970-01-01T00:00:00Z.
  let epoch: Int64
  /// The unit is 10⁻ᵖ seconds.
  let precision: Int

  /// Seconds since 1970-01-01T00:00:00Z, leap seconds left out (POSIX.1-2024, XBD 4.19).
  static let unix = NumericTime(epoch: 0, precision: 0)
  /// Milliseconds since then, as in JavaScript and Java.
  static let unixMilliseconds = NumericTime(epoch: 0, precision: 3)
  /// Seconds since 2001-01-01T00:00:00Z, Foundation's default encoding of `Date`.
  static let appleReference = NumericTime(epoch: 978_307_200, precision: 0)

  /// The supported range in seconds since 1970, from -9999-01-01T00:00:00Z to the end of 9999-12-31.
  static let supported: Range<Int64> = -377_705_116_800..<253_402_300_800

  /// Returns the instant for `text`, a number in JSON's grammar. Cost: linear in the text.
  func instant(_ text: ByteView) -> Instant? {
    if text.count > 0, text[0] &- UInt8(ascii: "1") < 9, let number = IntegerText.value(text) { return instant(number) }
    guard let number = DecimalText(text) else { return nil }
    /// The number of digits before the point, after the exponent and the unit have moved it. It may be negative or exceed the
    /// digit count.
    let point = number.whole.count + number.exponent - precision
    let count = number.whole.count + number.fraction.count
    func digit(_ place: Int) -> Int64 {
      let index =
        place < number.whole.count
        ? number.whole.lowerBound + place : number.fraction.lowerBound + place - number.whole.count
      return Int64(text[index] - 48)
    }

    var seconds: Int64 = 0
    var place = 0
    while place < point, place < count || seconds > 0 {
      seconds = seconds * 10 + (place < count ? digit(place) : 0)
      // This limit is far beyond the supported range, and far below an overflow.
      guard seconds < 1_000_000_000_000 else { return nil }
      place += 1
    }
    var unit: Int64 = 100_000_000_000_000_000
    var attoseconds: Int64 = 0
    var fractionPlace = point
    while fractionPlace < count, unit > 0 {
      if fractionPlace >= 0 { attoseconds += digit(fractionPlace) * unit }
      unit /= 10
      fractionPlace += 1
    }

    if number.isNegative {
      seconds = -seconds
      // An instant's fraction counts forwards.
      if attoseconds > 0 {
        seconds -= 1
        attoseconds = 1_000_000_000_000_000_000 - attoseconds
      }
    }
    guard Self.supported.contains(seconds + epoch) else { return nil }
    return Instant(seconds: seconds + epoch, attoseconds: attoseconds)
  }

  /// Returns the instant of a positive integer of at most 18 digits.
  private func instant(_ number: Int64) -> Instant? {
    var unit: Int64 = 1
    for _ in 0..<precision { unit *= 10 }
    let seconds = number / unit + epoch
    guard Self.supported.contains(seconds) else { return nil }
    return Instant(seconds: seconds, attoseconds: number % unit * (1_000_000_000_000_000_000 / unit))
  }
}
