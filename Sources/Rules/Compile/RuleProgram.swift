package import Findings

/// A compiled rule document: what the evaluator walks, in flat tables, immutable and shared by all who evaluate.
///
/// A **state** is everything that one schema asks of one value, its in-place subschemas (`allOf`, `$ref`, `anyOf`, `if` …) included. Those that may fail
/// without the value being wrong (branches of `anyOf`, conditions) each have a **slot** of the state, slot 0 is what must hold.
///
///     state  ─┬─ checks by kind of value: null · boolean · number · string · array · object
///             ├─ key table: name ─▶ member entry ─▶ children: (state, slot of this state that fails with it) …
///             ├─ items ─▶ children
///             ├─ closers: what is checked when the container ends (required, counts)
///             └─ resolutions: how slots decide about slots, inner ones first
///
/// At run time a value is under one **active state** for each child: a state, and the parent's slot to which its failure goes.
public final class RuleProgram: Sendable {
  package let states: FixedTable<State>
  package let checkRanges: FixedTable<Range32>
  package let checks: FixedTable<Check>
  package let keySlots: FixedTable<Int32>
  package let members: FixedTable<Member>
  package let memberNames: FixedTable<UInt8>
  package let children: FixedTable<Child>
  package let closers: FixedTable<Closer>
  package let resolutions: FixedTable<Resolution>
  package let slots: FixedTable<Slot>
  package let contains: FixedTable<ContainsCount>
  /// Texts that are among an enumeration's: tables of names like those of states, without children.
  package let stringTables: FixedTable<StringTable>
  /// The decimals of `constants` that are integers within 64 bits, 0 for the others.
  package let integers: FixedTable<Int64>
  package let rules: [Rule]
  package let constants: Constants
  package let branches: FixedTable<UInt16>
  package let plans: FixedTable<Plan>
  package let steps: FixedTable<Step>
  package let stepFields: FixedTable<Int32>
  package let stepLabels: [StepLabel]
  package let keySetCount: Int
  package let countNames: [String]
  package let globalCellCount: Int
  /// The document's cell that holds the version it declares; -1: the rules don't say where that stands.
  package let versionCell: Int32
  package let cells: [Cell]
  /// The rules about members that came with a later version; the checks name them by their index.
  package let versionRules: [VersionRule]
  /// The one child of the value around the root: the root schema's state.
  package let root: Range32
  /// Where the tables stand, as long as the program lives.
  private let memory: TableMemory

  init(_ builder: consuming ProgramBuilder, root: Range32) {
    var memory = TableMemory()
    states = memory.table(builder.states)
    checkRanges = memory.table(builder.checkRanges)
    checks = memory.table(builder.checks)
    keySlots = memory.table(builder.keySlots)
    members = memory.table(builder.members)
    // Names are compared by whole words: so many bytes may be read past the last.
    memberNames = memory.table(builder.memberNames + Array(repeating: 0, count: 16))
    children = memory.table(builder.children)
    closers = memory.table(builder.closers)
    resolutions = memory.table(builder.resolutions)
    slots = memory.table(builder.slots)
    contains = memory.table(builder.contains)
    stringTables = memory.table(builder.stringTables)
    integers = memory.table(builder.constants.decimals.map { $0.int64 ?? 0 })
    rules = builder.rules
    constants = builder.constants
    branches = memory.table(builder.branches)
    var plans: [Plan] = []
    var steps: [Step] = []
    var stepFields: [Int32] = []
    var stepLabels: [StepLabel] = []
    for draft in builder.plans {
      let first = Int32(steps.count)
      for step in draft.steps {
        steps.append(
          Step(
            kind: step.kind, fields: ProgramBuilder.append(step.fields.map(Int32.init), to: &stepFields),
            keySet: Int32(step.keySet),
            isScoped: step.isScoped, condition: step.condition, rule: step.rule,
            base: step.base < 0 ? -1 : first + Int32(step.base), findingCapture: Int32(step.findingCapture),
            findsKey: step.fields == [step.findingCapture] && step.kind != .foldedUniqueKey))
        stepLabels.append(StepLabel(fields: step.fieldNames, findingField: step.findingField, resource: step.resource))
      }
      plans.append(
        Plan(steps: Range32(start: first, count: Int32(draft.steps.count)), scopedSetCount: Int32(draft.scopedSetCount)))
    }
    self.plans = memory.table(plans)
    self.steps = memory.table(steps)
    self.stepFields = memory.table(stepFields)
    self.stepLabels = stepLabels
    keySetCount = builder.keySetCount
    countNames = builder.countNames
    globalCellCount = builder.globalCellCount
    versionCell = builder.versionCell
    cells = builder.cells
    versionRules = builder.versionRules
    self.root = root
    self.memory = memory
  }
}

// MARK: The tables' rows

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
    package var slots = Range32(start: 0, count: 0)
    package var cells = Range32(start: 0, count: 0)
    /// Words of memory that each activation of this state has: failed slots, then required names seen, then counters of `contains`.
    package var words: Int32 = 0
    package var requiredWord: Int32 = 0
    package var counterWord: Int32 = 0
    /// The plan whose keys the records of this array make (-1: none), and the one that this record is captured for.
    package var plan: Int32 = -1
    package var recordPlan: Int32 = -1
    package var captureCount: Int32 = 0
    /// Where the number of items goes, for `countOf`; -1: nowhere.
    package var countIndex: Int32 = -1
    package var hasBranches: Bool { slots.count > 1 }
  }

  package struct Slot: Sendable, BitwiseCopyable {
    /// The slot of the same state that this one is a part of.
    package var parent: UInt16
    /// Failures only decide: they are never shown.
    package var isMute: Bool
    /// Of `then`: the slot of its `if`; 0: none. Once that one has failed, nothing is worded for this branch.
    package var test: UInt16 = 0
  }

  package struct Child: Sendable, BitwiseCopyable {
    package var state: Int32
    package var slot: UInt16
    /// The state has slots of its own, so that a scalar, too, has to make it active.
    package var hasBranches: Bool
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

  /// A name that `$data` looks for in the object that a state is active for.
  package struct Cell: Sendable {
    package var name: String
  }

  package struct VersionRule: Sendable {
    package var version: Int
    package var rule: Int32
  }

  package enum Operation: UInt8, Sendable, BitwiseCopyable {
    case never, isInteger, numericBound, multipleOf, numberAmong, minimumLength, maximumLength, pattern, stringAmong, format,
      instantBound, decimalBound,
      numericData, formatData, equalsData, count, since
  }

  package struct StringTable: Sendable, BitwiseCopyable {
    package var keyTable: Int32
    package var keyMask: Int32
  }

  /// One test of a value. What `operand` and `comparison` mean depends on the operation.
  package struct Check: Sendable, BitwiseCopyable {
    package var operation: Operation
    package var comparison: Comparison = .atLeast
    package var slot: UInt16
    package var operand: Int32 = 0
    package var rule: Int32
    /// It comes from `type`.
    package var isType = false
    /// The bound is an integer, which `RuleProgram.integers` holds by the operand; of a decimal bound: zero.
    package var hasIntegerBound = false
  }

  package struct Closer: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case required, minimumItems, maximumItems, minimumContains, maximumContains
    }
    package var kind: Kind
    package var slot: UInt16
    /// The required name's bit; a number of items; the index of the counter.
    package var operand: Int32
    package var count: Int = 0
    package var rule: Int32
  }

  package struct Resolution: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable {
      case anyOf, oneOf, not
      /// Its branches are the test, then and else; `noBranch` stands for a missing one.
      case condition
    }
    package static let noBranch = UInt16.max

    package var kind: Kind
    package var slot: UInt16
    /// A run of `RuleProgram.branches`: slots of the state.
    package var branches: Range32
    package var rule: Int32
  }

  package struct ContainsCount: Sendable, BitwiseCopyable {
    package var slot: UInt16
  }

  /// Which rule a finding comes from, and how it is graded.
  package struct Rule: Sendable {
    package var keyword: String
    package var pointer: String
    package var code: String
    package var severity: Severity
    package var message: String?
    /// The member that is missing, where the rule is about one.
    package var member: String?
    /// What was expected, for messages.
    package var expectation: String
  }

  package struct Constants: Sendable {
    package var decimals: [ExactDecimal] = []
    package var numberSets: [[ExactDecimal]] = []
    /// The texts of each string table, for messages.
    package var strings: [[String]] = []
    package var patterns: [Pattern] = []
    package var formatBounds: [(format: StringFormat, operand: Schema.FormatOperand)] = []
    package var data: [DataOperand] = []
  }

  package struct DataOperand: Sendable {
    package var reference: Schema.DataReference
    package var format: StringFormat?
    /// The index of the document's cell, for references from the root.
    package var globalCell: Int32 = -1
  }

  /// What the records of one array are captured for.
  package struct Plan: Sendable, BitwiseCopyable {
    package var steps: Range32
    /// Key sets that each array of this plan has for itself.
    package var scopedSetCount: Int32
  }

  /// What is done with a record's key.
  package struct Step: Sendable, BitwiseCopyable {
    package enum Kind: UInt8, Sendable, BitwiseCopyable { case primaryKey, uniqueKey, foldedUniqueKey, definition, reference }

    package var kind: Kind
    /// A run of `stepFields`: the record's captures that make the key.
    package var fields: Range32
    /// A key set of the document or, if scoped, of the array at hand.
    package var keySet: Int32
    package var isScoped: Bool
    /// A slot of the record's state that must hold for the step to be taken; 0: none.
    package var condition: UInt16
    package var rule: Int32
    /// Of a reference: the step that it refines; -1: none.
    package var base: Int32
    package var findingCapture: Int32
    /// What a finding points at is the key itself.
    package var findsKey: Bool
  }

  /// What messages say of a step.
  package struct StepLabel: Sendable {
    package var fields: [String]
    package var findingField: String
    package var resource: String
  }
}
