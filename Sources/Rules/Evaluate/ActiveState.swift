/// A state of the `RuleProgram`, applied to one open value.
struct ActiveState: BitwiseCopyable {
  var state: Int32
  /// The active state of the enclosing container, and its slot that fails with slot 0 of this one.
  var parent: Int32
  var slot: UInt16
  /// Other requesters of this state for the same value: an index into the evaluator's list, or -1 if there are none.
  var askers: Int32 = -1
  /// True if failures under this state are never reported.
  var isMute: Bool
  /// Where failures of this state lead, known after the first one has marked all branches that request the state. The branches stay
  /// failed while the state's value is open, so later failures don't mark them again.
  var meaning = Meaning.unknown

  enum Meaning: UInt8 {
    case unknown, finding, mute
  }
  /// The first of the words whose bits mark slots that need no more checks, or -1 if there are none.
  var dead: Int32 = -1
  /// The first of its words: failed slots, required names seen, counters.
  var words: Int32
  /// The children for the next value. `keptMember` is the program's member that says where to keep the value, or -1 if it isn't
  /// kept.
  var next = RuleProgram.Range32.none
  var keptMember: Int32 = -1
  /// The first of its captures, cells and scoped key sets.
  var captures: Int32 = 0
  var cells: Int32 = 0
  var scopedSets: Int32 = 0
  /// The first of its item sets, if it compares items itself.
  var uniqueSets: Int32 = 0
  var aggregates: Int32 = 0
}
