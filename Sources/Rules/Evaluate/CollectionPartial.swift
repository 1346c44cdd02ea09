package import ByteStreams
import Findings
package import JSONEvents

/// The result of evaluating a run of consecutive slices of one collection, for another process to merge.
///
///     slices  | 0 | 1 | 2 | 3 | 4 | 5 | 6 |         Partial each
///     runs    | 0 … 2     | 3 … 4 | 5 … 6 |         CollectionPartial each, in any process
///     merged  | 0 … 4             | 5 … 6 |         in trees of any shape, and at last into a DocumentEvaluator
///
/// What the document's evaluator holds in the end doesn't depend on the runs or the shape of the tree.
///
/// Memory: as much as a document's evaluator holds for the same slices, the limit for keys, and up to 1 MiB of key rows. Further
/// rows, and the comparisons with places addressed from the root, are in temporary files.
package struct CollectionPartial: ~Copyable {
  let program: RuleProgram
  let options: RuleEvaluator.Options
  let shape: CollectionShape
  /// All of it but the keys and the comparisons with places addressed from the root.
  private(set) var content: Partial
  private(set) var waiting: WaitingComparisons
  private var keys: KeyCombiner
  /// The index of the first record, or `nil` if there is no slice yet.
  private(set) var firstIndex: Int?
  /// The aggregates that were complete before the collection. Each slice has a copy, which isn't needed.
  private let isComplete: (outer: [Bool], global: [Bool])

  init(
    _ program: RuleProgram, _ options: RuleEvaluator.Options, _ shape: CollectionShape, _ context: CollectionContext,
    memoryLimit: Int
  ) {
    self.program = program
    self.options = options
    self.shape = shape
    content = Partial(program, ReportBounds(program, options))
    content.outerAggregates = Array(repeating: Aggregate(), count: shape.aggregateCount)
    waiting = WaitingComparisons(in: options.temporaryFolder)
    keys = KeyCombiner(program, options, shape, memoryLimit: memoryLimit)
    isComplete = (context.aggregates.map(\.isComplete), context.globalAggregates.map(\.isComplete))
  }

  /// Restores what another process has stored.
  init(
    _ program: RuleProgram, _ options: RuleEvaluator.Options, _ shape: CollectionShape, _ content: consuming Partial,
    firstIndex: Int?, _ waiting: consuming WaitingComparisons, _ rows: consuming KeyRows, memoryLimit: Int
  ) {
    self.program = program
    self.options = options
    self.shape = shape
    self.content = content
    self.waiting = waiting
    self.firstIndex = firstIndex
    keys = KeyCombiner(program, options, shape, memoryLimit: memoryLimit)
    keys.adopt(rows)
    isComplete = (
      Array(repeating: false, count: shape.aggregateCount), Array(repeating: false, count: program.aggregateCount)
    )
  }

  /// The number of the collection's items in it.
  package var itemCount: Int { content.itemCount }

  /// The limits for detailed findings of the next slice.
  package var bounds: ReportBounds { content.bounds(options) }

  /// Returns whether too many values would wait with those of the next slice. Then the run must end before that slice.
  package func exceedsLimits(with next: Partial) -> Bool {
    let limit = options.deferredLimit(frameCount: shape.frameCount)
    return content.outerDeferred.count + next.outerDeferred.count > limit
      || content.outerAggregateComparisons.count + next.outerAggregateComparisons.count > limit
      || content.exceeds(options.waitingLimit, gathered: options.gatheredLimit, with: next)
      || content.exceeds(stepLimit: options.stepLimit, with: next)
      || zip(content.outerAggregates, next.outerAggregates).contains { $0.exceeds(options.gatheredLimit, with: $1) }
  }

  /// Adds the result of the next slice, whose bytes must still be valid.
  ///
  /// - Throws: `damagedPartial` if it isn't the next one; an error of a temporary file.
  package mutating func append(_ partial: Partial, of slice: Slice) throws(CofferError) {
    guard partial.outerAggregates.count >= shape.aggregateCount else { throw .damagedPartial }
    try follow(slice.firstIndex)
    var next = partial
    let log = next.keys
    next.keys = KeyLog()
    // States of scalars leave theirs behind until the array ends.
    next.outerAggregates.removeLast(next.outerAggregates.count - shape.aggregateCount)
    // A complete aggregate keeps its items, and accepts no others.
    for (index, isComplete) in isComplete.outer.enumerated() where isComplete { next.outerAggregates[index].removeItems() }
    for (index, isComplete) in isComplete.global.enumerated() where isComplete { next.aggregates[index].removeItems() }
    merge(next)
    for log in content.closedWaiting + [content.waiting] where !log.isEmpty { try waiting.append(log) }
    (content.closedWaiting, content.waiting) = ([], WaitingLog())
    try keys.append(log, lines: slice.lines)
  }

  /// Adds the result of the slices that follow.
  ///
  /// - Throws: `damagedPartial` if they don't follow; an error of a temporary file.
  package mutating func append(_ next: consuming CollectionPartial) throws(CofferError) {
    var next = next
    guard next.shape == shape else { throw .damagedPartial }
    guard let first = next.firstIndex else { return }
    try follow(first)
    merge(next.content)
    try waiting.append(next.waiting)
    try keys.recombine()
    try next.keys.forEachRow { row throws(CofferError) in try keys.append(row) }
  }

  private mutating func follow(_ index: Int) throws(CofferError) {
    guard let firstIndex else { return firstIndex = index }
    guard firstIndex + content.itemCount == index else { throw .damagedPartial }
  }

  private mutating func merge(_ next: Partial) {
    content.merge(next)
    content.outerDeferred += next.outerDeferred
    content.outerAggregateComparisons += next.outerAggregateComparisons
    content.itemCount += next.itemCount
    content.valueCounts = ValueCount.sums(content.valueCounts, next.valueCounts)
    for index in content.outerAggregates.indices {
      content.outerAggregates[index].add(next.outerAggregates[index])
      let disorders = content.outerAggregates[index].runs.append(next.outerAggregates[index].runs, program.constants.orders)
      for disorder in disorders { report(disorder) }
    }
  }

  private mutating func report(_ disorder: Disorder) {
    let rule = program.rules[Int(disorder.order.rule)]
    guard content.collector.takes(rule.graded(rule.severity), at: disorder.subject.offset) else { return }
    let message = rule.message ?? disorder.message(program, redacts: options.redacts)
    content.collector.add(Finding(rule, disorder.subject, message, redacts: options.redacts))
  }

  // MARK: Keys

  /// Calls `body` with all operations on keys that the run doesn't decide.
  mutating func forEachKeyRow(_ body: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    try keys.forEachRow(body)
  }

  /// Moves the operations on keys that the run doesn't decide to a writer.
  package mutating func moveKeys(to writer: KeyRowWriter) throws(CofferError) {
    try keys.removeRows { row throws(CofferError) in try writer.append(row) }
  }

  mutating func encodeKeys(to sink: inout some ByteSink) throws(CofferError) { try keys.encode(to: &sink) }
}

extension KeyCombiner {
  fileprivate init(
    _ program: RuleProgram, _ options: RuleEvaluator.Options, _ shape: CollectionShape, memoryLimit: Int
  ) {
    self.init(
      setCount: program.keySetCount, isDetailed: program.stepsWithDetails, scopeNumbers: shape.scopeNumbers, options,
      memoryLimit: memoryLimit)
  }
}
