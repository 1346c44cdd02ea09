import Rules
import TestSupport
import Testing

@testable import Coffer

/// Evaluates a document as several processes would: the slices of a collection in random runs, each run stored, and the runs
/// combined in a random tree.
struct PartialsConsumer: DocumentConsumer, ~Copyable {
  struct Plan {
    /// The same rules, as different processes compile them.
    var programs: [RuleProgram]
    var options: EvaluationOptions
    var limits: ReaderLimits
    var seed: UInt64
    /// The memory for the keys of a run.
    var memoryLimit = 1 << 20
    /// Merges slices one by one instead.
    var isDirect = false
    /// Changes a bit of some runs before they are restored.
    var damages = false
  }

  private let plan: Plan
  private(set) var evaluator: DocumentEvaluator
  private var random: SeededRandom
  private let current = Current()
  private var run: CollectionPartial?
  /// The slices of the current run.
  private var slices: [Evaluated] = []
  /// The runs that have ended, as stored, with their slices.
  private var stored: [(bytes: [UInt8], slices: [Evaluated])] = []
  /// The number of runs, and of combinations of two.
  private(set) var runCount = 0
  private(set) var combinationCount = 0
  /// The number of runs whose slices were merged one by one, because too many values wait.
  private(set) var refusedCount = 0
  /// Called with each run as stored.
  private let observe: ([UInt8]) -> Void

  private typealias Evaluated = (partial: Partial, slice: Slice)

  private final class Current {
    var context: CollectionContext?
  }

  init(_ plan: Plan, _ observe: @escaping ([UInt8]) -> Void = { _ in }) {
    self.plan = plan
    self.observe = observe
    random = SeededRandom(seed: plan.seed)
    evaluator = DocumentEvaluator(plan.programs[0], options: plan.options)
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    try mergeRuns()
    try evaluator.consume(batch, lines: lines)
  }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, ReportBounds) -> Partial?)? {
    current.context = evaluator.collection(depth: depth, recordsBefore: recordsBefore)
    return evaluator.workers(depth: depth, recordsBefore: recordsBefore)
  }

  var consumesSlices: Bool { true }
  // A run can only know its own findings; this evaluator has no others yet, so its bounds are looser.
  var sliceBounds: ReportBounds { evaluator.sliceBounds }

  func exceedsLimits(with partial: Partial) -> Bool { plan.isDirect && evaluator.exceedsLimits(with: partial) }

  mutating func merge(_ partial: Partial, of slice: Slice) throws {
    if plan.isDirect { return try evaluator.merge(partial, of: slice) }
    if run == nil, let context = current.context { run = evaluator.partial(in: context, memoryLimit: plan.memoryLimit) }
    if run?.exceedsLimits(with: partial) == true {
      try mergeRuns()
      refusedCount += 1
      return try evaluator.merge(partial, of: slice)
    }
    try run?.append(partial, of: slice)
    slices.append((partial, slice))
    if random.next() % 3 == 0 { try endRun() }
  }

  private mutating func endRun() throws {
    guard var run = run.take(), !slices.isEmpty else { return }
    let bytes = try bytes(of: &run)
    stored.append((bytes, slices))
    slices = []
    runCount += 1
    observe(bytes)
    if plan.damages { return }
    var restored = try decoded(bytes)
    #expect(try self.bytes(of: &restored) == bytes)
  }

  private mutating func mergeRuns() throws {
    try endRun()
    while stored.count > 1, random.next() % 8 > 0 {
      let index = Int(random.next() % UInt64(stored.count - 1))
      var partial = try decoded(stored[index].bytes)
      try partial.append(try decoded(stored[index + 1].bytes))
      var last = index + 1
      // Combine some without storing them in between.
      if last + 1 < stored.count, random.next() % 2 == 0 {
        last += 1
        try partial.append(try decoded(stored[last].bytes))
      }
      let slices = stored[index...last].flatMap(\.slices)
      stored.replaceSubrange(index...last, with: [(try bytes(of: &partial), slices)])
      combinationCount += 1
    }
    let runs = stored
    stored = []
    for (bytes, slices) in runs {
      let partial = try decoded(bytes)
      let itemCount = partial.itemCount
      #expect(plan.damages || itemCount == slices.reduce(0) { $0 + $1.slice.recordCount })
      if evaluator.exceedsLimits(with: partial) {
        refusedCount += 1
        for (partial, slice) in slices { try evaluator.merge(partial, of: slice) }
      } else {
        try evaluator.merge(partial)
      }
    }
  }

  private func bytes(of partial: inout CollectionPartial) throws -> [UInt8] {
    var sink = MemorySink()
    try partial.encode(to: &sink)
    return sink.bytes
  }

  private mutating func decoded(_ bytes: [UInt8]) throws -> CollectionPartial {
    var bytes = bytes
    if plan.damages, random.next() % 2 == 0 {
      bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
    }
    var source = MemorySource(bytes)
    return try CollectionPartial(
      decoding: &source, plan.programs[Int(random.next() % UInt64(plan.programs.count))], options: plan.options,
      memoryLimit: plan.memoryLimit)
  }

  mutating func finish() throws {
    try mergeRuns()
    try evaluator.finish()
  }

  /// The findings so far, as far as they don't depend on messages' wording.
  var outcome: Outcome {
    Outcome(
      findings: evaluator.collector.findings(), counts: evaluator.collector.counts, recordCount: evaluator.recordCount ?? 0,
      version: evaluator.declaredVersion)
  }

  struct Outcome: Equatable {
    var findings: [Finding]
    var counts: FindingCounts
    var recordCount: Int
    var version: String?
    var error: CofferError?
  }
}
