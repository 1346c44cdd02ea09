import JSONEvents
import TestSupport
import Testing

@testable import Rules

@Suite struct DateTimeFaultTests {
  @Test(arguments: [
    ("2026-13-28T20:15:00Z", "month 13 doesn't exist"), ("2026-00-28T20:15:00Z", "month 00 doesn't exist"),
    ("2026-04-31T20:15:00Z", "April 2026 has 30 days"), ("2026-02-29T20:15:00Z", "February 2026 has 28 days"),
    ("2026-06-00T20:15:00Z", "day 00 doesn't exist"), ("2026-06-28T25:00:00Z", "hour 25 doesn't exist"),
    ("2026-06-28T20:60:00Z", "minute 60 doesn't exist"), ("2026-06-28T20:15:61Z", "second 61 doesn't exist"),
    ("2026-06-28T20:15:60Z", "a leap second is at 23:59:60 UTC only"), ("2026-06-28", "the time is missing"),
    ("2026-06-28T20:15:00", "the time zone is missing (Z, or an offset like +02:00)"),
    ("2026-06-28T20:15:00.5", "the time zone is missing (Z, or an offset like +02:00)"),
    ("2026-06-28 20:15:00Z", "a 'T' separates date and time, not a space"), ("2026-06-28T20:15Z", "the seconds are missing"),
    ("2026-6-28T20:15:00Z", "month and day have two digits"), ("2026/06/28T20:15:00Z", "hyphens separate year, month and day"),
    ("26-06-28T20:15:00Z", "a year has four digits, then month and day follow"),
    ("2026-06-28T20:15:00,5Z", "a point begins the fraction of a second, not a comma"),
    ("2026-06-28T20:15:00.Z", "the fraction of a second has no digits"),
    ("2026-06-28T20:15:00+0200", "an offset has hours and minutes, like +02:00"),
    ("2026-06-28T20:15:00+24:00", "an offset of 24 hours doesn't exist"),
    ("2026-06-28T20:15:00+02:60", "minute 60 of the offset doesn't exist"),
    ("2026-06-28T20:15:00UTC", "the time zone is Z, or an offset like +02:00"),
    ("2026-06-28T20:15:00ZZ", "something follows the time zone"),
  ])
  func `what is wrong with a date and time is named`(text: String, words: String) {
    #expect(Self.words(text, .dateTime) == words)
  }

  @Test(
    arguments: [
      ("2026-13-01", .date, "month 13 doesn't exist"), ("2026-06-28T20:15:00Z", .date, "something follows the day"),
      ("13.06.2026", .date, nil), ("20260613", .date, nil), ("tomorrow", .date, nil), ("", .date, nil),
      ("20:15:00", .time, "the time zone is missing (Z, or an offset like +02:00)"),
      ("24:00:00Z", .time, "hour 24 doesn't exist"),
      ("8:15:00Z", .time, "hour and minute have two digits"), ("noon", .time, nil), ("", .time, nil),
      ("2026-06-28T20:15:00.5Z", .dateTimeSeconds, "a fraction of a second is not allowed"),
      ("2026-06-28t20:15:00Z", .dateTimeSeconds, "the 'T' between date and time is a capital"), ("ab", .uuid, nil),
      (String(repeating: "9", count: 100), .dateTime, nil),
    ] as [(String, StringFormat, String?)])
  func `days and times have their own faults`(text: String, format: StringFormat, words: String?) {
    #expect(Self.words(text, format) == words)
  }

  @Test func `exactly the values without a fault are valid or far from a date`() {
    var random = SeededRandom(seed: 4)
    let start = Array("2026-06-28T20:15:00.5+02:00".utf8)
    for _ in 0..<20000 {
      var text = start
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        text[Int.random(in: 0..<text.count, using: &random)] = UInt8.random(in: 0x20..<0x7F, using: &random)
      }
      text.removeLast(Int.random(in: 0..<text.count, using: &random) / 8)
      let string = String(decoding: text, as: UTF8.self)
      let isValid = ByteView.with(string) { StringFormat.dateTime.accepts($0) }
      #expect(!isValid || Self.words(string, .dateTime) == nil, "\(string)")
    }
  }

  private static func words(_ text: String, _ format: StringFormat) -> String? {
    ByteView.with(text) { DateTimeFault.words(for: $0, as: format) }
  }
}
