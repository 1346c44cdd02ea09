/// A whole second in UTC.
struct Timestamp: Sendable, Comparable {
  /// Since 1970-01-01T00:00:00Z.
  var seconds: Int

  static let secondsPerDay = 86_400

  /// When the backup says it was made. Fixed: no clock goes into the bytes.
  static let reference = Timestamp(year: 2026, month: 6, day: 28) + (20 * 3600 + 15 * 60)

  init(seconds: Int) { self.seconds = seconds }

  /// Midnight. Civil-date arithmetic after Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
  init(year: Int, month: Int, day: Int) {
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = shiftedYear / 400
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    seconds = (era * 146_097 + dayOfEra - 719_468) * Self.secondsPerDay
  }

  static func < (a: Timestamp, b: Timestamp) -> Bool { a.seconds < b.seconds }
  static func + (a: Timestamp, seconds: Int) -> Timestamp { Timestamp(seconds: a.seconds + seconds) }
  static func - (a: Timestamp, seconds: Int) -> Timestamp { Timestamp(seconds: a.seconds - seconds) }
  static func - (a: Timestamp, b: Timestamp) -> Int { a.seconds - b.seconds }

  /// Year, month and day: `civil_from_days` of the same paper, for days since 0000-03-01 that are not negative.
  private var civil: (year: Int, month: Int, day: Int) {
    let shifted = seconds / Self.secondsPerDay + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// Appends `2026-06-28T20:15:00Z`.
  func write(to text: inout TextBuffer) {
    let (year, month, day) = civil
    let second = seconds % Self.secondsPerDay
    text.append(twoDigits: year / 100)
    text.append(twoDigits: year % 100)
    text.append(UInt8(ascii: "-"))
    text.append(twoDigits: month)
    text.append(UInt8(ascii: "-"))
    text.append(twoDigits: day)
    text.append(UInt8(ascii: "T"))
    text.append(twoDigits: second / 3600)
    text.append(UInt8(ascii: ":"))
    text.append(twoDigits: second / 60 % 60)
    text.append(UInt8(ascii: ":"))
    text.append(twoDigits: second % 60)
    text.append(UInt8(ascii: "Z"))
  }

  var text: String {
    var buffer = TextBuffer()
    write(to: &buffer)
    return buffer.string
  }
}
