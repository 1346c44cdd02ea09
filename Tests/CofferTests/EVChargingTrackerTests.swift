import Coffer
import Foundation
import TestSupport
import Testing

/// The EV charging tracker: the example documents are valid, and each change to them gives its findings.
@Suite struct EVChargingTrackerTests {
  struct Mutation: CustomTestStringConvertible, Sendable {
    let path: [String]
    /// JSON text; `nil` removes the member.
    let value: String?
    let findings: [String]
    let severity: Severity

    init(_ path: String, _ value: String?, _ findings: String..., severity: Severity = .error) {
      self.path = path.split(separator: "/").map(String.init)
      self.value = value
      self.findings = findings
      self.severity = severity
    }

    var testDescription: String { "/\(path.joined(separator: "/")) = \(value ?? "removed")" }
  }

  /// One change for each kind of finding.
  static let mutations = [
    Mutation("/metadata/databaseSchemaVersion", "10", "version /metadata/databaseSchemaVersion"),
    Mutation("/expenses/0/carId", "99", "foreign-key /expenses/0/carId"),
    Mutation("/expenses/0/currency", #""EUR""#, "enum /expenses/0/currency"),
    Mutation("/expenses/0/chargerType", #""home7kW""#, "enum /expenses/0/chargerType"),
    Mutation("/expenses/0/cost", #""-9.42""#, "format-minimum /expenses/0/cost"),
    Mutation("/expenses/1/cost", "24.5", "type /expenses/1/cost"),
    Mutation("/expenses/2/fuelVolume", nil, "consistency /expenses/2/fuelVolume", severity: .warning),
    Mutation("/expenses/2/carId", "1", "consistency /expenses/2/expenseType", severity: .warning),
    Mutation("/expenses/1/date", #""2031-01-01T00:00:00Z""#, "format-maximum /expenses/1/date"),
    Mutation("/cars/1/id", "1", "primary-key /cars/1/id", "foreign-key /expenses/2/carId"),
    Mutation("/cars/0/currentMileage", "11000", "order /cars/0/currentMileage", severity: .warning),
    Mutation("/delayedNotifications/0/maintenanceRecord", "77", "foreign-key /delayedNotifications/0/maintenanceRecord"),
  ]

  /// One change for each further rule.
  static let more = [
    Mutation("/cars/1/selectedForTracking", "true", "consistency /cars", severity: .warning),
    Mutation("/cars/0/createdAt", #""2026-02-10T08:02:41.5Z""#, "format /cars/0/createdAt", severity: .warning),
    Mutation(
      "/cars/0/id", "0", "exclusive-minimum /cars/0/id", "foreign-key /delayedNotifications/0/carId",
      "foreign-key /documents/0/carId",
      "foreign-key /expenses/0/carId", "foreign-key /expenses/1/carId", "foreign-key /ideas/0/carId",
      "foreign-key /plannedMaintenance/0/carId",
      // The notification still has the same car as its maintenance record.
      severity: .error),
    Mutation("/cars/0/batteryCapacity", "0", "exclusive-minimum /cars/0/batteryCapacity", severity: .warning),
    Mutation("/cars/0/carType", #""diesel""#, "enum /cars/0/carType", severity: .warning),
    Mutation("/cars/0/name", #"" ""#, "pattern /cars/0/name", severity: .warning),
    Mutation(
      "/cars/0/milleageSyncedAt", #""2031-01-01T00:00:00Z""#, "format-maximum /cars/0/milleageSyncedAt", severity: .warning),
    Mutation("/cars/0/milleageSyncedAt", #""2031-13-01T00:00:00Z""#, "format /cars/0/milleageSyncedAt"),
    Mutation("/expenses/0/cost", #""nan""#, "format /expenses/0/cost"),
    Mutation("/expenses/0/cost", #""1e+16""#),
    Mutation("/expenses/0/carId", nil, "foreign-key /expenses/0/carId", severity: .warning),
    Mutation("/expenses/0/fuelType", #""95""#, "consistency /expenses/0/fuelType", severity: .warning),
    Mutation("/expenses/0/surprise", "1", "unknown-field /expenses/0/surprise", severity: .note),
    Mutation("/documents", nil, "version /documents", severity: .note),
    Mutation("/documents/0/updatedAt", #""2026-03-10T08:59:59Z""#, "order /documents/0/updatedAt", severity: .warning),
    Mutation("/documents/0/fileName", #""a/b.pdf""#, "pattern /documents/0/fileName"),
    Mutation(
      "/metadata/databaseSchemaVersion", "4", "version /cars/0/carType", "version /cars/0/frontWheelSize", severity: .note),
    Mutation(
      "/metadata/databaseSchemaVersion", "7", "version /cars/0/carType", "version /cars/0/measurementSystem", severity: .note),
    Mutation(
      "/plannedMaintenance/0/scheduledDate", #""2026-09-01T08:00:00Z""#, "dialect /plannedMaintenance/0/scheduledDate",
      severity: .warning),
    Mutation("/delayedNotifications/0/carId", "2", "consistency /delayedNotifications/0/carId", severity: .warning),
    Mutation("/delayedNotifications/0/when", #""2099-08-31T08:00:00Z""#),
    Mutation("/userSettings/preferredLanguage", #""fr""#, "enum /userSettings/preferredLanguage", severity: .warning),
    Mutation("/metadata", nil, "required /metadata"),
  ]

  /// Planned without a time or a distance.
  static let maintenance = #"""
    {"carId": 1, "createdAt": "2026-06-01T12:00:00Z", "id": 5, "name": "Rotate tyres", "notes": "", "odometer": null, "when": null}
    """#

  /// Unusual values: the behaviour of the shipped app, and Coffer's findings.
  static let table: [FormatSheet.Line] = [
    .init("/expenses/0/carId", #""1""#, app: "refuses the file", "type /expenses/0/carId error"),
    .init("/expenses/2/carId", #""2""#, app: "refuses the file", "type /expenses/2/carId error"),
    .init("/delayedNotifications/0/carId", "null", app: "refuses the file", "type /delayedNotifications/0/carId error"),
    .init("/expenses/0/carId", "null", app: "never shows the expense again", "foreign-key /expenses/0/carId warning"),
    .init("/expenses/0/carId", "9223372036854775808", app: "refuses the file", "maximum /expenses/0/carId error"),
    .init("/expenses/0/odometer", "9223372036854775808", app: "refuses the file", "maximum /expenses/0/odometer error"),
    .init("/cars/0/currentMileage", "9223372036854775808", app: "refuses the file", "maximum /cars/0/currentMileage error"),
    .init("/expenses/0/energyCharged", "1e400", app: "refuses the file", "exclusive-maximum /expenses/0/energyCharged error"),
    .init("/cars/0/batteryCapacity", "-1e400", app: "refuses the file", "exclusive-minimum /cars/0/batteryCapacity error"),
    .init("/expenses/0/cost", #""1e400""#, app: "reads an infinite cost", "format /expenses/0/cost error"),
    .init("/expenses/0/cost", "null", app: "reads it, and never writes it", "null /expenses/0/cost note"),
    .init("/expenses/2/cost", "null", app: "takes fuel without a cost", "consistency /expenses/2/cost warning"),
    .init("/expenses/2/fuelVolume", "null", app: "takes fuel without a volume", "consistency /expenses/2/fuelVolume warning"),
    .init("/expenses/0/fuelVolume", "null", app: "reads it, and never writes it", "null /expenses/0/fuelVolume note"),
    .init("/expenses/0/id", "null", app: "reads it, and never writes it", "null /expenses/0/id note"),
    .init("/documents", "null", app: "reads it, and never writes it", "null /documents note"),
    .init("/plannedMaintenance/0/when", "null", app: "reads it, and never writes it", "null /plannedMaintenance/0/when note"),
    .init(
      "/plannedMaintenance/0", maintenance, app: "stores what never comes due", "consistency /plannedMaintenance/0 warning",
      "null /plannedMaintenance/0/odometer note", "null /plannedMaintenance/0/when note"),
    .init("/ideas/0/url", #""HTTPS://example.com/roof-box""#, app: "opens it"),
    .init("/ideas/0/url", #""ftp://example.com""#, app: "doesn't open it", "pattern /ideas/0/url warning"),
    .init("/expenses/0/date", #""2026-06-27t17:40:00Z""#, app: "refuses the file", "format /expenses/0/date error"),
    .init("/expenses/0/date", #""2026-06-27T18:40:00+0100""#, app: "reads 17:40:00Z"),
  ]

  @Test(arguments: table)
  func `Coffer reports what the app does with unusual values`(_ line: FormatSheet.Line) throws {
    try FormatSheet.expect(line, in: "ev-charging-tracker", of: "ev-charging-tracker")
  }

  @Test(arguments: mutations + more)
  func `each changed value gives its findings`(_ mutation: Mutation) throws {
    let report = try Validating.report(on: try mutated(mutation))
    #expect(report.format == "ev-charging-tracker")
    let lines = Validating.lines(report)
    // A much older version changes the meaning of many fields: the listed findings must be among those reported.
    if mutation.path.last == "databaseSchemaVersion", mutation.severity == .note {
      #expect(Set(lines).isSuperset(of: mutation.findings))
    } else {
      #expect(lines.sorted() == mutation.findings.sorted())
      #expect(report.findings.map(\.severity).max() ?? mutation.severity == mutation.severity)
    }
  }

  @Test(arguments: [
    ("ev-charging-tracker", "ev-charging-tracker", "9"), ("ev-charging-tracker-v5", "ev-charging-tracker", "5"),
    ("ev-charging-tracker-spec", "ev-charging-tracker-specification", "1"),
  ])
  func `each example is valid, with its format and version`(_ file: String, _ format: String, _ version: String) throws {
    let report = try Validating.report(on: Array(Data(contentsOf: Self.example(file))))
    #expect(report.format == format)
    #expect(report.version == version)
    #expect(Validating.lines(report) == [])
    #expect(report.isValid)
  }

  private static func example(_ name: String) -> URL { Checkout.formatExamples.appending(path: "\(name).json") }

  private func mutated(_ mutation: Mutation) throws -> [UInt8] {
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: Self.example("ev-charging-tracker")))
    let value = try mutation.value.map { try JSONSerialization.jsonObject(with: Data($0.utf8), options: [.fragmentsAllowed]) }
    let result = try replacing(mutation.path[...], in: document, by: value)
    return Array(try JSONSerialization.data(withJSONObject: result, options: [.sortedKeys]))
  }

  private func replacing(_ path: ArraySlice<String>, in document: Any, by value: Any?) throws -> Any {
    let token = try #require(path.first)
    let isLast = path.count == 1
    if var object = document as? [String: Any] {
      object[token] = isLast ? value : try replacing(path.dropFirst(), in: #require(object[token]), by: value)
      return object
    }
    var array = try #require(document as? [Any])
    let index = try #require(Int(token))
    array[index] = try isLast ? #require(value) : replacing(path.dropFirst(), in: array[index], by: value)
    return array
  }
}
