import TestSupport
import Testing

@testable import Coffer

@Suite struct InspectorTests {
  private static let document = #"""
    {"meta": {"version": 4, "at": 1782000000500, "app": "1.2", "device": null, "carCount": 3},
     "cars": [
       {"id": 1, "boughtOn": "2026-03-01T00:00:00+01:00", "parts": [{"name": "a"}, {"boughtOn": "1999-01-01T00:00:00Z"}]},
       {"id": 2, "parts": [[], 7, null], "boughtOn": "2024-05-01T10:00:00.5Z", "x-1": 1},
       {"tags": [{"boughtOn": "1990-01-01T00:00:00Z"}], "boughtOn": "yesterday"}],
     "trips": [{"start": 0, "end": 5}, {"start": 86400.25}, {"end": 9}],
     "settings": {"a": 1, "b": {"c": 2}}}
    """#

  @Test func `an inspection has the format, version and origin`() throws {
    let inspection = try Inspecting.inspection(of: Self.document)
    #expect(inspection.format == .known(name: "garage", title: "Garage, the app", dialect: nil, reasons: []))
    #expect(inspection.version == Inspection.Version(found: "4", number: 4, oldestKnown: 2, current: 4))
    #expect(inspection.importability == .current)
    #expect(inspection.createdAt?.text == "1782000000500")
    #expect(inspection.createdAt?.instant?.description == "2026-06-21T00:00:00.5Z")
    #expect(inspection.app == "1.2")
    #expect(inspection.device == nil)
    #expect(inspection.hasSettings == true)
    #expect(inspection.storedBytes == Self.document.utf8.count)
    #expect(inspection.documentBytes == Self.document.utf8.count)
    #expect(inspection.warnings == [])
  }

  @Test func `an inspection has the count and date range of each collection`() throws {
    let collections = try Inspecting.inspection(of: Self.document).collections
    #expect(collections.map(\.title) == ["cars", "journeys", "notes"])
    let (cars, trips, notes) = (collections[0], collections[1], collections[2])
    #expect(cars.count == 3)
    #expect(cars.date == "boughtOn")
    #expect(cars.earliest?.description == "2024-05-01T10:00:00.5Z")
    #expect(cars.latest?.description == "2026-02-28T23:00:00Z")
    #expect(cars.undated == 1)
    #expect(cars.nested == [Inspection.Collection.Nested(name: "parts", count: 5)])
    #expect(trips.earliest?.description == "2001-01-01T00:00:00Z")
    #expect(trips.latest?.description == "2001-01-02T00:00:00.25Z")
    #expect(trips.undated == 1)
    #expect(trips.bytes == #"[{"start": 0, "end": 5}, {"start": 86400.25}, {"end": 9}]"#.utf8.count)
    #expect(!notes.isPresent)
  }

  @Test func `an inspection lists the members that are not collections`() throws {
    let inspection = try Inspecting.inspection(of: Self.document)
    #expect(
      inspection.members == [
        Inspection.Member(name: "meta", kind: .object, count: 5), Inspection.Member(name: "settings", kind: .object, count: 2),
      ])
  }

  @Test(
    arguments: [
      ("4", .current, nil), ("2", .noMigration, "version 2 is older than the current version 4"),
      ("3.0", .noMigration, nil),
      (#""4""#, .noVersion, "the version is a string, not an integer"),
      ("1", .olderThanKnown, "version 1 is older than 2, the oldest that Coffer knows"),
      ("5", .newer, "version 5 is newer than 4, the newest that Coffer knows"),
      ("4.5", .noVersion, "the version is not a 64-bit integer"),
      (#""x""#, .noVersion, nil), ("null", .noVersion, "the document doesn't declare its version"),
      ("{}", .noVersion, nil),
      ("99999999999999999999999", .noVersion, nil), ("-1", .olderThanKnown, nil),
    ] as [(String, Inspection.Importability, String?)])
  func `the version decides whether a backup can be imported`(
    version: String, importability: Inspection.Importability, message: String?
  ) throws {
    let inspection = try Inspecting.inspection(of: #"{"meta": {"version": \#(version)}, "cars": [], "trips": null}"#)
    #expect(inspection.importability == importability)
    if let message { #expect(inspection.warnings.map(\.message) == [message]) }
    #expect(inspection.warnings.isEmpty == (importability == .current))
  }

  @Test(arguments: [
    (#"{"meta": {"version": 4}}"#, ["missing-collection /cars", "missing-collection /trips"]),
    (#"{"meta": {"version": 4}, "cars": {}, "trips": null}"#, ["not-an-array /cars"]),
    (#"{"meta": {"version": 4, "carCount": 2}, "cars": [{"boughtOn": ""}], "trips": []}"#, ["count-of /meta/carCount"]),
    (#"{"cars": [1], "trips": [], "meta": {"version": 4, "carCount": 1.0}}"#, []),
    (#"{"meta": {"version": 4, "at": 1782999999000}, "cars": [], "trips": []}"#, ["created-in-future /meta/at"]),
    (#"{"meta": {"version": 4, "at": 1782910000000}, "cars": [], "trips": []}"#, []),
    (#"{"meta": {"version": 4, "at": "2026-01-01T00:00:00Z"}, "cars": [], "trips": []}"#, ["created-at /meta/at"]),
    (
      #"{"meta": {"version": 4, "b": 1}, "c": 1, "cars": [{"d": 1, "x-2": 2}], "trips": [{"e": 1}]}"#,
      ["unknown-fields ", "unknown-fields /meta", "unknown-fields /cars"]
    ),
  ])
  func `inconsistencies are warnings and do not prevent an import`(document: String, warnings: [String]) throws {
    let inspection = try Inspecting.inspection(of: document)
    #expect(inspection.warnings.map { "\($0.code) \($0.pointer ?? "-")" } == warnings)
    #expect(inspection.importability == .current)
  }

  @Test(
    arguments: [
      ("2", "4", nil), ("3", "4", nil), ("4", nil, nil), ("1", nil, nil), ("9", nil, nil), ("null", nil, nil),
    ] as [(String, String?, String?)])
  func `an inspection has the version that migrations lead to`(version: String, to: String?, format: String?) throws {
    let descriptor = Inspecting.descriptor.replacing(
      #""backup": {"#,
      with:
        #""backup": {"migrations": [{"to": 3, "steps": []}, {"to": 4, "steps": []}, {"becomes": "other", "when": "/no", "steps": []}],"#
    )
    let inspection = try Inspecting.inspection(
      of: Array(#"{"meta": {"version": \#(version)}, "cars": [], "trips": []}"#.utf8),
      rules: .format(BackupFormat(descriptor: descriptor)))
    #expect(inspection.migration?.version.map(String.init) == to)
    #expect(inspection.migration?.format == format)
  }

  @Test func `a superseded format has its successor as the migration target`() throws {
    let descriptor = #"""
      {"$schema": "urn:coffer:rules:1", "items": {},
       "backup": {"name": "old", "migrations": [{"becomes": "new", "to": 1, "steps": []}]}}
      """#
    let inspection = try Inspecting.inspection(of: Array("[{}]".utf8), rules: .format(BackupFormat(descriptor: descriptor)))
    #expect(inspection.importability == .older)
    #expect(inspection.migration == Inspection.Migration(format: "new", version: 1))
    #expect(inspection.warnings.map(\.message) == ["its format has been replaced by new"])
  }

  @Test func `unknown fields are counted by name, up to a limit`() throws {
    let records = (0..<100).map { #"{"a\#($0)": 1, "more": {"less": 2}, "id": 3}"# }.joined(separator: ",")
    let inspection = try Inspecting.inspection(of: #"{"meta": {"version": 4}, "cars": [\#(records)], "trips": []}"#)
    let unknown = inspection.collections[0].unknownFields
    #expect(unknown.fields.count == 64)
    #expect(unknown.fields.prefix(3).map { "\($0.name) \($0.count)" } == ["a0 1", "more 100", "a1 1"])
    #expect(unknown.others == 100 - 63)
    #expect(
      inspection.warnings.last?.message
        == "records of cars have members that the format doesn't know: a0 (1), more (100), a1 (1), a2 (1), a3 (1), a4 (1), a5 (1), a6 (1) and 93 more"
    )
  }

  @Test func `long names with equal ends are distinguished`() throws {
    // The names have equal ends and lengths.
    let rules = #"""
      {"properties": {"a": {"items": {"properties": {"eightbyt-A-eightbyt": {}, "eightbyt-B-eightbyt": {"format": "date"}},
       "additionalProperties": false}}}}
      """#
    let inspection = try Inspecting.inspection(
      of: Array(
        #"{"a": [{"eightbyt-C-eightbyt": 1, "eightbyt-B-eightbyt": "2020-01-02"}, {"eightbyt-A-eightbyt": "2021-01-01"}]}"#.utf8),
      rules: .document(try RuleDocument(MemorySource(rules.utf8)), name: "rules"))
    #expect(inspection.collections[0].unknownFields.fields.map(\.name) == ["eightbyt-C-eightbyt"])
    #expect(inspection.collections[0].latest?.description == "2020-01-02T00:00:00Z")
    #expect(inspection.collections[0].undated == 1)
  }

  @Test func `the inspection of an unknown format has the structure`() throws {
    let inspection = try Inspecting.inspection(
      of: Array(#"{"a": [1, "x", {"b": [1]}], "c": {"d": 1, "e": []}, "f": null, "g": [[]]}"#.utf8), rules: .detected(.builtIn))
    #expect(inspection.importability == .unknownFormat)
    #expect(inspection.root == .object)
    #expect(inspection.collections.map(\.pointer) == ["/a", "/g"])
    #expect(inspection.collections.map(\.count) == [3, 1])
    #expect(inspection.collections.map(\.kinds) == [[.number, .string, .object], [.array]])
    #expect(inspection.members.map(\.name) == ["c", "f"])
    #expect(inspection.members[0].count == 2)
  }

  @Test(
    arguments: [
      ("[1, {}, []]", .array, 3), ("7", .number, nil), ("{}", .object, nil), ("[]", .array, 0),
    ] as [(String, JSONKind, Int?)])
  func `any kind of root value is reported`(text: String, root: JSONKind, count: Int?) throws {
    let inspection = try Inspecting.inspection(of: Array(text.utf8), rules: .detected(.builtIn))
    #expect(inspection.root == root)
    #expect(inspection.collections.first?.count == count)
    #expect(inspection.error == nil)
  }

  @Test func `only the first members and collections are listed, the others are counted`() throws {
    let members = (0..<1000).map { #""m\#($0)": \#($0.isMultiple(of: 2) ? "1" : "[1]")"# }.joined(separator: ",")
    let inspection = try Inspecting.inspection(of: Array("{\(members)}".utf8), rules: .detected(.builtIn))
    #expect(inspection.members.count == 64)
    #expect(inspection.collections.count == 64)
    #expect(inspection.furtherMembers == 1000 - 128)
  }

  @Test func `JSON Lines are inspected as an array`() throws {
    let inspection = try Inspecting.inspection(of: Array("{}\n\n{}\n3".utf8), named: "a.ndjson", rules: .detected(.builtIn))
    #expect(inspection.container == .jsonLines)
    #expect(inspection.collections.map(\.count) == [3])
  }

  @Test func `compression is detected by content, and both sizes are reported`() throws {
    let bytes = Array(Self.document.utf8)
    var sink = MemorySink()
    _ = try Compressor(options: .init()).compress(MemorySource(bytes), to: &sink)
    let inspection = try Inspecting.inspection(of: sink.bytes)
    #expect(inspection.compression == .lz4)
    #expect(inspection.storedBytes == sink.bytes.count)
    #expect(inspection.documentBytes == bytes.count)
  }

  @Test func `an inspection keeps what was read before an error`() throws {
    let inspection = try Inspecting.inspection(
      of: #"{"meta": {"version": 3}, "cars": [{"boughtOn": "2020-01-01T00:00:00Z"}, {"boughtOn": "2030-01-01T00:00:00Z", ]"#)
    #expect(inspection.error?.code.rawValue == "syntax")
    #expect(inspection.error?.position.offset == 109)
    #expect(inspection.importability == .unreadable)
    #expect(inspection.version?.found == "3")
    #expect(inspection.collections[0].count == 1)
    #expect(inspection.collections[0].latest?.description == "2020-01-01T00:00:00Z")
    #expect(inspection.collections[0].bytes == nil)
    // Collections after the error are not reported as missing.
    #expect(inspection.warnings.map(\.code) == ["older-version"])
  }

  @Test func `only the selected collections are listed`() throws {
    let inspection = try Inspecting.inspection(of: Self.document) { $0.only = CollectionSelection(["journeys"]) }
    #expect(inspection.collections.map(\.pointer) == ["/trips"])
    #expect(throws: CofferError.self) {
      try Inspecting.inspection(of: Self.document) { $0.only = CollectionSelection(["boats"]) }
    }
  }

  @Test func `cancellation ends the inspection`() {
    let cancellation = Cancellation()
    cancellation.request()
    #expect(throws: CancellationError.self) {
      try Inspecting.inspection(of: Self.document) { $0.execution.cancellation = cancellation }
    }
  }

  @Test func `a file is inspected by its path, and a missing one is an error`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.document, to: "a.json")
    let rules = RuleSource.format(try BackupFormat(descriptor: Inspecting.descriptor))
    let path = folder.path.appending("a.json").string
    let inspection = try await Backup(path: path).inspect(rules: rules, options: InspectionOptions(now: Inspecting.now))
    #expect(inspection.storedBytes == Self.document.utf8.count)
    #expect(inspection.collections[0].count == 3)
    let gone = try await Backup(path: path + ".gone").inspect(rules: rules, options: InspectionOptions(now: Inspecting.now))
    #expect(gone.error?.code.rawValue == "not-found")
  }
}
