import Coffer
import Testing

/// backup_metadata.json of SmilePile's specification: its example and its rules.
@Suite struct SmilePileSpecificationTests {
  typealias Mutation = FormatSheet.Mutation

  @Test(arguments: [
    Mutation("/version", #""1.1""#, "version /version"),
    Mutation("/timestamp", #""2025-10-02""#, "format /timestamp"),
    Mutation("/timestamp", #""2031-10-02T14:30:22Z""#, "format-maximum /timestamp", severity: .warning),
    Mutation("/categories/1/id", "1", "primary-key /categories/1/id", "foreign-key /photos/0/categoryId"),
    Mutation("/categories/1/displayName", #""family""#, "unique-key /categories/1/displayName", severity: .warning),
    Mutation("/categories/1/colorHex", #""blue""#, "format /categories/1/colorHex", severity: .warning),
    Mutation("/categories/1/orderIndex", "-1", "minimum /categories/1/orderIndex", severity: .warning),
    Mutation("/photos/0/categoryId", "9", "foreign-key /photos/0/categoryId"),
    Mutation("/photos/0/timestamp", #""2025-10-04T12:01:00Z""#, "format-maximum /photos/0/timestamp", severity: .warning),
    Mutation("/photos/0/path", #""photos/../dune.jpg""#, "path-unsafe /photos/0/path"),
    Mutation("/photos/0/path", #""dune.jpg""#, "consistency /photos/0/path", severity: .warning),
    Mutation("/photos/0/caption", nil, "required /photos/0/caption"),
    Mutation("/photos/1/id", "1", "primary-key /photos/1/id"),
    Mutation("/settings/hasPIN", #""1234""#, "type /settings/hasPIN"),
    Mutation("/settings/pin", #""1234""#, "type /settings/pin"),
    Mutation("/settings/pin", "1234", "type /settings/pin"),
    Mutation("/settings/pinHash", #""1234""#, "type /settings/pinHash"),
    Mutation("/settings/pinHash", #""correct horse battery staple""#, "type /settings/pinHash"),
    Mutation("/settings/pinHash", #""1234:AAAAAAAAAAAAAAAAAAAAAA==""#, "type /settings/pinHash"),
    Mutation("/settings/pinHash", #""12345678901234567890123456789012""#, "type /settings/pinHash"),
    Mutation("/settings/password", #""my-very-long-passphrase-that-is-not-a-hash-at-all_1234567""#, "type /settings/password"),
    Mutation("/settings/PIN_SALT", #""c2FsdA==""#, "unknown-field /settings/PIN_SALT", severity: .note),
    Mutation("/settings/pinHash", SmilePileTests.sha256, "unknown-field /settings/pinHash", severity: .note),
    Mutation(
      "/settings/passcode", #""$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy""#,
      "unknown-field /settings/passcode",
      severity: .note),
    Mutation(
      "/settings/pinHash", #""pbkdf2:sha256:1000:AwxHQhbz4Vx2HuGl4lXwZ5U2I8g=""#, "unknown-field /settings/pinHash",
      severity: .note),
    Mutation("/settings/pinSalt", #""c2FsdA==""#, "unknown-field /settings/pinSalt", severity: .note),
    Mutation("/settings/salt", #""c2FsdA==""#, "unknown-field /settings/salt", severity: .note),
    Mutation(
      "/account", #"{"password": "x"}"#, "type /account/password", "unknown-field /account note"),
    Mutation("/timestamp", #""2025-10-02T14:30:22.5Z""#, "format /timestamp", severity: .warning),
    Mutation("/settings/theme", #""dark""#, "unknown-field /settings/theme", severity: .note),
  ])
  func `each changed value gives exactly its findings`(_ mutation: Mutation) throws {
    try FormatSheet.expect(mutation, in: "smilepile-spec-v1.backup_metadata", of: "smilepile-specification")
  }

  @Test(arguments: [
    ("1.1", true), ("1.0.1", true), ("2.0", true), ("10", true), ("1.00", false), ("0.9", false), ("1", false), ("one", false),
  ])
  func `a newer version is called newer`(_ version: String, _ isNewer: Bool) throws {
    let changes = [Mutation("/version", "\"\(version)\"")]
    let report = try Validating.report(on: try FormatSheet.changed("smilepile-spec-v1.backup_metadata", changes))
    #expect(FormatSheet.lines(report) == ["version /version error"])
    #expect(report.findings.first?.message.contains("newer than 1.0") == isNewer)
  }

  @Test func `the example document is valid and has no findings`() throws {
    let report = try Validating.report(on: try FormatSheet.example("smilepile-spec-v1.backup_metadata"))
    #expect(report.format == "smilepile-specification")
    #expect(report.version == "1.0")
    #expect(FormatSheet.lines(report) == [])
  }
}
