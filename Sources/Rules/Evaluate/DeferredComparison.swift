/// A comparison whose other side has not been read yet.
struct DeferredComparison: Sendable {
  /// The active state whose cell is awaited, or -1 for the document's.
  var holder: Int
  /// The holder's slot that a failure marks.
  var slot: Int
  var cell: Int
  var check: RuleProgram.Check
  var value: DataValue
  var finding: FindingSubject
}
