package import JSONEvents

/// The values of `format`: those of JSON Schema 2020-12 (Validation, section 7.3), and Coffer's own.
package enum StringFormat: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  case dateTime, date, time, duration
  case email, idnEmail
  case hostname, idnHostname
  case ipv4, ipv6
  case uri, uriReference, iri, iriReference, uriTemplate
  case uuid
  case jsonPointer, relativeJSONPointer
  case regex
  // Coffer's own formats.
  case dateTimeSeconds, appleDateTime, decimal, currency, colorHex, base64
  case unixTime, unixTimeMilliseconds, appleReferenceTime

  package init?(name: String) {
    guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  package var name: String { words.name }
  /// The format's name in messages.
  package var noun: String { words.noun }

  private var words: (name: String, noun: String) {
    switch self {
    case .dateTime: ("date-time", "a date and time (RFC 3339, like 2026-06-28T20:15:00Z)")
    case .date: ("date", "a date (RFC 3339, like 2026-06-28)")
    case .time: ("time", "a time of day (RFC 3339, like 20:15:00Z)")
    case .duration: ("duration", "a duration (RFC 3339, like P1DT12H)")
    case .email: ("email", "an email address")
    case .idnEmail: ("idn-email", "an internationalized email address")
    case .hostname: ("hostname", "a host name")
    case .idnHostname: ("idn-hostname", "an internationalized host name")
    case .ipv4: ("ipv4", "an IPv4 address")
    case .ipv6: ("ipv6", "an IPv6 address")
    case .uri: ("uri", "a URI with a scheme")
    case .uriReference: ("uri-reference", "a URI or a relative reference")
    case .iri: ("iri", "an IRI with a scheme")
    case .iriReference: ("iri-reference", "an IRI or a relative reference")
    case .uriTemplate: ("uri-template", "a URI template (RFC 6570)")
    case .uuid: ("uuid", "a UUID")
    case .jsonPointer: ("json-pointer", "a JSON Pointer (RFC 6901, like /items/0)")
    case .relativeJSONPointer: ("relative-json-pointer", "a relative JSON Pointer (like 1/name)")
    case .regex: ("regex", "an ECMA-262 regular expression")
    case .dateTimeSeconds: ("date-time-seconds", "a date and time in whole seconds (RFC 3339, like 2026-06-28T20:15:00Z)")
    case .appleDateTime: ("apple-date-time", "a date and time (ISO 8601, like 2026-06-28T20:15:00Z)")
    case .decimal: ("decimal", "a decimal number")
    case .currency: ("currency", "an ISO 4217 currency code")
    case .colorHex: ("color-hex", "a colour (#RRGGBB)")
    case .base64: ("base64", "base64 (RFC 4648, section 4)")
    case .unixTime: ("unix-time", "a time in seconds since 1970")
    case .unixTimeMilliseconds: ("unix-time-ms", "a time in milliseconds since 1970")
    case .appleReferenceTime: ("apple-reference-time", "a time in seconds since 2001")
    }
  }

  /// True for JSON Schema's formats; the others exist only in Coffer's dialect.
  package var isStandard: Bool { rawValue <= Self.regex.rawValue }

  /// True if values are numbers, passed as the text of the number; otherwise they are strings.
  package var appliesToNumbers: Bool {
    self == .unixTime || self == .unixTimeMilliseconds || self == .appleReferenceTime
  }

  /// True if values are dates or times, which can have bounds.
  package var isTemporal: Bool {
    self == .dateTime || self == .dateTimeSeconds || self == .appleDateTime || self == .date || self == .time || appliesToNumbers
  }

  /// True if values are points on the time line, which a time of day is not.
  package var isPointInTime: Bool { isTemporal && self != .time }

  /// Returns the point in time of `text`, or `nil` if `text` isn't valid, or the format isn't temporal.
  package func instant(_ text: ByteView) -> Instant? {
    switch self {
    case .dateTime: DateTimeText.dateTime(text)
    case .dateTimeSeconds: DateTimeText.wholeSeconds(text)
    case .appleDateTime: DateTimeText.apple(text)
    case .date: DateTimeText.date(text)
    case .time: DateTimeText.time(text)
    case .unixTime: NumericTime.unix.instant(text)
    case .unixTimeMilliseconds: NumericTime.unixMilliseconds.instant(text)
    case .appleReferenceTime: NumericTime.appleReference.instant(text)
    default: nil
    }
  }

  /// Returns whether `text`, which must be UTF-8, has this format. Cost: linear in the text.
  package func accepts(_ text: ByteView) -> Bool {
    switch self {
    case .dateTime, .dateTimeSeconds, .appleDateTime, .date, .time, .unixTime, .unixTimeMilliseconds, .appleReferenceTime:
      instant(text) != nil
    case .duration: Grammar.duration.accepts(text)
    case .email: Grammar.isMailbox(text, .ascii)
    case .idnEmail: Grammar.isMailbox(text, .unicode)
    case .hostname: HostName.accepts(text, .ascii)
    case .idnHostname: HostName.accepts(text, .unicode)
    case .ipv4: Grammar.ipv4.accepts(text)
    case .ipv6: Grammar.ipv6.accepts(text)
    case .uri: Grammar.uri.accepts(text)
    case .uriReference: Grammar.uriReference.accepts(text)
    case .iri: Grammar.iri.accepts(text)
    case .iriReference: Grammar.iriReference.accepts(text)
    case .uriTemplate: Grammar.uriTemplate.accepts(text)
    case .uuid: UUIDText(text) != nil
    case .jsonPointer: Grammar.pointer.accepts(text)
    case .relativeJSONPointer: Grammar.relativePointer.accepts(text)
    case .regex: (try? Pattern.checkSyntax(of: text.string)) != nil
    case .decimal: DecimalText(text) != nil
    case .currency: CurrencyCodes.contains(text)
    case .colorHex: Grammar.color.accepts(text)
    case .base64: text.count % 4 == 0 && Grammar.base64.accepts(text)
    }
  }
}

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
