import Coffer
import CofferFolders
import Testing

@Suite struct BackupAgeTests {
  @Test(arguments: [
    ("12h", "2026-03-31T00:00:00Z"), ("30d", "2026-03-01T12:00:00Z"), ("4w", "2026-03-03T12:00:00Z"),
    ("1m", "2026-02-28T12:00:00Z"), ("1y", "2025-03-31T12:00:00Z"), ("1y6m", "2024-09-30T12:00:00Z"),
    ("1d12h", "2026-03-30T00:00:00Z"), ("0d", "2026-03-31T12:00:00Z"), ("P30D", "2026-03-01T12:00:00Z"),
    ("PT12H", "2026-03-31T00:00:00Z"), ("P1Y", "2025-03-31T12:00:00Z"),
  ])
  func `ages are subtracted on the calendar`(_ text: String, _ expected: String) throws {
    let age = try #require(BackupAge(text))
    #expect(age.before(try #require(Instant("2026-03-31T12:00:00Z"))).description == expected)
    #expect(age.description == text)
  }

  @Test(arguments: [
    "", "d", "30", "30x", "-30d", "d30", "30d30d", "1d1y", "1h1d", "1h1h", "P", "30D", "3.5d", "30 d", "99999999999999999999d",
    "20000y", "１d",
  ])
  func `text that is not an age is refused`(_ text: String) { #expect(BackupAge(text) == nil) }
}
