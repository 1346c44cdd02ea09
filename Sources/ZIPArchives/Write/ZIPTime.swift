/// A time in ZIP's format: a resolution of two seconds, from 1980 to 2107, in the writer's time zone.
public struct ZIPTime: Sendable, Hashable {
  let value: UInt32

  /// Creates a time from its value in an archive.
  init(value: UInt32) { self.value = value }

  /// 1 January 1980, as used by archives that don't record modification times.
  public static let earliest = ZIPTime(year: 1980, month: 1, day: 1)

  /// - Parameters:
  ///   - year: from 1980 to 2107.
  ///   - month: from 1.
  ///   - day: from 1.
  ///   - hour: from 0 to 23.
  ///   - minute: from 0 to 59.
  ///   - second: rounded down to an even number.
  /// - Returns: a time within ZIP's years; others are clamped.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    func bits(_ number: Int, _ range: ClosedRange<Int>, at shift: Int) -> UInt32 {
      UInt32(min(max(number, range.lowerBound), range.upperBound)) << UInt32(shift)
    }
    let date = bits(year - 1980, 0...127, at: 25) | bits(month, 1...12, at: 21) | bits(day, 1...31, at: 16)
    value = date | bits(hour, 0...23, at: 11) | bits(minute, 0...59, at: 5) | bits(second / 2, 0...29, at: 0)
  }
}
