import Coffer
import Foundation
import SyntheticBackups
import TestSupport
import Testing

/// Findings with the ends of values and the keys of records, from a second pass.
@Suite struct PlaceTests {
  private func report(
    on text: String, rules: String, named name: String = "a.json", _ change: (inout ValidationOptions) -> Void = { _ in }
  ) throws -> ValidationReport {
    var options = ValidationOptions(now: Validating.now)
    options.addsPlaces = true
    change(&options)
    let rules = try RuleDocument(MemorySource(rules.utf8))
    return try Validator(.document(rules, name: "rules"), options: options)
      .validate(MemorySource(text.utf8), named: name)
  }

  private static let trips = """
    {"properties": {"trips": {"primaryKey": "id", "items": {"required": ["km"], "properties": {"km": {"maximum": 9}}}}}}
    """

  @Test(arguments: [
    // A number, a string with escapes, a container over several lines, the object that lacks a member.
    (#"{"trips": [{"id": 7, "km": 12}]}"#, "12", "7"),
    (#"{"trips": [{"km": 12.50e0 , "id": "a\"b"}]}"#, "12.50e0", "a\"b"),
    ("{\"trips\": [ {\"id\": 7,\n \"x\": {}}\n]}", "{\"id\": 7,\n \"x\": {}}", "7"),
    (#"{"trips": [{"id": 1, "km": 1}, {"id": 1, "km": 1}]}"#, "1", "1"),
    // A key that is null, missing or a container is unknown.
    (#"{"trips": [{"id": [1], "km": 12}]}"#, "12", nil),
  ])
  func `a finding has the end of its value, and its record`(text: String, value: String, key: String?) throws {
    let report = try report(on: text, rules: Self.trips)
    let finding = try #require(report.findings.last)
    let end = try #require(finding.place.end)
    #expect(String(decoding: Array(text.utf8)[finding.place.offset..<end.offset], as: UTF8.self) == value)
    let before = String(decoding: Array(text.utf8)[..<end.offset], as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(end.line == before.count)
    #expect(end.column == (before.last?.unicodeScalars.count ?? 0) + 1)
    #expect(finding.record == RecordIdentity(collection: "/trips", key: key))
  }

  @Test func `a key has several fields, which may be nested`() throws {
    let rules = #"{"primaryKey": ["day", "car/id"], "items": {"properties": {"km": {"maximum": 9}}}}"#
    let text = #"[{"km": 10, "car": {"id": 3}, "day": "2026-01-01"}]"#
    #expect(try report(on: text, rules: rules).findings.first?.record?.key == #"["2026-01-01","3"]"#)
  }

  @Test func `the first value of JSON Lines has an end, too`() throws {
    let report = try report(on: "12\n{\"a\":1}\n", rules: #"{"items": {"type": "null"}}"#, named: "a.ndjson")
    #expect(report.findings.map(\.place.end) == [.init(offset: 2, line: 1, column: 3), .init(offset: 10, line: 2, column: 8)])
  }

  @Test func `a value outside collections has an end and no record`() throws {
    let rules = #"{"properties": {"a": {"type": "null"}}}"#
    let finding = try #require(try report(on: #"{"a": "é"}"#, rules: rules).findings.first)
    #expect(finding.place.end == .init(offset: 10, line: 1, column: 10))
    #expect(finding.record == nil)
  }

  @Test func `a very large container has no end`() throws {
    let text = "{\"a\": [\(String(repeating: "1, ", count: 40_000))1]}"
    let report = try report(on: text, rules: #"{"properties": {"a": {"type": "null"}}}"#)
    #expect(report.findings.map(\.place.end) == [nil])
  }

  @Test(arguments: [
    (#"["x,y", "z"]"#, #"["x", "y,z"]"#), (#"["1", 2]"#, #"[1, 2]"#), (#"["true", 2]"#, #"[true, 2]"#),
    (#"["\#(String(repeating: "k", count: 600))1", 2]"#, #"["\#(String(repeating: "k", count: 600))2", 2]"#),
  ])
  func `different keys have different texts`(a: String, b: String) throws {
    let rules = #"{"primaryKey": ["a", "b"], "items": {"properties": {"km": {"maximum": 9}}}}"#
    func key(_ fields: String) throws -> String? {
      let pair = fields.dropFirst().dropLast().split(separator: ", ")
      return try report(on: #"[{"km": 10, "a": \#(pair[0]), "b": \#(pair[1])}]"#, rules: rules).findings.first?.record?.key
    }
    #expect(try key(a) != nil)
    #expect(try key(a) != key(b))
    #expect(try (key(a) ?? "").utf8.count < 256)
  }

  @Test func `a file is read again`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{"trips": [{"id": 7, "km": 12}]}"#, to: "a.json")
    var options = ValidationOptions(now: Validating.now)
    options.addsPlaces = true
    let rules = RuleSource.document(try RuleDocument(MemorySource(Self.trips.utf8)), name: "rules")
    let report = try await Backup(path: folder.path.appending("a.json").string).validate(rules: rules, options: options)
    #expect(report.findings.first?.record?.key == "7")
  }

  @Test func `redacted findings have no keys`() throws {
    let report = try report(on: #"{"trips": [{"id": 7, "km": 12}]}"#, rules: Self.trips) { $0.redacts = true }
    #expect(report.findings.first?.record == RecordIdentity(collection: "/trips"))
  }

  @Test func `findings before an error have places`() throws {
    let report = try report(on: #"{"trips": [{"id": 7, "km": 12}, {]"#, rules: Self.trips)
    #expect(report.error != nil)
    #expect(report.findings.first?.record?.key == "7")
  }

  /// In archives, too.
  @Test(arguments: ["ev-charging-tracker", "swiff", "smilepile", "keeptrack", "aquavate"])
  func `planted defects have the keys of their records and whole values`(format: String) throws {
    var options = SyntheticBackup.Options(size: 60_000, seed: 5)
    // SmilePile's small collections have no room for duplicates.
    for kind in try Validating.synthetic(format).defectKinds where kind != .duplicate { options.defects[kind] = 1 }
    let bytes = try Validating.backup(options, of: format).bytes
    var validation = ValidationOptions(now: Validating.now)
    validation.addsPlaces = true
    let report = try Validator(.detected(.builtIn), options: validation).validate(MemorySource(bytes), named: "a")
    #expect(report.findings.count > 2)
    var found = 0
    for finding in report.findings {
      guard finding.place.entry == nil else { continue }
      found += finding.place.end == nil ? 0 : 1
      if let excerpt = finding.excerpt, let end = finding.place.end, excerpt.utf8.count < 20, format != "smilepile" {
        let value = String(decoding: bytes[finding.place.offset..<end.offset], as: UTF8.self)
        #expect(value == excerpt || value == "\"\(excerpt)\"" || value.first == "{" || value.contains("\\"), "\(finding)")
      }
    }
    #expect(found > 0)
  }
}
