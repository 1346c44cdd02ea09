package import JSONEvents
import Platform

/// A point in time with a resolution of 10⁻¹⁸ seconds.
public struct Instant: Sendable, Hashable, Comparable, BitwiseCopyable {
  /// Whole seconds since 1970-01-01T00:00:00Z, without leap seconds.
  public var seconds: Int64
  /// The fraction of a second: 0 ..< 10¹⁸.
  public var attoseconds: Int64

  public init(seconds: Int64, attoseconds: Int64 = 0) {
    self.seconds = seconds
    self.attoseconds = attoseconds
  }

  /// The current time of the system's clock, in whole seconds.
  public static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(seconds: Int64(time.tv_sec))
  }

  public static func < (a: Instant, b: Instant) -> Bool {
    a.seconds != b.seconds ? a.seconds < b.seconds : a.attoseconds < b.attoseconds
  }
}

extension Instant: CustomStringConvertible {
  /// The instant in RFC 3339 form in UTC, with a fraction only if it isn't zero.
  public var description: String {
    var text = ByteBuffer(capacity: 64)
    append(to: &text)
    return String(decoding: text.bytes, as: UTF8.self)
  }

  /// Appends the description.
  package func append(to text: inout ByteBuffer) {
    let (days, second) = seconds.flooredDivision(by: 86400)
    CivilDate(daysSince1970: days).append(to: &text)
    text.append("T", second / 3600, width: 2)
    text.append(":", second / 60 % 60, width: 2)
    text.append(":", second % 60, width: 2)
    if attoseconds > 0 {
      text.append(".", attoseconds, width: 18)
      while text[text.count - 1] == UInt8(ascii: "0") { text.truncate(to: text.count - 1) }
    }
    text.append(UInt8(ascii: "Z"))
  }
}

/// A day of the proleptic Gregorian calendar.
struct CivilDate {
  var year: Int64
  var month: Int64
  var day: Int64

  init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Uses Howard Hinnant's `civil_from_days` (chrono-compatible low-level date algorithms), with 400-year eras from March on.
  init(daysSince1970 days: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The days since 1970-01-01, by `days_from_civil` from the same source.
  var daysSince1970: Int64 {
    // Shifted by 400 years, so that no four-digit year is negative and plain division works.
    let shiftedYear = (month <= 2 ? year - 1 : year) + 400
    let (era, yearOfEra) =
      shiftedYear >= 0 ? shiftedYear.quotientAndRemainder(dividingBy: 400) : shiftedYear.flooredDivision(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return (era - 1) * 146_097 + dayOfEra - 719_468
  }

  static func days(inMonth month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  fileprivate func append(to text: inout ByteBuffer) {
    if year < 0 { text.append(UInt8(ascii: "-")) }
    text.append(decimal: year.magnitude, width: 4)
    text.append("-", month, width: 2)
    text.append("-", day, width: 2)
  }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = (self % divisor + divisor) % divisor
    return ((self - remainder) / divisor, remainder)
  }
}

extension ByteBuffer {
  fileprivate mutating func append(_ separator: Unicode.Scalar, _ number: Int64, width: Int) {
    append(UInt8(ascii: separator))
    append(decimal: number.magnitude, width: width)
  }
}

/// A report has instants as strings in RFC 3339 format, in UTC: `"2026-06-28T20:15:00Z"`.
extension Instant: Encodable {
  public func encode(to encoder: any Encoder) throws { try description.encode(to: encoder) }
}

/// An ISO 8601 duration (`P1D`, `P10Y`, `PT36H`, `P1Y2M3DT4H5M6S`, `P2W`) with a separate sign.
package struct CalendarDuration: Sendable, Hashable {
  private var months: Int64 = 0
  private var seconds: Int64 = 0

  /// Reads the text after the sign. Returns `nil` if it isn't a duration, or is longer than 10 000 years.
  package init?(_ text: some StringProtocol, negative: Bool = false) {
    guard text.first == "P", text.count > 1, text.last != "T" else { return nil }
    var number: Int64?
    var inTime = false
    // Units come in this order, each at most once.
    var units = Substring("YMWDTHMS")
    for character in text.dropFirst() {
      if let digit = character.wholeNumberValue, character.isASCII {
        number = (number ?? 0) * 10 + Int64(digit)
        guard let number, number < 400_000_000_000 else { return nil }
        continue
      }
      guard let place = units.firstIndex(of: character),
        (inTime || character == "T") || units[..<place].firstIndex(of: "T") == nil
      else { return nil }
      units = units[units.index(after: place)...]
      if character == "T", !inTime, number == nil {
        inTime = true
        continue
      }
      guard let count = number else { return nil }
      number = nil
      switch (character, inTime) {
      case ("Y", false): months += count * 12
      case ("M", false): months += count
      case ("W", false): seconds += count * 604_800
      case ("D", false): seconds += count * 86400
      case ("H", true): seconds += count * 3600
      case ("M", true): seconds += count * 60
      case ("S", true): seconds += count
      default: return nil
      }
      guard months <= 120_000, seconds <= 400_000_000_000 else { return nil }
    }
    guard number == nil else { return nil }
    if negative {
      months = -months
      seconds = -seconds
    }
  }

  /// True if the duration points into the past.
  package var isNegative: Bool { months < 0 || seconds < 0 }

  /// The duration in ISO 8601 form without its sign: `P1D`, `P1Y6M`, `PT1M30S` for `PT90S`.
  package var text: String {
    func part(_ count: Int64, _ unit: Character) -> String { count == 0 ? "" : "\(count)\(unit)" }
    let (months, seconds) = (abs(months), abs(seconds))
    let date = part(months / 12, "Y") + part(months % 12, "M") + part(seconds / 86400, "D")
    let time = part(seconds % 86400 / 3600, "H") + part(seconds % 3600 / 60, "M") + part(seconds % 60, "S")
    return date.isEmpty && time.isEmpty ? "PT0S" : "P\(date)" + (time.isEmpty ? "" : "T\(time)")
  }

  /// Returns `instant` moved by this duration: first by its months (the day is clamped to the month's last), then by its seconds.
  package func added(to instant: Instant) -> Instant {
    var result = instant
    if months != 0 {
      let day = 86400 as Int64
      let secondOfDay = (instant.seconds % day + day) % day
      var date = CivilDate(daysSince1970: (instant.seconds - secondOfDay) / day)
      let count = date.year * 12 + date.month - 1 + months
      date.month = (count % 12 + 12) % 12 + 1
      date.year = (count - (date.month - 1)) / 12
      date.day = min(date.day, CivilDate.days(inMonth: date.month, of: date.year))
      result.seconds = date.daysSince1970 * day + secondOfDay
    }
    result.seconds += seconds
    return result
  }
}
