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
    Mutation("/settings/theme", #""dark""#, "unknown-field /settings/theme", severity: .note),
  ])
  func `each changed value gives exactly its findings`(_ mutation: Mutation) throws {
    let report = try Validating.report(on: try FormatSheet.changed("smilepile-spec-v1.backup_metadata", [mutation]))
    #expect(report.format == "smilepile-specification")
    #expect(FormatSheet.lines(report) == mutation.findings.sorted())
  }

  @Test func `the example document is valid and has no findings`() throws {
    let report = try Validating.report(on: try FormatSheet.example("smilepile-spec-v1.backup_metadata"))
    #expect(report.format == "smilepile-specification")
    #expect(report.version == "1.0")
    #expect(FormatSheet.lines(report) == [])
  }
}
