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
  /// By member, then by kind of scalar: what its children check, one child after the other; a count of -1 where they must be gone through themselves.
  package let memberCheckRanges: FixedTable<Range32>
  package let memberChecks: FixedTable<MemberCheck>
  package let memberNames: FixedTable<UInt8>
  package let children: FixedTable<Child>
  package let closers: FixedTable<Closer>
  package let resolutions: FixedTable<Resolution>
  package let slots: FixedTable<Slot>
  package let contains: FixedTable<ContainsCount>
  package let uncovered: FixedTable<Uncovered>
  package let coverLinks: FixedTable<CoverLink>
  package let itemRanges: FixedTable<Range32>
  /// Indices of `constants.patterns`.
  package let statePatterns: FixedTable<Int32>
  package let patternRows: FixedTable<PatternRow>
  package let patternCovers: FixedTable<PatternCover>
  package let patternTests: FixedTable<PatternTest>
  package let itemCovers: FixedTable<ItemCover>
  package let slotTable: FixedTable<UInt16>
  package let uniqueRules: FixedTable<UniqueRule>
  package let placeActions: FixedTable<PlaceAction>
  package let gatherings: FixedTable<Int32>
  package let gatheringCount: Int
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
  /// Where the values are found that the program was compiled to watch.
  package let watches: [Watch]
  /// The rules about members that came with a later version; the checks name them by their index.
  package let versionRules: [VersionRule]
  /// The one child of the value around the root: the root schema's state.
  package let root: Range32
  /// Where the tables stand, as long as the program lives.
  private let memory: TableMemory

  /// How many kinds of values are scalars: the first ones.
  static let scalarKinds = 4

  init(_ builder: consuming ProgramBuilder, root: Range32) {
    var memory = TableMemory()
    states = memory.table(builder.states)
    checkRanges = memory.table(builder.checkRanges)
    checks = memory.table(builder.checks)
    keySlots = memory.table(builder.keySlots)
    members = memory.table(builder.members)
    let (ranges, memberChecks) = builder.memberChecks()
    memberCheckRanges = memory.table(ranges)
    self.memberChecks = memory.table(memberChecks)
    // Names are compared by whole words: so many bytes may be read past the last.
    memberNames = memory.table(builder.memberNames + Array(repeating: 0, count: 16))
    children = memory.table(builder.children)
    closers = memory.table(builder.closers)
    resolutions = memory.table(builder.resolutions)
    slots = memory.table(builder.slots)
    contains = memory.table(builder.contains)
    uncovered = memory.table(builder.uncovered)
    coverLinks = memory.table(builder.coverLinks)
    itemRanges = memory.table(builder.itemRanges)
    statePatterns = memory.table(builder.statePatterns)
    patternRows = memory.table(builder.patternRows)
    patternCovers = memory.table(builder.patternCovers)
    patternTests = memory.table(builder.patternTests)
    itemCovers = memory.table(builder.itemCovers)
    slotTable = memory.table(builder.slotTable)
    uniqueRules = memory.table(builder.uniqueRules)
    placeActions = memory.table(builder.placeActions)
    gatherings = memory.table(builder.gatherings)
    gatheringCount = builder.gatheringCount
    stringTables = memory.table(builder.stringTables)
    integers = memory.table(builder.constants.decimals.map { $0.int64 ?? $0.side })
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
            findsKey: step.fields == [step.findingCapture] && step.levels < 0,
            levels: Int32(step.levels), isFanned: step.isFanned,
            emptyCounts: ProgramBuilder.append(step.emptyCounts.map(Int32.init), to: &stepFields)))
        stepLabels.append(
          StepLabel(
            fields: step.fieldNames, findingField: step.findingField, resource: step.resource,
            ifEmpty: step.ifEmpty, ifEqual: step.ifEqual, list: step.list))
      }
      plans.append(
        Plan(
          steps: Range32(start: first, count: Int32(draft.steps.count)), scopedSetCount: Int32(draft.scopedSetCount),
          comparesRecords: draft.steps.contains { $0.kind == .equalRecord }))
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
    watches = builder.watches
    versionRules = builder.versionRules
    self.root = root
    self.memory = memory
  }
}
