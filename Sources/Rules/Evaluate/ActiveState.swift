import Findings
import JSONEvents

/// An open container.
struct Frame: BitwiseCopyable {
  var isObject: Bool
  /// The needs of an array: a visit at the end of each item, children by index or the end of a document, unique items.
  var visitsItems = false
  var entersItems = false
  var hasUniqueItems = false
  /// True if records with equal keys are compared as a whole.
  var comparesRecords = false
  /// True if only one state is active for an object, and it only checks the names and values of members.
  var isPlain = false
  /// The first of the words that record which required names of a plain object were seen.
  var required: Int32 = 0
  /// True if each member's name is visited.
  var visitsNames = false
  /// True for an array whose last object's frame and active state are still above the stacks, and can be used for the next object.
  /// Whatever else appends a frame or an active state there sets it to false.
  var reopensObjects = false
  /// True if an object's members are counted as records.
  var isCollection = false
  /// True if an object in it has ended.
  var holdsObjects = false
  /// The index of the whole value's digest, or -1 if it isn't needed.
  var digest: Int32 = -1
  var firstActive: Int32
  var activeCount: Int32
  /// The number of items that have ended; for an object, the number of members that have begun, if they are counted.
  var index = 0
  /// The member of the last key: an entry of the program, or -1 if `keyBytes` holds the key as shown in reports.
  var member: Int32 = -1
  var keyStart: Int32
  var keyCount: Int32 = 0
  /// The length of that key in the document, in bytes.
  var keyLength: Int32 = 0
  var offset: Int
  /// The line. 0 if it hasn't been looked up yet, and the offset is in the current batch.
  var line = 0
  var column = 0
  /// The heights to which the other stacks return when this container ends.
  var words: Int32
  var captures: Int32
  var cells: Int32
  var scopedSets: Int32
  var uniqueSets: Int32
  var aggregates: Int32
  var requesters: Int32
  /// The number of pending branch findings when the container began, and the number of failures of branches until then.
  var pending: Int32
  var branchFailures: UInt32
  /// The steps for a member or an item, if there are many: see `StepBudget`.
  var valueSteps: Int32 = 0

  /// True if the values in it must be digested.
  var wantsDigests: Bool { digest >= 0 || hasUniqueItems || comparesRecords }

  /// Makes it the frame of the next object in the same array: resets all that depends on the object. The heights are the same.
  @inline(__always)
  mutating func restart(at offset: Int, pending: Int, branchFailures: UInt32) {
    self.offset = offset
    (line, column) = (0, 0)
    (index, member) = (0, -1)
    (keyCount, keyLength) = (0, 0)
    holdsObjects = false
    self.pending = Int32(pending)
    self.branchFailures = branchFailures
  }
}

/// A state of the `RuleProgram`, applied to one open value.
struct ActiveState: BitwiseCopyable {
  var state: Int32
  /// The active state of the enclosing container, and its slot that fails with slot 0 of this one.
  var parent: Int32
  var slot: UInt16
  /// Other requesters of this state for the same value: an index into the evaluator's list, or -1 if there are none.
  var requesters: Int32 = -1
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

  /// Makes it the active state of the next value with the same parent: resets all that depends on the value.
  @inline(__always)
  mutating func restart() {
    meaning = .unknown
    dead = -1
    (next, keptMember) = (.none, -1)
  }
}

/// What is known of a member's or state's values so far.
struct Tally: BitwiseCopyable {
  /// The number of scalars of the member that were taken in one step; of the state, the number of all other values.
  var count = 0
  /// The member that came next in the last object: after this member, or, for a state, at an object's start. -1 if there was none.
  var successor: Int32 = -1
}

/// A requester of a shared state: an active state of the enclosing container, and its slot that fails with the value.
struct Requester: BitwiseCopyable, Hashable {
  var active: Int32
  var slot: UInt16
}

/// A record's field, kept until the record ends.
struct Capture: BitwiseCopyable {
  enum Status: UInt8, BitwiseCopyable { case absent, null, scalar, container }

  var status = Status.absent
  var value = KeyValue.none
  var offset = 0
  /// The line, or 0 if it hasn't been looked up yet.
  var line = 0
  var column = 0
  /// The severity of the worst finding about the value itself.
  var fault: Severity?
}

extension Capture {
  /// - Parameter value: the scalar as a part of a key.
  init(_ scalar: Scalar, _ value: @autoclosure () -> KeyValue) {
    status = scalar.kind == .null ? .null : .scalar
    offset = scalar.offset
    if status == .scalar { self.value = value() }
  }
}
