import ByteStreams
package import Findings

/// The rows of a state's tables: its checks of a value, and the children for the value's members and items.
extension RuleProgram {
  package struct Range32: Sendable, BitwiseCopyable {
    package var start: Int32
    package var count: Int32

    package static let none = Range32(start: 0, count: 0)

    @inline(__always)
    package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
  }

  package struct State: Sendable, BitwiseCopyable {
    /// The key table's first slot in `keySlots`, or -1 if there are no names. `keyMask` is its number of slots, a power of two,
    /// less one.
    var keyTable: Int32 = -1
    /// The entries of that table, in the order of the rules.
    package var members = Range32.none
    var keyMask: Int32 = 0
    /// Children for members that are not in the key table, and for items.
    var otherMembers = Range32.none
    package var items = Range32.none
    var endChecks = Range32.none
    /// The number of leading end checks that require names in slot 0. The mask checks the first 64 names at once.
    var requiredNameChecks: Int32 = 0
    var requiredMask: UInt64 = 0
    var resolutions = Range32(start: 0, count: 0)
    package var contains = Range32(start: 0, count: 0)
    var itemCovers = Range32.none
    package var slots = Range32(start: 0, count: 0)
    /// Items with their own children: a run of `RuleProgram.itemRanges`, starting with the first item. All others have `items`.
    package var prefixItems = Range32.none
    /// Children for the names themselves.
    package var names = Range32.none
    /// The state's patterns, a run of `RuleProgram.statePatterns`, and the rows that depend on them.
    package var patterns = Range32.none
    var patternRows = Range32.none
    var patternCovers = Range32.none
    var uniqueRules = Range32.none
    /// Values gathered for requests from below, a run of `RuleProgram.aggregates`.
    package var aggregates = Range32.none
    /// The place action whose items are complete when this array ends, or -1 if there is none.
    package var completion: Int32 = -1
    /// True if members are counted or their names are checked: they are then processed one by one.
    var looksAtEachMember = false
    /// True if arrays and objects are compared as a whole.
    var comparesContainers = false
    package var cells = Range32(start: 0, count: 0)
    /// Words of memory for each activation of this state: failed slots, then required names seen, then counters of `contains`,
    /// then dead slots.
    package var words: Int32 = 0
    /// The steps that an activation of this state takes, and the most for one of its members or items: see `StepBudget`.
    var activationSteps: Int32 = 0
    var valueSteps: Int32 = 0
    var isCostly = false
    var requiredWord: Int32 = 0
    var counterWord: Int32 = 0
    var deadWord: Int32 = 0
    /// True if its findings depend only on the value: it is then evaluated once, no matter how many alternatives use it.
    var isShareable = false
    /// The plan for the keys of this collection's records, and the plan that this record is captured for. -1 if there is none.
    package var plan: Int32 = -1
    package var recordPlan: Int32 = -1
    var captureCount: Int32 = 0
    /// The first of the captures that hold the name of this object's current member: see `Plan.names`.
    var nameCaptures: Int32 = 0
    /// The index of the number of items, for `countOf`, or -1 if it isn't needed.
    var countIndex: Int32 = -1
    /// True if an item of the array affects more than itself: a branch (`anyOf`, `oneOf`, `not`, `if`) of the array or of its
    /// surroundings, or the number of matching items (`contains`).
    var decidesBranches = false
    /// True if the members of an object here are counted as records.
    var isCollection = false
    /// True if a member of the object affects more than itself: it is required, kept for others, or decides a branch.
    var dependsOnMembers = false
    /// True if the items of the array are documents, and some rule compares values of a document.
    var holdsDocuments = false
    var hasBranches: Bool { slots.count > 1 }
  }

  package struct Slot: Sendable, BitwiseCopyable {
    /// The slot of the same state that contains this one.
    package var parent: UInt16
    /// True if failures only decide and are never shown.
    var isMute: Bool
    /// True for an alternative of `anyOf` or `oneOf`: if a member differs from its required constant, the alternative needn't
    /// check the rest of the value.
    package var isAlternative = false
    /// The slot of the `if` of a `then` or `else`, otherwise 0. Once the `if` has failed, a `then` produces no messages.
    package var test: UInt16 = 0
    var isElse = false
    /// The slot of the `then` of an `if`, or 0 if there is none.
    package var then: UInt16 = 0
    /// The slots from this one up to, but excluding, `end` are parts of it.
    package var end: UInt16 = 0
    /// The slots that need no more checks once this one has failed, as bits: its parts, and those of `then`. 0 if its failures may be
    /// shown, or if the state has more than 64 slots.
    var killed: UInt64 = 0
  }

  package struct Child: Sendable, BitwiseCopyable {
    package var state: Int32
    package var slot: UInt16
    /// True if the state has its own slots, so that scalars must activate it, too.
    var hasBranches: Bool
    /// True if all its findings are failures of its slot: once the slot is dead, it need not be evaluated.
    var dependsOnSlot: Bool
    /// True if an earlier child of the same value has the same state: the value is counted only once.
    package var isRepeated = false

    static let none = Child(state: -1, slot: 0, hasBranches: false, dependsOnSlot: false)
  }

  package struct Member: Sendable, BitwiseCopyable {
    /// The name's first eight bytes and the next eight as numbers, and the bits of both that belong to the name.
    package var word: UInt64 = 0
    var secondWord: UInt64 = 0
    var mask: UInt64 = 0
    var secondMask: UInt64 = 0
    /// The name's place in `memberNames`.
    package var nameStart: Int32 = 0
    package var nameLength: Int32 = 0
    package var children = Range32.none
    /// The bit among the state's required names, or -1. The mask has it, if it is one of the first 64.
    var requiredBit: Int32 = -1
    var requiredMask: UInt64 = 0
    var passingNumbers = PassingNumbers()
    /// True if its value isn't kept, and every short number without a sign and an exponent passes.
    var passesShortUnsigned = false
    /// The capture of its value for the record's keys, or -1.
    var capture: Int32 = -1
    /// The cell for its value, for `$data`: a cell of the active state, or of the document; or -1.
    package var cell: Int32 = -1
    package var globalCell: Int32 = -1
    /// True if its value is kept in any way, or if it is required and not one of the first 64 such names of its state.
    package var isKept = false
    /// A bit for each kind of event (`Event.Kind`) whose value is kept or checked.
    var regardedKinds: UInt8 = 0
  }

  /// Numbers that pass all checks of a member.
  struct PassingNumbers: Sendable, BitwiseCopyable {
    /// The integers from `least` to `most`: none, unless set.
    var least: Int64 = 1
    var most: Int64 = 0
    /// True for fractions between them, too.
    var includesFractions = false

    /// True if they include all numbers of up to 8 characters without a sign and an exponent.
    var includesShortUnsigned: Bool { includesFractions && least <= 0 && most >= 99_999_999 }
  }

  /// A check of a member's scalars of one kind, with properties of its child.
  package struct MemberCheck: Sendable, BitwiseCopyable {
    package var check: Check
    package var slot: UInt16
    /// The number of further checks of the same child.
    package var following: UInt16
    /// The same as ``Child/dependsOnSlot``.
    var dependsOnSlot: Bool
    /// True if it belongs to a branch, and its child has no other check of this kind of scalar.
    var isOnly: Bool
  }

  package struct VersionRule: Sendable {
    package var version: Int
    package var rule: Int32
  }

  package enum Operation: UInt8, CaseIterable, Sendable, BitwiseCopyable {
    case never, isInteger, numericBound, numberAmong, minimumLength, maximumLength, pattern, stringAmong, format,
      wholeSeconds, instantBound, decimalBound,
      numericData, formatData, equalsData, amongData, sum, count, since, place, entry, unusable,
      /// A test that only its keyword knows.
      test

    /// The steps of the check, for the `StepBudget`.
    var steps: Int {
      switch self {
      case .pattern, .format, .wholeSeconds, .instantBound, .decimalBound, .test: 10
      default: 1
      }
    }

    /// True if it compares with another value of the document, which its message names.
    @inline(__always) package var comparesData: Bool { Self.numericData.rawValue...Self.equalsData.rawValue ~= rawValue }
  }

  package struct StringTable: Sendable, BitwiseCopyable {
    var keyTable: Int32
    var keyMask: Int32
    /// The entry of the only text, or -1 if there are several or none.
    var only: Int32
  }

  /// One test of a value. The meaning of `operand` and `comparison` depends on the operation.
  ///
  /// Packed into two words, which calls pass in registers. As eight fields, it was loaded and reassembled for each call.
  ///
  ///     head    operation: 8 bits | comparison: 8 | slot: 16 | operand: 32
  ///     tail    rule: 32 bits | isType: 1 | hasIntegerBound: 1 | isBelowError: 1
  package struct Check: Sendable, BitwiseCopyable {
    private let head: UInt64
    private let tail: UInt64

    init(
      operation: Operation, comparison: Comparison = .atLeast, slot: UInt16, operand: Int32 = 0, rule: Int32,
      isType: Bool = false,
      hasIntegerBound: Bool = false, isBelowError: Bool = false
    ) {
      head =
        UInt64(operation.rawValue) | UInt64(comparison.rawValue) << 8 | UInt64(slot) << 16 | UInt64(UInt32(bitPattern: operand))
        << 32
      tail =
        UInt64(UInt32(bitPattern: rule)) | (isType ? 1 << 32 : 0) | (hasIntegerBound ? 1 << 33 : 0) | (isBelowError ? 1 << 34 : 0)
    }

    // `init(rawValue:)` is a call that searches a table; a test verifies that the cases are the bytes from 0 on.
    @inline(__always) package var operation: Operation { unsafeBitCast(UInt8(truncatingIfNeeded: head), to: Operation.self) }
    @inline(__always) package var comparison: Comparison {
      unsafeBitCast(UInt8(truncatingIfNeeded: head &>> 8), to: Comparison.self)
    }
    @inline(__always) package var slot: UInt16 { UInt16(truncatingIfNeeded: head &>> 16) }
    @inline(__always) package var operand: Int32 { Int32(truncatingIfNeeded: head &>> 32) }
    @inline(__always) package var rule: Int32 { Int32(truncatingIfNeeded: tail) }
    /// True if it comes from `type`.
    @inline(__always) package var isType: Bool { tail & 1 << 32 != 0 }
    /// True if the bound is an integer, which `RuleProgram.integers` holds by the operand; for a decimal bound: zero.
    @inline(__always) package var hasIntegerBound: Bool { tail & 1 << 33 != 0 }
    /// True if the severity is below error. The check is skipped for a value that already has an error.
    @inline(__always) package var isBelowError: Bool { tail & 1 << 34 != 0 }

    /// True if a failing value is not checked further by the same schema: a wrong type is one fault, not several.
    var endsValidation: Bool { isType && !isBelowError }
  }

  package struct EndCheck: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case required, dependentRequired, minimumItems, maximumItems, minimumContains, maximumContains, minimumMembers,
        maximumMembers, containerAmong
      /// An object where the rules are about records, but no member is one.
      case unchecked
    }
    package var kind: Kind
    package var slot: UInt16
    /// The required name's bit; the index of the counter; for `containerAmong`, the index of the set.
    package var operand: Int32
    /// A number of items or members; for `dependentRequired`, the bit of the name that requires the other.
    package var count: Int = 0
    package var rule: Int32
  }

  /// The rule that a finding comes from, and its grading.
  package struct Rule: Sendable {
    package var keyword: String
    package var pointer: String
    package var line: Int
    package var code: String
    package var severity: Severity
    package var message: String?
    /// True if it allows only one constant, like the member that distinguishes alternatives.
    var isConstant: Bool
    /// The missing member, if the rule is about one.
    package var member: String?
    /// The expected value, for messages.
    package var expectation: String
    /// The member that makes another one required.
    package var cause: String?

    /// Returns the rule that findings of this severity are counted by.
    func graded(_ severity: Severity) -> FindingRule {
      FindingRule(severity: severity, code: code, schemaLocation: pointer.shortened(to: Finding.schemaLocationLimit))
    }
  }

  /// What only reports need of a rule. Evaluation copies rules, whatever it needs of them.
  package struct RuleDetails: Sendable {
    /// The place of its findings in a document, with `*` for any item or other name: `/expenses/*/cost`; `nil` if there are several.
    package var place: String?
    /// True if its failures are never findings, because it is part of a condition (`if`, `not`, `when`).
    var isCondition: Bool
    /// The states of the values that it applies to. Empty if those aren't counted, or if none can pass.
    package var states: [Int32]
    /// The names of alternatives, as far as they have any, else empty strings.
    package var alternatives: [String] = []
  }

  package struct Constants: Sendable {
    package var decimals: [ExactDecimal] = []
    var numberSets: [NumberSet] = []
    var containerSets: [[JSONValue.Located]] = []
    /// The texts of each string table, for messages.
    package var strings: [[String]] = []
    package var patterns: [Pattern] = []
    package var formatBounds: [(format: StringFormat, operand: Schema.FormatOperand)] = []
    package var data: [DataOperand] = []
    package var aggregates: [AggregateOperand] = []
    package var entries: [EntryOperand] = []
    package var orders: [Order] = []
    /// The tests of keywords that have no operation of their own. Calling one costs more than an operation.
    var tests: [@Sendable (Scalar) -> Bool] = []
    /// Why some schemas can't be used.
    var obstacles: [CofferError] = []
  }
}

/// Rows about slots: how branches are decided, and what remains unevaluated if they fail.
extension RuleProgram {
  package struct Resolution: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case anyOf, oneOf, not
      /// A condition, whose branches are `if`, `then` and `else`; `noBranch` marks a missing one.
      case condition
      /// The findings of `unevaluatedItems` or `unevaluatedProperties` about values that only branches could have evaluated:
      /// `branches` is a run of `RuleProgram.uncovered`.
      case unevaluated
    }
    static let noBranch = UInt16.max

    package var kind: Kind
    package var slot: UInt16
    /// A run of `RuleProgram.branches`: slots of the state.
    package var branches: Range32
    package var rule: Int32
  }

  package struct ContainsCount: Sendable, BitwiseCopyable {
    package var slot: UInt16
    package var rule: Int32
  }

  /// Members or items that an `unevaluated…` applies to if certain branches fail.
  package struct Uncovered: Sendable, BitwiseCopyable {
    /// The slot that they have failed.
    package var slot: UInt16
    /// Runs of `RuleProgram.coverLinks`, one per branch: the branch holds if every slot of its run has failed or held as
    /// required.
    package var links: Range32
  }

  package struct CoverLink: Sendable, BitwiseCopyable {
    package var slot: UInt16
    /// True for the test of an `else`.
    var mustHaveFailed: Bool
    /// True for the last link of a branch.
    package var isLast: Bool
  }

  /// Children for members whose names are in no table, in a state with patterns: they depend on the matching patterns.
  package struct PatternRow: Sendable, BitwiseCopyable {
    /// The schema object (`properties`, `patternProperties` and `additionalProperties`) of the row.
    package var group: Int32
    /// One of the state's patterns, or -1 for `additionalProperties`: names that match none of the group's patterns.
    package var pattern: Int32
    /// The child, whose state is -1 if no rule applies.
    package var child: Child
  }

  /// An `unevaluatedProperties` in a state with patterns.
  package struct PatternCover: Sendable, BitwiseCopyable {
    /// The child, whose slot must be looked up.
    package var child: Child
    /// Runs of `RuleProgram.patternTests`. A name that matches one of these is evaluated …
    package var always: Range32
    /// … and these make the bits of an index, from the lowest (a run ends with `isLast`), …
    package var bits: Range32
    /// … into this run of `RuleProgram.slotTable`.
    package var slots: Range32
  }

  package struct PatternTest: Sendable, BitwiseCopyable {
    package var pattern: Int32
    package var isLast: Bool
  }

  /// An `unevaluatedItems` next to or around `contains`: its findings about an item are decided when that item has ended.
  package struct ItemCover: Sendable, BitwiseCopyable {
    /// The slot that items fail at first.
    package var slot: UInt16
    /// The counters of `contains` (a run of `RuleProgram.patternTests`) whose match evaluates the item for good, …
    package var always: Range32
    /// … and those that make the bits of an index …
    package var bits: Range32
    /// … into a run of `RuleProgram.slotTable`, one for each place of the first items and one for all others.
    package var slots: Range32
    package var width: Int32
  }
}

/// A range of slots as bits of words.
extension Range<Int> {
  var words: ClosedRange<Int> { lowerBound >> 6...(upperBound - 1) >> 6 }

  @inline(__always)
  func mask(ofWord word: Int) -> UInt64 {
    let (first, end) = (Swift.max(lowerBound - (word << 6), 0), Swift.min(upperBound - (word << 6), 64))
    return UInt64.max << UInt64(first) & UInt64.max >> UInt64(64 - end)
  }
}
