import JSONEvents

/// A value's evaluation under one state.
struct Thread: BitwiseCopyable {
  var state: Int32
  /// The thread of the container around, and its slot that fails with this one's slot 0.
  var parent: Int32
  var slot: UInt16
  /// Nothing that fails under this thread is ever shown.
  var isMute: Bool
  /// The first of its words: failed slots, required names seen, counters.
  var words: Int32
  /// For the value that comes next: its children, and the member of the program that says where it is kept (-1: nowhere).
  var next = RuleProgram.Range32.none
  var keptMember: Int32 = -1
  var capture: Int32 = -1
  var cell: Int32 = -1
  var globalCell: Int32 = -1
  /// The first of its captures, cells and scoped key sets.
  var captures: Int32 = 0
  var cells: Int32 = 0
  var scopedSets: Int32 = 0
}

/// A container that is open.
struct Frame: BitwiseCopyable {
  var isObject: Bool
  var hasContains = false
  var firstThread: Int32
  var threadCount: Int32
  /// How many items have ended.
  var index = 0
  /// The member that the last key named: an entry of the program, or -1 where the key's bytes stand in the arena.
  var member: Int32 = -1
  var keyStart: Int32
  var keyCount: Int32 = 0
  var offset: Int
  /// 0: not looked up yet; then the offset lies in the current batch.
  var line = 0
  var column = 0
  /// The heights to which the other stacks fall when this container ends.
  var words: Int32
  var captures: Int32
  var cells: Int32
  var scopedSets: Int32
  /// How many findings of branches waited when it began.
  var pending: Int32
}

/// A record's field, kept until the record ends.
struct Capture: BitwiseCopyable {
  enum Status: UInt8, BitwiseCopyable { case absent, null, scalar, container }

  var status = Status.absent
  var value = KeyValue.none
  var offset = 0
  /// 0: not looked up yet.
  var line = 0
  var column = 0
}

/// A value that `$data` compares with, kept until the object (or document) ends that holds it.
struct DataValue: Sendable {
  enum Kind: Sendable { case absent, null, boolean, number, string, container }

  var kind = Kind.absent
  var text: [UInt8] = []
}

/// A comparison whose other side has not come yet.
struct DeferredComparison {
  /// The thread whose cell is waited for; -1: the document's.
  var holder: Int
  /// The holder's slot that the failure goes to.
  var slot: Int
  var cell: Int
  var check: RuleProgram.Check
  var value: DataValue
  var finding: FindingSubject
}

/// A failure under a branch that is not decided yet.
struct PendingFinding {
  enum Content {
    /// A scalar of the current batch: it is worded if the branch is shown, or the batch goes.
    case unworded(RuleProgram.Check, ValueKind, text: ByteView, offset: Int, Step)
    case worded(FindingSubject, String)
    /// So many others went before it that it is only counted.
    case counted(Int)
  }

  /// Where a scalar stands: in the innermost of so many frames, at a member or an index.
  struct Step {
    var depth: Int
    var member: Int32
    var index: Int
  }

  var thread: Int32
  var slot: UInt16
  var rule: Int32
  /// The value itself is of another type than the branch asks for: the branch was hardly meant.
  var isTypeMismatch: Bool
  var content: Content
}

/// The places of one member that came with a later version of the format.
struct NewerMember {
  var version: Int
  var count = 0
  var subjects: [FindingSubject] = []
}
