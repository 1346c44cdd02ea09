import Foundation
import JSONEvents
import TestSupport
import Testing

@testable import Rules

@Suite struct DateTimeTextTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1), ("2026-06-28T20:15:00Z", 1_782_677_700),
    ("2026-06-28t20:15:00z", 1_782_677_700),
    ("2026-06-28T22:15:00+02:00", 1_782_677_700), ("2026-06-28T14:45:00-05:30", 1_782_677_700),
    ("2000-02-29T12:00:00Z", 951_825_600),
    ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59Z", 253_402_300_799), ("1970-01-01T00:00:00-00:00", 0),
    ("1970-01-01T00:00:00+23:59", -86340), ("2016-12-31T23:59:60Z", 1_483_228_800), ("2016-12-31T15:59:60-08:00", 1_483_228_800),
    ("2017-01-01T00:59:60+01:00", 1_483_228_800),
  ])
  func `date-times are read as instants`(text: String, seconds: Int64) {
    #expect(Instant(text) == Instant(seconds: seconds))
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00.5Z", 500_000_000_000_000_000), ("1970-01-01T00:00:00.000000000000000001Z", 1),
    ("1970-01-01T00:00:00.0Z", 0),
    ("1970-01-01T00:00:00.123+00:00", 123_000_000_000_000_000),
    ("1970-01-01T00:00:00.1234567890123456789999Z", 123_456_789_012_345_678),
  ])
  func `fractions of seconds are exact`(text: String, attoseconds: Int64) {
    #expect(Instant(text) == Instant(seconds: 0, attoseconds: attoseconds))
  }

  @Test func `instants agree with Foundation`() throws {
    let formatter = ISO8601DateFormatter()
    var random = SeededRandom(seed: 9)
    for _ in 0..<2000 {
      // From 1600, because Foundation uses the Julian calendar before 1582.
      let seconds = Int64.random(in: -11_676_096_000...253_402_300_799, using: &random)
      let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
      #expect(Instant(text) == Instant(seconds: seconds))
      #expect(Instant(seconds: seconds).description == text)
    }
  }

  @Test(arguments: [
    "", "2026-06-28", "2026-06-28T20:15:00", "2026-06-28 20:15:00Z", "2026-06-28T20:15Z", "2026-6-28T20:15:00Z",
    "26-06-28T20:15:00Z",
    "2026-00-28T20:15:00Z", "2026-13-28T20:15:00Z", "2026-06-00T20:15:00Z", "2026-06-31T20:15:00Z", "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z", "2024-02-30T00:00:00Z", "2026-06-28T24:00:00Z", "2026-06-28T20:60:00Z", "2026-06-28T20:15:61Z",
    "2026-06-28T20:15:60Z", "2016-12-31T22:59:60Z", "2016-12-31T23:58:60Z", "2016-12-31T23:59:60+01:00", "2026-06-28T20:15:00.Z",
    "2026-06-28T20:15:00,5Z", "2026-06-28T20:15:00+2:00", "2026-06-28T20:15:00+0200", "2026-06-28T20:15:00+24:00",
    "2026-06-28T20:15:00+02:60",
    "2026-06-28T20:15:00+02", "2026-06-28T20:15:00ZZ", "2026-06-28T20:15:00Z ", " 2026-06-28T20:15:00Z", "2026-06-28T20:15:00UTC",
    "2026/06/28T20:15:00Z", "2026-06-28T20.15.00Z", "+2026-06-28T20:15:00Z", "-026-06-28T20:15:00Z", "২026-06-28T20:15:00Z",
    "2026-06-28T20:15:00.5", "2026-06-28T2٠:15:00Z",
  ])
  func `malformed text is not a date-time`(text: String) {
    #expect(Instant(text) == nil)
  }

  @Test(arguments: [("1970-01-01", 0), ("2024-02-29", 1_709_164_800), ("1969-12-31", -86400)] as [(String, Int64)])
  func `a date is the start of its day in UTC`(text: String, seconds: Int64) {
    #expect(ByteView.with(text) { DateTimeText.date($0) } == Instant(seconds: seconds))
  }

  @Test(arguments: ["", "2026-6-1", "2026-02-29", "2026-06-28T", "2026-06-28Z", "20260628", "2026-06-3১"])
  func `malformed text is not a date`(text: String) {
    #expect(ByteView.with(text) { DateTimeText.date($0) } == nil)
  }

  @Test(
    arguments: [
      ("00:00:00Z", 0), ("20:15:00Z", 72900), ("00:00:00+01:00", -3600), ("23:59:60Z", 86400), ("15:59:60-08:00", 86400),
    ] as [(String, Int64)])
  func `times are read with their offset`(text: String, seconds: Int64) {
    #expect(ByteView.with(text) { DateTimeText.time($0) } == Instant(seconds: seconds))
  }

  @Test(arguments: ["", "20:15:00", "20:15Z", "24:00:00Z", "8:15:00Z", "20:15:00.Z", "22:59:60Z", "20:15:00 Z"])
  func `malformed text is not a time`(text: String) {
    #expect(ByteView.with(text) { DateTimeText.time($0) } == nil)
  }

  @Test(arguments: [
    ("2026-06-28T20:15:00+00:00", "2026-06-28T20:15:00Z"), ("1970-01-01T00:00:00.250Z", "1970-01-01T00:00:00.25Z"),
    ("0000-03-01T00:00:00Z", "0000-03-01T00:00:00Z"),
  ])
  func `the description of an instant is in UTC`(text: String, expected: String) {
    #expect(Instant(text)?.description == expected)
  }
}
