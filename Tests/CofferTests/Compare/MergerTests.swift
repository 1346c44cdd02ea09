import BackupFormats
import ByteStreams
import Rules
import SystemPackage
import TestSupport
import Testing

@testable import Coffer

@Suite struct MergerTests {
  private let format: BackupFormat

  init() throws { format = try BackupFormat(descriptor: RandomPair.descriptor) }

  private func merge(
    _ old: String, _ new: String, _ rule: ConflictRule, _ change: (inout MergeOptions) -> Void = { _ in }
  ) throws -> (text: String, report: MergeReport) {
    var options = MergeOptions(conflicts: rule)
    options.comparison.keys = RandomPair.keys(in: old, new)
    change(&options)
    var sink = MemorySink()
    let report = try Merger(.format(format), options: options)
      .merge(Backup(bytes: Array(old.utf8), named: "a.json"), with: Backup(bytes: Array(new.utf8), named: "b.json"), to: &sink)
    return (String(decoding: sink.bytes, as: UTF8.self), report)
  }

  private static let old = #"""
    {"metadata": {"createdAt": "2026-01-02T00:00:00Z", "people": 2, "notes": 1.0}, "version": 3, "mine": 1,
     "people": [{"id": "A", "x": 1.50, "u": "\u0041"}, {"id": 7, "x": 9007199254740993, "changed": "2026-03-01T00:00:00Z"}],
     "notes": ["n"]}
    """#
  private static let new = #"""
    {"version": 3, "theirs": [1e400, -0], "metadata": {"createdAt": "2026-01-01T00:00:00Z", "people": 3},
     "people": [{"x": 9007199254740992, "id": 7.0, "changed": "2026-03-02T00:00:00Z"}, {"id": "\u00e9\/", "x": 0.10},
       {"u": "A", "id": "A", "x": 15e-1}], "notes": ["n", "n"], "stays": [{"hotel": 1}]}
    """#

  @Test(arguments: [
    (
      ConflictRule.keepExisting,
      #"{"metadata":{"createdAt":"2026-01-02T00:00:00Z","people":3,"notes":2},"version":3,"mine":1,"people":[{"id":"A","x":1.50,"u":"\u0041"},{"id":7,"x":9007199254740993,"changed":"2026-03-01T00:00:00Z"},{"id":"\u00e9\/","x":0.10}],"notes":["n","n"],"theirs":[1e400,-0],"stays":[{"hotel":1}]}"#
    ),
    (
      .replace,
      #"{"metadata":{"createdAt":"2026-01-01T00:00:00Z","people":3},"version":3,"mine":1,"people":[{"id":"A","x":1.50,"u":"\u0041"},{"x":9007199254740992,"id":7.0,"changed":"2026-03-02T00:00:00Z"},{"id":"\u00e9\/","x":0.10}],"notes":["n","n"],"theirs":[1e400,-0],"stays":[{"hotel":1}]}"#
    ),
    (
      .keepNewest,
      #"{"metadata":{"createdAt":"2026-01-02T00:00:00Z","people":3,"notes":2},"version":3,"mine":1,"people":[{"id":"A","x":1.50,"u":"\u0041"},{"x":9007199254740992,"id":7.0,"changed":"2026-03-02T00:00:00Z"},{"id":"\u00e9\/","x":0.10}],"notes":["n","n"],"theirs":[1e400,-0],"stays":[{"hotel":1}]}"#
    ),
  ])
  func `the conflict rule picks whole records, which keep their text`(rule: ConflictRule, expected: String) throws {
    let (text, report) = try merge(Self.old, Self.new, rule)
    #expect(text == expected)
    let people = report.collections[0]
    #expect(people.same == 1 && people.inserted == 1 && people.kept + people.replaced == 1 && people.count == 3)
    #expect(report.collections[2].count == 2)
  }

  /// If `data` were merged as a whole, the notes of one document would replace those of the other.
  @Test(arguments: ConflictRule.allCases)
  func `records of a collection within an object are merged by their key`(rule: ConflictRule) throws {
    let rules = #"{"properties": {"data": {"properties": {"notes": {"primaryKey": "id", "items": {"type": "object"}}}}}}"#
    var sink = MemorySink()
    let report = try Merger(
      .document(try RuleDocument(MemorySource(rules.utf8)), name: "rules"), options: MergeOptions(conflicts: rule)
    )
    .merge(
      Backup(bytes: Array(#"{"data":{"n":1,"notes":[{"id":1}]}}"#.utf8), named: "a.json"),
      with: Backup(bytes: Array(#"{"data":{"n":1,"notes":[{"id":2},{"id":1}]}}"#.utf8), named: "b.json"), to: &sink)
    #expect(String(decoding: sink.bytes, as: UTF8.self) == #"{"data":{"n":1,"notes":[{"id":1},{"id":2}]}}"#)
    #expect(report.collections.map(\.pointer) == ["/data/notes"])
  }

  @Test(arguments: ConflictRule.allCases) func `a backup merged with itself is unchanged to the byte`(rule: ConflictRule) throws {
    #expect(try merge(Self.old, Self.old, rule).text == Self.old)
    let wrongCount = #"\n{"metadata" : {"people":7}, "people":[ ] }\n\n"#.replacing("\\n", with: "\n")
    #expect(try merge(wrongCount, wrongCount, rule).text == wrongCount)
    let compact = try merge(Self.old, Self.old, rule) { $0.layout = .compact }.text
    #expect(
      compact
        == Self.old.split(separator: "\n").joined().replacing(": ", with: ":").replacing(", ", with: ",").replacing(
          "  ", with: ""))
  }

  @Test(arguments: [
    (#"{"people": [{"id": 1}]}"#, #"{"people":[{"id":1},{"id":2}]}"#),
    ("{ \"people\": [\n  {\"id\": 1}]}", #"{"people":[{"id":1},{"id":2}]}"#),
    (
      "\n{ \r\n \"people\": [{\"id\": 1}]}",
      "{\n \"people\": [\n  {\n   \"id\": 1\n  },\n  {\n   \"id\": 2\n  }\n ]\n}\n"
    ),
    (
      "{\n\t\"people\": [{\"id\": 1}]}",
      "{\n  \"people\": [\n    {\n      \"id\": 1\n    },\n    {\n      \"id\": 2\n    }\n  ]\n}\n"
    ),
    (
      "\u{FEFF}{\n \"people\": []}", "{\n \"people\": [\n  {\n   \"id\": 1\n  },\n  {\n   \"id\": 2\n  }\n ]\n}\n"
    ),
    ("{\n\"people\": []}", "{\n\"people\": [\n{\n\"id\": 1\n},\n{\n\"id\": 2\n}\n]\n}\n"),
  ])
  func `the result has the layout of the first document`(old: String, expected: String) throws {
    #expect(try merge(old, #"{"people": [{"id": 1}, {"id": 2}]}"#, .replace).text == expected)
  }

  @Test(arguments: [
    (#"{"people": null}"#, #"{"people": [{"id": 1}]}"#, #"{"people":[{"id":1}]}"#),
    (#"{"people": [{"id": 1}]}"#, #"{"people": null}"#, #"{"people":[{"id":1}]}"#),
    (#"{"people": []}"#, #"{"people": [{"id": 1}]}"#, #"{"people":[{"id":1}]}"#),
    (#"{}"#, #"{"people": [{"id": 1}]}"#, #"{"people":[{"id":1}]}"#),
    (#"{"data": {"a": 1}}"#, #"{"data": {"items": [{"id": 1}], "b": 2}}"#, #"{"data":{"a":1,"items":[{"id":1}],"b":2}}"#),
    (#"{"data": []}"#, #"{"data": {"items": [{"id": 1}]}}"#, #"{"data":{"items":[{"id":1}]}}"#),
  ])
  func `records are never replaced by a value without records`(old: String, new: String, expected: String) throws {
    for rule in ConflictRule.allCases {
      #expect(try merge(old, new, rule) { $0.layout = .compact }.text == expected)
    }
  }

  @Test func `equal records without a key are neither dropped nor doubled`() throws {
    let old = #"{"notes": ["a", "a", "b", {"id": 1}]}"#
    let new = #"{"notes": [{"id": 1.0}, "a", "c", "a", "a", "b"]}"#
    let (text, report) = try merge(old, new, .replace)
    #expect(text == #"{"notes":["a","a","b",{"id":1},"c","a"]}"#)
    #expect(report.collections[2].same == 4 && report.collections[2].inserted == 2)
  }

  @Test func `thousands of equal records without a key are counted exactly`() throws {
    func document(_ count: Int) -> String { "{\"notes\": [\(Array(repeating: "0", count: count).joined(separator: ","))]}" }
    for (old, new) in [(5000, 3000), (3000, 5000), (4100, 4100), (1, 4000), (4000, 0)] {
      let (text, report) = try merge(document(old), document(new), .keepExisting) { $0.comparison.execution.memoryLimit = 0 }
      #expect(try PlainValue(text: text.utf8)["notes"]?.items?.count == max(old, new))
      #expect(report.collections[2].same == min(old, new))
      let difference = try Comparer(.format(format))
        .difference(from: Backup(bytes: Array(document(old).utf8)), to: Backup(bytes: Array(document(new).utf8)))
      let notes = difference.collections[2]
      #expect(notes.removed == max(0, old - new) && notes.added == max(0, new - old) && notes.same == min(old, new))
    }
  }

  // MARK: What is refused

  private func error(_ old: String, _ new: String, _ rule: ConflictRule = .replace) throws -> CofferError? {
    do {
      _ = try merge(old, new, rule)
      return nil
    } catch let error as CofferError {
      return error
    }
  }

  @Test(arguments: [
    (
      #"{"people": [{"id": 7},\#n {"id": 1}, {"id": 7.0}]}"#,
      "two records with the key 7: /people/0 (line 1, column 13) and /people/2 (line 2, column 13)"
    ),
    (
      #"{"people": [{"id": "ü"}, {"id": "Ü"}]}"#,
      #"two records with the key "ü": /people/0 (line 1, column 13) and /people/1 (line 1, column 26)"#
    ),
    (#"{"mine": 1, "\u006dine": 2}"#, "duplicate members: /mine (line 1, column 2) and /mine (line 1, column 13)"),
    (#"{"people": [], "people": []}"#, "duplicate members: /people (line 1, column 2) and /people (line 1, column 16)"),
  ])
  func `a duplicate key is refused with both places`(document: String, message: String) throws {
    for (old, new, name) in [(document, "{}", "a.json"), ("{}", document, "b.json")] {
      let error = try error(old, new)
      #expect(error?.code == .duplicateKey)
      #expect(error?.message == "\(name) has \(message); which one to merge is ambiguous")
    }
  }

  @Test func `keep-newest is refused if records or documents have no time`() throws {
    let old = #"{"stays": [{"hotel": 1, "night": {"date": 1}, "x": 1}], "people": [{"id": 1, "x": 1}], "a": 1}"#
    let new = #"{"stays": [{"hotel": 1, "night": {"date": 1}, "x": 2}], "people": [{"id": 1, "x": 2}], "a": 2}"#
    let error = try error(old, new, .keepNewest)
    #expect(error?.code == .noTime)
    #expect(error?.message.contains("people, stays, the document's own members") == true)
    #expect(try self.error(old, new, .keepExisting) == nil)
  }

  @Test func `keep-newest keeps the existing record if the times are equal`() throws {
    let old = #"{"people": [{"id": 1, "x": 1, "changed": "2026-01-01T00:00:00Z"}]}"#
    let new = #"{"people": [{"id": 1, "x": 2, "changed": "2026-01-01T01:00:00+01:00"}]}"#
    #expect(try merge(old, new, .keepNewest).text == old)
    #expect(try merge(old, new.replacing("01:00:00+", with: "01:00:01+"), .keepNewest).text.contains("\"x\":2"))
  }

  @Test func `documents of different versions are not merged`() throws {
    let error = try error(#"{"version": 3}"#, #"{"version": 2}"#)
    #expect(error?.code == .differentVersions)
    #expect(error?.message.contains("a.json has version 3, b.json version 2") == true)
    #expect(error?.message.contains("migrate b.json first") == true)
    #expect(try self.error(#"{"version": 3}"#, #"{"version": 3.0}"#) == nil)
  }

  @Test(arguments: [#"{"people": [{"id": 1}, ]}"#, #"{"people": [{"id": 1}"#, "", "PK\u{3}\u{4}"])
  func `the error names the document that cannot be read`(document: String) throws {
    for (old, new, name) in [(document, "{}", "a.json"), ("{}", document, "b.json")] {
      let error = try error(old, new)
      #expect(error?.place.document == name || error?.message.hasPrefix(name) == true)
    }
  }

  // MARK: Other shapes

  @Test func `arrays and JSON Lines are merged by a key option`() throws {
    var options = MergeOptions(conflicts: .replace)
    options.comparison.keys = ["": [["id"]]]
    options.layout = .lines
    func merge(_ rules: RuleSource, _ old: Backup, _ new: Backup) throws -> String {
      var sink = MemorySink()
      _ = try Merger(rules, options: options).merge(old, with: new, to: &sink)
      return String(decoding: sink.bytes, as: UTF8.self)
    }
    let catalog = RuleSource.detected(.builtIn)
    let old = Backup(bytes: Array("{\"id\":1,\"x\":1}\n\n{\"id\":2}\n".utf8), named: "a.ndjson")
    let new = Backup(bytes: Array("{\"id\":3}\n{\"id\":1,\"x\":2}".utf8), named: "b.ndjson")
    for sliceSize in [1, 1 << 20] {
      options.comparison.slices?.sliceSize = sliceSize
      #expect(try merge(catalog, old, new) == "{\"id\":1,\"x\":2}\n{\"id\":2}\n{\"id\":3}\n")
      let array = Backup(bytes: Array("[{\"id\":1,\"x\":1},{\"id\":2}]".utf8))
      #expect(try merge(catalog, array, new) == "{\"id\":1,\"x\":2}\n{\"id\":2}\n{\"id\":3}\n")
    }
    options.layout = .compact
    #expect(try merge(catalog, old, new) == "[{\"id\":1,\"x\":2},{\"id\":2},{\"id\":3}]")
    options.comparison.keys = [:]
    #expect(throws: CofferError.self) { try merge(catalog, Backup(bytes: Array("{}".utf8)), Backup(bytes: Array("{}".utf8))) }
  }

  /// With a typo in a key, arrays would be replaced as wholes.
  @Test(arguments: ["/item", "/data", "/data/x", ""])
  func `a key option for something that is not an array is refused`(pointer: String) throws {
    let text = #"{"data": {"items": [{"id": 1}], "x": null}}"#
    let error = #expect(throws: CofferError.self) {
      try merge(text, text, .replace) { $0.comparison.keys = [pointer: [["id"]]] }
    }
    #expect(error?.code == .invalidKey)
    #expect(error?.message.contains("has an array at '\(pointer)'") == true)
    // The rules have this collection, and neither document does.
    #expect(throws: Never.self) { try merge(text, text, .replace) { $0.comparison.keys = ["/stays": [["hotel"]]] } }
  }

  @Test func `collections that are not selected come from the first document`() throws {
    let old = #"{"people": [{"id": 1, "x": 1}], "notes": ["a"], "stays": null, "metadata": {"people": 1, "notes": 1}}"#
    let new =
      #"{"people": [{"id": 1, "x": 2}, {"id": 2}], "notes": ["b"], "stays": [1], "metadata": {"people": 2, "y": 1}, "z": 1}"#
    let text = try merge(old, new, .replace) { $0.comparison.only = CollectionSelection(["people", "stays"]) }.text
    #expect(text == #"{"people":[{"id":1,"x":2},{"id":2}],"notes":["a"],"stays":[1],"metadata":{"people":2,"notes":1}}"#)
  }

  // MARK: Files

  @Test func `plain and compressed files are merged, and existing output is kept`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.old, to: "a.json")
    try folder.write(Self.new, to: "b.json")
    func path(_ name: String) -> String { folder.path.appending(name).string }
    for name in ["a.json", "b.json"] { try await Backup(path: path(name)).convert(to: path(name + ".lz4")) }
    let expected = try merge(Self.old, Self.new, .replace).text
    var options = MergeOptions(conflicts: .replace)
    options.comparison.keys = RandomPair.keys(in: Self.old, Self.new)
    let rules = RuleSource.format(format)
    for (a, b, out) in [
      ("a.json", "b.json.lz4", "1.json"), ("a.json.lz4", "b.json", "2.json"), ("a.json.lz4", "b.json.lz4", "3.json.lz4"),
    ] {
      try await Backup(path: path(a)).merge(with: Backup(path: path(b)), to: path(out), rules: rules, options: options)
      let same = try await Backup(path: path(out)).difference(from: Backup(bytes: Array(expected.utf8)), rules: rules)
      #expect(same.isSame)
    }
    #expect(try folder.text(of: "1.json") == expected)
    #expect(try folder.text(of: "2.json") == expected)
    let names = try folder.names
    await #expect(throws: CofferError.self) {
      try await Backup(path: path("a.json")).merge(
        with: Backup(path: path("b.json")), to: path("1.json"), rules: rules, options: options)
    }
    await #expect(throws: CofferError.self) {
      try await Backup(path: path("a.json"))
        .merge(with: Backup(bytes: [0x7B]), to: path("4.json"), rules: rules, options: options)
    }
    #expect(try folder.names == names)
  }

  @Test func `a stream is stored while it is compared`() async throws {
    let rules = RuleSource.format(format)
    let stream = AsyncStream { continuation in
      for byte in Self.new.utf8 { continuation.yield(byte) }
      continuation.finish()
    }
    let difference = try await Backup(bytes: stream, named: "stream").difference(
      from: Backup(bytes: Array(Self.old.utf8)), rules: rules)
    #expect(difference.collections[0].changed == 1)
    #expect(difference.collections[0].changes.first?.fields.first?.pointer == "/x")
  }
}
