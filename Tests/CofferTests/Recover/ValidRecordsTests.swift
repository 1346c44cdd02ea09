import Coffer
import SyntheticBackups
import TestSupport
import Testing

/// Documents without the records that have errors.
@Suite struct ValidRecordsTests {
  private static let rules = #"""
    {"properties": {
      "cars": {"type": "array", "primaryKey": "id",
        "items": {"required": ["id"], "properties": {"id": {"type": "integer"}, "km": {"type": "integer"}}}},
      "trips": {"type": "array", "primaryKey": "id", "foreignKeys": [
          {"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}, {"fields": "after", "reference": {"resource": "/trips", "fields": "id"}}],
        "items": {"required": ["id"], "properties": {"id": {"type": "integer"}, "after": {"type": ["integer", "null"]}}}},
      "settings": {"properties": {"unit": {"enum": ["km", "mi"]}}},
      "names": {"additionalProperties": {"type": "string", "minLength": 2}}}}
    """#

  private static func recover(
    _ document: String, rules: String = Self.rules, named name: String = "damaged.json", jobs: Int = 2,
    _ policy: InvalidRecords = InvalidRecords(), memoryLimit: Int? = nil
  ) throws -> (text: String, parts: [String], report: RecoveryReport) {
    var options = RecoveryOptions(now: Validating.now)
    options.validation.execution.jobs = jobs
    if let memoryLimit { options.validation.execution.memoryLimit = memoryLimit }
    options.invalidRecords = policy
    var sink = MemorySink()
    let recovery = Recovery(.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules.json"), options: options)
    let report = try recovery.recover(MemorySource(document.utf8), named: name, to: &sink)
    let parts = report.leftOut.map {
      "\($0.reason.rawValue) \($0.pointer) \($0.position.line):\($0.position.column)+\($0.byteCount)"
        + ($0.codes.isEmpty ? "" : " \($0.codes.joined(separator: ","))")
    }
    return (String(decoding: sink.bytes, as: UTF8.self), parts, report)
  }

  @Test func `records with errors are left out, and so is what refers to them`() throws {
    let (text, parts, report) = try Self.recover(
      #"""
      {"cars": [{"id": 1, "km": 7}, {"id": 2, "km": "x"}, {"id": 3}],
       "trips": [
        {"id": 1, "car": 2, "after": null},
        {"id": 2, "car": 1, "after": 1},
        {"id": 3, "car": 3, "after": 2},
        {"id": 4, "car": 3, "after": null}
       ]}
      """#)
    #expect(
      text == #"""
        {"cars": [{"id": 1, "km": 7}, {"id": 3}],
         "trips": [
          {"id": 4, "car": 3, "after": null}
         ]}
        """#)
    #expect(
      parts == [
        "invalid /cars/1 1:31+20 type", "dangling /trips/0 3:3+34 foreign-key", "dangling /trips/1 4:3+31 foreign-key",
        "dangling /trips/2 5:3+31 foreign-key",
      ])
    #expect(report.validation.isValid && report.isLossy && report.lossCount == 4)
    #expect(report.invalidCounts == [.invalid: 1, .dangling: 3])
    let finding = try #require(report.leftOut[0].findings.first)
    #expect(finding.place.pointer == "/cars/1/km" && finding.place.offset == 46 && finding.place.column == 47)
  }

  @Test func `a duplicate of an invalid record stays`() throws {
    let (text, parts, _) = try Self.recover(#"{"cars": [{"id": 1, "km": null}, {"id": 1}, {"id": 1}]}"#)
    #expect(text == #"{"cars": [ {"id": 1}]}"#)
    #expect(parts == ["invalid /cars/0 1:11+21 type", "duplicate /cars/2 1:45+9 primary-key"])
  }

  @Test(arguments: [(InvalidRecords.Duplicates.first, "10"), (.last, "30")])
  func `the first or the last of several records with one key stays`(_ duplicates: InvalidRecords.Duplicates, _ km: String) throws
  {
    var policy = InvalidRecords()
    policy.duplicates = duplicates
    let (text, _, report) = try Self.recover(
      #"{"cars": [{"id": 1, "km": 10}, {"id": 1, "km": 20}, {"id": 2, "km": 5}, {"id": 1, "km": 30}]}"#, policy)
    let others = #"{"id": 2, "km": 5}"#
    let kept = #"{"id": 1, "km": \#(km)}"#
    #expect(text == #"{"cars": [\#(duplicates == .first ? "\(kept), \(others)" : " \(others), \(kept)")]}"#)
    #expect(report.lossCount == 2 && report.validation.isValid)
  }

  @Test func `the newest is only known if a format names the modification date`() {
    var policy = InvalidRecords()
    policy.duplicates = .newest
    let error = #expect(throws: CofferError.self) { try Self.recover(#"{"cars": [{"id": 1}, {"id": 1}]}"#, policy) }
    #expect(error?.code == .noTime)
  }

  @Test func `a reference becomes null if the rules allow it`() throws {
    var policy = InvalidRecords()
    policy.dangling = .null
    let (text, parts, report) = try Self.recover(
      #"{"cars": [{"id": 1}], "trips": [{"id": 1, "car": 1, "after": 99}, {"id": 2, "car": 1, "after": 1}]}"#, policy)
    #expect(
      text == #"{"cars": [{"id": 1}], "trips": [{"id": 1, "car": 1, "after": null}, {"id": 2, "car": 1, "after": 1}]}"#)
    #expect(parts == ["reference /trips/0 1:62+2 foreign-key"])
    #expect(report.validation.isValid && report.isLossy)
    // The rules of this one don't.
    let strict = Self.rules.replacing(#"["integer", "null"]"#, with: #""integer""#)
    let (other, reasons, _) = try Self.recover(
      #"{"trips": [{"id": 1, "after": 99}, {"id": 2, "after": 2}]}"#, rules: strict, policy)
    #expect(other == #"{"trips": [ {"id": 2, "after": 2}]}"#)
    #expect(reasons == ["invalid /trips/0 1:12+22 foreign-key,type"])
  }

  private static let references = #"""
    {"properties": {
      "a": {"primaryKey": "id"}, "b": {"primaryKey": "id"},
      "c": {"foreignKeys": [
        {"fields": "x", "reference": {"resource": "/a", "fields": "id"}},
        {"fields": "y", "reference": {"resource": "/b", "fields": "id"}}]},
      "d": {"foreignKeys": [{"fields": ["x", "y"], "reference": {"resource": "/b", "fields": ["k", "id"]}}]}}}
    """#

  @Test func `each reference that becomes null has its place and its finding`() throws {
    var policy = InvalidRecords()
    policy.dangling = .null
    let (text, _, report) = try Self.recover(
      "{\"a\": [{\"id\": 1}], \"c\": [\n {\"x\": 77, \"n\": \"é\", \"y\": 88},\n {\"x\": 1, \"y\": 9}]}", rules: Self.references,
      policy)
    #expect(
      text == "{\"a\": [{\"id\": 1}], \"c\": [\n {\"x\": null, \"n\": \"é\", \"y\": null},\n {\"x\": 1, \"y\": null}]}")
    #expect(report.leftOut.map { "\($0.position.line):\($0.position.column)" } == ["2:8", "2:27", "3:16"])
    #expect(report.leftOut.map { $0.findings.map(\.place.pointer) } == [["/c/0/x"], ["/c/0/y"], ["/c/1/y"]])
    #expect(report.leftOut.allSatisfy { $0.position == $0.findings.first?.place.position })
  }

  @Test func `a key of several fields is not nulled, but its record left out`() throws {
    var policy = InvalidRecords()
    policy.dangling = .null
    let (text, parts, _) = try Self.recover(
      #"{"b": [{"k": 1, "id": 2}], "d": [{"x": 1, "y": 2}, {"x": 1, "y": 3}]}"#, rules: Self.references, policy)
    #expect(text == #"{"b": [{"k": 1, "id": 2}], "d": [{"x": 1, "y": 2}]}"#)
    #expect(parts == ["dangling /d/1 1:52+16 foreign-key"])
  }

  /// Writing a part of a record may drop what precedes it.
  @Test func `references become null in large documents and records`() throws {
    var policy = InvalidRecords()
    policy.dangling = .null
    let note = String(repeating: "x", count: 700_000)
    let record = #"{"x": 5, "n": "\#(note)", "y": 6, "m": "\#(note)"}"#
    let (text, _, report) = try Self.recover(
      #"{"c": [\#([record, record, record].joined(separator: ", "))]}"#, rules: Self.references, policy)
    let expected = record.replacing("5", with: "null").replacing("6", with: "null")
    let isExpected = text == #"{"c": [\#([expected, expected, expected].joined(separator: ", "))]}"#
    #expect(isExpected && report.lossCount == 6)
  }

  @Test(arguments: [InvalidRecords.Duplicates.first, .last])
  func `one key after the other is made unique`(_ duplicates: InvalidRecords.Duplicates) throws {
    var policy = InvalidRecords()
    policy.duplicates = duplicates
    let rules = #"{"properties": {"a": {"primaryKey": "id", "uniqueKeys": ["code"]}}}"#
    // The second record is a duplicate by its id, and without it the third is none.
    let (text, _, report) = try Self.recover(
      #"{"a": [{"id": 1, "code": "x"}, {"id": 1, "code": "y"}, {"id": 2, "code": "y"}, {"id": 3, "code": "y"}]}"#, rules: rules,
      policy)
    let first = #"{"a": [{"id": 1, "code": "x"}, {"id": 2, "code": "y"}]}"#
    #expect(text == (duplicates == .first ? first : #"{"a": [ {"id": 1, "code": "y"}]}"#))
    #expect(report.validation.isValid)
  }

  @Test func `a duplicate of a record that dangles stays, and equal items are wrong themselves`() throws {
    let rules = #"""
      {"properties": {"a": {"primaryKey": "id", "items": {"properties": {"tags": {"uniqueItems": true}}},
        "foreignKeys": [{"fields": "b", "reference": {"resource": "/b", "fields": "id"}}]}, "b": {"primaryKey": "id"}}}
      """#
    let (text, _, _) = try Self.recover(
      #"{"a": [{"id": 1, "b": 9}, {"id": 1, "b": 1}, {"id": 2, "tags": ["x", "x"]}, {"id": 2, "tags": ["x"]}], "b": [{"id": 1}]}"#,
      rules: rules)
    #expect(text == #"{"a": [ {"id": 1, "b": 1}, {"id": 2, "tags": ["x"]}], "b": [{"id": 1}]}"#)
  }

  @Test func `a wrong order leaves no record out`() throws {
    let document = #"{"a": [{"t": 1}, {"t": 9}, {"t": 2}, {"t": 3}]}"#
    let (text, parts, report) = try Self.recover(document, rules: #"{"properties": {"a": {"sortedBy": "t"}}}"#)
    #expect(text == document && parts.isEmpty && !report.validation.isValid)
  }

  @Test func `a chain of references has an end, and the report says so`() throws {
    let rules =
      #"{"properties": {"a": {"primaryKey": "id", "foreignKeys": [{"fields": "b", "reference": {"resource": "/a", "fields": "id"}}]}}}"#
    let links = (0..<210).map { #"{"id": \#($0), "b": \#($0 + 1)}"# }.joined(separator: ",")
    let (_, _, report) = try Self.recover("{\"a\": [\(links)]}", rules: rules)
    #expect(report.isUnfinished && report.lossCount == 200 && !report.validation.isValid)
    let (text, _, rest) = try Self.recover("{\"a\": [\(links.replacing("\"b\": 150}", with: "\"b\": 999}"))]}", rules: rules)
    #expect(!rest.isUnfinished && rest.lossCount == 210 && text == "{\"a\": []}")
  }

  @Test func `what is in no record stays, and is reported`() throws {
    let document = #"{"cars": [{"id": 1}], "settings": {"unit": "lb"}, "names": {"a": "x", "b": "yy"}}"#
    let (text, parts, report) = try Self.recover(document)
    #expect(text == document && parts.isEmpty && !report.validation.isValid && report.validation.counts.total == 2)
  }

  @Test func `records of a collection that is an object are left out by name`() throws {
    let rules = #"""
      {"properties": {"users": {"type": "object", "additionalProperties": {
        "type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}}}
      """#
    let (text, parts, _) = try Self.recover(
      #"{"users": {"u/1": {"name": "a"}, "u2": {"name": 7}, "u3": {"name": "c"}}}"#, rules: rules)
    #expect(text == #"{"users": {"u/1": {"name": "a"}, "u3": {"name": "c"}}}"#)
    #expect(parts == ["invalid /users/u2 1:34+17 type"])
  }

  @Test func `arrays in an object, and a document that is an array, hold records`() throws {
    let rules = #"{"properties": {"data": {"properties": {"cars": {"items": {"required": ["id"]}}}}}}"#
    let (text, _, _) = try Self.recover(#"{"data": {"cars": [{"id": 1}, {}, {"id": 2}], "v": 1}}"#, rules: rules)
    #expect(text == #"{"data": {"cars": [{"id": 1}, {"id": 2}], "v": 1}}"#)
    let (items, parts, _) = try Self.recover(#"[{}, {"id": 1}, 5]"#, rules: #"{"items": {"type": "object", "required": ["id"]}}"#)
    #expect(items == #"[ {"id": 1}]"#)
    #expect(parts == ["invalid /0 1:2+2 required", "invalid /2 1:17+1 type"])
  }

  @Test func `lines are records`() throws {
    let (text, parts, _) = try Self.recover(
      "{\"id\": 1}\n{}\n\n{\"id\": 1}\n{\"id\": 2", rules: #"{"items": {"required": ["id"]}, "primaryKey": "id"}"#,
      named: "a.ndjson")
    #expect(text == "{\"id\": 1}\n")
    #expect(
      parts == [
        "truncated /3 5:1+8", "invalid /1 2:1+2 required,primary-key", "duplicate /2 4:1+9 primary-key",
      ])
  }

  @Test func `places are those in the damaged document`() throws {
    let document =
      "{\"cars\": [\n{\"id\": 1},\n{\"id\": \0},\n\n{\"id\": 2, \"km\": []},\n{\"id\": 3}, {\"id\": 4, \"km\": \"é\"}, {\"id\": 5, \"km\": {}}]}"
    let (text, parts, report) = try Self.recover(document)
    #expect(text == "{\"cars\": [\n{\"id\": 1},\n{\"id\": 3}]}")
    #expect(
      parts == [
        "syntax /cars/1 3:1+9", "invalid /cars/2 5:1+19 type", "invalid /cars/4 6:12+21 type", "invalid /cars/5 6:34+19 type",
      ])
    #expect(report.leftOut[3].findings.first?.place.pointer == "/cars/5/km")
    #expect(report.leftOut[3].findings.first?.place.column == 50)
    #expect(report.bytes == document.utf8.count && report.validation.isValid)
  }

  @Test func `declared counts are corrected`() throws {
    let rules = #"""
      {"properties": {
        "meta": {"properties": {"counts": {"properties": {
          "cars": {"type": ["integer", "string"], "format": "decimal", "countOf": "/cars"}, "trips": {"countOf": "/data/trips"}}}}},
        "cars": {"items": {"required": ["id"]}}, "data": {"properties": {"trips": {"items": {"required": ["id"]}}}}}}
      """#
    let (text, parts, report) = try Self.recover(
      #"{"meta": {"counts": {"trips": 2, "cars" : 3}}, "cars": [{}, {"id": 1}, {}], "data": {"trips": [{"id": 1}, {"id": 2}]}}"#,
      rules: rules)
    #expect(
      text
        == #"{"meta": {"counts": {"trips": 2, "cars" : 1}}, "cars": [ {"id": 1}], "data": {"trips": [{"id": 1}, {"id": 2}]}}"#)
    #expect(parts.first == "count /meta 1:43+1")
    #expect(report.validation.isValid && report.correctionCount == 1 && report.lossCount == 2)
    // A string stays one, and what is no number stays.
    for count in [#""x""#, "true", "1"] {
      let kept = #"{"meta": {"counts": {"trips": 0, "cars": \#(count)}}, "cars": [{"id": 1}]}"#
      #expect(try Self.recover(kept, rules: rules).text == kept)
    }
    let other = #"{"meta": {"counts": {"trips": 2, "cars": "3"}}, "cars": [{"id": 1}]}"#
    #expect(
      try Self.recover(other, rules: rules).text
        == #"{"meta": {"counts": {"trips": 0, "cars": "1"}}, "cars": [{"id": 1}]}"#)
  }

  @Test func `declared sums are corrected, exactly, unless they are within their tolerance`() throws {
    let rules = #"""
      {"properties": {
        "total": {"type": ["number", "string"], "format": "decimal", "sumOf": {"values": "/a/*/x", "tolerance": 0.01}},
        "a": {"items": {"required": ["id"], "properties": {"sum": {"sumOf": {"values": "1/parts/*"}}}}}}}
      """#
    func recovered(_ text: String) throws -> String { try Self.recover(text, rules: rules).text }
    #expect(
      try recovered(#"{"total": 6.3, "a": [{"id": 1, "x": 0.1}, {"x": 6}, {"id": 2, "x": 0.2}]}"#)
        == #"{"total": 0.3, "a": [{"id": 1, "x": 0.1}, {"id": 2, "x": 0.2}]}"#)
    #expect(
      try recovered(#"{"total": "9", "a": [{"x": 9}, {"id": 1, "x": 1e2}]}"#) == #"{"total": "100", "a": [ {"id": 1, "x": 1e2}]}"#
    )
    #expect(try recovered(#"{"total": 1.005, "a": [{"id": 1, "x": 1}, {}]}"#) == #"{"total": 1.005, "a": [{"id": 1, "x": 1}]}"#)
    #expect(try recovered(#"{"total": "x", "a": [{"id": 1, "x": 1}, {}]}"#) == #"{"total": "x", "a": [{"id": 1, "x": 1}]}"#)
    // A record whose own sum is wrong is left out: nothing tells which of its numbers is.
    #expect(try recovered(#"{"total": 0, "a": [{"id": 1, "sum": 3, "parts": [1, 1]}]}"#) == #"{"total": 0, "a": []}"#)
  }

  @Test func `a count is corrected although nothing is left out beside it`() throws {
    let rules = #"{"properties": {"n": {"countOf": "/data/trips"}, "data": {"properties": {"trips": {"type": "array"}}}}}"#
    let (text, _, report) = try Self.recover(#"{"n": 5, "data": {"trips": [1, 2]}}"#, rules: rules)
    #expect(text == #"{"n": 2, "data": {"trips": [1, 2]}}"# && report.correctionCount == 1 && report.validation.isValid)
  }

  @Test func `a backup is recovered to a file, or to none`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("out.json").string
    var options = RecoveryOptions(now: Validating.now)
    options.invalidRecords = InvalidRecords()
    let rules = RuleSource.document(try RuleDocument(MemorySource(Self.rules.utf8)), name: "rules.json")
    let report = try await Backup(bytes: Array(#"{"cars": [{"id": 1}, {"id": 2"#.utf8)).recover(
      to: path, rules: rules, options: options)
    #expect(report.lossCount == 1)
    #expect(try folder.text(of: "out.json") == #"{"cars": [{"id": 1}]}"#)
    let error = await #expect(throws: CofferError.self) {
      try await Backup(bytes: Array("[1]".utf8)).recover(to: path, rules: rules, options: options)
    }
    #expect(error?.code == .alreadyExists)
    let lost = folder.path.appending("lost.json").string
    #expect(try await Backup(bytes: Array("lost".utf8)).recover(to: lost, options: RecoveryOptions(now: Validating.now)).isEmpty)
    #expect(try folder.names == ["out.json"])
  }

  @Test func `without rules it isn't known what is invalid`() {
    var options = RecoveryOptions(now: Validating.now)
    options.invalidRecords = InvalidRecords()
    var sink = MemorySink()
    let error = #expect(throws: CofferError.self) {
      try Recovery(.detected(.builtIn), options: options).recover(MemorySource("{}".utf8), named: "a.json", to: &sink)
    }
    #expect(error?.code == .unknownFormat)
  }

  /// A chain of references, and many invalid records, in a document of several slices: the result doesn't depend on threads and memory.
  @Test func `many records are left out with little memory`() throws {
    var cars: [String] = []
    for id in 0..<10_000 {
      let km = id % 7 == 3 ? "\"\(id)\"" : "\(id)"
      cars.append(
        #"{"id": \#(id % 1000 == 5 ? id - 1 : id), "km": \#(km), "note": "\#(String(repeating: "x", count: id % 40))"}"#)
    }
    let trips = (0..<20).map { #"{"id": \#($0), "car": \#($0 == 19 ? 3 : 0), "after": \#($0 == 19 ? "null" : "\($0 + 1)")}"# }
    let document = #"{"trips": [\#(trips.joined(separator: ",\n"))], "cars": [\#(cars.joined(separator: ",\n"))]}"#
    let one = try Self.recover(document, jobs: 1)
    let two = try Self.recover(document, jobs: 2, memoryLimit: 1 << 16)
    #expect(one.text == two.text && one.parts == two.parts)
    #expect(one.report.validation.isValid)
    // Each of the trips refers to the next, and the last one to an invalid car.
    #expect(one.report.invalidCounts[.dangling] == 20)
    let expected = (0..<10_000).filter { id in
      id % 7 != 3 && (id % 1000 != 5 || (id - 1) % 7 == 3)
    }
    #expect(one.report.validation.collections.last?.records == expected.count)
  }
}

/// What `validate --rejects` writes.
@Suite struct RejectedRecordsTests {
  @Test(arguments: [1, 1000]) func `all records with errors are handed over, however few findings are kept`(_ limit: Int) throws {
    // Each key twice: every other pair is equal, which is a warning.
    let records = (0..<2400).map { #"{"id": \#($0 / 2), "n": \#($0 % 4 == 1 ? 1 : 0)}"# }
    let rules = #"{"properties": {"a": {"uniqueKeys": [{"fields": "id", "ifEqual": "warning"}]}}}"#
    var options = ValidationOptions(now: Validating.now)
    options.maximumFindings = limit
    let validator = Validator(.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules"), options: options)
    var pointers: [String] = []
    let report = try validator.validate(MemorySource("{\"a\": [\(records.joined(separator: ","))]}".utf8), named: "a.json") {
      entry, _ in
      pointers.append(entry.pointer)
    }
    #expect(report.counts.count(.error) == 600 && report.counts.count(.warning) == 600)
    #expect(pointers == (0..<600).map { "/a/\(4 * $0 + 1)" })
  }
}

/// Backups of every format with defects of every kind: the valid records stay byte for byte, and only they.
@Suite struct ValidRecordsPropertyTests {
  static let seeds = TestDepth.cases(everyday: 3, deep: 100) as Range<UInt64>

  @Test(arguments: RecoveryPropertyTests.formats)
  func `only records with errors are left out, and what stays has none`(_ name: String) throws {
    let format = try #require(FormatCatalog.builtIn[name])
    let synthetic = try Validating.synthetic(name)
    for seed in Self.seeds {
      var generation = SyntheticBackup.Options(size: [40_000, 400_000][Int(seed % 2)], seed: seed)
      for (number, kind) in synthetic.defectKinds.enumerated() where kind != .version && number % 4 == Int(seed % 4) {
        generation.defects[kind] = 2
        // Some documents have no place for them.
        if (try? SyntheticBackup(of: synthetic, options: generation)) == nil { generation.defects[kind] = nil }
      }
      if seed % 2 == 1 { generation.layout = .compact }
      let original = try Validating.backup(generation, of: name).bytes
      let parts = DocumentParts(original)
      var options = RecoveryOptions(now: Validating.now)
      options.invalidRecords = InvalidRecords()
      options.validation.maximumFindings = 10_000
      let invalid = try Validator(.format(format), options: options.validation).validate(MemorySource(original), named: "a.json")
      var result = MemorySink()
      let report = try Recovery(.format(format), options: options).recover(MemorySource(original), named: "a.json", to: &result)
      // Records in their order, byte for byte.
      let left = Dictionary(uniqueKeysWithValues: report.leftOut.map { ($0.position.offset, $0) })
      let kept = parts.records.filter { left[$0.range.lowerBound] == nil }
      #expect(kept.count + report.lossCount == parts.records.count, "seed \(seed)")
      #expect(
        DocumentParts(result.bytes).records.map { result.bytes[$0.range] } == kept.map { original[$0.range] }, "seed \(seed)")
      // Each with an error of its own has one, and no other error is left in a record.
      let keys: Set = ["primaryKey", "uniqueKeys", "uniqueItems", "foreignKeys"]
      let errors = invalid.findings.filter { $0.severity == .error }
      for record in parts.records {
        let own = errors.filter { record.range.contains($0.place.offset) }
        if let entry = left[record.range.lowerBound] {
          #expect(!own.isEmpty || entry.reason == .dangling, "seed \(seed), \(entry)")
        } else {
          #expect(own.allSatisfy { keys.contains($0.keyword) }, "seed \(seed), \(own)")
        }
      }
      let records = DocumentParts(result.bytes).records
      for finding in report.validation.findings where finding.severity == .error {
        #expect(!records.contains { $0.range.contains(finding.place.offset) }, "seed \(seed), \(finding)")
      }
    }
  }
}
