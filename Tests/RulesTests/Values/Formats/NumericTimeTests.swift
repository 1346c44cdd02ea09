import TestSupport
import Testing

@testable import Rules

@Suite struct NumericTimeTests {
  @Test(
    arguments: [
      (.unixTime, "0", "1970-01-01T00:00:00Z"), (.unixTime, "-0", "1970-01-01T00:00:00Z"),
      (.unixTime, "1782677700", "2026-06-28T20:15:00Z"),
      (.unixTime, "1782677700.5", "2026-06-28T20:15:00.5Z"), (.unixTime, "-1", "1969-12-31T23:59:59Z"),
      (.unixTime, "-0.25", "1969-12-31T23:59:59.75Z"), (.unixTime, "-1.5", "1969-12-31T23:59:58.5Z"),
      (.unixTime, "17826777e2", "2026-06-28T20:15:00Z"), (.unixTime, "1.7826777E+9", "2026-06-28T20:15:00Z"),
      (.unixTime, "178267770012e-2", "2026-06-28T20:15:00.12Z"), (.unixTime, "0.00000000001e12", "1970-01-01T00:00:10Z"),
      (.unixTime, "5e-18", "1970-01-01T00:00:00.000000000000000005Z"),
      (.unixTime, "0.1234567890123456789999", "1970-01-01T00:00:00.123456789012345678Z"),
      (.unixTime, "-1e-19", "1970-01-01T00:00:00Z"),
      (.unixTime, "253402300799", "9999-12-31T23:59:59Z"), (.unixTime, "0e999999999999999999999", "1970-01-01T00:00:00Z"),
      (.unixTime, "1e-999999999999999999999", "1970-01-01T00:00:00Z"),
      (.unixTimeMilliseconds, "1782677700123", "2026-06-28T20:15:00.123Z"),
      (.unixTimeMilliseconds, "1782677700123.5", "2026-06-28T20:15:00.1235Z"),
      (.unixTimeMilliseconds, "1", "1970-01-01T00:00:00.001Z"),
      (.unixTimeMilliseconds, "-1", "1969-12-31T23:59:59.999Z"),
      (.unixTimeMilliseconds, "1.782677700123e12", "2026-06-28T20:15:00.123Z"),
      (.unixTimeMilliseconds, "0.5", "1970-01-01T00:00:00.0005Z"), (.unixTimeMilliseconds, "20", "1970-01-01T00:00:00.02Z"),
      (.appleReferenceTime, "0", "2001-01-01T00:00:00Z"), (.appleReferenceTime, "-978307200", "1970-01-01T00:00:00Z"),
      (.appleReferenceTime, "804370500.75", "2026-06-28T20:15:00.75Z"),
    ] as [(StringFormat, String, String)])
  func `numbers are read as instants`(format: StringFormat, text: String, expected: String) throws {
    let instant = try #require(Instant(expected))
    #expect(format.instant(text) == instant)
  }

  @Test(arguments: [
    "", "-", "+1", "01", "1.", ".5", "1e", "1,5", "1 ", "NaN", "Infinity", "১", "1\0", "null", "2026-06-28T20:15:00Z", "1e12",
    "1e99",
    "-1e12", "999999999999999999999999999999", "-999999999999999999999999999999", "9223372036854775807", "-9223372036854775808",
    "1e999999999999999999999",
    "-1e999999999999999999999",
  ])
  func `malformed numbers and numbers out of range are not instants`(text: String) {
    #expect(StringFormat.unixTime.instant(text) == nil)
    #expect(StringFormat.appleReferenceTime.instant(text) == nil)
    #expect(!StringFormat.unixTime.accepts(text))
  }

  @Test func `the supported range is whole years`() {
    let first = CivilDate(year: -9999, month: 1, day: 1).daysSince1970 * 86400
    let end = CivilDate(year: 10000, month: 1, day: 1).daysSince1970 * 86400
    #expect(NumericTime.supported == first..<end)
    for (seconds, isSupported) in [(first - 1, false), (first, true), (end - 1, true), (end, false)] {
      #expect(StringFormat.unixTime.accepts("\(seconds)") == isSupported)
      #expect(StringFormat.unixTimeMilliseconds.accepts("\(seconds)000") == isSupported)
      #expect(StringFormat.appleReferenceTime.accepts("\(seconds - 978_307_200)") == isSupported)
    }
    #expect(!StringFormat.unixTime.accepts("\(first).5"))
    #expect(StringFormat.unixTime.accepts("\(end - 1).999999999999999999"))
  }

  @Test func `exponents only move the decimal point`() throws {
    var random = SeededRandom(seed: 2026)
    for _ in 0..<500 {
      let milliseconds = Int64.random(in: -62_000_000_000_000...253_000_000_000_000, using: &random)
      let shift = Int.random(in: -15...15, using: &random)
      let zeros = String(repeating: "0", count: max(0, shift))
      let expected = try #require(StringFormat.unixTimeMilliseconds.instant("\(milliseconds)"))
      #expect(StringFormat.unixTimeMilliseconds.instant("\(milliseconds)\(zeros)e\(-max(0, shift))") == expected)
      #expect(StringFormat.unixTime.instant("\(milliseconds)e-3") == expected)
      #expect(StringFormat.unixTime.instant("\(milliseconds)\(zeros).000e\(-3 - max(0, shift))") == expected)
    }
  }
}
