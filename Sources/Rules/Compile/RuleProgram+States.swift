package import Findings

/// The rows of a state's tables: what it asks of a value, and what a value's members and items are under.
extension RuleProgram {
  package struct Range32: Sendable, BitwiseCopyable {
    package var start: Int32
    package var count: Int32

    package static let none = Range32(start: 0, count: 0)

    @inline(__always)
    package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  package struct State: Sendable, BitwiseCopyable {
    /// The key table's first slot in `keySlots` (-1: no names), and its number of slots less one, a power of two less one.
    package var keyTable: Int32 = -1
    /// The entries of that table, in the order in which the rules name them.
    package var members = Range32.none
    package var keyMask: Int32 = 0
    /// Children of members that the key table doesn't name, and of items.
    package var otherMembers = Range32.none
    package var items = Range32.none
    package var closers = Range32.none
    /// The first of them ask for the names that slot 0 requires, as this mask over the first 64 names does, all at once.
    package var requiredClosers: Int32 = 0
    package var requiredMask: UInt64 = 0
    package var resolutions = Range32(start: 0, count: 0)
    package var contains = Range32(start: 0, count: 0)
    package var itemCovers = Range32.none
    package var slots = Range32(start: 0, count: 0)
    /// Items with children of their own: a run of `RuleProgram.itemRanges`, the first one's first. All others have `items`.
    package var prefixItems = Range32.none
    /// What names themselves are under.
    package var names = Range32.none
    /// The state's patterns, a run of `RuleProgram.statePatterns`, and what they decide.
    package var patterns = Range32.none
    package var patternRows = Range32.none
    package var patternCovers = Range32.none
    package var uniqueRules = Range32.none
    /// What is gathered for those who ask below, a run of `RuleProgram.gatherings`.
    package var gatherings = Range32.none
    /// The place action whose items are complete when this array ends; -1: none.
    package var completion: Int32 = -1
    /// Whether members are counted, or their names judged: they are taken one by one then.
    package var looksAtEachMember = false
    /// Whether arrays and objects are compared as a whole.
    package var comparesContainers = false
    package var cells = Range32(start: 0, count: 0)
    /// Words of memory that each activation of this state has: failed slots, then required names seen, then counters of `contains`, then dead
    /// slots.
    package var words: Int32 = 0
    package var requiredWord: Int32 = 0
    package var counterWord: Int32 = 0
    package var deadWord: Int32 = 0
    /// What it finds depends on the value alone, so that it is evaluated once however many alternatives ask for it.
    package var isShareable = false
    /// The plan whose keys the records of this array make (-1: none), and the one that this record is captured for.
    package var plan: Int32 = -1
    package var recordPlan: Int32 = -1
    package var captureCount: Int32 = 0
    /// Where the number of items goes, for `countOf`; -1: nowhere.
    package var countIndex: Int32 = -1
    /// Whether an item of such an array decides more than about itself: about a branch (`anyOf`, `oneOf`, `not`, `if`) of the array or of what is
    /// around it, or how many items match (`contains`).
    package var decidesBranches = false
    package var hasBranches: Bool { slots.count > 1 }
  }

  package struct Slot: Sendable, BitwiseCopyable {
    /// The slot of the same state that this one is a part of.
    package var parent: UInt16
    /// Failures only decide: they are never shown.
    package var isMute: Bool
    /// Of `anyOf` or `oneOf`: once a member of it is not the constant that it should be, the rest of the value needn't be judged by it.
    package var isAlternative = false
    /// Of `then` and `else`: the slot of its `if`; 0: none. Once that one has failed, nothing is worded for a `then`.
    package var test: UInt16 = 0
    package var isElse = false
    /// Of an `if`: the slot of its `then`; 0: none.
    package var then: UInt16 = 0
    /// The slots from this one to before `end` are parts of it.
    package var end: UInt16 = 0
  }

  package struct Child: Sendable, BitwiseCopyable {
    package var state: Int32
    package var slot: UInt16
    /// The state has slots of its own, so that a scalar, too, has to make it active.
    package var hasBranches: Bool
    /// All that it finds are failures of its slot, so that it need not be judged once that is dead.
    package var dependsOnSlot: Bool

    static let none = Child(state: -1, slot: 0, hasBranches: false, dependsOnSlot: false)
  }

  package struct Member: Sendable, BitwiseCopyable {
    /// The name's first eight bytes and the eight behind them as numbers, and where it stands in `memberNames`.
    package var word: UInt64
    package var secondWord: UInt64 = 0
    package var nameStart: Int32
    package var nameLength: Int32
    package var children = Range32.none
    /// The bit among the state's required names, or -1.
    package var requiredBit: Int32 = -1
    /// Where its value is captured for the record's keys; or -1.
    package var capture: Int32 = -1
    /// Where its value is kept for `$data`: a cell of the active state, or of the document; or -1.
    package var cell: Int32 = -1
    package var globalCell: Int32 = -1
    /// Whether it is kept at all.
    package var isKept = false
    /// A bit for each kind of event (`Event.Kind`) whose value is kept or has something to pass.
    package var regardedKinds: UInt8 = 0
  }

  /// A check that a member's scalars of one kind must pass, with what its child says of it.
  package struct MemberCheck: Sendable, BitwiseCopyable {
    package var check: Check
    package var slot: UInt16
    /// How many more checks the same child has.
    package var following: UInt16
    /// As ``Child/dependsOnSlot``.
    package var dependsOnSlot: Bool
  }

  /// A name that `$data` looks for in the object that a state is active for.
  package struct Cell: Sendable {
    package var name: String
  }

  package struct VersionRule: Sendable {
    package var version: Int
    package var rule: Int32
  }

  package enum Operation: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case never, isInteger, numericBound, multipleOf, numberAmong, minimumLength, maximumLength, pattern, stringAmong, format,
      instantBound, decimalBound,
      numericData, formatData, equalsData, amongData, sum, count, since, place, entry
  }

  package struct StringTable: Sendable, BitwiseCopyable {
    package var keyTable: Int32
    package var keyMask: Int32
  }

  /// One test of a value. What `operand` and `comparison` mean depends on the operation.
  ///
  /// Packed in two words, which a call passes in registers. As eight fields, it was loaded and reassembled for each call.
  ///
  ///     head    operation: 8 bits | comparison: 8 | slot: 16 | operand: 32
  ///     tail    rule: 32 bits | isType: 1 | hasIntegerBound: 1 | isLesser: 1
  package struct Check: Sendable, BitwiseCopyable {
    private let head: UInt64
    private let tail: UInt64

    init(
      operation: Operation, comparison: Comparison = .atLeast, slot: UInt16, operand: Int32 = 0, rule: Int32,
      isType: Bool = false,
      hasIntegerBound: Bool = false, isLesser: Bool = false
    ) {
      head =
        UInt64(operation.rawValue) | UInt64(comparison.rawValue) << 8 | UInt64(slot) << 16 | UInt64(UInt32(bitPattern: operand))
        << 32
      tail =
        UInt64(UInt32(bitPattern: rule)) | (isType ? 1 << 32 : 0) | (hasIntegerBound ? 1 << 33 : 0) | (isLesser ? 1 << 34 : 0)
    }

    // `init(rawValue:)` is a call that searches a table; a test proves that the cases are the bytes from 0 on.
    @inline(__always) package var operation: Operation { unsafeBitCast(UInt8(truncatingIfNeeded: head), to: Operation.self) }
    @inline(__always) package var comparison: Comparison {
      unsafeBitCast(UInt8(truncatingIfNeeded: head &>> 8), to: Comparison.self)
    }
    @inline(__always) package var slot: UInt16 { UInt16(truncatingIfNeeded: head &>> 16) }
    @inline(__always) package var operand: Int32 { Int32(truncatingIfNeeded: head &>> 32) }
    @inline(__always) package var rule: Int32 { Int32(truncatingIfNeeded: tail) }
    /// It comes from `type`.
    @inline(__always) package var isType: Bool { tail & 1 << 32 != 0 }
    /// The bound is an integer, which `RuleProgram.integers` holds by the operand; of a decimal bound: zero.
    @inline(__always) package var hasIntegerBound: Bool { tail & 1 << 33 != 0 }
    /// It finds less than an error: nothing to add to an error about the same value.
    @inline(__always) package var isLesser: Bool { tail & 1 << 34 != 0 }

    /// A value that fails it need not be looked at further by the same schema: a wrong type is one fault, not several.
    package var endsJudgement: Bool { isType && !isLesser }
  }

  package struct Closer: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case required, dependentRequired, minimumItems, maximumItems, minimumContains, maximumContains, minimumMembers,
        maximumMembers, containerAmong
    }
    package var kind: Kind
    package var slot: UInt16
    /// The required name's bit; the index of the counter; of `containerAmong` that of the set.
    package var operand: Int32
    /// A number of items or members; of `dependentRequired` the bit of the name that needs the other.
    package var count: Int = 0
    package var rule: Int32
  }

  /// Which rule a finding comes from, and how it is graded.
  package struct Rule: Sendable {
    package var keyword: String
    package var pointer: String
    package var line: Int
    package var code: String
    package var severity: Severity
    package var message: String?
    /// It allows one constant alone, as the member does that tells alternatives apart.
    package var isConstant: Bool
    /// The member that is missing, where the rule is about one.
    package var member: String?
    /// What was expected, for messages.
    package var expectation: String
    /// The member that is the reason why another is needed.
    package var cause: String?
  }

  package struct Constants: Sendable {
    package var decimals: [ExactDecimal] = []
    package var numberSets: [NumberSet] = []
    package var containerSets: [[JSONValue.Located]] = []
    /// The texts of each string table, for messages.
    package var strings: [[String]] = []
    package var patterns: [Pattern] = []
    package var formatBounds: [(format: StringFormat, operand: Schema.FormatOperand)] = []
    package var data: [DataOperand] = []
    package var gatherings: [GatheringOperand] = []
    package var entries: [EntryOperand] = []
  }
}
