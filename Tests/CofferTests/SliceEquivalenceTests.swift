import TestSupport
import Testing

@testable import Coffer

/// The verdict depends only on the document and the rules, never on slices, threads, chunks or memory.
@Suite struct SliceEquivalenceTests {
  /// The sequential path, without slices, gives the expected report.
  private struct Case {
    let rules: RuleDocument
    let document: [UInt8]
    var base = ValidationOptions(now: Instant(seconds: 1_782_681_300))

    /// `nil` if the random rules can't be compiled.
    init?(_ seed: UInt64) {
      guard let rules = try? RuleDocument(MemorySource(RandomRules.text(seed: seed).utf8)), (try? rules.compiled()) != nil else {
        return nil
      }
      self.rules = rules
      var document = RandomDocument(seed: seed &* 7 &+ 1, size: 1200)
      if seed % 3 == 0 { document.damage() }
      self.document = document.bytes
      base.maximumFindings = [0, 1, 3, 1000][Int(seed / 3 % 4)]
      base.addsPlaces = seed % 2 == 0
      if seed % 11 == 0 { base.limits.depth = 3 }
      if seed % 13 == 0 { base.limits.tokenSize = 12 }
    }

    func report(_ options: ValidationOptions, chunkSize: Int) throws -> ValidationReport {
      let validator = Validator(.document(rules, name: "random"), options: options)
      var report = try validator.validate(MemorySource(document, chunkSize: chunkSize), named: "random")
      report.seconds = 0
      return report
    }

    func sequential() throws -> ValidationReport {
      var options = base
      options.slices = nil
      options.execution.jobs = 1
      return try report(options, chunkSize: .max)
    }

    func sliced(_ random: inout SeededRandom) throws -> ValidationReport {
      var options = base
      var slices = Slicer.Options()
      slices.sliceSize = [1, 80, 300][Int(random.next() % 3)]
      slices.largestSlice = [300, 1 << 20][Int(random.next() % 2)]
      options.slices = slices
      options.execution.jobs = 1 + Int(random.next() % 3)
      options.limits.chunkSize = [7, 64, 1 << 16][Int(random.next() % 3)]
      return try report(options, chunkSize: [1, 33, .max][Int(random.next() % 3)])
    }
  }

  @Test(arguments: 0..<20) func `slices, threads and chunks do not change the report`(part: Int) throws {
    var compared = 0
    var findings = 0
    var errors = 0
    var seed = UInt64(part) << 32
    let count = TestDepth.count(everyday: 40, deep: 500)
    while compared < count {
      seed += 1
      guard let this = Case(seed) else { continue }
      var random = SeededRandom(seed: seed)
      let expected = try this.sequential()
      let report = try this.sliced(&random)
      #expect(report == expected, "seed \(seed)")
      compared += 1
      findings += expected.counts.total > 0 ? 1 : 0
      errors += expected.error == nil ? 0 : 1
    }
    // Otherwise the cases would prove nothing.
    #expect(findings > count * 2 / 5)
    #expect(count / 10...count * 3 / 5 ~= errors)
  }
}
