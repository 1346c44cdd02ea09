import Coffer
import Testing

/// KeepTrack: the example document is valid, and each change to it gives its findings.
@Suite struct KeepTrackTests {
  typealias Mutation = FormatSheet.Mutation

  /// One change for each kind of finding.
  static let mutations = [
    Mutation("/version", "2", "version /version", severity: .warning),
    Mutation("/entries/0/date", "790587012", "type /entries/0/date"),
    Mutation("/entries/1/id", #""6D2B8F03-9C51-4E7A-A4D6-0B3F7E1C5A98""#, "primary-key /entries/1/id"),
    Mutation("/entries/2/name", #""Vitamin E""#, "foreign-key /entries/2/name", severity: .note),
    Mutation("/entries/1/date", #""2026-02-20T09:00:00Z""#, "format-maximum /entries/1/date", severity: .warning),
    Mutation("/entries/0/amount", "-1", "minimum /entries/0/amount", severity: .warning),
    Mutation("/intakeTypes/1/frequency", #""three times a day""#, "enum /intakeTypes/1/frequency", severity: .warning),
    Mutation("/intakeTypes/0/unit", #""kilograms""#, "enum /intakeTypes/0/unit", severity: .warning),
    Mutation("/intakeTypes/1/descrip", nil, "required /intakeTypes/1/descrip"),
    Mutation("/goals/0/dates", "[]", "min-items /goals/0/dates", severity: .warning),
    Mutation("/settings/theme", #""system""#, "enum /settings/theme", severity: .warning),
    Mutation("/exportDate", nil, "required /exportDate"),
  ]

  static let secondGoal = #"""
    {"id": "11111111-2222-4333-8444-555555555555", "name": "Vitamin D", "description": "", "dates": ["2030-01-12T07:30:00Z"], "isActive": true,
     "isCompleted": false, "dosage": 1, "units": "IU", "frequency": "weekly"}
    """#

  /// One change for each further rule.
  static let more = [
    Mutation("/version", "0", "version /version"),
    Mutation("/version", nil, "required /version"),
    Mutation("/exportDate", #""2031-01-20T21:05:00Z""#, "format-maximum /exportDate", severity: .warning),
    Mutation("/exportDate", "790587012", "type /exportDate"),
    Mutation("/entries/0/date", #""2026-01-20T07:30:12.5Z""#, "format /entries/0/date", severity: .warning),
    Mutation("/entries/0/date", #""2026-01-20T07:30:12+05""#, "format /entries/0/date", severity: .warning),
    Mutation(
      "/entries/0/date", #""2026-02-20T07:30:12.5Z""#, "format /entries/0/date", "format-maximum /entries/0/date",
      severity: .warning),
    Mutation("/entries/0/date", #""2026-01-20T07:30:12+19:00""#, "format /entries/0/date"),
    Mutation("/entries/0/date", #""2026-01-20T07:30:12+05:30""#),
    Mutation("/entries/0/units", #""no unit""#),
    Mutation("/entries/0/units", #""iu""#, "enum /entries/0/units", severity: .warning),
    Mutation("/entries/1/id", #""6d2b8f03-9c51-4e7a-a4d6-0b3f7e1c5a98""#, "primary-key /entries/1/id"),
    Mutation("/entries/1/goalMet", "0", "type /entries/1/goalMet"),
    Mutation(
      "/intakeTypes/1/name", #""Vitamin D""#, "unique-key /intakeTypes/1/name", "foreign-key /entries/1/name", severity: .note),
    Mutation("/goals/-", secondGoal, "unique-key /goals/1/name", severity: .warning),
    Mutation("/goals/0/name", #""Sleep""#, "foreign-key /goals/0/name", severity: .note),
    Mutation("/goals/0/dates/-", #""1970-01-01T00:00:00Z""#, "consistency /goals/0/dates", severity: .note),
    Mutation("/goals/0/frequency", #""threeTimesADay""#, "consistency /goals/0/dates", severity: .note),
    Mutation("/goals/0/frequency", #""weekly""#),
    Mutation("/goals/0/dates/0", "789895800", "type /goals/0/dates/0"),
    Mutation("/goals/0/dosage", "-0.5", "minimum /goals/0/dosage", severity: .warning),
    Mutation("/settings", nil),
    Mutation("/settings/preferredUnits", #""imperial""#),
    Mutation("/settings/preferredUnits", #""nautical""#, "enum /settings/preferredUnits", severity: .warning),
    Mutation("/settings/lastBackupDate", #""2026-01-20T21:05:00Z""#, "unknown-field /settings/lastBackupDate", severity: .note),
    Mutation("/settings/cloudSyncEnabled", nil, "required /settings/cloudSyncEnabled"),
    Mutation("/goals", "[]"),
  ]

  /// The first entry and the only goal of the example.
  static let entry = #"""
    {"amount": 1000, "date": "2026-01-20T07:30:12Z", "goalMet": true, "id": "6D2B8F03-9C51-4E7A-A4D6-0B3F7E1C5A98",
     "name": "Vitamin D", "units": "IU"}
    """#
  static let goal = #"""
    {"dates": ["2026-01-12T07:30:00Z"], "description": "Daily supplement", "dosage": 1000, "frequency": "daily",
     "id": "94F1D6A8-7B2E-4C03-A5D9-1E8C3B0F6A72", "isActive": true, "isCompleted": false, "name": "Vitamin D", "units": "IU"}
    """#

  /// Unusual values: the behaviour of the shipped app, and Coffer's findings.
  static let table: [FormatSheet.Line] = [
    .init("/entries/-", entry, app: "stores both, as its two migrations did", "primary-key /entries/3/id warning"),
    .init(
      "/entries/-", entry.replacing("1000", with: "1000.0"), app: "stores both: the values are the same",
      "primary-key /entries/3/id warning"),
    .init("/entries/-", entry.replacing("1000", with: "1001"), app: "stores both", "primary-key /entries/3/id error"),
    .init("/goals/-", goal, app: "stores both; its form for goals aborts later", "primary-key /goals/1/id warning"),
    .init("/entries/0/amount", "1e400", app: "refuses the file", "exclusive-maximum /entries/0/amount error"),
    .init("/entries/0/amount", "-1e400", app: "refuses the file", "exclusive-minimum /entries/0/amount error"),
    .init("/entries/0/amount", "1.7976931348623157e308", app: "reads it"),
    .init("/version", "9223372036854775808", app: "refuses the file", "maximum /version error"),
    .init("/version", "1.0", app: "reads 1"),
    .init("/entries/0/date", #""2026-01-20t07:30:12Z""#, app: "refuses the file", "format /entries/0/date error"),
    .init("/entries/0/date", #""2026-01-20T08:30:12+0100""#, app: "reads 07:30:12Z"),
    .init("/entries/0/name", "5", app: "refuses the file", "type /entries/0/name error"),
    .init("/entries/0/name", #"" ""#, app: "stores it", "pattern /entries/0/name warning"),
    .init("/settings", "null", app: "reads it, and never writes it", "null /settings note"),
    .init(
      "/settings/acceptedLicenseVersion", "null", app: "reads it, and never writes it",
      "null /settings/acceptedLicenseVersion note"),
  ]

  @Test(arguments: table)
  func `Coffer reports what the app does with unusual values`(_ line: FormatSheet.Line) throws {
    try FormatSheet.expect(line, in: "keeptrack", of: "keeptrack")
  }

  @Test(arguments: mutations + more)
  func `each changed value gives exactly its findings`(_ mutation: Mutation) throws {
    try FormatSheet.expect(mutation, in: "keeptrack", of: "keeptrack")
  }

  @Test func `the example document is valid and has no findings`() throws {
    let report = try Validating.report(on: try FormatSheet.example("keeptrack"))
    #expect(report.format == "keeptrack")
    #expect(FormatSheet.lines(report) == [])
  }

  @Test func `a goal needs as many dates as its frequency says`() throws {
    for (frequency, count) in [("twiceADay", 2), ("threeTimesADay", 3), ("fourTimesADay", 4), ("sixTimesADay", 6)] {
      for times in [count - 1, count, count + 1] {
        let dates = "[" + Array(repeating: #""2026-01-12T07:30:00Z""#, count: times).joined(separator: ",") + "]"
        let changes = [Mutation("/goals/0/frequency", "\"\(frequency)\""), Mutation("/goals/0/dates", dates)]
        #expect(
          try FormatSheet.lines("keeptrack", changes) == (times == count ? [] : ["consistency /goals/0/dates note"]),
          "\(frequency), \(times)")
      }
    }
  }
}
