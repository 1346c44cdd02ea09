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
