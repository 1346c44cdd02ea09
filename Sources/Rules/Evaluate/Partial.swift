package import Findings

/// What the evaluation of a stretch of a document came to, as far as it outlives that stretch: the whole of it for a slice, all so far for the spine.
///
/// Partials merge in the document's order, and what they merge to does not depend on where the document was cut.
package struct Partial: Sendable {
  /// How many lists with faulty items are kept: some 8 MiB of pointers.
  static let faultyListLimit = 1 << 13

  package internal(set) var collector: FindingCollector
  /// Items of the root array, or of the arrays that are the root object's members.
  package internal(set) var recordCount = 0
  /// By the program's counted arrays.
  var itemCounts: [Int]
  var expectedCounts: [ExpectedCount] = []
  /// What was said of the container's entries.
  var entryClaims: [EntryClaim] = []
  /// Comparisons with fields of the objects around a slice.
  var outerDeferred: [DeferredComparison] = []
  /// Comparisons with places counted from the root: those of this stretch, and those of the stretches before.
  var waiting = WaitingLog()
  var closedWaiting: [WaitingLog] = []
  /// By number: what is gathered for the whole document; and what of it a slice has gathered for the containers around it.
  var gatherings: [Gathering]
  var outerGatherings: [Gathering] = []
  var outerDeferredGatherings: [DeferredGathering] = []
  var rootDeferredGatherings: [DeferredGathering] = []
  /// By the program's rules about them.
  var newerMembers: [NewerMember]
  /// Pointers of lists in which an item that is a reference has a fault of its own: the first ones, in the document's order.
  var faultyLists: [String] = []
  /// What records did with keys, for the one who has all of the document's.
  var keys = KeyLog()
  /// How many of its collection's items a slice holds.
  var itemCount = 0

  init(_ program: RuleProgram, _ bounds: ReportBounds) {
    collector = FindingCollector(limit: bounds.maximumFindings, lastOffset: bounds.lastOffset)
    gatherings = Array(repeating: Gathering(), count: program.gatheringCount)
    itemCounts = Array(repeating: 0, count: program.countNames.count)
    newerMembers = bounds.newerMembers.map { NewerMember(remaining: $0) }
  }

  /// The first value that waits for another behind so many of its kind; `nil`: there are fewer.
  func waiting(after limit: Int) -> FindingSubject? {
    var subjects: [FindingSubject] = []
    if rootDeferredGatherings.count > limit { subjects.append(rootDeferredGatherings[limit].finding) }
    if expectedCounts.count > limit { subjects.append(expectedCounts[limit].subject) }
    if entryClaims.count > limit { subjects.append(entryClaims[limit].subject) }
    return subjects.min { $0.offset < $1.offset }
  }

  var waitingCount: Int { closedWaiting.reduce(waiting.count) { $0 + $1.count } }

  mutating func closeWaiting() {
    guard !waiting.isEmpty else { return }
    closedWaiting.append(waiting)
    waiting = WaitingLog()
  }

  /// What the next stretch need not word.
  func bounds(_ options: RuleEvaluator.Options) -> ReportBounds {
    ReportBounds(
      maximumFindings: options.maximumFindings, lastOffset: collector.lastOffset, newerMembers: newerMembers.map(\.remaining))
  }

  /// Takes what outlives the collection, too. Its keys, its count of items and what waits for the objects around it go to those who hold the like.
  mutating func merge(_ next: Partial) {
    collector.merge(next.collector)
    recordCount += next.recordCount
    for index in itemCounts.indices { itemCounts[index] += next.itemCounts[index] }
    expectedCounts += next.expectedCounts
    entryClaims += next.entryClaims
    faultyLists += next.faultyLists.prefix(Partial.faultyListLimit - faultyLists.count)
    if !next.waiting.isEmpty || !next.closedWaiting.isEmpty {
      closeWaiting()
      closedWaiting += next.closedWaiting
      if !next.waiting.isEmpty { closedWaiting.append(next.waiting) }
    }
    for index in gatherings.indices { gatherings[index].add(next.gatherings[index]) }
    rootDeferredGatherings += next.rootDeferredGatherings
    for index in newerMembers.indices { newerMembers[index].append(next.newerMembers[index]) }
  }
}

/// A number that should be the count of an array's items.
struct ExpectedCount: Sendable {
  var countIndex: Int
  var value: DataValue
  var rule: Int32
  var subject: FindingSubject
}
