import JSONEvents

/// Comparisons with values that stand elsewhere in the document (`$data`).
extension RuleEvaluator {
  // MARK: Keeping values

  mutating func keepCell(_ value: DataValue, _ member: RuleProgram.Member, _ active: Int) {
    if member.cell >= 0 { cells[Int(activeStates[active].cells + member.cell)] = value }
    if member.globalCell >= 0 { globalCells[Int(member.globalCell)] = value }
  }

  /// How many values of a kind may wait in memory for one that comes later: each takes some 400 bytes.
  var waitingLimit: Int { max(1000, options.memoryLimit / 400) }

  static let waitingMessage =
    "too many values wait for one that comes later ($data, enum, countOf, sumOf or containerEntry): --memory-limit allows no more"

  /// An item has ended, and with it whatever waited for something in it: what waits now waits for containers around it.
  @inline(never)
  mutating func checkWaiting() {
    // Slices are cut no deeper than this; below, where more may be undecided, so many more may wait.
    let limit = frames.count <= 4 ? waitingLimit : 4 * waitingLimit
    let subject =
      deferred.count > limit
      ? deferred[limit].finding : deferredGatherings.count > limit ? deferredGatherings[limit].finding : nil
    guard let subject else { return }
    exceed(Self.waitingMessage, at: TextPosition(offset: subject.offset, line: subject.line, column: subject.column))
  }

  // MARK: Comparing

  /// Compares now if the other value is known; otherwise the comparison waits, and passes for now.
  mutating func passesData(_ check: RuleProgram.Check, _ scalar: Scalar, _ parent: Int, _ slot: Int) -> Bool {
    let operand = program.constants.data[Int(check.operand)]
    let value = DataValue(scalar)
    var holder = -1
    // A comparison with the root's fields is unconditional: its failure goes to the root, which outlives all others.
    var holderSlot = 0
    let cell: Int
    let other: DataValue
    if case .ancestor(let levels, let field) = operand.reference.origin {
      let container = container(of: parent, slot, levels: levels - 1)
      let active = container.active
      holderSlot = container.slot
      guard active > 0, let index = cellIndex(of: field, in: active) else { return true }
      holder = active
      cell = index
      other = cells[index]
    } else {
      cell = Int(operand.globalCell)
      other = globalCells[cell]
    }
    if other.kind != .absent { return holds(check, operand, value, other) }
    let comparison = DeferredComparison(
      holder: holder, slot: holderSlot, cell: cell, check: check, value: value, finding: subject(of: scalar))
    if holder < 0 { partial.rootDeferred.append(comparison) } else { deferred.append(comparison) }
    return true
  }

  /// The active state so many containers further out, and its slot that fails with a slot of `active`. Around the root's there is none but 0.
  mutating func container(of active: Int, _ slot: Int = 0, levels: Int) -> (active: Int, slot: Int) {
    var container = (active: active, slot: slot)
    for _ in 0..<levels where container.active > 0 {
      container = (Int(activeStates[container.active].parent), Int(activeStates[container.active].slot))
    }
    return container
  }

  mutating func cellIndex(of field: String, in active: Int) -> Int? {
    let state = program.states[Int(activeStates[active].state)]
    for index in 0..<Int(state.cells.count) where program.cells[Int(state.cells.start) + index].name == field {
      return Int(activeStates[active].cells) + index
    }
    return nil
  }

  /// The object that state `holder` is active for ends: what waited for its fields is compared, or dropped where the field never came.
  mutating func compareDeferred(heldBy holder: Int) {
    // Those of the objects around it lie below, those of other states of the same object among these.
    var kept: [DeferredComparison] = []
    while let comparison = deferred.last, comparison.holder >= holder {
      deferred.removeLast()
      if comparison.holder == holder { compare(comparison, with: cells[comparison.cell]) } else { kept.append(comparison) }
    }
    deferred += kept.reversed()
  }

  /// The document has ended: the same for places counted from the root.
  mutating func compareRootDeferred() {
    compare(partial.rootDeferred)
    partial.rootDeferred = []
  }

  /// The document has ended: the same for those that waited elsewhere.
  mutating func compare(_ comparisons: [DeferredComparison]) {
    for comparison in comparisons { compare(comparison, with: globalCells[comparison.cell]) }
  }

  private mutating func compare(_ comparison: DeferredComparison, with other: DataValue) {
    let operand = program.constants.data[Int(comparison.check.operand)]
    guard other.kind != .absent, !holds(comparison.check, operand, comparison.value, other) else { return }
    let rule = program.rules[Int(comparison.check.rule)]
    let excerpt = comparison.finding.excerpt ?? ""
    let found = options.redacts ? "another value" : comparison.value.kind == .string ? "'\(excerpt)'" : excerpt
    // The states below the holder are active no more; the compiler saw to it that no branch stands between.
    failSubject(
      comparison.finding, by: comparison.check.rule, active: max(0, comparison.holder), slot: comparison.slot,
      "expected \(rule.expectation), found \(found)")
  }

  /// Values of kinds that can't be compared pass: their type is another rule's matter.
  private mutating func holds(
    _ check: RuleProgram.Check, _ operand: RuleProgram.DataOperand, _ value: DataValue, _ other: DataValue
  )
    -> Bool
  {
    switch check.operation {
    case .equalsData:
      if value.kind == .number, other.kind == .number { return value.decimal == other.decimal }
      guard value.kind == .string, other.kind == .string, let prefix = operand.reference.prefix else {
        return value.kind == other.kind && value.text == other.text
      }
      return value.text.count == prefix.utf8.count + other.text.count && value.text.starts(with: prefix.utf8)
        && value.text.dropFirst(prefix.utf8.count).elementsEqual(other.text)
    case .numericData:
      guard value.kind == .number, other.kind == .number, let left = value.decimal, let right = other.decimal else { return true }
      return check.comparison.holds(left, right)
    default:
      guard let format = operand.format else { return true }
      let kind: DataValue.Kind = format.appliesToNumbers ? .number : .string
      guard value.kind == kind, other.kind == kind else { return true }
      if format == .decimal {
        guard let left = value.decimal, let right = other.decimal else { return true }
        return check.comparison.holds(left, right)
      }
      guard let left = value.instant(format), let right = other.instant(format) else { return true }
      return check.comparison.holds(left, operand.reference.plus?.added(to: right) ?? right)
    }
  }
}
