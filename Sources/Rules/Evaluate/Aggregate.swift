import ByteStreams
import Findings
import JSONEvents

/// Numbers or values gathered from many places: the sum, the set of values, or the ends of their order, so far.
struct Aggregate: Sendable {
  var sum = ExactSum()
  /// The values that the sum leaves out, because they are not numbers.
  var unsummed: UnsummedValues?
  /// True if it also leaves out values that have a finding of their own.
  var leavesOutFaulty = false
  var items: Set<KeyValue> = []
  /// True once the array that holds the items has ended.
  var isComplete = false
  /// Sorted values: a run of numbers, a run of strings. The evaluator merges them, because they may have a finding.
  var runs: [SortedRun] = []

  mutating func add(_ next: Aggregate) {
    sum.add(next.sum)
    if let unsummed = next.unsummed { add(unsummed) }
    if next.leavesOutFaulty { leavesOutFaulty = true }
    if !isComplete { items.formUnion(next.items) }
    if next.isComplete { isComplete = true }
  }

  /// Adds values that follow those so far.
  mutating func add(_ next: UnsummedValues) {
    if unsummed == nil { unsummed = next } else { unsummed?.count += next.count }
  }

  mutating func removeItems() { (items, isComplete) = ([], false) }

  /// Returns whether there would be more than `limit` items with those of `next`.
  func exceeds(_ limit: Int, with next: Aggregate) -> Bool {
    if isComplete || items.count + next.items.count <= limit { return items.count > limit }
    return items.count + next.items.count { !items.contains($0) } > limit
  }

  /// The initial state for a slice: complete sets are kept, anything else starts empty.
  var emptied: Aggregate { isComplete ? Aggregate(items: items, isComplete: true) : Aggregate() }
}

/// Values at a place of summands that can't be summed.
struct UnsummedValues: Sendable {
  var count = 1
  var first: FindingSubject
  /// What the first one is.
  var found: String

  /// - Parameter sum: the sum in words.
  func message(_ sum: String) -> String {
    "can't be added to \(sum), which is not compared: found \(found)"
      + (count == 1 ? "" : "; \((count - 1).counted("more value", "more values")) can't be added either")
  }
}

/// A value that was left out of a sum, until it is known whether it has a finding of its own.
struct LeftOutValue {
  var offset: Int
  var aggregate: Int32
  /// The active state that has the aggregate, or -1 for the document.
  var holder: Int
  /// The values that were left out before it.
  var before: UnsummedValues?
}

/// A reference from a multivalued field, which leads through the values of a collection.
struct MultivaluedReference {
  /// The active state of the record, and the step of its plan.
  var record: Int
  var step: Int32
  var key: KeyValue
  /// The value, if that isn't the key.
  var excerpt: KeyValue?
  /// The innermost collection that the field leads through: the pointer of an array, or of the value in an object.
  var array: (offset: Int, depth: Int, pointer: String)
  /// The item's index there, -1 in an object, and the value's place.
  var index: Int
  var position: TextPosition
  /// The severity of the worst finding about the value itself.
  var fault: Severity?
}
