import Coffer
import Reports
import Testing

/// Each older form of a format's documents is migrated to the current version and then obeys the rules.
@Suite struct HistoricVersionTests {
  struct History: CustomTestStringConvertible, Sendable {
    let name: String
    let document: String
    /// The migrated document.
    let after: String
    /// Findings that remain because no migration can fix them, as severity, code and pointer.
    var findings: [String] = []
    /// Parts of the report.
    let report: [String]

    var testDescription: String { name }
  }

  private static func tracker(version: Int, car: String = "", rest: String = "") -> String {
    """
    {"cars":[{"name":"Hatch","selectedForTracking":true,"expenseCurrency":"₸","currentMileage":13100,"initialMileage":12000,\
    "milleageSyncedAt":"2026-01-12T17:40:00Z","createdAt":"2025-11-02T09:00:00Z","id":1\(car)}],\
    "delayedNotifications":[],"expenses":[],"metadata":{"appVersion":"2026.1.1 (150)","createdAt":"2026-01-13T07:00:00Z",\
    "databaseSchemaVersion":\(version),"deviceName":"d"},"plannedMaintenance":[],\
    "userSettings":{"preferredCurrency":"₸","preferredLanguage":"kk"}\(rest)}
    """
  }

  private static let lists = #","documents":[],"ideas":[]"#
  private static let electric = #","measurementSystem":"metric","carType":"electric""#
  private static let wheels = #","frontWheelSize":"195/65 R15""#

  static let trackers = [
    History(
      name: "tracker, schema 5", document: tracker(version: 5), after: tracker(version: 9, car: electric, rest: lists),
      report: ["version 5 -> 9", "/documents: filled with []", #"/cars/*/carType: filled with "electric", in 1 record"#]),
    History(
      name: "tracker, schema 6", document: tracker(version: 6, car: wheels),
      after: tracker(version: 9, car: wheels + electric, rest: lists), report: ["version 6 -> 9", "/ideas: filled with []"]),
    History(
      name: "tracker, schema 7", document: tracker(version: 7, rest: lists),
      after: tracker(version: 9, car: electric, rest: lists),
      report: ["version 7 -> 9", #"/cars/*/measurementSystem: filled with "metric", in 1 record"#]),
    History(
      name: "tracker, schema 8", document: tracker(version: 8, car: #","measurementSystem":"imperial""#, rest: lists),
      after: tracker(version: 9, car: #","measurementSystem":"imperial","carType":"electric""#, rest: lists),
      report: ["version 8 -> 9", #"/cars/*/carType: filled with "electric", in 1 record"#]),
  ]

  // MARK: Swiff

  private static func swiff(person: String, transactions: [String]) -> String {
    let transactions = transactions.enumerated().map { index, members in
      """
      {"id":"0F7A3D58-2C9E-4B61-8D05-E1C6B4A97F3\(index)","title":"t","subtitle":"","notes":"","date":"2026-01-14T06:00:00Z",\
      "isRecurring":false,"isRecurringCharge":false,"tags":[],\(members)}
      """
    }
    return """
      {"version":1,"createdDate":"2026-02-01T09:30:00Z","appVersion":"1.1","people":[{"id":"8C5D2E91-4A7F-4B36-9D08-1E6F3C7A5B20",\
      "name":"Mira","email":"","phone":"","avatarType":{"emoji":{"_0":"x"}},"balance":24.50,"createdDate":"2025-12-01T10:00:00Z",\
      "lastModifiedDate":"2026-01-15T18:20:00Z","notificationPreferences":{"enableReminders":true,"reminderFrequency":7,\
      "preferredContactMethod":"In-App"}\(person)}],"groups":[],"subscriptions":[],"transactions":[\(transactions.joined(separator: ","))],\
      "metadata":{"version":1,"createdDate":"2026-02-01T09:30:00Z","appVersion":"1.1","peopleCount":1,"groupsCount":0,\
      "subscriptionsCount":0,"transactionsCount":\(transactions.count)}}
      """
  }

  private static let transactions = [
    (#""amount":5,"category":"Transfer","paymentStatus":"Pending""#, "Request"),
    (#""amount":5,"category":"Transfer","paymentStatus":"Completed""#, "Transfer"),
    (#""amount":0.01,"category":"Groceries","paymentStatus":"Completed""#, "Receive"),
    (#""amount":-5,"category":"Groceries","paymentStatus":"Completed""#, "Payment"),
    (#""amount":-5,"category":"Other","paymentStatus":"Completed","merchant":"m""#, "Payment"),
    (#""amount":-5,"category":"Other","paymentStatus":"Completed","merchant":null"#, "Send"),
  ]

  static let swiffs = [
    History(
      name: "swiff, before January 2026", document: swiff(person: "", transactions: transactions.map(\.0)),
      after: swiff(
        person: #","personSource":"manual""#, transactions: transactions.map { #"\#($0),"transactionType":"\#($1)""# }),
      findings: ["note null /transactions/5/merchant"],
      report: ["swiff, version 1\n", #"/people/*/personSource: filled with "manual", in 1 record"#])
  ]

  // MARK: SmilePile

  private static let category =
    #""id":1,"name":"family","displayName":"Family","position":0,"isDefault":true,"createdAt":1759312800000"#
  private static let photo = #""id":7,"path":"/p/a.jpg","categoryId":1,"name":"a.jpg","createdAt":1759330000000"#
  private static let defaults = #","isFromAssets":false,"fileSize":0,"width":0,"height":0"#

  private static func smilePile(_ members: String, photo extra: String, security: String = "", rest: String = "") -> String {
    """
    {\(members)"exportDate":1759415422000,"appVersion":"25.10.02.002","categories":[{\(category)}],"photos":[{\(photo)\(extra)}],\
    "settings":{"isDarkMode":false,"securitySettings":{"hasPIN":true,"hasPattern":false,"kidSafeModeEnabled":true,\
    "deleteProtectionEnabled":false\(security)}}\(rest)}
    """
  }

  static let smilePiles = [
    History(
      name: "smilepile, as it was first",
      document: smilePile("", photo: #","isFavorite":true"#, security: #","cameraAccessAllowed":true"#),
      after: smilePile("", photo: defaults, rest: #","format":"JSON","photoManifest":[],"version":1"#),
      report: ["smilepile, version 1 (not declared)\n", "/photos/*/isFavorite: dropped, in 1 record"]),
    History(
      name: "smilepile, Android's version 1",
      document: smilePile(#""version":1,"format":"JSON","#, photo: ""),
      after: smilePile(#""version":1,"format":"JSON","#, photo: defaults, rest: #","photoManifest":[]"#),
      report: ["smilepile, version 1\n", "/photoManifest: filled with []"]),
  ]

  // MARK: KeepTrack

  private static func keepTrack(_ name: String, _ record: String) -> String {
    let others = ["entries", "intakeTypes", "goals"].filter { $0 != name }.map { #""\#($0)":[]"# }.joined(separator: ",")
    return #"{"\#(name)":[{\#(record)}],"exportDate":"2026-07-01T10:00:00Z",\#(others),"version":1}"#
  }

  private static let id = #""id":"6D2B8F03-9C51-4E7A-A4D6-0B3F7E1C5A98""#

  static let keepTracks = [
    History(
      name: "keeptrack's entries",
      document: #"[{\#(id),"date":790587012.75,"units":"liters","amount":0.25,"name":"Water","goalMet":true,"new":1e400}]"#,
      after: keepTrack(
        "entries", #"\#(id),"date":"2026-01-20T07:30:12Z","units":"ml","amount":250,"name":"Water","goalMet":true,"new":1e400"#),
      findings: ["note foreign-key /entries/0/name", "note unknown-field /entries/0/new"],
      report: [
        "keeptrack-legacy-entries -> keeptrack, version 1\n", "/*/amount: multiplied by 1000, in 1 record",
        "in 1 record; fractions of a second cut off, in 1 record",
      ]),
    History(
      name: "keeptrack's intake types",
      document: #"[{\#(id),"name":"Tea","unit":"fluid ounces","amount":8,"descrip":"d","frequency":"twice a day"}]"#,
      after: keepTrack(
        "intakeTypes", #"\#(id),"name":"Tea","unit":"fluidOunces","amount":8,"descrip":"d","frequency":"twiceADay""#),
      report: ["keeptrack-legacy-intake-types -> keeptrack, version 1\n"]),
    History(
      name: "keeptrack's goals, as they were first",
      document:
        #"[{\#(id),"name":"D","description":"d","dates":[789895800],"isActive":true,"isCompleted":false,"dosage":1000,"frequency":"once daily"}]"#,
      after: keepTrack(
        "goals",
        #"\#(id),"name":"D","description":"d","dates":["2026-01-12T07:30:00Z"],"isActive":true,"isCompleted":false,"dosage":1000,"frequency":"daily","units":"none""#
      ),
      findings: ["note foreign-key /goals/0/name"],
      report: ["keeptrack-legacy-goals -> keeptrack, version 1\n", #"/*/units: filled with "none", in 1 record"#]),
  ]

  @Test(arguments: trackers + swiffs + smilePiles + keepTracks)
  func `each historic document is migrated to the current version`(history: History) throws {
    let (text, report) = try Migrating.migrate(history.document, nil)
    #expect(text == history.after)
    let said = TextReport().text(of: report, named: "a.json")
    for part in history.report { #expect(said.contains(part), "\(said)") }
    let validation = try Validating.report(on: text)
    #expect(validation.format == report.formatAfter)
    #expect(validation.findings.map { "\($0.severity.rawValue) \($0.code) \($0.place.pointer)" } == history.findings)
    let again = try Migrating.migrate(text, nil)
    #expect(again.text == text)
    #expect(!again.report.hasChanged)
  }

  @Test func `a ZIP document from Android gets its format, version and defaults`() throws {
    let document = Self.smilePile(
      "", photo: "",
      rest:
        #","photoManifest":[{"photoId":7,"originalPath":"/p/a.jpg","zipEntryName":"photos/a.jpg","fileName":"a.jpg","fileSize":3}]"#
    )
    let (text, report) = try Migrating.migrate(document, nil) { $0.container = .zip }
    #expect(report.versionBefore == 2 && !report.isVersionDeclared)
    #expect(
      text == document.replacing(Self.photo, with: Self.photo + Self.defaults).dropLast() + #","format":"ZIP","version":2}"#)
    #expect(try !Migrating.migrate(text, nil, { $0.container = .zip }).report.hasChanged)
  }

  @Test func `an empty file is migrated as an empty store if the format allows it`() throws {
    let catalog = FormatCatalog.builtIn
    for (name, member) in [("keeptrack-legacy-entries", "entries"), ("keeptrack-legacy-goals", "goals")] {
      let text = try Migrating.migrate("", catalog[name]).text
      #expect(text.hasPrefix(#"{"\#(member)":[],"exportDate":"#))
      #expect(try Validating.report(on: text).findings.isEmpty)
    }
    #expect(throws: CofferError.self) { try Migrating.migrate("", catalog["keeptrack-legacy-intake-types"]) }
  }

  @Test func `a current document stays unchanged`() throws {
    for history in Self.trackers.suffix(1) {
      let current = history.after
      let (text, report) = try Migrating.migrate(current, nil)
      #expect(text == current)
      #expect(
        TextReport().text(of: report, named: "a") == "a: ev-charging-tracker, version 9: up to date, only the layout changed\n")
    }
  }
}
