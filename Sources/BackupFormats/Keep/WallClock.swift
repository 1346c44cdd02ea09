public import Rules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Which clock the times in files' names are of: those that apps give their backups have no zone.
public enum WallClock: Sendable, Hashable {
  case utc
  /// That of the place where this process runs (`TZ`, else the system's setting), summer time included.
  case local

  /// What the clock shows at an instant; `nil` past the years that have four digits.
  public func time(at instant: Instant) -> CivilTime? {
    guard var seconds = time_t(exactly: instant.seconds) else { return nil }
    var parts = tm()
    switch self {
    case .utc: guard gmtime_r(&seconds, &parts) != nil else { return nil }
    case .local: guard localtime_r(&seconds, &parts) != nil else { return nil }
    }
    let (year, isOver) = Int(parts.tm_year).addingReportingOverflow(1900)
    if isOver { return nil }
    // A clock that knows leap seconds may show 60.
    return CivilTime(
      year: year, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday), hour: Int(parts.tm_hour), minute: Int(parts.tm_min),
      second: min(59, Int(parts.tm_sec)))
  }

  /// When the clock shows this; the system's choice where it does so twice, or never, as in the nights when summer time ends and begins.
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
    // The second before 1970 looks like an error, and is no backup's.
    return seconds == -1 ? nil : Instant(seconds: Int64(seconds))
  }
}
