import TestSupport
import Testing

@testable import Coffer
@testable import Rules

/// Processes that exchange results refer to rules, steps and sets by number.
@Suite struct CompiledNumbersTests {
  /// Each set and dictionary has its own order, so compiling twice shows whether a number depends on it.
  @Test(arguments: 0..<10 as Range<UInt64>) func `the same rules always compile to the same tables`(part: UInt64) throws {
    for seed in TestDepth.cases(everyday: 15, deep: 40) as Range<UInt64> {
      guard let rules = try? RuleDocument(MemorySource(RandomRules.text(seed: part << 32 + seed).utf8)),
        let program = try? rules.compiled()
      else { continue }
      #expect(try rules.compiled().description == program.description)
    }
  }

  @Test func `patterns of several branches compile to the same tables`() throws {
    let branches = (0..<6).map { #"{"patternProperties": {"^\#($0)": {}, "\#($0)$": {}}}"# }.joined(separator: ", ")
    for keyword in ["anyOf", "allOf"] {
      let text = #"{"\#(keyword)": [\#(branches)], "unevaluatedProperties": false}"#
      let descriptions = try (0..<8).map { _ in try RuleDocument(MemorySource(text.utf8)).compiled().description }
      #expect(Set(descriptions).count == 1)
    }
  }
}

extension RuleProgram {
  /// All tables but the constants.
  fileprivate var description: String {
    Mirror(reflecting: self).children.filter { !["memory", "constants"].contains($0.label) }.map { child in
      "\(child.label ?? ""): " + ((child.value as? any TableRows)?.rows ?? "\(child.value)")
    }.joined(separator: "\n") + constants.description
  }
}

extension RuleProgram.Constants {
  fileprivate var description: String {
    "\(decimals) \(strings) \(patterns.map(\.source)) \(data.map { "\($0.reference) \($0.globalCell)" }) \(aggregates) \(orders)"
  }
}

private protocol TableRows {
  var rows: String { get }
}

extension FixedTable: TableRows {
  fileprivate var rows: String { (0..<count).map { "\(self[$0])" }.joined(separator: " ") }
}
