package import JSONEvents

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
