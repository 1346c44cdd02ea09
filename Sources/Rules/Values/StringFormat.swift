package import JSONEvents

/// The values of `format` that Coffer checks.
package enum StringFormat: UInt8, Sendable, CaseIterable, BitwiseCopyable {
  case dateTime, dateTimeSeconds, date, time, uuid, decimal, currency

  package init?(name: String) {
    guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  package var name: String {
    switch self {
    case .dateTime: "date-time"
    case .dateTimeSeconds: "date-time-seconds"
    case .date: "date"
    case .time: "time"
    case .uuid: "uuid"
    case .decimal: "decimal"
    case .currency: "currency"
    }
  }

  /// What a message calls it.
  package var noun: String {
    switch self {
    case .dateTime: "a date and time (RFC 3339, like 2026-06-28T20:15:00Z)"
    case .dateTimeSeconds: "a date and time in whole seconds (RFC 3339, like 2026-06-28T20:15:00Z)"
    case .date: "a date (RFC 3339, like 2026-06-28)"
    case .time: "a time of day (RFC 3339, like 20:15:00Z)"
    case .uuid: "a UUID"
    case .decimal: "a decimal number"
    case .currency: "a currency code of ISO 4217"
    }
  }

  /// Whether its values are points in time, which bounds can be set on.
  package var isTemporal: Bool { self == .dateTime || self == .dateTimeSeconds || self == .date || self == .time }

  package func instant(_ text: ByteView) -> Instant? {
    switch self {
    case .dateTime: DateTimeText.dateTime(text)
    case .dateTimeSeconds: text.count > 19 && text[19] != UInt8(ascii: ".") ? DateTimeText.dateTime(text) : nil
    case .date: DateTimeText.date(text)
    case .time: DateTimeText.time(text)
    default: nil
    }
  }

  package func accepts(_ text: ByteView) -> Bool {
    switch self {
    case .dateTime, .dateTimeSeconds, .date, .time: instant(text) != nil
    case .uuid: Self.isUUID(text)
    case .decimal: Self.isDecimal(text)
    case .currency: CurrencyCodes.contains(text)
    }
  }

  /// RFC 9562, section 4: 8-4-4-4-12 hexadecimal digits.
  private static func isUUID(_ text: ByteView) -> Bool {
    guard text.count == 36 else { return false }
    for index in 0..<36 {
      let byte = text[index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        if byte != UInt8(ascii: "-") { return false }
      } else if byte &- 48 >= 10, (byte | 0x20) &- UInt8(ascii: "a") >= 6 {
        return false
      }
    }
    return true
  }

  /// JSON's own grammar of numbers (RFC 8259, section 6), without building the number.
  private static func isDecimal(_ text: ByteView) -> Bool {
    var index = 0
    func isDigit() -> Bool { index < text.count && text[index] &- 48 < 10 }
    func skipDigits() -> Bool {
      guard isDigit() else { return false }
      while isDigit() { index += 1 }
      return true
    }
    if index < text.count, text[index] == UInt8(ascii: "-") { index += 1 }
    let whole = index
    guard skipDigits(), text[whole] != 48 || index == whole + 1 else { return false }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      index += 1
      guard skipDigits() else { return false }
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") { index += 1 }
      guard skipDigits() else { return false }
    }
    return index == text.count
  }
}
