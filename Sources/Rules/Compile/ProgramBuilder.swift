import ByteStreams
import Findings
package import JSONEvents

/// Collects a program's tables.
struct ProgramBuilder {
  var states: [RuleProgram.State] = []
  var checkRanges: [RuleProgram.Range32] = []
  var checks: [RuleProgram.Check] = []
  var keySlots: [Int32] = []
  var members: [RuleProgram.Member] = []
  private(set) var memberCheckRanges: [RuleProgram.Range32] = []
  private(set) var memberChecks: [RuleProgram.MemberCheck] = []
  var memberNames: [UInt8] = []
  var children: [RuleProgram.Child] = []
  var endChecks: [RuleProgram.EndCheck] = []
  var resolutions: [RuleProgram.Resolution] = []
  var slots: [RuleProgram.Slot] = []
  var contains: [RuleProgram.ContainsCount] = []
  var uncovered: [RuleProgram.Uncovered] = []
  var coverLinks: [RuleProgram.CoverLink] = []
  var itemRanges: [RuleProgram.Range32] = []
  var statePatterns: [Int32] = []
  var patternRows: [RuleProgram.PatternRow] = []
  var patternCovers: [RuleProgram.PatternCover] = []
  var patternTests: [RuleProgram.PatternTest] = []
  var itemCovers: [RuleProgram.ItemCover] = []
  var slotTable: [UInt16] = []
  var uniqueRules: [RuleProgram.UniqueRule] = []
  var placeActions: [RuleProgram.PlaceAction] = []
  var aggregates: [Int32] = []
  var aggregateCount = 0
  var rules: [RuleProgram.Rule] = []
  /// Until the end of the compilation, the places are those below the values that the rules are about.
  var ruleDetails: [RuleProgram.RuleDetails] = []
  /// The state that each rule is in.
  private(set) var ruleDrafts: [StateDraft] = []
  var constants = RuleProgram.Constants()
  var plans: [PlanDraft] = []
  var branches: [UInt16] = []
  var stringTables: [RuleProgram.StringTable] = []
  var cells: [String] = []
  var keySetCount = 0
  var versionRules: [RuleProgram.VersionRule] = []
  var countNames: [String] = []
  var globalCellCount = 0
  var versionCell: Int32 = -1
  var watches: [RuleProgram.Watch] = []
  var documentDepth = 1

  static func append<Row>(_ rows: [Row], to table: inout [Row]) -> RuleProgram.Range32 {
    let range = RuleProgram.Range32(start: Int32(table.count), count: Int32(rows.count))
    table += rows
    return range
  }

  /// - Parameters:
  ///   - draft: the state of the value that the rule is about.
  ///   - place: the place of its findings, as a pointer from that value.
  ///   - isCondition: true if its failures are never findings.
  mutating func addRule(
    _ keyword: Schema.Keyword, in draft: StateDraft, place: String = "", expectation: String, member: String? = nil,
    cause: String? = nil, isCondition: Bool = false
  ) -> Int32 {
    ruleDrafts.append(draft)
    rules.append(
      RuleProgram.Rule(
        keyword: keyword.name, pointer: keyword.origin.location, line: keyword.origin.position.line,
        code: keyword.grading.code ?? Keyword.code(of: keyword.name), severity: keyword.grading.severity,
        message: keyword.grading.message, isConstant: keyword.isConstant, member: member,
        expectation: expectation.shortened(to: 512), cause: cause))
    let below = place.isEmpty ? member.map { "/" + $0.pointerToken } ?? "" : place
    // Rules about items get the items' states later.
    let states = place.hasPrefix("/*") || expectation == "nothing" ? [] : [Int32(draft.index)]
    ruleDetails.append(RuleProgram.RuleDetails(place: below, isCondition: isCondition, states: states))
    return Int32(rules.count - 1)
  }

  /// Adds a table and returns its number.
  mutating func addStringTable(_ texts: [String]) -> Int {
    // Compare bytes: Swift treats strings as equal if they differ only in Unicode normalisation.
    var known: Set<[UInt8]> = []
    let distinct = texts.filter { known.insert(Array($0.utf8)).inserted }
    let (start, mask) = addKeyTable(distinct.map { ($0, RuleProgram.Member()) })
    constants.strings.append(texts)
    let only = distinct.count == 1 ? Int32(members.count - 1) : -1
    stringTables.append(RuleProgram.StringTable(keyTable: start, keyMask: mask, only: only))
    return stringTables.count - 1
  }

  /// Adds an open-addressed table over distinct `names`. Its load is at most a quarter, so that most lookups hit at the first
  /// probe.
  mutating func addKeyTable(_ entries: [(name: String, member: RuleProgram.Member)]) -> (start: Int32, mask: Int32) {
    var size = 4
    while size < entries.count * 4 { size *= 2 }
    let start = keySlots.count
    keySlots += Array(repeating: -1, count: size)
    for entry in entries {
      var member = entry.member
      let name = Array(entry.name.utf8)
      member.nameStart = Int32(memberNames.count)
      member.nameLength = Int32(name.count)
      memberNames += name
      let hash: UInt64
      (member.word, member.secondWord, hash) = ByteView.with(entry.name) {
        ($0.leadingWord, $0.count > 8 ? $0.dropFirst(8).leadingWord : 0, KeyName.hash($0, leadingWord: $0.leadingWord))
      }
      func mask(ofBytes count: Int) -> UInt64 { count >= 8 ? .max : ~(.max << UInt64(max(0, count) * 8)) }
      (member.mask, member.secondMask) = (mask(ofBytes: name.count), mask(ofBytes: name.count - 8))
      var index = Int(truncatingIfNeeded: hash) & (size - 1)
      while keySlots[start + index] >= 0 { index = (index + 1) & (size - 1) }
      keySlots[start + index] = Int32(members.count)
      members.append(member)
    }
    return (Int32(start), Int32(size - 1))
  }
}

extension ProgramBuilder {
  /// Returns the states with the numbers of steps that they take.
  func statesWithSteps() -> [RuleProgram.State] {
    // The checks of a value, for the kind with most of them.
    let checkSteps = states.indices.map { state in
      JSONKind.allCases.map { kind in
        checkRanges[RuleProgram.checkRow(of: state, kind.rawValue)].indices.reduce(0) { $0 + checks[$1].operation.steps }
      }.reduce(0, max)
    }
    func steps(of child: RuleProgram.Child) -> Int {
      // A state with branches is activated for scalars, too.
      child.state < 0 ? 0 : child.hasBranches ? 1 : 1 + checkSteps[Int(child.state)]
    }
    func steps(of rows: RuleProgram.Range32) -> Int { rows.indices.reduce(0) { $0 + steps(of: children[$1]) } }
    return states.indices.map { index in
      var state = states[index]
      var activation = 1 + Int(state.words + state.endChecks.count) + (state.slots.count > 1 ? checkSteps[index] : 0)
      for row in state.resolutions.indices {
        let branches = resolutions[row].branches
        activation += 1 + Int(branches.count)
        guard resolutions[row].kind == .unevaluated else { continue }
        for row in branches.indices { activation += Int(uncovered[row].links.count) }
      }
      let patterned =
        state.patternRows.indices.map { patternRows[$0].child } + state.patternCovers.indices.map { patternCovers[$0].child }
      let known = state.members.indices.map { steps(of: members[$0].children) }.max() ?? 0
      let prefix = state.prefixItems.indices.map { steps(of: itemRanges[$0]) }.max() ?? 0
      let other = steps(of: state.otherMembers) + patterned.reduce(0) { $0 + steps(of: $1) }
      let value =
        max(known, prefix, other, steps(of: state.items)) + steps(of: state.names)
        + Int(state.contains.count + state.itemCovers.count + 10 * state.uniqueRules.count)
      state.activationSteps = Int32(clamping: activation)
      state.valueSteps = Int32(clamping: value)
      state.isCostly = max(activation, value) > StepBudget.small.steps
      return state
    }
  }

  /// Adds the checks of the members' scalars, and the numbers that pass them.
  ///
  /// Many members may share one schema with many checks. If copies of the checks would take much memory, members go through their
  /// children instead.
  mutating func addMemberChecks() {
    memberCheckRanges.reserveCapacity(members.count * RuleProgram.scalarKinds)
    let limit = checks.count * 4 + 65536
    for (index, member) in members.enumerated() {
      let children = member.children.indices.map { self.children[$0] }
      let hasBranches = children.contains(where: \.hasBranches)
      for kind in 0..<RuleProgram.scalarKinds {
        let start = memberChecks.count
        var count: Int32 = hasBranches ? -1 : 0
        for child in children where count >= 0 {
          let range = checkRanges[RuleProgram.checkRow(of: Int(child.state), kind)]
          if range.count > 16 || memberChecks.count > limit { count = -1 }
          for (place, row) in range.indices.enumerated() where count >= 0 {
            memberChecks.append(
              RuleProgram.MemberCheck(
                check: checks[row], slot: child.slot, following: UInt16(Int(range.count) - 1 - place),
                dependsOnSlot: child.dependsOnSlot, isOnly: child.slot != 0 && range.count == 1))
            count += 1
          }
        }
        if count < 0 { memberChecks.removeSubrange(start...) }
        memberCheckRanges.append(RuleProgram.Range32(start: Int32(start), count: count))
        guard kind == JSONKind.number.rawValue, count > 0 else { continue }
        let numbers = passingNumbers(memberChecks[start...].map(\.check))
        members[index].passingNumbers = numbers
        members[index].passesShortUnsigned = numbers.includesShortUnsigned && !member.isKept
      }
    }
  }

  /// Notes which slots each condition kills.
  mutating func addKills() {
    for state in states where state.slots.count <= 64 {
      let first = Int(state.slots.start)
      func parts(of slot: UInt16) -> UInt64 { (Int(slot)..<Int(slots[first + Int(slot)].end)).mask(ofWord: 0) }
      for slot in state.slots.indices.dropFirst() where slots[slot].isMute {
        let then = slots[slot].then
        slots[slot].killed = parts(of: UInt16(slot - first)) | (then == 0 ? 0 : parts(of: then))
      }
    }
  }

  /// Returns numbers that certainly pass some checks.
  private func passingNumbers(_ checks: [RuleProgram.Check]) -> RuleProgram.PassingNumbers {
    var numbers = RuleProgram.PassingNumbers(least: .min, most: .max, includesFractions: true)
    for check in checks {
      switch check.operation {
      case .isInteger: numbers.includesFractions = false
      case .numericBound:
        let bound = constants.decimals[Int(check.operand)]
        // A bound with very many digits excludes none of the integers, or all.
        if bound.int64 == nil, bound.side != 0, check.comparison.holds(0, bound.side) { continue }
        guard let bound = bound.int64, check.comparison != .moreThan || bound < .max,
          check.comparison != .lessThan || bound > .min
        else { return RuleProgram.PassingNumbers() }
        switch check.comparison {
        case .atLeast: numbers.least = max(numbers.least, bound)
        case .moreThan: numbers.least = max(numbers.least, bound + 1)
        case .atMost: numbers.most = min(numbers.most, bound)
        case .lessThan: numbers.most = min(numbers.most, bound - 1)
        }
      default: return RuleProgram.PassingNumbers()
      }
    }
    return numbers
  }
}

/// The hash of member names: from the first and last eight bytes and the length.
package enum KeyName {
  @inline(__always)
  package static func hash(_ name: ByteView, leadingWord: UInt64) -> UInt64 {
    var word = leadingWord
    if name.count > 8 { word ^= name.word(at: name.count - 8) &* 0xA076_1D64_78BD_642F }
    let product = (word ^ UInt64(truncatingIfNeeded: name.count)) &* 0x9E37_79B9_7F4A_7C15
    return product >> 32
  }
}

extension Schema.Keyword {
  /// True if it allows a single value: `const`, or an `enum` of one.
  fileprivate var isConstant: Bool {
    if case .values(let values) = assertion { values.count == 1 } else { false }
  }
}
