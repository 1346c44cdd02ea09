/// A state that the value at hand is under: what `RuleProgram` says of it, at work on one value.
struct ActiveState: BitwiseCopyable {
  var state: Int32
  /// The active state of the container around, and its slot that fails with this one's slot 0.
  var parent: Int32
  var slot: UInt16
  /// Others that ask the same of the same value: an index into the evaluator's list of them; -1: none.
  var askers: Int32 = -1
  /// Nothing that fails under this one is ever shown.
  var isMute: Bool
  /// The first of the words whose bits are the slots that nothing more need be judged for; -1: there are none.
  var dead: Int32 = -1
  /// The first of its words: failed slots, required names seen, counters.
  var words: Int32
  /// For the value that comes next: its children, and the member of the program that says where it is kept (-1: nowhere).
  var next = RuleProgram.Range32.none
  var keptMember: Int32 = -1
  /// The first of its captures, cells and scoped key sets.
  var captures: Int32 = 0
  var cells: Int32 = 0
  var scopedSets: Int32 = 0
  /// The first of its sets of items, where it compares them itself.
  var uniqueSets: Int32 = 0
  var gatherings: Int32 = 0
}
