import BackupFormats
import Rules

/// A day, ISO week, month or year of the calendar, of each of which a policy can keep a backup.
public enum RetentionPeriod: String, Sendable, Hashable, CaseIterable {
  case day, week, month, year

  /// Returns a number that differs for the periods of two times, and doesn't for times of one period.
  func number(of time: CivilTime) -> Int {
    switch self {
    case .day: Self.day(of: time)
    // 1970-01-01 was a Thursday, and weeks begin on Monday.
    case .week: Int((Double(Self.day(of: time) + 3) / 7).rounded(.down))
    case .month: time.year * 12 + time.month
    case .year: time.year
    }
  }

  /// The days since 1970-01-01.
  private static func day(of time: CivilTime) -> Int {
    guard let day = CivilTime(year: time.year, month: time.month, day: time.day), let midnight = WallClock.utc.instant(of: day)
    else { return 0 }
    return Int(midnight.seconds / 86400) - (midnight.seconds < 0 ? 1 : 0)
  }
}
