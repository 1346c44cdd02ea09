import Coffer
import Foundation
import Rules
import RulesYAML
import SchemaPairs
import SystemPackage
import TestSupport
import Testing

/// Whatever the documents are, they satisfy their draft, and the draft is a valid rule document.
@Suite struct DraftPropertyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Drafts rules from documents, and validates the documents with them.
  ///
  /// - Parameter seed: chooses the options.
  private func check(_ documents: [String], ending: String = "json", seed: UInt64) throws {
    let names = documents.indices.map { "\($0).\(ending)" }
    for (name, document) in zip(names, documents) { try folder.write(document, to: name) }
    var options = DraftingOptions()
    options.strictness = DraftStrictness.allCases[Int(seed % 3)]
    options.addsBounds = seed % 2 == 0
    options.name = seed % 4 == 0 ? "random" : nil
    options.slices?.sliceSize = [64, 1000, 1 << 20][Int(seed / 3 % 3)]
    let draft = try RuleDrafter(options: options).draft(names.map { folder.path.appending($0) })
    let text = draft.json
    let check = RuleCheck(MemorySource(text.utf8), named: "draft")
    #expect(
      check.report.isValid, "seed \(seed): \(check.report.error?.message ?? check.report.findings.first?.message ?? "")\n\(text)")
    let validator = Validator(
      .document(try RuleDocument(MemorySource(text.utf8)), name: "draft"), options: ValidationOptions(now: Instant(seconds: 0)))
    for name in names {
      let report = try validator.validate(FileSource(path: folder.path.appending(name)), named: name)
      let finding = report.findings.first { $0.code != "duplicate-key" }
      #expect(
        report.error == nil && finding == nil,
        "seed \(seed): \(finding?.schemaLocation ?? ""): \(finding?.message ?? "") at \(finding?.place.pointer ?? "")\n\(text)")
    }
    let yaml = draft.yaml
    let (fromJSON, fromYAML) = (
      try RuleSyntax.json.read(MemorySource(text.utf8)), try RuleSyntax.yaml.read(MemorySource(yaml.utf8))
    )
    #expect(ExactText(fromYAML.text) == ExactText(fromJSON.withoutComments.text), "seed \(seed)\n\(yaml)")
    for line in (text + yaml + draft.notes.map(\.reason.printable).joined()).split(separator: "\n") {
      #expect(String(line).printable == line, "seed \(seed)")
    }
  }

  @Test(arguments: TestDepth.cases(everyday: 150, deep: 10_000) as Range<UInt64>)
  func `random backups satisfy their draft`(_ seed: UInt64) throws {
    try check((0...seed % 3).map { RandomRecords(seed: seed &* 3 &+ $0).text }, seed: seed)
  }

  @Test(arguments: TestDepth.cases(everyday: 50, deep: 3000) as Range<UInt64>)
  func `random documents satisfy their draft`(_ seed: UInt64) throws {
    let documents = (0...seed % 2).map {
      String(decoding: RandomDocument(seed: seed &* 2 &+ $0, size: 2000).bytes, as: UTF8.self)
    }
    try check(documents, seed: seed)
  }

  @Test(arguments: TestDepth.cases(everyday: 50, deep: 3000) as Range<UInt64>)
  func `random JSON Lines satisfy their draft`(_ seed: UInt64) throws {
    let lines = (0...seed % 20).map { SchemaPair(seed: seed &* 20 &+ $0).instance }
    try check([lines.joined(separator: "\n")], ending: "jsonl", seed: seed)
  }

  @Test(arguments: 0..<12 as Range<UInt64>) func `members without a name never become fields of a descriptor`(_ seed: UInt64)
    throws
  {
    let records = (1...9).map { #"{"": "2026-07-0\#($0)T00:00:00Z", "id": \#($0)}"# }.joined(separator: ",")
    try check([#"{"trips": [\#(records)], "": [{"": 1}, {"": 2}]}"#], seed: seed)
  }

  // MARK: Public documents

  private static let suites = [
    "json-schema-draft4", "json-schema-draft6", "json-schema-draft7", "json-schema-2019-09", "json-schema-2020-12",
  ]
  private static let files = suites.flatMap { suite in
    Checkout.files(below: Checkout.conformance.appending(path: suite), ending: ".json").map { "\(suite)/\($0)" }
  }

  @Test(
    .enabled(if: !files.isEmpty, "JSON Schema Test Suite is missing: run Scripts/conformance.sh"),
    arguments: TestDepth.sample(files, everyday: 4))
  func `the valid instances of each schema of the public suites satisfy their draft`(_ name: String) throws {
    let text = try String(contentsOf: Checkout.conformance.appending(path: name), encoding: .utf8)
    let groups = try #require(try JSONValue.read(MemorySource(text.utf8)).array)
    for (number, group) in groups.enumerated() {
      let tests = try #require(group["tests"]?.array)
      let instances = tests.filter { $0["valid"]?.boolean == true }.compactMap { $0["data"]?.text }
      if !instances.isEmpty { try check(instances, seed: UInt64(number)) }
    }
    // The file itself, as a document.
    try check([text], seed: UInt64(groups.count))
  }

  @Test(arguments: Checkout.names(in: Checkout.formatExamples))
  func `the examples of the formats satisfy their draft`(_ name: String) throws {
    let text = try String(contentsOf: Checkout.formatExamples.appending(path: name), encoding: .utf8)
    for seed in UInt64(0)..<12 { try check([text], seed: seed) }
  }
}

extension JSONValue.Located {
  /// The value without comments on rules.
  fileprivate var withoutComments: Self {
    var copy = self
    switch value {
    case .object(let members):
      copy.value = .object(
        members.filter { $0.key != "$comment" || $0.value.string == nil }.map { member in
          var member = member
          member.value = member.value.withoutComments
          return member
        })
    case .array(let items): copy.value = .array(items.map(\.withoutComments))
    default: break
    }
    return copy
  }
}
