import Coffer
import Foundation
import Rules
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

/// Drafts from ten backups of each format with rules that ship, compared with those rules.
///
/// `COFFER_RECORD=1 swift test --filter RediscoveryTests` writes the table of docs/commands/rules.md.
@Suite struct RediscoveryTests {
  private static let formats = ["ev-charging-tracker", "swiff", "aquavate", "smilepile", "keeptrack"]
  private static let kinds = ["required", "type", "enum", "format", "key", "reference", "count", "sum", "order"]

  private struct Score {
    var found: [String: Int] = [:]
    var expected: [String: Int] = [:]
    var further: [String: Int] = [:]
    var missed: [RuleFacts.Fact] = []
    var violations: [String: Int] = [:]
  }

  private static func write(_ format: String, seed: UInt64, to folder: TemporaryFolder) throws -> FilePath {
    try SyntheticBackup.write(format, seed: seed, size: 300_000, to: "\(seed).json", in: folder)
  }

  private static func score(_ format: String) throws -> Score {
    let folder = try TemporaryFolder()
    let draft = try RuleDrafter(options: DraftingOptions()).draft((1...10).map { try write(format, seed: $0, to: folder) })
    let builtIn = try #require(FormatCatalog.builtIn[format]?.descriptor)
    let drafted = RuleFacts(draft.document)
    // Nothing is known of places that no backup has.
    let expected = RuleFacts(try JSONValue.readRules(MemorySource(builtIn.utf8))).facts.filter { fact in
      drafted.places.contains(fact.pointer)
        && (fact.kind != "required" || drafted.places.contains(fact.pointer + "/" + fact.value))
    }
    var score = Score()
    for kind in kinds {
      let wanted = expected.filter { $0.kind == kind }
      let found = wanted.filter { fact in
        drafted.facts.contains(fact)
          || kind == "key" && drafted.facts.contains(.init(kind: "unique", pointer: fact.pointer, value: fact.value))
      }
      score.expected[kind] = wanted.count
      score.found[kind] = found.count
      score.further[kind] = drafted.facts.count { $0.kind == kind && !wanted.contains($0) }
      score.missed += wanted.subtracting(found)
    }
    let rules = try RuleDocument(MemorySource(draft.json.utf8))
    let validator = Validator(.document(rules, name: "draft"), options: ValidationOptions(now: SampleBackup.now))
    for seed in UInt64(11)...20 {
      let path = try write(format, seed: seed, to: folder)
      for finding in try validator.validate(FileSource(path: path), named: "\(seed)").findings where finding.severity == .error {
        score.violations["\(finding.schemaLocation): \(finding.message)", default: 0] += 1
      }
    }
    return score
  }

  @Test func `drafts have the rules of the formats, and further backups satisfy them`() throws {
    var total = Score()
    var rows: [String] = []
    for format in Self.formats {
      let score = try Self.score(format)
      #expect(score.violations.isEmpty, "\(format)")
      rows.append(row(format, score))
      for kind in Self.kinds {
        total.found[kind, default: 0] += score.found[kind] ?? 0
        total.expected[kind, default: 0] += score.expected[kind] ?? 0
        total.further[kind, default: 0] += score.further[kind] ?? 0
      }
      total.missed += score.missed
    }
    rows.append(row("all", total))
    for (kind, share) in [
      ("required", 0.95), ("type", 0.95), ("enum", 0.94), ("format", 0.95), ("key", 1), ("reference", 0.9), ("count", 1),
      ("sum", 1),
      ("order", 1),
    ] {
      let (found, expected) = (total.found[kind] ?? 0, total.expected[kind] ?? 0)
      #expect(
        expected > 0 && Double(found) >= share * Double(expected), "\(kind): \(total.missed.filter { $0.kind == kind }.sorted())")
    }
    let header =
      "| format | \(Self.kinds.joined(separator: " | ")) |\n|\(String(repeating: " --- |", count: Self.kinds.count + 1))\n"
    try compare(header + rows.joined())
  }

  /// `found of expected, and further ones`
  private func row(_ name: String, _ score: Score) -> String {
    let cells = Self.kinds.map { kind in
      let (found, expected, further) = (score.found[kind] ?? 0, score.expected[kind] ?? 0, score.further[kind] ?? 0)
      return expected + further == 0 ? "" : "\(found)/\(expected)" + (further > 0 ? " +\(further)" : "")
    }
    return "| \(name) | \(cells.joined(separator: " | ")) |\n"
  }

  /// Compares the table with that of the documentation, or writes it there.
  private func compare(_ table: String) throws {
    let page = Checkout.folder.appending(path: "docs/commands/rules.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let (start, end) = ("<!-- rediscovery -->\n\n", "\n<!-- end of rediscovery -->")
    let before = try #require(text.range(of: start))
    let after = try #require(text.range(of: end))
    if Recording.isOn {
      try Data((text[..<before.upperBound] + table + text[after.lowerBound...]).utf8).write(to: page)
    } else {
      #expect(text[before.upperBound..<after.lowerBound] == table)
    }
  }
}
