import JSONEvents

extension StringFormat {
  /// A point in time as values of this format are written: a string's content, or a number's digits. `nil` if the format has none for it.
  ///
  /// Exact, but for what the format can't hold: `date-time-seconds` has whole seconds, and the one that has begun is taken; the second value says whether
  /// something was cut off so.
  package func text(of instant: Instant) -> (text: String, isCut: Bool)? {
    switch self {
    case .dateTime: return Self.checked(instant.description, .dateTime).map { ($0, false) }
    case .dateTimeSeconds:
      let text = Self.checked(Instant(seconds: instant.seconds).description, .dateTimeSeconds)
      return text.map { ($0, instant.attoseconds > 0) }
    case .unixTime: return (NumericTime.unix.text(of: instant), false)
    case .unixTimeMilliseconds: return (NumericTime.unixMilliseconds.text(of: instant), false)
    case .appleReferenceTime: return (NumericTime.appleReference.text(of: instant), false)
    default: return nil
    }
  }

  /// Years that RFC 3339 can't write are none of its points in time.
  private static func checked(_ text: String, _ format: StringFormat) -> String? {
    ByteView.with(text) { format.accepts($0) } ? text : nil
  }
}

extension NumericTime {
  /// The number that counts up to `instant`, in plain digits.
  fileprivate func text(of instant: Instant) -> String {
    let second: Int128 = 1_000_000_000_000_000_000
    let count = (Int128(instant.seconds) - Int128(epoch)) * second + Int128(instant.attoseconds)
    let digits = String(count.magnitude).utf8.map { $0 - 48 }
    return ExactDecimal(digits: digits, exponent: precision - 18, isNegative: count < 0).description
  }
}
