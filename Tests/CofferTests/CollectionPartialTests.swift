import Rules
import TestSupport
import Testing

@testable import Coffer

/// Runs of slices that are evaluated elsewhere and merged give the result of one process.
@Suite struct CollectionPartialTests {
  private struct Case {
    let rules: RuleDocument
    let document: [UInt8]
    var plan: PartialsConsumer.Plan

    /// `nil` if the random rules can't be compiled.
    init?(_ seed: UInt64) {
      let text = RandomRules.text(seed: seed).replacing(
        #""uniqueKeys": [["id"], "#, with: #""uniqueKeys": [{"fields": "id", "ifEqual": "note"}, "#)
      guard let rules = try? RuleDocument(MemorySource(text.utf8)), let program = try? rules.compiled(),
        let sameProgram = try? rules.compiled()
      else { return nil }
      self.rules = rules
      var document = RandomDocument(seed: seed &* 7 &+ 1, size: 1200)
      if seed % 5 == 0 { document.damage() }
      self.document = document.bytes
      var options = RuleEvaluator.Options(
        now: Instant(seconds: 1_782_681_300), key: SipHash128.Key(low: seed, high: seed &* 3))
      options.maximumFindings = [0, 1, 3, 1000][Int(seed / 3 % 4)]
      options.duplicateKeys = seed % 2 == 0 ? .error : nil
      options.redacts = seed % 7 == 0
      options.gathersEntries = true
      if seed % 4 == 0 { options.findingMemory = 4000 }
      plan = PartialsConsumer.Plan(
        programs: [program, sameProgram], options: options, limits: ReaderLimits(), seed: seed,
        memoryLimit: [0, 1500, 20_000, 1 << 28][Int(seed / 7 % 4)])
    }

    func run(_ plan: PartialsConsumer.Plan, slices: Slicer.Options?) -> (PartialsConsumer.Outcome, runs: Int, combinations: Int) {
      var options = PassOptions(Execution(), limits: plan.limits, slices: slices)
      options.execution.jobs = 1
      options.keys = plan.options.keyComparison
      var pass = DocumentPass(MemorySource(document), for: PartialsConsumer(plan), options: options)
      var failure: CofferError?
      do {
        try pass.run()
      } catch {
        failure = error as? CofferError
      }
      var outcome = pass.consumer.outcome
      outcome.error = failure
      return (outcome, pass.consumer.runCount, pass.consumer.combinationCount)
    }
  }

  @Test(arguments: 0..<20) func `runs of slices, their order of merging and memory limits do not change the result`(part: Int) {
    var (compared, findings, runs, combinations) = (0, 0, 0, 0)
    var seed = UInt64(part) << 32
    let count = TestDepth.count(everyday: 40, deep: 1000)
    while compared < count {
      seed += 1
      guard let this = Case(seed) else { continue }
      var random = SeededRandom(seed: seed)
      var sequential = this.plan
      // Results must not depend on the key.
      sequential.options.key = SipHash128.Key(low: 1, high: 2)
      let expected = this.run(sequential, slices: nil).0
      var slices = Slicer.Options()
      slices.sliceSize = [1, 80, 300][Int(random.next() % 3)]
      slices.largestSlice = [300, 1 << 20][Int(random.next() % 2)]
      let result = this.run(this.plan, slices: slices)
      #expect(result.0 == expected, "seed \(seed)")
      compared += 1
      findings += expected.counts.total > 0 ? 1 : 0
      runs += result.runs
      combinations += result.combinations
    }
    // Otherwise the cases would prove nothing.
    #expect(findings > count * 2 / 5)
    #expect(runs > count && combinations > count / 4)
  }
}
