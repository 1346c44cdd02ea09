import Findings
import JSONEvents

/// Turns drafts into the program's tables.
extension RuleCompiler {
  func emit(_ draft: StateDraft) {
    var state = RuleProgram.State()
    addCheckOfObjects(to: draft)
    for checks in draft.checks {
      let ordered = checks.filter(\.isAlwaysDone) + checks.filter(\.isType) + checks.filter { !$0.isAlwaysDone && !$0.isType }
      builder.checkRanges.append(ProgramBuilder.append(ordered, to: &builder.checks))
    }
    emitNames(of: draft, to: &state)
    emitPatterns(of: draft, to: &state)
    state.otherMembers = rows(draft.otherChildren)
    state.names = rows(draft.nameChildren)
    state.itemCovers = ProgramBuilder.append(draft.itemCovers, to: &builder.itemCovers)
    var items = draft.itemChildren.map(rows)
    state.items = items.removeLast()
    state.prefixItems = ProgramBuilder.append(items, to: &builder.itemRanges)
    let unconditional = draft.endChecks.filter(\.isUnconditionalName)
    state.endChecks = ProgramBuilder.append(
      unconditional + draft.endChecks.filter { !$0.isUnconditionalName }, to: &builder.endChecks)
    state.requiredNameChecks = Int32(unconditional.count)
    state.requiredMask = unconditional.reduce(0) { $0 | 1 << UInt64($1.operand) }
    state.resolutions = ProgramBuilder.append(draft.resolutions.map { resolution($0, of: draft) }, to: &builder.resolutions)
    state.contains = ProgramBuilder.append(
      draft.contains.map { RuleProgram.ContainsCount(slot: $0.counted, rule: $0.ruleRow) }, to: &builder.contains)
    state.uniqueRules = ProgramBuilder.append(uniqueRules(of: draft), to: &builder.uniqueRules)
    state.slots = ProgramBuilder.append(draft.slotsWithEnds, to: &builder.slots)
    state.cells = ProgramBuilder.append(draft.cells.map { RuleProgram.Cell(name: $0) }, to: &builder.cells)
    state.requiredWord = draft.slots.count > 1 ? Int32((draft.slots.count + 63) / 64) : 0
    state.counterWord = state.requiredWord + Int32((draft.requiredNames.count + 63) / 64)
    state.words = state.counterWord + Int32(draft.contains.count)
    state.deadWord = state.words
    state.words += state.requiredWord
    state.isShareable = draft.isShareable
    state.plan = Int32(draft.plan ?? -1)
    state.recordPlan = Int32(draft.key.recordPlan)
    state.captureCount = Int32(draft.captureCount)
    state.countIndex = Int32(draft.countIndex ?? -1)
    state.aggregates = ProgramBuilder.append(draft.aggregates.map(Int32.init), to: &builder.aggregates)
    if let completion = draft.completion {
      state.completion = Int32(builder.placeActions.count)
      builder.placeActions.append(completion)
    }
    state.looksAtEachMember = draft.countsMembers || !draft.nameChildren.isEmpty
    state.describesObjects =
      !draft.memberRules.isEmpty && draft.itemRules.isEmpty && draft.contains.isEmpty && draft.uniqueItems.isEmpty
    state.comparesContainers = draft.comparesContainers
    state.decidesBranches =
      draft.key.isConditional || !draft.contains.isEmpty || draft.uniqueSteps.contains(-1)
      || draft.itemChildren.contains { $0.contains { $0.slot != 0 || refersOutward($0.state, depth: 1) } }
    state.holdsDocuments = draft.key.schema == documentsSchema && comparesWithinDocuments
    builder.states.append(state)
  }

  /// Adds a warning about an object where an array of records is expected, unless it has a finding already: its members are not
  /// checked.
  private func addCheckOfObjects(to draft: StateDraft) {
    guard let first = draft.recordKeywords.first, !draft.refuses(.object) else { return }
    var names: [String] = []
    var targets: Set<String> = []
    for (keyword, target) in draft.recordKeywords {
      if let target { targets.insert(target) } else if !names.contains(keyword.name) { names.append(keyword.name) }
    }
    var words = targets.sorted().map { "a reference looks for \($0) in an array of records" }
    if !names.isEmpty {
      words.insert("\(names.joined(separator: ", ")) \(names.count == 1 ? "applies" : "apply") to arrays of records", at: 0)
    }
    var keyword = first.keyword
    let severity = draft.recordKeywords.map(\.keyword.grading.severity).max() ?? .warning
    keyword.grading = Schema.Grading(severity: min(severity, .warning), code: "not-checked")
    let rule = builder.addRule(keyword, in: draft, expectation: words.joined(separator: "; "))
    builder.ruleDetails[Int(rule)].states = []
    draft.countsMembers = true
    draft.endChecks.append(RuleProgram.EndCheck(kind: .unchecked, slot: 0, operand: 0, rule: rule))
  }

  /// True if something is kept until the end of a document.
  private var comparesWithinDocuments: Bool {
    locations.cellCount > 0 || locations.aggregateCount > 0 || !locations.countNames.isEmpty || !builder.versionRules.isEmpty
  }

  /// Returns true if a value that many levels below an array makes a reference, or a part of a key, of a record around that
  /// array: a slice of the array would not contain that record.
  private func refersOutward(_ draft: StateDraft, depth: Int) -> Bool {
    let isHere = draft.checks.joined().contains { check in
      guard check.operation == .place else { return false }
      let action = builder.placeActions[Int(check.operand)]
      return (action.kind == .reference || action.kind == .capture) && Int(action.levels) >= depth
    }
    // Fields have at most 16 names.
    if isHere || depth > 16 { return isHere }
    let below = draft.memberNames.flatMap { draft.children(named: $0) } + draft.itemChildren.joined()
    // Requests from places have their own states, without a schema.
    return below.contains { $0.state.key.schema < 0 && refersOutward($0.state, depth: depth + 1) }
  }

  private func emitNames(of draft: StateDraft, to state: inout RuleProgram.State) {
    if draft.memberNames.isEmpty { return }
    var required: [ExactText: Int32] = [:]
    for (bit, name) in draft.requiredNames.enumerated() { required[ExactText(name)] = Int32(bit) }
    var entries: [(name: String, member: RuleProgram.Member)] = []
    for name in draft.memberNames {
      var member = RuleProgram.Member(word: 0, nameStart: 0, nameLength: 0)
      let children = draft.children(named: name)
      member.children = rows(children)
      member.requiredBit = required[ExactText(name)] ?? -1
      member.capture = draft.captures[ExactText(name)].map(Int32.init) ?? -1
      member.cell = draft.cells.firstIndex { ExactText($0) == ExactText(name) }.map(Int32.init) ?? -1
      member.globalCell = draft.globalCells[ExactText(name)].map(Int32.init) ?? -1
      member.isKept = member.capture >= 0 || member.cell >= 0 || member.globalCell >= 0
      for (event, kind) in Self.scalarEvents where member.isKept || children.contains(where: { $0.state.tests(kind) }) {
        member.regardedKinds |= 1 << event.rawValue
      }
      entries.append((name, member))
    }
    state.members = RuleProgram.Range32(start: Int32(builder.members.count), count: Int32(entries.count))
    (state.keyTable, state.keyMask) = builder.addKeyTable(entries)
  }

  private func emitPatterns(of draft: StateDraft, to state: inout RuleProgram.State) {
    let first = builder.constants.patterns.count
    builder.constants.patterns += draft.patterns
    state.patterns = ProgramBuilder.append(draft.patterns.indices.map { Int32(first + $0) }, to: &builder.statePatterns)
    state.patternRows = ProgramBuilder.append(
      draft.patternRows.map {
        RuleProgram.PatternRow(group: $0.group, pattern: $0.pattern, child: $0.child.map(Self.row) ?? .none)
      }, to: &builder.patternRows)
    state.patternCovers = ProgramBuilder.append(
      draft.patternCovers.map {
        RuleProgram.PatternCover(child: Self.row($0.child), always: $0.always, bits: $0.bits, slots: $0.slots)
      }, to: &builder.patternCovers)
  }

  private func uniqueRules(of draft: StateDraft) -> [RuleProgram.UniqueRule] {
    draft.uniqueItems.enumerated().map { index, unique in
      RuleProgram.UniqueRule(
        slot: unique.slot, ignoresCase: unique.ignoresCase, step: Int32(draft.uniqueSteps[index]),
        rule: builder.addRule(unique.keyword, in: draft, place: "/*", expectation: "a unique item"))
    }
  }

  /// Returns an `unevaluated…` resolution with the branches that it depends on.
  private func resolution(_ resolution: RuleProgram.Resolution, of draft: StateDraft) -> RuleProgram.Resolution {
    guard resolution.kind == .unevaluated else { return resolution }
    let rule = draft.unevaluated[Int(resolution.branches.start)]
    let rows = rule.uncovered.map { uncovered in
      var links: [RuleProgram.CoverLink] = []
      for cover in uncovered.covers {
        var slot = cover
        while slot != rule.slot {
          let row = draft.slots[Int(slot)]
          links.append(RuleProgram.CoverLink(slot: slot, mustHaveFailed: false, isLast: false))
          if row.test != 0 { links.append(RuleProgram.CoverLink(slot: row.test, mustHaveFailed: row.isElse, isLast: false)) }
          slot = row.parent
        }
        links[links.count - 1].isLast = true
      }
      return RuleProgram.Uncovered(slot: uncovered.slot, links: ProgramBuilder.append(links, to: &builder.coverLinks))
    }
    var resolution = resolution
    resolution.branches = ProgramBuilder.append(rows, to: &builder.uncovered)
    return resolution
  }

  private func rows(_ children: [StateDraft.Child]) -> RuleProgram.Range32 {
    var rows = children.map(Self.row)
    var states: Set<Int32> = []
    for index in rows.indices { rows[index].isRepeated = !states.insert(rows[index].state).inserted }
    return ProgramBuilder.append(rows, to: &builder.children)
  }

  private static let scalarEvents: [(Event.Kind, ValueKind)] = [
    (.null, .null), (.false, .boolean), (.true, .boolean), (.number, .number), (.string, .string),
  ]

  static func row(_ child: StateDraft.Child) -> RuleProgram.Child {
    RuleProgram.Child(
      state: Int32(child.state.index), slot: child.slot, hasBranches: child.state.slots.count > 1,
      dependsOnSlot: child.slot != 0 && child.state.isShareable)
  }
}

extension RuleProgram.Check {
  var dependsOnPlace: Bool {
    switch operation {
    case .numericData, .formatData, .equalsData, .amongData, .sum, .count, .place, .entry, .since: true
    default: false
    }
  }

  /// True if it records something and validates nothing, or gives no verdict. Such checks come first, because a wrong type ends the
  /// others.
  fileprivate var isAlwaysDone: Bool {
    switch operation {
    case .place, .since, .entry, .unusable: true
    default: false
    }
  }
}

extension RuleProgram.EndCheck {
  /// True if it requires one of the names in a state's mask.
  fileprivate var isUnconditionalName: Bool { kind == .required && slot == 0 && operand < 64 }
}
