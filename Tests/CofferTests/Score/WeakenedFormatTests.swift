import BackupFormats
import ByteStreams
import Coffer
import JSONEvents
import RuleDrafts
import Rules
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

/// Copies of the built-in formats, each without one rule: a test of the copy names the field and the kinds of defects that pass then.
@Suite struct WeakenedFormatTests {
  struct Weakening: CustomTestStringConvertible, Sendable {
    let format: String
    /// The place of what is taken out.
    let place: String
    /// The item of the list there that is taken out; `nil`: all of it.
    let item: String?
    /// What passes then that did not before.
    let gaps: Set<String>

    init(_ format: String, _ place: String, _ item: String? = nil, _ gaps: String...) {
      (self.format, self.place, self.item, self.gaps) = (format, place, item, Set(gaps))
    }

    var testDescription: String { "\(format) without \(place) \(item ?? "")" }
  }

  /// Everyday, the first of each format.
  private static let all: [[Weakening]] = [
    [
      .init("aquavate", "/properties/bottles/items/required", "name", "/bottles/*/name missing"),
      .init(
        "aquavate", "/properties/drinkRecords/foreignKeys", nil, "/drinkRecords/*/bottleId reference",
        "/drinkRecords/*/bottleId exchange"),
      .init(
        "aquavate", "/properties/motionWakeEvents/uniqueKeys", nil, "/motionWakeEvents/* repetition",
        "/motionWakeEvents/*/id duplicate"),
      .init(
        "aquavate", "/properties/drinkRecords/items/properties/drinkType/allOf", nil, "/drinkRecords/*/drinkType range",
        "/drinkRecords/*/drinkType unit", "/drinkRecords/*/drinkType exchange", "/drinkRecords/*/bottleLevelMl exchange"),
      .init("aquavate", "/properties/exportDate/allOf/1/formatMaximum", nil, "/exportDate future"),
    ],
    [
      .init("ev-charging-tracker", "/$defs/expense/required", "notes", "/expenses/*/notes missing"),
      .init("ev-charging-tracker", "/properties/expenses/foreignKeys", nil, "/expenses/*/carId reference"),
      .init("ev-charging-tracker", "/properties/expenses/uniqueKeys", nil, "/expenses/* repetition", "/expenses/*/id duplicate"),
      .init(
        "ev-charging-tracker", "/$defs/expense/properties/expenseType/enum", nil, "/expenses/*/expenseType value",
        "/expenses/*/expenseType text",
        "/expenses/*/expenseType null", "/expenses/*/expenseType type", "/expenses/*/expenseType exchange"),
      .init("ev-charging-tracker", "/$defs/pastDate/formatMaximum", nil, "/cars/*/createdAt future", "/expenses/*/date future"),
    ],
    [
      .init(
        "swiff", "/properties/metadata/properties/peopleCount/countOf", nil, "/metadata/peopleCount total", "/people/* omission"),
      .init("swiff", "/$defs/person/properties/lastModifiedDate/allOf", nil, "/people/*/createdDate order"),
      .init(
        "swiff", "/$defs/transaction/properties/paymentStatus/enum", nil, "/transactions/*/paymentStatus value",
        "/transactions/*/paymentStatus text", "/transactions/*/paymentStatus null", "/transactions/*/paymentStatus type",
        "/transactions/*/paymentStatus exchange"),
      .init("swiff", "/$defs/transaction/required", "title", "/transactions/*/title missing"),
      .init("swiff", "/properties/transactions/uniqueKeys", nil, "/transactions/*/id duplicate"),
    ],
    [
      .init("smilepile", "/properties/photos/items/required", "name", "/photos/*/name missing"),
      .init(
        "smilepile", "/properties/photos/foreignKeys/0", nil, "/photos/*/categoryId reference", "/categories/* omission",
        "/categories/*/id exchange", "/categories/*/id reference"),
      .init("smilepile", "/$defs/count/allOf", nil, "/categories/*/position range"),
      .init("smilepile", "/properties/exportDate/allOf/0/formatMaximum", nil, "/exportDate future"),
      .init("smilepile", "/properties/photos/uniqueKeys", nil, "/photos/* repetition"),
    ],
    [
      .init("keeptrack", "/properties/entries/items/required", "units", "/entries/*/units missing"),
      .init("keeptrack", "/properties/entries/uniqueKeys", nil, "/entries/* repetition", "/entries/*/id duplicate"),
      .init("keeptrack", "/properties/intakeTypes/uniqueKeys/0", nil, "/intakeTypes/* repetition", "/intakeTypes/*/id duplicate"),
      .init("keeptrack", "/properties/exportDate/allOf/0/formatMaximum", nil, "/exportDate future"),
      .init("keeptrack", "/properties/goals/items/required", "name", "/goals/*/name missing"),
    ],
  ]

  /// What the formats let pass besides numbers without bounds: optional members, free texts, times that may be in the future, and ids that
  /// the apps don't compare. No format's page promises more.
  private static let known: [String: Set<String>] = [
    "aquavate": [
      "/drinkRecords/*/healthKitSampleUUID duplicate",
      "/settings/dailyGoalMl missing",
    ],
    "ev-charging-tracker": [
      "/cars/*/batteryCapacity missing",
      "/cars/*/carType missing",
      "/cars/*/measurementSystem missing",
      "/delayedNotifications/*/createdAt future",
      "/delayedNotifications/*/id missing",
      "/delayedNotifications/*/maintenanceRecord missing",
      "/delayedNotifications/*/notificationId format",
      "/delayedNotifications/*/notificationId text",
      "/documents/*/id missing",
      "/expenses/*/fuelType missing",
      "/expenses/*/id missing",
      "/ideas/*/descriptionText missing",
      "/ideas/*/id missing",
      "/ideas/*/url missing",
      "/ideas/*/url text",
      "/plannedMaintenance/*/createdAt future",
      "/plannedMaintenance/*/odometer missing",
      "/plannedMaintenance/*/when missing",
    ],
    "keeptrack": [
      "/settings missing",
      "/settings/acceptedLicenseVersion missing",
    ],
    "smilepile": [
      "/categories/*/colorHex missing",
      "/photos/*/isFromAssets missing",
      "/settings/securitySettings/cameraAccessAllowed missing",
      "/settings/securitySettings/cameraAccessAllowed null",
      "/version missing",
    ],
    "swiff": [
      "/people/*/contactId format",
      "/people/*/contactId text",
      "/people/*/email text",
      "/people/*/phone exchange",
      "/people/*/relationshipType text",
      "/people/*/relationshipType value",
      "/subscriptions/*/cancellationDate future",
      "/subscriptions/*/cancellationDeadline future",
      "/subscriptions/*/documents/* repetition",
      "/subscriptions/*/documents/*/id duplicate",
      "/subscriptions/*/nextBillingDate future",
      "/subscriptions/*/reminderTime future",
      "/subscriptions/*/retentionOffers/* repetition",
      "/subscriptions/*/retentionOffers/*/id duplicate",
      "/subscriptions/*/trialDuration missing",
      "/subscriptions/*/trialEndDate future",
      "/subscriptions/*/website missing",
    ],
  ]

  private static func gaps(_ format: BackupFormat, in backup: FilePath) throws -> Set<String> {
    let options = RuleScorer.Options(validation: ValidationOptions(now: Validating.now))
    let score = try RuleScorer(.format(format), options: options).score([backup])
    #expect(!score.isCutShort && score.fieldsWithFindings == 0)
    return Set(score.gaps.map { "\($0.field) \($0.kind.rawValue)" })
  }

  @Test(arguments: all.map { Array($0.prefix(TestDepth.count(everyday: 1, deep: 5))) })
  func `what a missing rule lets pass is named, and nothing else`(_ weakenings: [Weakening]) throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("backup.json")
    let name = try #require(weakenings.first?.format)
    let format = try #require(FormatCatalog.builtIn.formats.first { $0.name == name })
    var sink = MemorySink()
    _ = try SyntheticBackup(of: SyntheticFormat(format), options: .init(size: 150_000, seed: 7)).write(to: &sink) {
      _ throws(CofferError) in
    }
    try folder.write(String(decoding: sink.bytes, as: UTF8.self), to: "backup.json")
    let before = try Self.gaps(format, in: path)
    let other = before.filter { !$0.hasSuffix(" range") && !$0.hasSuffix(" unit") }
    #expect(other == Self.known[name], "\(other.sorted())")
    let descriptor = try JSONValue.readRules(MemorySource(format.descriptor.utf8))
    for weakening in weakenings {
      var tokens = try #require(weakening.place.pointerTokens)
      if let item = weakening.item {
        tokens.append(String(try #require(descriptor.value(at: tokens)?.array?.firstIndex { $0.string == item })))
      }
      try #require(descriptor.value(at: tokens) != nil, "\(weakening.place)")
      let weakened = try BackupFormat(descriptor: descriptor.setting(nil, at: tokens).text)
      let after = try Self.gaps(weakened, in: path)
      #expect(after.subtracting(before) == weakening.gaps, "\(weakening.testDescription): \(after.subtracting(before).sorted())")
      #expect(before.subtracting(after) == [], "\(weakening.testDescription)")
    }
  }
}
