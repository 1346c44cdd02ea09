import Coffer
import SyntheticBackups
import TestSupport
import Testing

/// Documents of every format, damaged at random places in random ways: what the damage doesn't touch is in the result, byte for byte.
@Suite struct RecoveryPropertyTests {
  static let formats = FormatCatalog.builtIn.formats.map(\.name)
  /// 12 kinds and as many formats: 300 damages everyday, 20,000 in a deep run.
  static let seeds = TestDepth.cases(everyday: 3, deep: 140) as Range<UInt64>

  @Test(arguments: formats)
  func `what the damage doesn't touch is recovered, and nothing is invented`(_ name: String) throws {
    let format = try #require(FormatCatalog.builtIn[name])
    var splices: [String] = []
    var trials = 0
    for seed in Self.seeds {
      var random = SeededRandom(seed: seed &* 7919 &+ UInt64(name.utf8.reduce(0) { $0 + Int($1) }))
      var generation = SyntheticBackup.Options(size: [2000, 20000, 60000][Int(seed % 3)], seed: seed % 5, defects: [:])
      if seed % 2 == 1 { generation.layout = .pretty(indent: 2) }
      let original = try Validating.backup(generation, of: name).bytes
      let parts = DocumentParts(original)
      try #require(parts.isWellFormed)
      for kind in Damage.Kind.allCases {
        trials += 1
        let damage = Damage(kind, of: original, parts, &random)
        var options = RecoveryOptions(now: Validating.now)
        options.validation.execution.jobs = 1 + Int(seed % 2)
        var result = MemorySink()
        let report = try Recovery(.format(format), options: options).recover(
          MemorySource(damage.bytes, chunkSize: [.max, 7, 1000][Int(seed % 3)]), named: "damaged.json", to: &result)
        let whole = parts.records.filter { $0.range.upperBound < damage.touched.lowerBound }
        if report.isEmpty {
          #expect(whole.isEmpty, "seed \(seed), \(kind): nothing was recovered")
          continue
        }
        #expect(report.validation.error == nil, "seed \(seed), \(kind)")
        let faults = RecoveryFaults(result.bytes, of: damage, original, parts)
        #expect(!faults.isMalformed, "seed \(seed), \(kind)")
        // Text that is copied from another place of the document may look like anything.
        if kind == .splice {
          if !faults.isEmpty { splices.append("seed \(seed): \(faults)") }
        } else {
          #expect(faults.isEmpty, "seed \(seed), \(kind) of \(damage.touched): \(faults)")
        }
        if report.isUndamaged { #expect(result.bytes == damage.bytes) }
      }
    }
    #expect(splices.count * 50 <= trials, "\(splices)")
  }
}
