package import JSONEvents

/// Reads RFC 3339 dates and times.
///
///     2026-06-27T17:40:00Z
///     0123456789…        fixed positions up to the seconds; then a fraction of any length; then Z or ±hh:mm
///
/// Calendar days are checked. A leap second (`:60`) is valid only at 23:59:60 UTC; it is read as the instant of the next second.
/// Digits of a fraction after the 18th are checked, but not compared.
package enum DateTimeText {
  /// Reads a date and time with its offset (RFC 3339, section 5.6, `date-time`).
  package static func dateTime(_ text: ByteView) -> Instant? {
    if text.count == 20, let instant = secondsInUTC(text) { return instant }
    guard text.count >= 20, text[10] | 0x20 == UInt8(ascii: "t"), let days = days(text, at: 0) else { return nil }
    return time(text, from: 11, days: days)
  }

  /// Reads the most common form, eight bytes at a time. Returns `nil` for any other form, which may still be a date.
  ///
  ///     2026-06-  27T17:40  :00Z
  private static func secondsInUTC(_ text: ByteView) -> Instant? {
    // XOR with the template leaves 0…9 for each digit and 0 for each separator.
    let date = text.word(at: 0) ^ 0x2D30_302D_3030_3030
    let time = text.word(at: 8) ^ 0x3030_3A30_3054_3030
    let rest = text.word(at: 12) ^ 0x5A30_303A_3030_3A30
    let notDigits = (date &+ nines) | (time &+ nines) | (rest &+ nines) | date | time | rest
    let notFixed = date & 0xFF00_00FF_0000_0000 | time & 0x0000_FF00_00FF_0000 | rest & 0xFF00_00FF_0000_FF00
    guard notDigits & 0x8080_8080_8080_8080 == 0, notFixed == 0 else { return nil }
    // Ten times each digit plus the next digit, in the first one's byte.
    let dates = date &* 10 &+ date >> 8
    let times = time &* 10 &+ time >> 8
    let seconds = rest &* 10 &+ rest >> 8
    func pair(_ word: UInt64, _ index: UInt64) -> Int64 { Int64(word >> (index * 8) & 0xFF) }
    let year = pair(dates, 0) * 100 + pair(dates, 2)
    let (month, day) = (pair(dates, 5), pair(times, 0))
    let (hour, minute, second) = (pair(times, 3), pair(times, 6), pair(seconds, 5))
    guard month >= 1, month <= 12, day >= 1, day <= 28 || day <= CivilDate.days(inMonth: month, of: year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    let days = CivilDate(year: year, month: month, day: day).daysSince1970
    return Instant(seconds: days * 86400 + hour * 3600 + minute * 60 + second)
  }

  /// Reads a date and time in whole seconds as Apple's decoders do: the T must be a capital, and an offset may lack its colon.
  static func wholeSeconds(_ text: ByteView) -> Instant? {
    if text.count == 20, let instant = secondsInUTC(text) { return instant }
    guard text.count >= 20, text[10] == UInt8(ascii: "T"), text[19] != UInt8(ascii: "."), let days = days(text, at: 0) else {
      return nil
    }
    return time(text, from: 11, days: days, style: .apple)
  }

  /// Reads a date and time as Foundation's ISO 8601 strategy does since Swift 6.2: like ``wholeSeconds(_:)``, and with up to 9 digits
  /// of a fraction, or an offset without minutes.
  package static func apple(_ text: ByteView) -> Instant? {
    if text.count == 20, let instant = secondsInUTC(text) { return instant }
    guard text.count >= 20, text[10] == UInt8(ascii: "T"), let days = days(text, at: 0) else { return nil }
    return time(text, from: 11, days: days, style: .lenientApple)
  }

  private enum Style { case rfc3339, apple, lenientApple }

  /// Added to a byte of at most 9, the sum stays below 128.
  private static let nines: UInt64 = 0x7676_7676_7676_7676

  /// Reads a day (`full-date`) as the instant at which it begins in UTC.
  package static func date(_ text: ByteView) -> Instant? {
    guard text.count == 10, let days = days(text, at: 0) else { return nil }
    return Instant(seconds: days * 86400)
  }

  /// Reads a time of day with its offset (`full-time`), as that time on 1970-01-01.
  package static func time(_ text: ByteView) -> Instant? { time(text, from: 0, days: 0) }

  private static func days(_ text: ByteView, at start: Int) -> Int64? {
    guard let century = twoDigits(text, start), let year = twoDigits(text, start + 2), text[start + 4] == UInt8(ascii: "-"),
      let month = twoDigits(text, start + 5), text[start + 7] == UInt8(ascii: "-"), let day = twoDigits(text, start + 8)
    else { return nil }
    let date = CivilDate(year: century * 100 + year, month: month, day: day)
    guard month >= 1, month <= 12, day >= 1, day <= 28 || day <= CivilDate.days(inMonth: month, of: date.year) else { return nil }
    return date.daysSince1970
  }

  private static func time(_ text: ByteView, from start: Int, days: Int64, style: Style = .rfc3339) -> Instant? {
    guard text.count >= start + 9,
      let hour = twoDigits(text, start), text[start + 2] == UInt8(ascii: ":"),
      let minute = twoDigits(text, start + 3), text[start + 5] == UInt8(ascii: ":"),
      let second = twoDigits(text, start + 6), hour < 24, minute < 60, second <= 60
    else { return nil }
    var index = start + 8
    var attoseconds: Int64 = 0
    if text[index] == UInt8(ascii: ".") {
      index += 1
      let fraction = index
      var unit: Int64 = 100_000_000_000_000_000
      while index < text.count, text[index] &- 48 < 10 {
        attoseconds += Int64(text[index] &- 48) * unit
        unit /= 10
        index += 1
      }
      guard index > fraction, style != .lenientApple || index - fraction <= 9 else { return nil }
    }
    guard index < text.count, let offset = offset(text, from: index, style) else { return nil }
    let seconds = days * 86400 + hour * 3600 + minute * 60 + second - offset
    if second == 60 {
      // A leap second ends the minute 23:59 in UTC.
      let minuteOfDay = ((hour * 60 + minute - offset / 60) % 1440 + 1440) % 1440
      guard minuteOfDay == 1439 else { return nil }
    }
    return Instant(seconds: seconds, attoseconds: attoseconds)
  }

  /// Reads an offset; returns the seconds east of UTC. Apple's decoders take it without a colon, and up to 18 hours.
  private static func offset(_ text: ByteView, from index: Int, _ style: Style) -> Int64? {
    let sign = text[index]
    if sign | 0x20 == UInt8(ascii: "z") { return index + 1 == text.count ? 0 : nil }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), text.count >= index + 3,
      let hour = twoDigits(text, index + 1), hour < 24
    else { return nil }
    var minute: Int64 = 0
    switch text.count - index {
    case 6:
      guard text[index + 3] == UInt8(ascii: ":"), let value = twoDigits(text, index + 4) else { return nil }
      minute = value
    case 5 where style != .rfc3339:
      guard let value = twoDigits(text, index + 3) else { return nil }
      minute = value
    case 3 where style == .lenientApple: break
    default: return nil
    }
    let offset = hour * 3600 + minute * 60
    guard minute < 60, style == .rfc3339 || offset <= 18 * 3600 else { return nil }
    return sign == UInt8(ascii: "-") ? -offset : offset
  }

  private static func twoDigits(_ text: ByteView, _ index: Int) -> Int64? {
    let tens = text[index] &- 48
    let ones = text[index + 1] &- 48
    guard tens < 10, ones < 10 else { return nil }
    return Int64(tens) * 10 + Int64(ones)
  }
}

extension Instant {
  /// Reads an RFC 3339 date and time, such as `2026-06-28T20:15:00Z`. Returns `nil` if `text` isn't one.
  public init?(_ text: String) {
    guard let instant = ByteView.with(text, { DateTimeText.dateTime($0) }) else { return nil }
    self = instant
  }
}

/// Says what is wrong with a text that is nearly a date or a time (RFC 3339): month 13, a missing time zone.
///
///     2026-06-27T17:40:00.5+02:00
///     date      T time    fraction, zone
package struct DateTimeFault {
  private let text: ByteView
  private let format: StringFormat
  private var index = 0

  /// Returns the first fault, or `nil` if the text is valid, or isn't nearly of this format.
  package static func words(for text: ByteView, as format: StringFormat) -> String? {
    guard [.dateTime, .dateTimeSeconds, .appleDateTime, .date, .time].contains(format), format.instant(text) == nil else {
      return nil
    }
    var fault = DateTimeFault(text: text, format: format)
    return fault.words()
  }

  private init(text: ByteView, format: StringFormat) {
    self.text = text
    self.format = format
  }

  private mutating func words() -> String? {
    if format != .time {
      if let fault = dateFault() { return fault.words }
      if format == .date { return isAtEnd ? nil : "something follows the day" }
      if isAtEnd { return "the time is missing" }
      if skip(" ") { return "a 'T' separates date and time, not a space" }
      if isApple, skip("t") { return "the 'T' between date and time is a capital" }
      guard skip("T") || skip("t") else { return nil }
    }
    return timeFault()
  }

  /// A fault, or `nil` words if the text is not nearly a date.
  private struct Fault { let words: String? }

  private mutating func dateFault() -> Fault? {
    guard let year = number(upTo: 4) else { return Fault(words: nil) }
    if skip("/") || skip(".") { return Fault(words: year.count == 4 ? "hyphens separate year, month and day" : nil) }
    guard skip("-"), let month = number(upTo: 2), skip("-"), let day = number(upTo: 2) else { return Fault(words: nil) }
    if year.count < 4 { return Fault(words: "a year has four digits, then month and day follow") }
    if month.count < 2 || day.count < 2 { return Fault(words: "month and day have two digits") }
    guard 1...12 ~= month.value else { return Fault(words: "month \(month.text) doesn't exist") }
    let last = CivilDate.days(inMonth: month.value, of: year.value)
    if day.value < 1 { return Fault(words: "day 00 doesn't exist") }
    if day.value > last { return Fault(words: "\(Self.months[Int(month.value) - 1]) \(year.text) has \(last) days") }
    return nil
  }

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
  ]

  private mutating func timeFault() -> String? {
    guard let hour = number(upTo: 2), skip(":"), let minute = number(upTo: 2) else { return nil }
    if hour.count < 2 || minute.count < 2 { return "hour and minute have two digits" }
    if hour.value > 23 { return "hour \(hour.text) doesn't exist" }
    if minute.value > 59 { return "minute \(minute.text) doesn't exist" }
    guard skip(":") else { return "the seconds are missing" }
    guard let second = number(upTo: 2), second.count == 2 else { return "a second has two digits" }
    if second.value > 60 { return "second \(second.text) doesn't exist" }
    if skip(",") { return "a point begins the fraction of a second, not a comma" }
    if skip(".") {
      if format == .dateTimeSeconds { return "a fraction of a second is not allowed" }
      let fraction = index
      guard number(upTo: .max) != nil else { return "the fraction of a second has no digits" }
      if isApple, index - fraction > 9 { return "the fraction of a second has more than 9 digits" }
    }
    if let fault = zoneFault() { return fault }
    if !isAtEnd { return "something follows the time zone" }
    return second.value == 60 ? "a leap second is at 23:59:60 UTC only" : nil
  }

  private mutating func zoneFault() -> String? {
    if isAtEnd { return "the time zone is missing (Z, or an offset like +02:00)" }
    if skip("Z") || skip("z") { return nil }
    guard skip("+") || skip("-") else { return "the time zone is Z, or an offset like +02:00" }
    guard let hour = number(upTo: 2), hour.count == 2, skip(":") || isApple, let minute = number(upTo: 2), minute.count == 2
    else {
      return "an offset has hours and minutes, like +02:00"
    }
    if hour.value > 23 { return "an offset of \(hour.text) hours doesn't exist" }
    if minute.value > 59 { return "minute \(minute.text) of the offset doesn't exist" }
    return isApple && hour.value * 60 + minute.value > 18 * 60 ? "an offset is at most 18 hours" : nil
  }

  // MARK: Reading

  private struct Number {
    /// The value of the first 4 digits.
    var value: Int64 = 0
    var text = ""
    var count: Int { text.utf8.count }
  }

  private var isApple: Bool { format == .dateTimeSeconds || format == .appleDateTime }

  private var isAtEnd: Bool { index == text.count }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < text.count, text[index] == UInt8(truncatingIfNeeded: character.value) else { return false }
    index += 1
    return true
  }

  /// Reads digits; returns `nil` if there are none.
  private mutating func number(upTo count: Int) -> Number? {
    var number = Number()
    let start = index
    while index < text.count, index - start < count, text[index] &- UInt8(ascii: "0") < 10 {
      if index - start < 4 {
        number.value = number.value * 10 + Int64(text[index] &- UInt8(ascii: "0"))
        number.text.unicodeScalars.append(Unicode.Scalar(text[index]))
      }
      index += 1
    }
    return index > start ? number : nil
  }
}
