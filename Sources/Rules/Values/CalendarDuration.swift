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
