import ByteStreams
import Findings
import JSONEvents
import Reports
import Rules

@testable import Coffer

/// Inspections, differences and scores that use all parts of their pages, for recorded outputs.
enum PageSample: String, CaseIterable {
  case inspection, inspections
  case difference, same
  case hostileInspection = "hostile-inspection"
  case hostileDifference = "hostile-difference"
  case score
  case hostileScore = "hostile-score"

  func write(to sink: inout some ByteSink) throws(CofferError) {
    let report = HTMLReport(toolVersion: "0.1.0")
    let now = Instant(seconds: 1_782_864_000)
    switch self {
    case .inspection: try report.write([Self.importable], now: now, to: &sink)
    case .inspections: try report.write([Self.importable, Self.archive, Self.unknown, Self.cut, Self.gone], now: now, to: &sink)
    case .difference: try report.write(Self.different, to: &sink)
    case .same: try report.write(Self.equal, to: &sink)
    case .hostileInspection: try report.write([Self.hostileBackup], to: &sink)
    case .hostileDifference: try report.write(Self.hostileChanges, to: &sink)
    case .score: try report.write(Self.score(of: "my-app.yaml", "/expenses/*/carId", "12"), to: &sink)
    case .hostileScore: try report.write(Self.score(of: Self.hostile, Self.hostile, Self.hostile), to: &sink)
    }
  }

  // MARK: Scores

  /// A score with caught, missed and uncounted defects.
  private static func score(of rules: String, _ field: String, _ value: String) -> RuleScore {
    let draft = RuleDraft(
      document: JSONValue.Located(.null), documents: 1, bytes: 1, notes: [], keyCount: 0, referenceCount: 0)
    var score = RuleScore(
      rules: rules, files: Array(repeating: rules, count: 12),
      options: .init(validation: ValidationOptions(now: Instant(seconds: 1_782_864_000))), samples: 8, fieldsWithFindings: 1,
      fieldsNotSampled: 2,
      draft: draft)
    score.isCutShort = true
    score.findings.add(3, severity: .error, code: "type")
    for (number, kind) in MutationKind.allCases.enumerated() {
      let mutation = Mutation(kind: kind, sample: 0, range: 0..<1, text: "", before: value, after: "absent")
      score.add(
        mutation, of: field, number % 3 == 0 ? .missed(keyword: "required", location: "") : number % 3 == 1 ? .caught : .allowed)
      score.add(mutation, of: "/cars/*/name", .caught)
    }
    score.sort()
    return score
  }

  // MARK: Inspections

  private static func collection(
    _ title: String, _ count: Int, from: Int64? = nil, to: Int64? = nil, by date: String? = nil
  ) -> Inspection.Collection {
    var collection = Inspection.Collection(pointer: "/" + title, title: title, isKnown: true)
    collection.isPresent = true
    collection.count = count
    collection.kinds = [.object]
    collection.date = date
    collection.earliest = from.map { Instant(seconds: $0) }
    collection.latest = to.map { Instant(seconds: $0) }
    collection.bytes = count * 412
    return collection
  }

  static var importable: Inspection {
    var inspection = Inspection(file: "backups/old.json")
    inspection.format = .known(
      name: "ev-charging-tracker", title: "EV charging tracker", dialect: nil,
      reasons: ["/cars exists", "/expenses/*/energyCharged exists"])
    inspection.version = .init(found: "5", number: 5, oldestKnown: 5, current: 9)
    inspection.importability = .older
    inspection.migration = .init(format: nil, version: 9)
    inspection.createdAt = .init(text: "2026-06-28T20:15:00Z", instant: Instant(seconds: 1_782_677_700))
    inspection.app = "2026.3.1 (214)"
    inspection.device = "sample-phone.local"
    inspection.storedBytes = 104_857_600
    inspection.documentBytes = 104_857_600
    inspection.root = .object
    inspection.hasSettings = true
    var expenses = collection("expenses", 321_098, from: 1_688_623_561, to: 1_775_861_361, by: "date")
    expenses.undated = 12
    expenses.nested = [.init(name: "photos", count: 4711)]
    inspection.collections = [
      collection("cars", 3, from: 1_630_386_872, to: 1_663_864_519, by: "createdAt"), expenses,
      collection("notifications", 2, from: 1_776_965_000, to: 1_776_970_000, by: "createdAt"), collection("ideas", 0),
      Inspection.Collection(pointer: "/documents", title: "documents", isKnown: true),
    ]
    inspection.members = [.init(name: "userSettings", kind: .object, count: 2)]
    inspection.warnings = [
      .init(code: "older-version", message: "version 5 is older than the current version 9", pointer: "/version"),
      .init(code: "unknown-fields", message: "metadata has members that the format doesn't know: weather (1)"),
    ]
    return inspection
  }

  private static var archive: Inspection {
    var inspection = Inspection(file: "photos.zip")
    inspection.format = .known(name: "smilepile", title: "SmilePile", dialect: nil, reasons: ["/categories exists"])
    inspection.importability = .faultyArchive
    inspection.container = .zip
    inspection.storedBytes = 2_400_000
    inspection.documentBytes = 3021
    inspection.root = .object
    inspection.collections = [collection("photos", 1207)]
    inspection.attachments = .init(
      count: 1205, bytes: 2_300_000, missing: 1002, missingNames: (0..<1000).map { "photos/\($0).jpg" })
    inspection.warnings = [.init(code: "path-unsafe", message: "the entry ../photo.jpg is outside of the archive")]
    return inspection
  }

  private static var unknown: Inspection {
    var inspection = Inspection(file: "trips.json")
    inspection.format = .unknown(nearest: [FormatCandidate(name: "swiff", reasons: ["/a exists"], missing: ["/b exists"])])
    inspection.importability = .unknownFormat
    inspection.documentBytes = 69
    inspection.root = .object
    inspection.collections = [collection("trips", 2)]
    return inspection
  }

  private static var cut: Inspection {
    var inspection = importable
    inspection.file = "cut.json"
    inspection.importability = .unreadable
    inspection.warnings = []
    inspection.error = CofferError(
      .truncated, "the document ends where ',' or ']' was expected, with 2 brackets open",
      at: .init(position: TextPosition(offset: 104_857_600, line: 4_000_001, column: 3)))
    return inspection
  }

  private static var gone: Inspection {
    var inspection = Inspection(file: "gone.json")
    inspection.error = CofferError(.notFound, "cannot open gone.json: no such file or directory")
    return inspection
  }

  // MARK: Differences

  private static func document(_ name: String) -> BackupDifference.Document {
    .init(name: name, bytes: 104_857_600, version: "9")
  }

  private static func place(_ pointer: String) -> RecordChange.Place { .init(pointer: pointer, offset: 2048) }

  private static var equal: BackupDifference {
    var cars = CollectionDifference(pointer: "/cars", title: "cars", key: ["id"])
    cars.same = 3
    return BackupDifference(
      old: document("monday.json"), new: document("friday.json"), format: "ev-charging-tracker",
      collections: [cars, CollectionDifference(pointer: "/ideas", title: "ideas", key: ["id"])],
      envelope: CollectionDifference(pointer: "", title: "document", key: []))
  }

  private static var different: BackupDifference {
    var expenses = CollectionDifference(pointer: "/expenses", title: "expenses", key: ["hotel", "night"])
    (expenses.same, expenses.changed, expenses.removed, expenses.added, expenses.duplicates) = (321_000, 1200, 1, 2, 2)
    expenses.changes = [
      RecordChange(
        kind: .changed, old: place("/expenses/11"), new: place("/expenses/12"), key: "\"Ritz\", 12",
        fields: [
          FieldChange(pointer: "/amount", old: "12.50", new: "12.75"),
          FieldChange(
            pointer: "/notes", old: nil,
            new: "\"Home charger, paid with the family card; the receipt is in the drawer of the desk\""),
          FieldChange(pointer: "/tags/0", old: "[\"home\",\"night\"]", new: nil),
        ], fieldsNotShown: 3),
      RecordChange(
        kind: .changed, old: place("/expenses/15"), new: place("/expenses/15"), key: "\"Ritz\", 13", fields: [],
        fieldsNotShown: nil),
      RecordChange(kind: .removed, old: place("/expenses/20"), new: nil, key: "\"Ritz\", 20", fields: [], fieldsNotShown: 0),
      RecordChange(kind: .added, old: nil, new: place("/expenses/7"), key: "\"Ritz\", 40", fields: [], fieldsNotShown: 0),
      RecordChange(kind: .added, old: nil, new: place("/expenses/8"), key: "\"Ritz\", 41", fields: [], fieldsNotShown: 0),
      RecordChange(
        kind: .duplicate, old: place("/expenses/3"), new: place("/expenses/4"), key: "\"Ritz\", 3", fields: [], fieldsNotShown: 0),
    ]
    var trips = CollectionDifference(pointer: "/trips", title: "trips", key: [])
    (trips.removed, trips.added) = (7, 9)
    var envelope = CollectionDifference(pointer: "", title: "document", key: [])
    (envelope.same, envelope.changed) = (3, 1)
    envelope.changes = [
      RecordChange(
        kind: .changed, old: place("/userSettings"), new: place("/userSettings"), key: "",
        fields: [FieldChange(pointer: "", old: "{}", new: "null")], fieldsNotShown: 0)
    ]
    return BackupDifference(
      old: document("monday.json"), new: document("friday.json"), format: "ev-charging-tracker",
      collections: equal.collections + [expenses, trips], envelope: envelope)
  }

  // MARK: Hostile texts

  private static let hostile =
    "</style></title><script>alert(1)</script> \u{1B}[31mred\u{202E} a\u{0}b 'x' \"y\" & \u{2066}<img src=x> url(http://a) é\u{301}"

  private static var hostileBackup: Inspection {
    var inspection = importable
    inspection.file = hostile
    inspection.format = .known(name: hostile, title: hostile, dialect: hostile, reasons: [hostile])
    inspection.version?.found = hostile
    inspection.createdAt = .init(text: hostile, instant: nil)
    inspection.app = hostile
    inspection.device = hostile
    var records = collection(hostile, 4, from: Int64.min / 200, to: Int64.max / 200, by: hostile)
    records.undated = 1
    records.nested = [.init(name: hostile, count: 7)]
    inspection.collections = [records]
    inspection.members = [.init(name: hostile, kind: .string, count: nil)]
    inspection.attachments = .init(count: 1, bytes: 2, missing: 1, missingNames: [hostile])
    inspection.warnings = [.init(code: hostile, message: hostile, pointer: hostile)]
    inspection.error = CofferError(CofferError.Code(rawValue: hostile), hostile, at: .init(entry: hostile))
    return inspection
  }

  private static var hostileChanges: BackupDifference {
    var records = CollectionDifference(pointer: hostile, title: hostile, key: [hostile])
    (records.changed, records.removed) = (1, 1)
    let fields = [
      FieldChange(pointer: hostile, old: hostile, new: hostile), FieldChange(pointer: "", old: nil, new: hostile),
    ]
    records.changes = [
      RecordChange(kind: .changed, old: place(hostile), new: place("/0"), key: hostile, fields: fields, fieldsNotShown: 0),
      RecordChange(kind: .removed, old: place(hostile), new: nil, key: hostile, fields: [], fieldsNotShown: 0),
    ]
    return BackupDifference(
      old: .init(name: hostile, bytes: 1, version: hostile), new: .init(name: hostile, bytes: 1, version: hostile),
      format: hostile,
      collections: [records], envelope: CollectionDifference(pointer: "", title: "document", key: []))
  }
}
