import Findings
import JSONEvents

/// What has been gathered so far from many places: the sum of their numbers, or the values that stand there.
struct Gathering: Sendable {
  var sum = ExactSum()
  var items: Set<KeyValue> = []
  /// The array whose items these are has ended.
  var isComplete = false

  mutating func add(_ next: Gathering) {
    sum.add(next.sum)
    if !isComplete { items.formUnion(next.items) }
    if next.isComplete { isComplete = true }
  }

  /// For a slice: what is known by now stays known, what is added is counted from nothing.
  var emptied: Gathering { isComplete ? Gathering(items: items, isComplete: true) : Gathering() }
}

/// A comparison with what has not been gathered yet.
struct DeferredGathering: Sendable {
  /// The active state that gathers; -1: the document.
  var holder: Int
  /// The holder's slot that the failure goes to.
  var slot: Int
  var check: RuleProgram.Check
  var value: DataValue
  var key: KeyValue
  var finding: FindingSubject
}

/// A reference that a field makes which leads through the items of an array.
struct FannedReference {
  /// The record, and the step of its plan.
  var record: Int
  var step: Int32
  var key: KeyValue
  /// The value, where that isn't the key.
  var excerpt: KeyValue?
  /// The innermost array that the field leads through.
  var array: (offset: Int, pointer: String)
  /// The index of the item there, and the value's place.
  var index: Int
  var position: TextPosition
  /// The gravest finding about the value itself.
  var fault: Severity?
}
