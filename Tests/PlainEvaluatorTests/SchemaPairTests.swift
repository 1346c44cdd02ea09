import ByteStreams
import PlainEvaluator
import Rules
import SchemaPairs
import Testing

/// Random pairs are only useful if all have a verdict, and about half of them are valid.
@Suite struct SchemaPairTests {
  static let seeds: Range<UInt64> = 0..<1000

  @Test func `equal seeds give equal pairs`() {
    for seed in Self.seeds.prefix(20) {
      #expect(SchemaPair(seed: seed).schema == SchemaPair(seed: seed).schema)
      #expect(SchemaPair(seed: seed).instance == SchemaPair(seed: seed).instance)
    }
  }

  @Test func `about half of the pairs are valid`() throws {
    let valid = try Self.seeds.count { seed in
      let pair = SchemaPair(seed: seed)
      return try PlainEvaluator.isValid(pair.instance, by: pair.schema)
    }
    #expect((350..<650).contains(valid))
  }
}
