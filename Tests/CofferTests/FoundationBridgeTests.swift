import Coffer
import Foundation
import TestSupport
import Testing

@Suite struct FoundationBridgeTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (1_782_681_300.5, "2026-06-28T21:15:00.5Z"), (-0.25, "1969-12-31T23:59:59.75Z"),
  ])
  func `a date becomes an instant and back`(seconds: Double, text: String) {
    let instant = Instant(Date(timeIntervalSince1970: seconds))
    #expect(instant.description == text)
    #expect(instant.date.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
  func `a date outside of all calendars is clamped`(seconds: Double) {
    let instant = Instant(Date(timeIntervalSince1970: seconds))
    #expect(abs(instant.seconds) <= 380_000_000_000)
  }

  @Test func `now is the current time`() {
    #expect(abs(Instant.now.date.timeIntervalSinceNow) < 60)
  }

  @Test func `a backup is opened by its URL`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("{\"cars\": []}", to: "a file.json")
    let url = URL(filePath: folder.path.appending("a file.json").string)
    let report = try await Backup(url: url).validate(rules: .syntaxOnly(), options: ValidationOptions(now: .now))
    #expect(report.isValid)
    #expect(report.file == url.path)
  }
}
