import Coffer
import Testing

/// KeepTrack's models as the app's architecture document draws them: the example is valid, and each change gives its findings.
@Suite struct KeepTrackSpecificationTests {
  typealias Mutation = FormatSheet.Mutation

  @Test(arguments: [
    Mutation("/version", nil), Mutation("/exportDate", nil),
    Mutation("/version", "2", "version /version", severity: .warning),
    Mutation("/entries/1/id", #""6d2b8f03-9c51-4e7a-a4d6-0b3f7e1c5a98""#, "primary-key /entries/1/id"),
    Mutation("/entries/2/name", #""Vitamin E""#, "foreign-key /entries/2/name", severity: .note),
    Mutation("/entries/0/date", #""2031-01-20T07:30:12Z""#, "format-maximum /entries/0/date", severity: .warning),
    Mutation("/entries/0/amount", "-1", "minimum /entries/0/amount", severity: .warning),
    Mutation("/intakeTypes/0/frequency", nil, "required /intakeTypes/0/frequency"),
    Mutation("/intakeTypes/0/unit", #""kilograms""#, "enum /intakeTypes/0/unit", severity: .warning),
    Mutation("/goals/0/isActive", nil, "required /goals/0/isActive"),
    Mutation("/goals/0/dates", "[]", "min-items /goals/0/dates", severity: .warning),
    Mutation("/goals/0/steps", "3", "unknown-field /goals/0/steps", severity: .note),
    Mutation("/settings", nil),
    Mutation("/settings/lastBackupDate", nil), Mutation("/settings/lastBackupDate", "null"),
    Mutation("/settings/lastBackupDate", #""yesterday""#, "format /settings/lastBackupDate"),
    Mutation(
      "/settings/lastBackupDate", #""2031-01-20T07:30:12Z""#, "format-maximum /settings/lastBackupDate", severity: .warning),
    Mutation("/settings/cloudSyncEnabled", nil, "required /settings/cloudSyncEnabled"),
  ])
  func `each changed value gives exactly its findings`(_ mutation: Mutation) throws {
    try FormatSheet.expect(mutation, in: "keeptrack-spec", of: "keeptrack-specification")
  }

  @Test func `the example document is valid and has no findings`() throws {
    let report = try Validating.report(on: try FormatSheet.example("keeptrack-spec"))
    #expect(report.format == "keeptrack-specification")
    #expect(FormatSheet.lines(report) == [])
  }

  /// A field that only the shipped app writes makes it a backup of that app.
  @Test(arguments: [
    ("/intakeTypes/0/descrip", #""""#), ("/goals/0/dosage", "1"), ("/goals/0/frequency", #""daily""#),
    ("/settings/theme", #""auto""#),
  ])
  func `a document with a field of the shipped app is that app's`(_ path: String, _ value: String) throws {
    let report = try Validating.report(on: try FormatSheet.changed("keeptrack-spec", [Mutation(path, value)]))
    #expect(report.format == "keeptrack")
    #expect(!report.isValid)
  }
}
