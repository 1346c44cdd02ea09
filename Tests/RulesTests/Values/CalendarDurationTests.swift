import Testing

@testable import Rules

@Suite struct CalendarDurationTests {
  @Test(arguments: [
    ("P1D", "2026-06-28T20:15:00Z", "2026-06-29T20:15:00Z"), ("PT36H", "2026-06-28T20:15:00Z", "2026-06-30T08:15:00Z"),
    ("P2W", "2026-06-28T20:15:00Z", "2026-07-12T20:15:00Z"), ("P10Y", "2024-02-29T00:00:00Z", "2034-02-28T00:00:00Z"),
    ("P4Y", "2024-02-29T00:00:00Z", "2028-02-29T00:00:00Z"), ("P1M", "2026-01-31T12:00:00.5Z", "2026-02-28T12:00:00.5Z"),
    ("P1M", "2024-01-31T00:00:00Z", "2024-02-29T00:00:00Z"), ("P14M", "2025-12-31T00:00:00Z", "2027-02-28T00:00:00Z"),
    ("P1Y2M3DT4H5M6S", "2026-01-01T00:00:00Z", "2027-03-04T04:05:06Z"),
    ("P1MT1H", "2026-01-31T23:30:00Z", "2026-03-01T00:30:00Z"),
    ("P0D", "2026-06-28T20:15:00Z", "2026-06-28T20:15:00Z"), ("PT90M", "1969-12-31T23:00:00Z", "1970-01-01T00:30:00Z"),
  ])
  func `durations are added`(duration: String, start: String, end: String) throws {
    let value = try #require(CalendarDuration(duration))
    #expect(try value.added(to: #require(Instant(start))) == Instant(end))
  }

  @Test(arguments: [
    ("P1M", "2024-03-31T00:00:00Z", "2024-02-29T00:00:00Z"), ("P1Y", "2024-02-29T00:00:00Z", "2023-02-28T00:00:00Z"),
    ("P1D", "1970-01-01T00:00:00Z", "1969-12-31T00:00:00Z"), ("P13M", "1970-01-15T06:00:00Z", "1968-12-15T06:00:00Z"),
    ("PT1S", "2000-03-01T00:00:00Z", "2000-02-29T23:59:59Z"),
  ])
  func `negative durations are subtracted`(duration: String, start: String, end: String) throws {
    let value = try #require(CalendarDuration(duration, negative: true))
    #expect(try value.added(to: #require(Instant(start))) == Instant(end))
  }

  @Test(arguments: ["P10000Y", "P120000M", "PT315000000000S", "P000001D"])
  func `long durations are read`(text: String) {
    #expect(CalendarDuration(text) != nil)
  }

  @Test(arguments: [
    "", "P", "PT", "P1", "1D", "P1H", "PT1D", "P1DT", "P-1D", "P+1D", "-P1D", "P1.5D", "p1d", "P1d", "PT1HT1M", "P 1D", "P1D ",
    "PD", "P1S",
    "P10001Y", "P120001M", "P99999999999999999999D", "P١D",
  ])
  func `malformed text is not a duration`(text: String) {
    #expect(CalendarDuration(text) == nil)
  }

  /// ISO 8601-1, section 5.5.2: units from the largest to the smallest, each at most once.
  @Test(arguments: ["P1D1Y", "P1D1M", "P1Y1Y", "P1D1D", "PT1S1H", "PT1M1M"])
  func `units that are out of order or repeated are not a duration`(text: String) {
    #expect(CalendarDuration(text) == nil)
  }
}
