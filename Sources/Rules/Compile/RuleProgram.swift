package import Findings
import JSONEvents

/// A compiled rule document: flat, immutable tables that all evaluators share.
///
/// A **state** contains all rules of one schema for one value, including its in-place subschemas (`allOf`, `$ref`, `anyOf`, `if`
/// …). Subschemas that may fail while the value is valid (branches of `anyOf`, conditions) each have a **slot** of the state.
/// Slot 0 must hold.
///
///     state  ─┬─ checks by kind of value: null · boolean · number · string · array · object
///             ├─ key table: name ─▶ member entry ─▶ children: (state, slot of this state that fails with it) …
///             ├─ items ─▶ children
///             ├─ endChecks: checks at the end of the container (required, counts)
///             └─ resolutions: how slots decide other slots, inner ones first
///
/// At run time, a value has one **active state** for each child: a state, and the slot of the parent that receives its failure.
public final class RuleProgram: Sendable {
  package let states: FixedTable<State>
  let checkRanges: FixedTable<Range32>
  package let checks: FixedTable<Check>
  let keySlots: FixedTable<Int32>
  package let members: FixedTable<Member>
  /// The checks of a member's children, one child after the other, by member and then by kind of scalar. A count of -1 means that
  /// the children must be visited.
  let memberCheckRanges: FixedTable<Range32>
  package let memberChecks: FixedTable<MemberCheck>
  package let memberNames: FixedTable<UInt8>
  package let children: FixedTable<Child>
  let endChecks: FixedTable<EndCheck>
  let resolutions: FixedTable<Resolution>
  package let slots: FixedTable<Slot>
  package let contains: FixedTable<ContainsCount>
  let uncovered: FixedTable<Uncovered>
  let coverLinks: FixedTable<CoverLink>
  let itemRanges: FixedTable<Range32>
  /// Indices of `constants.patterns`.
  let statePatterns: FixedTable<Int32>
  let patternRows: FixedTable<PatternRow>
  let patternCovers: FixedTable<PatternCover>
  let patternTests: FixedTable<PatternTest>
  let itemCovers: FixedTable<ItemCover>
  let slotTable: FixedTable<UInt16>
  let uniqueRules: FixedTable<UniqueRule>
  let placeActions: FixedTable<PlaceAction>
  package let aggregates: FixedTable<Int32>
  let aggregateCount: Int
  /// The texts of enumerations: name tables like those of states, without children.
  let stringTables: FixedTable<StringTable>
  /// The decimals of `constants` that are 64-bit integers, 0 for the others.
  package let integers: FixedTable<Int64>
  package let rules: [Rule]
  /// What reports need of each of them.
  let ruleDetails: [RuleDetails]
  /// The rules for reports, in the order of their codes, then of the rule document.
  ///
  /// Conditions (`if`, `not`, `when`) are not among them. Alternatives (`anyOf`) are: the failures of the nearest one are findings.
  package let checkedRules: [CheckedRule]
  /// The places of those that are counted, in order, and the states of the values that they apply to.
  private let countedRules: [(schemaLocation: String, states: [Int32])]
  package let constants: Constants
  package let branches: FixedTable<UInt16>
  package let plans: FixedTable<Plan>
  package let steps: FixedTable<Step>
  let stepFields: FixedTable<Int32>
  let stepLabels: [StepLabel]
  let keySetCount: Int
  let countNames: [String]
  let globalCellCount: Int
  /// True if a number is compared with a number elsewhere, which may be a decimal string.
  let comparesNumbers: Bool
  /// The document's cell with its declared version, or -1 if the rules don't give its place.
  let versionCell: Int32
  /// The names that `$data` looks up in the objects that states are active for.
  package let cells: [String]
  /// The sources of the watched values.
  let watches: [Watch]
  /// The rules about members introduced by later versions; the checks refer to them by index.
  let versionRules: [VersionRule]
  /// The number of containers around a document: 1, or more if the documents are items of an array.
  let documentDepth: Int
  /// The only child of the value around the root: the root schema's state.
  package let root: Range32
  /// The memory of the tables, kept as long as the program.
  private let memory: TableMemory

  /// The number of kinds of values that are scalars: they come first.
  static let scalarKinds = 4

  /// Returns the row of `checkRanges` for a state's values of a kind. There are 6 kinds.
  @inline(__always)
  static func checkRow(of state: Int, _ kind: Int) -> Int { state * 6 + kind }

  /// Returns the checks of a state's values of a kind.
  @inline(__always)
  func checks(of state: Int, _ kind: JSONKind) -> Range32 { checkRanges[Self.checkRow(of: state, kind.rawValue)] }

  init(_ builder: consuming ProgramBuilder, root: Range32) {
    var memory = TableMemory()
    states = memory.table(builder.statesWithSteps())
    checkRanges = memory.table(builder.checkRanges)
    checks = memory.table(builder.checks)
    keySlots = memory.table(builder.keySlots)
    builder.addMemberChecks()
    builder.addKills()
    members = memory.table(builder.members)
    memberCheckRanges = memory.table(builder.memberCheckRanges)
    memberChecks = memory.table(builder.memberChecks)
    memberNames = memory.table(builder.memberNames)
    children = memory.table(builder.children)
    endChecks = memory.table(builder.endChecks)
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
    aggregates = memory.table(builder.aggregates)
    aggregateCount = builder.aggregateCount
    stringTables = memory.table(builder.stringTables)
    integers = memory.table(builder.constants.decimals.map { $0.int64 ?? $0.side })
    rules = builder.rules
    ruleDetails = builder.ruleDetails
    (checkedRules, countedRules) = Self.ruleList(rules, ruleDetails)
    constants = builder.constants
    branches = memory.table(builder.branches)
    var plans: [Plan] = []
    var steps: [Step] = []
    var stepFields: [Int32] = []
    var stepLabels: [StepLabel] = []
    for draft in builder.plans {
      let first = Int32(steps.count)
      for step in draft.steps {
        var row = step.row
        row.fields = ProgramBuilder.append(step.fields.map(Int32.init), to: &stepFields)
        row.emptyCounts = ProgramBuilder.append(step.emptyCounts.map(Int32.init), to: &stepFields)
        if row.base >= 0 { row.base += first }
        row.findsKey = step.fields == [Int(row.findingCapture)] && row.levels < 0
        steps.append(row)
        stepLabels.append(step.label)
      }
      plans.append(
        Plan(
          steps: Range32(start: first, count: Int32(draft.steps.count)), names: draft.names,
          scopedSetCount: Int32(draft.scopedSetCount),
          comparesRecords: draft.steps.contains { $0.row.kind == .equalRecord }))
    }
    self.plans = memory.table(plans)
    self.steps = memory.table(steps)
    self.stepFields = memory.table(stepFields)
    self.stepLabels = stepLabels
    keySetCount = builder.keySetCount
    countNames = builder.countNames
    globalCellCount = builder.globalCellCount
    comparesNumbers = builder.checks.contains { $0.operation == .numericData }
    versionCell = builder.versionCell
    cells = builder.cells
    watches = builder.watches
    documentDepth = builder.documentDepth
    versionRules = builder.versionRules
    self.root = root
    self.memory = memory
  }

  /// Returns the values that `checkedRules` applied to, except for those that applied to none.
  func ruleValues(of stateValues: [Int]) -> [RuleValues] {
    countedRules.compactMap { schemaLocation, states in
      let count = states.reduce(0) { $0 + stateValues[Int($1)] }
      return count == 0 ? nil : RuleValues(schemaLocation: schemaLocation, count: count)
    }
  }
}

/// Name lookup by length and leading bytes in small tables, never by `String`.
extension RuleProgram {
  /// Returns the entry of a name, an event's text, in a key table, or -1. An empty table is -1.
  @inline(__always)
  func member(named name: ByteView, keyTable: Int32, keyMask: Int32) -> Int {
    guard keyTable >= 0 else { return -1 }
    var slot = Int(truncatingIfNeeded: KeyName.hash(name, leadingWord: name.leadingWordOfPadded)) & Int(keyMask)
    while true {
      let index = Int(keySlots[Int(keyTable) + slot])
      if index < 0 { return -1 }
      if isMember(index, named: name) { return index }
      slot = (slot + 1) & Int(keyMask)
    }
  }

  /// Returns whether an entry has a name, from whose start on 16 bytes must be readable, as in an `EventBatch`.
  @inline(__always)
  func isMember(_ index: Int, named name: ByteView) -> Bool {
    let (first, second) = name.unmaskedLeadingWords
    let differences =
      ((first & members[index].mask) ^ members[index].word) | ((second & members[index].secondMask) ^ members[index].secondWord)
    return differences == 0 && Int(members[index].nameLength) == name.count
      && (name.count <= 16 || isLongMember(index, named: name))
  }

  @inline(never)
  private func isLongMember(_ index: Int, named name: ByteView) -> Bool {
    memberNames.view(from: Int(members[index].nameStart), count: name.count).elementsEqual(name)
  }

  /// Returns the first `limit` names in a state's table, in the order of the rules.
  package func memberNames(of state: Int, limit: Int = .max) -> [String] {
    states[state].members.indices.prefix(max(0, limit)).map { index in
      memberNames.view(from: Int(members[index].nameStart), count: Int(members[index].nameLength)).string
    }
  }
}

extension RuleProgram {
  /// Returns the rules for reports, and the states of the values that those with a count apply to.
  static func ruleList(_ rules: [Rule], _ details: [RuleDetails]) -> ([CheckedRule], [(schemaLocation: String, states: [Int32])])
  {
    var checked: [CheckedRule] = []
    var states: [String: [Int32]] = [:]
    var indices: [FindingRule: Int] = [:]
    var ambiguous: Set<Int> = []
    for (rule, details) in zip(rules, details) where !details.isCondition {
      let key = rule.graded(rule.severity)
      let expectation =
        rule.member != nil && rule.cause == nil ? "present" : rule.expectation == "nothing" ? "not allowed" : rule.expectation
      let index = indices[key] ?? checked.count
      if index == checked.count {
        indices[key] = index
        checked.append(
          CheckedRule(
            code: rule.code, keyword: rule.keyword, severity: rule.severity, message: rule.message,
            schemaLocation: key.schemaLocation, expectation: expectation.isEmpty ? nil : expectation))
      } else if checked[index].expectation != expectation {
        // For example, the members that others require.
        checked[index].expectation = nil
      }
      if !details.states.isEmpty {
        checked[index].isCounted = true
        states[key.schemaLocation, default: []] += details.states
      }
      if let place = details.place {
        if checked[index].places.count < CheckedRule.placeLimit, !checked[index].places.contains(place) {
          checked[index].places.append(place)
        }
      } else {
        ambiguous.insert(index)
      }
    }
    for index in ambiguous { checked[index].places = [] }
    let order = checked.indices.sorted { (checked[$0].code, $0) < (checked[$1].code, $1) }
    return (order.map { checked[$0] }, states.sorted { $0.key < $1.key }.map { ($0.key, Set($0.value).sorted()) })
  }
}
