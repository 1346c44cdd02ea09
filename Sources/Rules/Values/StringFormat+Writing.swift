import JSONEvents

extension StringFormat {
  /// Returns `instant` in this format: the content of a string, or the digits of a number. `nil` if the format can't express it.
  ///
  /// The result is exact, except that `date-time-seconds` and `apple-date-time` round down to whole seconds. `isCut` is true if that drops a fraction.
  package func text(of instant: Instant) -> (text: String, isCut: Bool)? {
    switch self {
    case .dateTime: return Self.checked(instant.description, .dateTime).map { ($0, false) }
    case .dateTimeSeconds, .appleDateTime:
      let text = Self.checked(Instant(seconds: instant.seconds).description, .dateTimeSeconds)
      return text.map { ($0, instant.attoseconds > 0) }
    case .unixTime: return (NumericTime.unix.text(of: instant), false)
    case .unixTimeMilliseconds: return (NumericTime.unixMilliseconds.text(of: instant), false)
    case .appleReferenceTime: return (NumericTime.appleReference.text(of: instant), false)
    default: return nil
    }
  }

  /// Returns `nil` for years that RFC 3339 can't express.
  private static func checked(_ text: String, _ format: StringFormat) -> String? {
    ByteView.with(text) { format.accepts($0) } ? text : nil
  }
}

extension NumericTime {
  /// Returns `instant` as a count since the epoch, in plain digits.
  fileprivate func text(of instant: Instant) -> String {
    let second: Int128 = 1_000_000_000_000_000_000
    let count = (Int128(instant.seconds) - Int128(epoch)) * second + Int128(instant.attoseconds)
    let digits = String(count.magnitude).utf8.map { $0 - 48 }
    return ExactDecimal(digits: digits, exponent: precision - 18, isNegative: count < 0).description
  }
}
