import ByteStreams
package import Findings
import JSONEvents

/// The lasting result of evaluating a stretch of a document: a whole slice, or the envelope so far.
///
/// Partials merge in document order. The merged result does not depend on where the document was sliced.
package struct Partial: Sendable {
  /// The most lists with faulty items to keep: about 8 MiB of pointers.
  static let faultyListLimit = 1 << 13

  package internal(set) var collector: FindingCollector
  /// The number of items of the root array, or of the arrays that are direct members of the root object.
  package internal(set) var recordCount = 0
  /// The number of items of each of these arrays, in document order. Slices have none.
  package private(set) var collections: [CollectionCount] = []
  /// The item counts of the program's counted arrays.
  var itemCounts: [Int]
  /// Claims about the container's entries.
  var entryClaims: [EntryClaim] = []
  /// Comparisons with fields and aggregates of the containers around a slice.
  var outerDeferred: [DeferredComparison] = []
  /// Comparisons with places addressed from the root: those of this stretch, and those of earlier stretches.
  var waiting = WaitingLog()
  var closedWaiting: [WaitingLog] = []
  /// The aggregates of the whole document, and a slice's share of those of the containers around it, by number.
  var aggregates: [Aggregate]
  var outerAggregates: [Aggregate] = []
  var rootAggregateComparisons: [DeferredComparison] = []
  /// The newer members, one entry for each of the program's rules about them.
  var newerMembers: [NewerMember]
  /// Pointers of lists in which a reference has another defect: the first ones in document order.
  var faultyLists: [String] = []
  /// The key operations of the records, for the document's `KeyIndex`.
  var keys = KeyLog()
  /// The values of a slice, as `RuleEvaluator` counts them: only those of some, in the order of their indices.
  var valueCounts: [ValueCount] = []
  /// The number of collection items in a slice.
  var itemCount = 0
  /// For a slice of an object: whether a member is an object, and the names of the members if keys are compared.
  var holdsObjects = false
  var names: MemberNames?
  var budget = StepBudget()

  init(_ program: RuleProgram, _ bounds: ReportBounds) {
    collector = FindingCollector(
      limit: bounds.maximumFindings, memoryLimit: bounds.findingMemory, bounds: bounds.findings)
    aggregates = Array(repeating: Aggregate(), count: program.aggregateCount)
    itemCounts = Array(repeating: 0, count: program.countNames.count)
    newerMembers = bounds.newerMembers.map { NewerMember(remaining: $0) }
  }

  /// Adds a collection, unless there are very many.
  mutating func add(_ collection: CollectionCount) {
    if collections.count < 1000 { collections.append(collection) }
  }

  /// Returns the first waiting value after `limit` others of its kind, or `nil` if there are fewer.
  func waiting(after limit: Int) -> FindingSubject? {
    var subjects: [FindingSubject] = []
    if rootAggregateComparisons.count > limit { subjects.append(rootAggregateComparisons[limit].finding) }
    if entryClaims.count > limit { subjects.append(entryClaims[limit].subject) }
    return subjects.min { $0.position.offset < $1.position.offset }
  }

  var waitingCount: Int { closedWaiting.reduce(waiting.count) { $0 + $1.count } }

  mutating func closeWaiting() {
    guard !waiting.isEmpty else { return }
    closedWaiting.append(waiting)
    waiting = WaitingLog()
  }

  /// Returns the limits for detailed findings of the next stretch.
  func bounds(_ options: EvaluationOptions) -> ReportBounds {
    ReportBounds(
      maximumFindings: options.maximumFindings, findingMemory: options.findingMemory, findings: collector.laterBounds,
      newerMembers: newerMembers.map(\.remaining))
  }

  /// Merges what outlives the collection. The callers take the keys, the counts of items and values, and everything that waits for the
  /// objects around.
  mutating func merge(_ next: Partial) {
    collector.merge(next.collector)
    budget.append(next.budget)
    recordCount += next.recordCount
    for index in itemCounts.indices { itemCounts[index] += next.itemCounts[index] }
    entryClaims += next.entryClaims
    faultyLists += next.faultyLists.prefix(Partial.faultyListLimit - faultyLists.count)
    if !next.waiting.isEmpty || !next.closedWaiting.isEmpty {
      closeWaiting()
      closedWaiting += next.closedWaiting
      if !next.waiting.isEmpty { closedWaiting.append(next.waiting) }
    }
    for index in aggregates.indices { aggregates[index].add(next.aggregates[index]) }
    rootAggregateComparisons += next.rootAggregateComparisons
    for index in newerMembers.indices { newerMembers[index].append(next.newerMembers[index]) }
  }
}

extension Partial {
  /// Returns whether too many values would wait with those of `next`, or the rules take too many steps.
  ///
  /// - Parameters:
  ///   - frameCount: the number of open containers around the slices.
  ///   - deferred: the number of values that wait for these containers.
  ///   - outer: the aggregates of these containers.
  func exceedsLimits(
    _ options: EvaluationOptions, frameCount: Int, deferred: Int, _ outer: [Aggregate], with next: Partial
  ) -> Bool {
    func isTooLong(_ count: Int) -> Bool { count > options.waitingLimit }
    func areTooLong(_ aggregates: [Aggregate], with next: [Aggregate]) -> Bool {
      zip(aggregates, next).contains { $0.exceeds(options.gatheredLimit, with: $1) }
    }
    return deferred + next.outerDeferred.count > options.deferredLimit(frameCount: frameCount)
      || isTooLong(rootAggregateComparisons.count + next.rootAggregateComparisons.count)
      || isTooLong(entryClaims.count + next.entryClaims.count)
      || areTooLong(aggregates, with: next.aggregates) || areTooLong(outer, with: next.outerAggregates)
      || exceeds(stepLimit: options.stepLimit, with: next)
  }

  /// Returns whether the rules would take too many steps with those of `next`.
  func exceeds(stepLimit: Int, with next: Partial) -> Bool {
    var budget = budget
    budget.append(next.budget)
    return budget.exceeds(stepLimit)
  }
}

/// The values of a member or state, by its index in `RuleEvaluator.tallies`.
struct ValueCount: Sendable {
  var index: Int32
  var count: Int

  /// Returns the sums of two lists in the order of their indices.
  static func sums(_ a: [ValueCount], _ b: [ValueCount]) -> [ValueCount] {
    if a.isEmpty { return b }
    var sums: [ValueCount] = []
    sums.reserveCapacity(max(a.count, b.count))
    var rest = b[...]
    for var count in a {
      while let other = rest.first, other.index < count.index { sums.append(rest.removeFirst()) }
      if let other = rest.first, other.index == count.index { count.count += rest.removeFirst().count }
      sums.append(count)
    }
    return sums + rest
  }
}

/// The limits for detailed findings of a stretch, given all findings before it. The rest is only counted.
package struct ReportBounds: Sendable {
  var maximumFindings: Int
  /// The most memory for their details, in bytes.
  var findingMemory: Int
  /// What earlier findings leave for those of the stretch.
  var findings: FindingCollector.Bounds
  /// The number of places to keep, by the program's rules about newer members.
  var newerMembers: [Int]

  /// Creates the bounds for a document's start.
  init(_ program: RuleProgram, _ options: EvaluationOptions) {
    self.init(
      maximumFindings: options.maximumFindings, findingMemory: options.findingMemory, findings: options.findingBounds,
      newerMembers: Array(repeating: min(options.maximumFindings, 1 << 13), count: program.versionRules.count))
  }

  init(maximumFindings: Int, findingMemory: Int, findings: FindingCollector.Bounds, newerMembers: [Int]) {
    self.maximumFindings = maximumFindings
    self.findingMemory = findingMemory
    self.findings = findings
    self.newerMembers = newerMembers
  }
}

extension EvaluationOptions {
  /// The bounds of a collector for the findings of a whole document.
  var findingBounds: FindingCollector.Bounds {
    var bounds = FindingCollector.Bounds()
    bounds.offsetLimit = offsetLimit
    return bounds
  }
}

/// The places of one member that a later version of the format introduced.
struct NewerMember: Sendable {
  var count = 0
  /// The first places, and how many more to keep.
  private(set) var subjects: [FindingSubject] = []
  private(set) var remaining: Int

  init(remaining: Int) { self.remaining = remaining }

  /// Restores a member, whose subjects are some of the `limit` that are to be kept.
  init(count: Int, subjects: [FindingSubject], limit: Int) {
    self.count = count
    self.subjects = subjects
    remaining = limit - subjects.count
  }

  mutating func append(_ subject: FindingSubject) {
    subjects.append(subject)
    remaining -= 1
  }

  /// Begins anew, for the next document.
  mutating func removeAll() {
    remaining += subjects.count
    (count, subjects) = (0, [])
  }

  mutating func append(_ next: NewerMember) {
    count += next.count
    let wanted = next.subjects.prefix(remaining)
    subjects += wanted
    remaining -= wanted.count
  }
}
