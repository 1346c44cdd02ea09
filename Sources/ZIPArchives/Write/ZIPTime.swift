/// A time as ZIP writes it: to two seconds, from 1980 to 2107, in whatever zone the writer is.
public struct ZIPTime: Sendable, Hashable {
  let value: UInt32

  /// As an archive has it.
  init(value: UInt32) { self.value = value }

  /// The first of January 1980, as archives have it that don't say when their files were changed.
  public static let earliest = ZIPTime(year: 1980, month: 1, day: 1)

  /// - Parameters:
  ///   - month: from 1, as `day` is.
  ///   - second: even ones alone have room.
  /// - Returns: a time within the years that ZIP can write; what is outside becomes the nearest.
  public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
    func bits(_ number: Int, _ range: ClosedRange<Int>, at shift: Int) -> UInt32 {
      UInt32(min(max(number, range.lowerBound), range.upperBound)) << UInt32(shift)
    }
    let date = bits(year - 1980, 0...127, at: 25) | bits(month, 1...12, at: 21) | bits(day, 1...31, at: 16)
    value = date | bits(hour, 0...23, at: 11) | bits(minute, 0...59, at: 5) | bits(second / 2, 0...29, at: 0)
  }
}
