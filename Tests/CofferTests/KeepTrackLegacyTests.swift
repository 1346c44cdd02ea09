import Coffer
import Testing

/// KeepTrack's stores before January 2026: arrays at the root, dates as numbers.
@Suite struct KeepTrackLegacyTests {
  typealias Mutation = FormatSheet.Mutation

  /// The first entry of the example, which the app's two migration routes store twice.
  static let entry = #"""
    {"id": "6D2B8F03-9C51-4E7A-A4D6-0B3F7E1C5A98", "date": 790587012, "units": "IU", "amount": 1000, "name": "Vitamin D",
     "goalMet": true}
    """#

  static let mutations = [
    (
      "keeptrack-legacy-entrystore", "keeptrack-legacy-entries",
      [
        Mutation("/0/date", #""2026-01-20T07:30:12Z""#, "type /0/date"),
        Mutation("/0/date", "790587012.75"),
        Mutation("/0/date", "-200000000", "format-minimum /0/date", severity: .warning),
        Mutation("/0/date", "3200000000", "format-maximum /0/date", severity: .warning),
        Mutation("/0/date", "1768894212000", "format /0/date", severity: .warning),
        Mutation("/0/units", #""fluid ounces""#, "enum /0/units", severity: .warning),
        Mutation("/0/amount", "-1", "minimum /0/amount", severity: .warning),
        Mutation("/1/id", #""6d2b8f03-9c51-4e7a-a4d6-0b3f7e1c5a98""#, "primary-key /1/id"),
        Mutation("/1/goalMet", nil, "required /1/goalMet"),
        Mutation("/-", "7", "type /2"),
        Mutation("/-", entry, "primary-key /2/id", severity: .warning),
        Mutation("/-", entry.replacing("790587012", with: "790587013"), "primary-key /2/id"),
        Mutation("/0/date", "1e400", "exclusive-maximum /0/date"),
        Mutation("/0/amount", "1e400", "exclusive-maximum /0/amount"),
      ]
    ),
    (
      "keeptrack-legacy-intakeTypes", "keeptrack-legacy-intake-types",
      [
        Mutation("/0/frequency", #""once daily""#, "enum /0/frequency", severity: .warning),
        Mutation("/0/unit", #""g""#, "enum /0/unit", severity: .warning),
        Mutation("/1/name", #""Vitamin D""#, "unique-key /1/name", severity: .note),
        Mutation("/0/descrip", nil, "required /0/descrip"),
        Mutation("/0/extra", "1", "unknown-field /0/extra", severity: .note),
      ]
    ),
    (
      "keeptrack-legacy-goalsstore", "keeptrack-legacy-goals",
      [
        Mutation("/0/dates/0", #""2026-01-12T07:30:00Z""#, "type /0/dates/0"),
        Mutation("/0/dates", "[]", "min-items /0/dates", severity: .warning),
        Mutation("/0/frequency", #""twiceADay""#, "consistency /0/dates", severity: .note),
        // The form before April 2025.
        Mutation("/0/units", nil, "required /0/units"),
        Mutation("/0/dosage", "-1", "minimum /0/dosage", severity: .warning),
      ]
    ),
  ]

  @Test(arguments: mutations)
  func `each changed value gives exactly its findings`(_ example: String, _ format: String, _ mutations: [Mutation]) throws {
    for mutation in mutations {
      let report = try Validating.report(on: try FormatSheet.changed(example, [mutation]))
      #expect(report.format == format, "\(mutation)")
      #expect(FormatSheet.lines(report) == mutation.findings.sorted(), "\(mutation)")
    }
    #expect(try FormatSheet.lines(example, []) == [])
  }

  @Test(arguments: [("-1000000000", false), ("3200000000", true), ("1768894212000", true)])
  func `only a time after 2100 is perhaps in milliseconds`(_ value: String, _ isHinted: Bool) throws {
    for (example, path) in [("keeptrack-legacy-entrystore", "/0/date"), ("keeptrack-legacy-goalsstore", "/0/dates/0")] {
      let report = try Validating.report(on: try FormatSheet.changed(example, [Mutation(path, value)]))
      #expect(report.findings.map { $0.message.contains("milliseconds") } == [isHinted])
    }
  }

  /// The app reads an empty file as an empty list. Content can't tell its format, so the format must be named.
  @Test(arguments: [
    ("keeptrack-legacy-entries", true), ("keeptrack-legacy-goals", true), ("keeptrack-legacy-intake-types", false),
  ])
  func `an empty file is an empty list where the named format allows it`(_ name: String, _ isValid: Bool) throws {
    let format = try #require(FormatCatalog.builtIn[name])
    let report = try Validating.report(on: [], rules: .format(format))
    #expect(report.isValid == isValid)
    #expect(report.records == 0)
    #expect(try Validating.report(on: []).error != nil)
    #expect(try Validating.report(on: Array("[]".utf8), rules: .format(format)).isValid)
  }

  @Test(arguments: [
    ("entrystore.json", "keeptrack-legacy-entries"), ("stores/goalsstore.json", "keeptrack-legacy-goals"),
    ("intakeTypes.json", nil), ("entries.json", nil), ("entrystore.json.old", nil),
  ])
  func `the name of an empty file shows its format`(_ name: String, _ format: String?) throws {
    let validator = Validator(.detected(.builtIn), options: ValidationOptions(now: Validating.now))
    let report = try validator.validate(MemorySource([]), named: name)
    #expect(report.format == format)
    #expect(report.isValid == (format != nil))
    let inspection = try Inspector(.detected(.builtIn), options: InspectionOptions(now: Validating.now))
      .inspect(MemorySource([]), named: name)
    if case .known(let found, _, _, _) = inspection.format { #expect(found == format) } else { #expect(format == nil) }
    guard format != nil else { return }
    let comparer = Comparer(.detected(.builtIn), options: ComparisonOptions())
    let store = Backup(bytes: [], named: name)
    #expect(try comparer.difference(from: store, to: store).isSame)
    var sink = MemorySink()
    let migration = try Migrator(.builtIn, options: MigrationOptions(now: Validating.now))
      .migrate(MemorySource([]), named: name, to: &sink)
    #expect(migration.format == format && migration.formatAfter == "keeptrack")
    #expect(try Validating.report(on: sink.bytes).isValid)
  }

  @Test(arguments: ["keeptrack-legacy-entries", "keeptrack-legacy-goals"])
  func `an empty file is compared and merged like an empty list`(_ name: String) throws {
    let format = try #require(FormatCatalog.builtIn[name])
    let (nothing, empty) = (Backup(bytes: [], named: "a.json"), Backup(bytes: Array("[]".utf8), named: "b.json"))
    let comparer = Comparer(.format(format), options: ComparisonOptions())
    #expect(try comparer.difference(from: nothing, to: empty).isSame)
    #expect(try comparer.difference(from: empty, to: nothing).isSame)
    let merger = Merger(.format(format), options: MergeOptions(conflicts: .replace))
    for (a, b) in [(nothing, empty), (empty, nothing), (nothing, nothing)] {
      var sink = MemorySink()
      _ = try merger.merge(a, with: b, to: &sink)
      #expect(sink.bytes == Array("[]".utf8))
    }
    // An empty file has no detectable format.
    #expect(throws: CofferError.self) {
      try Comparer(.detected(.builtIn), options: ComparisonOptions()).difference(from: nothing, to: nothing)
    }
  }
}
