/// A comparison whose other side has not come yet.
struct DeferredComparison: Sendable {
  /// The active state whose cell is waited for; -1: the document's.
  var holder: Int
  /// The holder's slot that the failure goes to.
  var slot: Int
  var cell: Int
  var check: RuleProgram.Check
  var value: DataValue
  var finding: FindingSubject
}
