import ByteStreams
import PlainEvaluator
import Rules
import SchemaPairs
import TestSupport
import Testing

/// For random schemas and instances, the streamed verdict equals that of the plain evaluator, in chunks of any size.
@Suite struct SchemaEquivalenceTests {
  /// `make differential` compares many more with another program's verdicts.
  @Test(arguments: UInt64(0)..<4) func `streamed verdicts equal those of the plain evaluator`(part: UInt64) throws {
    var judged = 0
    let count = TestDepth.count(everyday: 200, deep: 1_500) as UInt64
    for seed in part * 1_500..<part * 1_500 + count {
      let pair = SchemaPair(seed: seed)
      guard let disagrees = try Self.disagreement(on: pair) else { continue }
      judged += 1
      if disagrees {
        let smallest = pair.reduced { (try? Self.disagreement(on: $0)) == true }
        Issue.record("seed \(seed), reduced: the plain evaluator says \(try Self.plain(smallest)) to\n\(smallest)")
        return
      }
    }
    // The plain evaluator refuses the others as too complex.
    #expect(judged > count * 14 / 15)
  }

  /// Returns whether the streaming and the plain verdict differ, or `nil` if there is no plain one.
  private static func disagreement(on pair: SchemaPair) throws -> Bool? {
    guard let plain = try? plain(pair) else { return nil }
    let program = try RuleDocument(MemorySource(pair.schema.utf8)).compiled()
    return [1, 1 << 16].contains { chunkSize in
      (try? Evaluation(program, pair.instance, chunkSize: chunkSize))?.isValid != plain
    }
  }

  private static func plain(_ pair: SchemaPair) throws -> Bool {
    try PlainEvaluator(JSONValue.read(MemorySource(pair.schema.utf8))).isValid(JSONValue.read(MemorySource(pair.instance.utf8)))
  }
}
