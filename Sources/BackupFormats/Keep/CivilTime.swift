import Platform
public import Rules

/// A local time without a time zone: a day of the Gregorian calendar and a time of that day, to the second.
public struct CivilTime: Sendable, Hashable {
  public let year: Int
  /// The month, from 1.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int
  public let hour: Int
  public let minute: Int
  public let second: Int

  /// - Returns: `nil` for an invalid day or time, or a year with more than four digits.
  public init?(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    guard (0...9999).contains(year), (1...12).contains(month), (1...Self.days(inMonth: month, of: year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
    else { return nil }
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  private static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

/// The clock of the times in file names, which have no time zone.
public enum WallClock: Sendable, Hashable {
  case utc
  /// The process's local time zone (`TZ`, else the system's setting), including daylight saving time.
  case local

  /// Returns the clock's time at an instant, or `nil` beyond four-digit years.
  public func time(at instant: Instant) -> CivilTime? {
    guard var seconds = time_t(exactly: instant.seconds) else { return nil }
    var parts = tm()
    switch self {
    case .utc: guard gmtime_r(&seconds, &parts) != nil else { return nil }
    case .local: guard localtime_r(&seconds, &parts) != nil else { return nil }
    }
    let (year, isOver) = Int(parts.tm_year).addingReportingOverflow(1900)
    if isOver { return nil }
    // A clock with leap seconds may show 60.
    return CivilTime(
      year: year, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday), hour: Int(parts.tm_hour), minute: Int(parts.tm_min),
      second: min(59, Int(parts.tm_sec)))
  }

  /// Returns the instant of a time on the clock. If daylight saving time makes it ambiguous or skips it, the system chooses.
  public func instant(of time: CivilTime) -> Instant? {
    var parts = tm()
    parts.tm_year = CInt(time.year - 1900)
    parts.tm_mon = CInt(time.month - 1)
    parts.tm_mday = CInt(time.day)
    parts.tm_hour = CInt(time.hour)
    parts.tm_min = CInt(time.minute)
    parts.tm_sec = CInt(time.second)
    parts.tm_isdst = -1
    let seconds =
      switch self {
      case .utc: timegm(&parts)
      case .local: mktime(&parts)
      }
    // The last second of 1969 is indistinguishable from an error, and no backup has it.
    return seconds == -1 ? nil : Instant(seconds: Int64(seconds))
  }
}
