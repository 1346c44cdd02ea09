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
    let (days, second) = seconds.flooredDivision(by: 86400)
    let date = CivilDate(daysSince1970: days)
    var text = "\(date)T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if attoseconds > 0 {
      var fraction = padded(attoseconds, 18)
      while fraction.hasSuffix("0") { fraction.removeLast() }
      text += "." + fraction
    }
    return text + "Z"
  }
}

/// A day of the proleptic Gregorian calendar.
struct CivilDate: CustomStringConvertible {
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

  var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

extension Int64 {
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = (self % divisor + divisor) % divisor
    return ((self - remainder) / divisor, remainder)
  }
}

private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number.magnitude)
  return (number < 0 ? "-" : "") + String(repeating: "0", count: max(0, width - digits.count)) + digits
}
