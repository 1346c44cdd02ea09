import Coffer
import Testing

/// The side file of a database copy: its example and its rules.
@Suite struct SwiffDatabaseCopyTests {
  static let counts = #"{"people": 2, "groups": 1, "subscriptions": 1, "transactions": 2}"#

  static func file(
    version: String = "1", created: String = "791631000.25", checksum: String = String(repeating: "0f", count: 32),
    counts: String = counts, size: String = "81920", more: String = ""
  ) -> String {
    #"{"version": \#(version), "created": \#(created), "checksum": "\#(checksum)", "entitiesCounts": \#(counts), "totalSize": \#(size), "#
      + #""format": "swiftdata", "appVersion": "1.1"\#(more)}"#
  }

  @Test(arguments: [
    (file(), []),
    (file(version: "2"), ["version /version error"]),
    (file(version: "0"), ["version /version warning"]),
    (file(created: #""2026-02-01T09:30:00Z""#), ["type /created error"]),
    (file(created: "2000000000"), ["format-maximum /created warning"]),
    (file(checksum: "0F"), ["checksum /checksum error"]),
    (file(size: "0"), ["size /totalSize error"]),
    (file(counts: #"{"people": 0, "groups": 0, "subscriptions": 0, "transactions": 0}"#), ["count /entitiesCounts warning"]),
    (file(counts: #"{"people": 0, "groups": 0, "subscriptions": 0}"#), ["required /entitiesCounts/transactions error"]),
    (
      file(counts: #"{"people": -1, "groups": 0, "subscriptions": 0, "transactions": 0}"#),
      ["minimum /entitiesCounts/people warning"]
    ),
    (file(more: #", "x": 1"#), ["unknown-field /x note"]),
  ])
  func `each changed value of the side file gives its findings`(_ text: String, _ findings: [String]) throws {
    let report = try Validating.report(on: text)
    #expect(report.format == "swiff-database-copy")
    #expect(FormatSheet.lines(report) == findings)
  }
}
