import Coffer
import Testing

/// Aquavate: the example document is valid, and each change to it gives its findings.
@Suite struct AquavateTests {
  typealias Mutation = FormatSheet.Mutation
  static let nobody = #""00000000-0000-4000-8000-000000000099""#

  /// One change for each kind of finding.
  static let mutations = [
    Mutation("/formatVersion", "2", "version /formatVersion"),
    Mutation("/exportDate", #""2026-02-10T18:30:00.250Z""#, "format /exportDate", severity: .warning),
    Mutation("/settings", nil, "required /settings"),
    Mutation("/drinkRecords/1/bottleId", nobody, "foreign-key /drinkRecords/1/bottleId"),
    Mutation("/drinkRecords/0/amountMl", "40000", "maximum /drinkRecords/0/amountMl"),
    Mutation("/drinkRecords/2/drinkType", "3", "enum /drinkRecords/2/drinkType", severity: .warning),
    Mutation(
      "/drinkRecords/0/healthKitSampleUUID", nil, "consistency /drinkRecords/0/healthKitSampleUUID", severity: .warning),
    Mutation("/drinkRecords/2/id", #""D81F5C26-0A7B-4B3D-9C54-E2F60A1B7D38""#, "primary-key /drinkRecords/2/id"),
    Mutation(
      "/drinkRecords/2/timestamp", #""2026-02-10T08:02:41Z""#, "unique-key /drinkRecords/2/timestamp", severity: .warning),
    Mutation("/motionWakeEvents/0/sleepType", "129", "enum /motionWakeEvents/0/sleepType", severity: .warning),
    Mutation(
      "/motionWakeEvents/1/timestamp", #""2026-03-15T13:30:00Z""#, "format-maximum /motionWakeEvents/1/timestamp",
      severity: .warning),
    Mutation("/bottles/0/scaleFactor", "1", "minimum /bottles/0/scaleFactor", severity: .warning),
  ]

  /// One change for each further rule.
  static let more = [
    Mutation("/formatVersion", "0", "version /formatVersion"),
    Mutation("/formatVersion", #""1""#, "type /formatVersion"),
    Mutation("/formatVersion", nil, "required /formatVersion"),
    Mutation("/bottles/0/capacityMl", "32768", "maximum /bottles/0/capacityMl"),
    Mutation("/bottles/0/capacityMl", "0", "exclusive-minimum /bottles/0/capacityMl", severity: .warning),
    Mutation("/bottles/0/capacityMl", "830.5", "type /bottles/0/capacityMl"),
    Mutation("/bottles/0/dailyGoalMl", "999", "minimum /bottles/0/dailyGoalMl", severity: .warning),
    Mutation("/bottles/0/tareWeightGrams", "2147483648", "maximum /bottles/0/tareWeightGrams"),
    Mutation("/bottles/0/isCalibrated", "1", "type /bottles/0/isCalibrated"),
    Mutation("/bottles/0/scaleFactor", "800.5", "maximum /bottles/0/scaleFactor", severity: .warning),
    Mutation("/bottles/0/isCalibrated", "false"),
    Mutation("/bottles/0/colour", #""blue""#, "unknown-field /bottles/0/colour", severity: .note),
    Mutation("/surprise", "[]", "unknown-field /surprise", severity: .note),
    Mutation("/exportDate", #""2031-02-10T18:30:00Z""#, "format-maximum /exportDate", severity: .warning),
    Mutation("/exportDate", #""2026-02-10T19:30:00+01:00""#),
    Mutation("/exportDate", #""2026-02-10""#, "format /exportDate"),
    Mutation(
      "/drinkRecords/0/timestamp", #""0001-01-01T00:00:00Z""#, "format-minimum /drinkRecords/0/timestamp", severity: .warning),
    Mutation(
      "/drinkRecords/0/timestamp", #""0000-12-30T00:00:00Z""#, "format-minimum /drinkRecords/0/timestamp", severity: .warning),
    Mutation("/drinkRecords/0/drinkType", "1", "consistency /drinkRecords/0/drinkType", severity: .warning),
    Mutation("/drinkRecords/1/drinkType", "0", "consistency /drinkRecords/1/drinkType", severity: .warning),
    Mutation("/drinkRecords/0/amountMl", "100", "consistency /drinkRecords/0/drinkType", severity: .warning),
    Mutation("/drinkRecords/0/amountMl", "99"),
    Mutation("/drinkRecords/0/amountMl", "-75"),
    Mutation("/drinkRecords/0/bottleLevelMl", "-32769", "minimum /drinkRecords/0/bottleLevelMl"),
    Mutation(
      "/drinkRecords/0/healthKitSampleUUID", "null", "consistency /drinkRecords/0/healthKitSampleUUID", severity: .warning),
    Mutation("/drinkRecords/0/syncedToHealth", "false", "consistency /drinkRecords/0/healthKitSampleUUID", severity: .warning),
    // Ids are compared case-insensitively.
    Mutation("/drinkRecords/1/bottleId", #""3f1c0a52-7b0e-4c57-9a41-6d2e8f10b7c3""#),
    Mutation("/drinkRecords/2/id", #""d81f5c26-0a7b-4b3d-9c54-e2f60a1b7d38""#, "primary-key /drinkRecords/2/id"),
    // Another collection may have the same id.
    Mutation("/drinkRecords/2/id", #""7A3E9F10-6C2D-4D58-8E0B-94B1C7F2A653""#),
    Mutation("/motionWakeEvents/0/bottleId", nobody, "foreign-key /motionWakeEvents/0/bottleId"),
    Mutation("/motionWakeEvents/0/wakeReason", "4", "enum /motionWakeEvents/0/wakeReason", severity: .warning),
    Mutation("/motionWakeEvents/0/durationSec", "-1", "minimum /motionWakeEvents/0/durationSec", severity: .warning),
    Mutation("/motionWakeEvents/0/durationSec", "65535"),
    Mutation(
      "/motionWakeEvents/1/timestamp", #""2026-02-10T08:02:10Z""#, "unique-key /motionWakeEvents/1/timestamp", severity: .warning),
    Mutation("/backpackSessions/0/bottleId", nobody, "foreign-key /backpackSessions/0/bottleId"),
    Mutation("/backpackSessions/0/exitReason", "3", "enum /backpackSessions/0/exitReason", severity: .warning),
    Mutation("/backpackSessions/0/timerWakeCount", "-1", "minimum /backpackSessions/0/timerWakeCount", severity: .warning),
    Mutation(
      "/backpackSessions/0/startTimestamp", #""2026-02-12T00:00:00Z""#, "format-maximum /backpackSessions/0/startTimestamp",
      severity: .warning),
    Mutation("/settings/dailyGoalMl", "5000", "maximum /settings/dailyGoalMl", severity: .warning),
    Mutation("/settings/dailyGoalMl", nil),
    Mutation("/settings/healthKitSyncEnabled", nil, "required /settings/healthKitSyncEnabled"),
    Mutation("/backpackSessions", "[]"),
    Mutation("/backpackSessions", nil, "required /backpackSessions"),
  ]

  /// Unusual values: the behaviour of the shipped app, and Coffer's findings.
  static let table: [FormatSheet.Line] = [
    .init("/bottles/0/scaleFactor", "1e39", app: "refuses the file", "exclusive-maximum /bottles/0/scaleFactor error"),
    .init("/bottles/0/scaleFactor", "-3.5e38", app: "refuses the file", "exclusive-minimum /bottles/0/scaleFactor error"),
    .init("/bottles/0/capacityMl", "-40000", app: "refuses the file", "minimum /bottles/0/capacityMl error"),
    .init("/bottles/0/dailyGoalMl", "40000", app: "refuses the file", "maximum /bottles/0/dailyGoalMl error"),
    .init("/bottles/0/dailyGoalMl", "32767.0", app: "reads 32767", "maximum /bottles/0/dailyGoalMl warning"),
    .init("/formatVersion", "9223372036854775808", app: "refuses the file", "version /formatVersion error"),
    .init("/drinkRecords/0/drinkType", "40000", app: "refuses the file", "maximum /drinkRecords/0/drinkType error"),
    .init("/settings/dailyGoalMl", "9223372036854775808", app: "refuses the file", "maximum /settings/dailyGoalMl error"),
    .init("/settings/dailyGoalMl", "null", app: "reads it, and never writes it", "null /settings/dailyGoalMl note"),
    .init(
      "/drinkRecords/1/healthKitSampleUUID", "null", app: "reads it, and never writes it",
      "null /drinkRecords/1/healthKitSampleUUID note"),
    .init(
      "/drinkRecords/0/healthKitSampleUUID", "null", app: "reads it as absent",
      "consistency /drinkRecords/0/healthKitSampleUUID warning"),
    .init(
      "/drinkRecords/2/timestamp", #""2026-02-10T09:02:41+01:00""#, app: "folds the drink into that of 08:02:41Z",
      "unique-key /drinkRecords/2/timestamp warning"),
    .init(
      "/drinkRecords/2/timestamp", #""2026-02-10T09:02:41+0100""#, app: "folds the drink into that of 08:02:41Z",
      "unique-key /drinkRecords/2/timestamp warning"),
    .init(
      "/motionWakeEvents/1/timestamp", #""2026-02-10T09:02:10+01:00""#, app: "folds the event into that of 08:02:10Z",
      "unique-key /motionWakeEvents/1/timestamp warning"),
    .init(
      "/drinkRecords/2/timestamp", #""2026-02-10t12:47:05Z""#, app: "refuses the file", "format /drinkRecords/2/timestamp error"),
    .init("/drinkRecords/2/timestamp", #""2026-02-10T13:47:05+0100""#, app: "reads 12:47:05Z"),
    .init("/drinkRecords/1/firmwareRecordId", "118", app: "stores both", "unique-key /drinkRecords/1/firmwareRecordId warning"),
    .init("/drinkRecords/1/firmwareRecordId", "0", app: "stores both: 0 is unknown to the device"),
    .init("/drinkRecords/1/bottleId", "1", app: "refuses the file", "type /drinkRecords/1/bottleId error"),
    .init("/drinkRecords/1/bottleId", #""no id""#, app: "refuses the file", "format /drinkRecords/1/bottleId error"),
  ]

  @Test(arguments: table)
  func `Coffer reports what the app does with unusual values`(_ line: FormatSheet.Line) throws {
    try FormatSheet.expect(line, in: "aquavate", of: "aquavate")
  }

  @Test(arguments: mutations + more)
  func `each changed value gives exactly its findings`(_ mutation: Mutation) throws {
    try FormatSheet.expect(mutation, in: "aquavate", of: "aquavate")
  }

  @Test func `the example document is valid and has no findings`() throws {
    let report = try Validating.report(on: try FormatSheet.example("aquavate"))
    #expect(report.format == "aquavate")
    #expect(report.version == "1")
    #expect(FormatSheet.lines(report) == [])
    #expect(report.isValid)
  }
}
