import JSONEvents

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
