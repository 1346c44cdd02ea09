import Findings
import JSONEvents

/// Comparisons with values that stand elsewhere in the document (`$data`, `countOf`).
extension RuleEvaluator {
  // MARK: Keeping values

  mutating func keepCell(_ value: DataValue, _ member: RuleProgram.Member, _ thread: Int) {
    if member.cell >= 0 { cells[Int(threads[thread].cells + member.cell)] = value }
    if member.globalCell >= 0 { globalCells[Int(member.globalCell)] = value }
  }

  // MARK: Comparing

  /// Compares now if the other value is known; otherwise the comparison waits, and passes for now.
  mutating func passesData(_ check: RuleProgram.Check, _ scalar: Scalar, _ parent: Int, _ slot: Int) -> Bool {
    let operand = program.constants.data[Int(check.operand)]
    let value = DataValue(scalar)
    var holder = -1
    // A comparison with the root's fields is unconditional: its failure goes to the root, which outlives the threads.
    var holderSlot = 0
    let cell: Int
    let other: DataValue
    if case .ancestor(let levels, let field) = operand.reference.origin {
      var thread = parent
      holderSlot = slot
      for _ in 1..<levels {
        holderSlot = Int(threads[thread].slot)
        thread = Int(threads[thread].parent)
      }
      guard thread > 0, let index = cellIndex(of: field, in: thread) else { return true }
      holder = thread
      cell = index
      other = cells[index]
    } else {
      cell = Int(operand.globalCell)
      other = globalCells[cell]
    }
    if other.kind != .absent { return holds(check, operand, value, other) }
    let comparison = DeferredComparison(
      holder: holder, slot: holderSlot, cell: cell, check: check, value: value, finding: subject(of: scalar))
    if holder < 0 { rootDeferred.append(comparison) } else { deferred.append(comparison) }
    return true
  }

  private func cellIndex(of field: String, in thread: Int) -> Int? {
    let state = program.states[Int(threads[thread].state)]
    for index in 0..<Int(state.cells.count) where program.cells[Int(state.cells.start) + index].name == field {
      return Int(threads[thread].cells) + index
    }
    return nil
  }

  /// The object of thread `holder` ends: what waited for its fields is compared, or dropped where the field never came.
  mutating func compareDeferred(heldBy holder: Int) {
    // Those of the objects around it lie below, those of other threads of the same object among these.
    var kept: [DeferredComparison] = []
    while let comparison = deferred.last, comparison.holder >= holder {
      deferred.removeLast()
      if comparison.holder == holder { compare(comparison, with: cells[comparison.cell]) } else { kept.append(comparison) }
    }
    deferred += kept.reversed()
  }

  /// The document has ended: the same for places counted from the root.
  mutating func compareRootDeferred() {
    for comparison in rootDeferred { compare(comparison, with: globalCells[comparison.cell]) }
    rootDeferred = []
  }

  private mutating func compare(_ comparison: DeferredComparison, with other: DataValue) {
    let operand = program.constants.data[Int(comparison.check.operand)]
    guard other.kind != .absent, !holds(comparison.check, operand, comparison.value, other) else { return }
    let rule = program.rules[Int(comparison.check.rule)]
    let found = options.redacts ? "another value" : comparison.finding.excerpt ?? ""
    // Threads below the holder have gone; the compiler saw to it that no branch stands between.
    fail(
      rule: comparison.check.rule, thread: max(0, comparison.holder), slot: comparison.slot, comparison.finding,
      "expected \(rule.expectation), found \(found)")
  }

  /// Values of kinds that can't be compared pass: their type is another rule's matter.
  private func holds(_ check: RuleProgram.Check, _ operand: RuleProgram.DataOperand, _ value: DataValue, _ other: DataValue)
    -> Bool
  {
    switch check.operation {
    case .equalsData:
      if value.kind == .number, other.kind == .number { return value.decimal == other.decimal }
      return value.kind == other.kind && value.text == other.text
    case .numericData:
      guard value.kind == .number, other.kind == .number, let left = value.decimal, let right = other.decimal else { return true }
      return check.comparison.holds(left, right)
    default:
      guard value.kind == .string, other.kind == .string, let format = operand.format else { return true }
      if format == .decimal {
        guard let left = value.decimal, let right = other.decimal else { return true }
        return check.comparison.holds(left, right)
      }
      guard let left = value.instant(format), let right = other.instant(format) else { return true }
      return check.comparison.holds(left, operand.reference.plus?.added(to: right) ?? right)
    }
  }

  // MARK: Versions

  /// A member that came with a later version of the format: an offence only if the document declares an earlier one.
  mutating func noteNewerMember(_ check: RuleProgram.Check, _ scalar: Scalar?) {
    let rule = Int(check.rule)
    newerMembers[rule, default: NewerMember(version: Int(check.operand))].count += 1
    guard newerMembers[rule]?.subjects.count ?? 0 < options.maximumFindings else { return }
    let subject = subject(of: scalar)
    newerMembers[rule]?.subjects.append(subject)
  }

  mutating func reportNewerMembers() {
    guard let declared = declaredVersion.flatMap({ ExactDecimal($0) })?.int64 else { return }
    for (rule, member) in newerMembers.sorted(by: { $0.key < $1.key }) where declared < Int64(member.version) {
      let words = program.rules[rule]
      for subject in member.subjects {
        emit(
          Int32(rule), subject,
          words.message ?? "this member came with version \(member.version), the document declares \(declared)")
      }
      collector.count(member.count - member.subjects.count, severity: words.severity, code: words.code)
    }
  }

  /// The version that the document declares, as its own text; `nil` before it has been read, or where the rules don't say where it stands.
  package var declaredVersion: String? {
    guard program.versionCell >= 0 else { return nil }
    let value = globalCells[Int(program.versionCell)]
    return value.kind == .number || value.kind == .string ? String(decoding: value.text, as: UTF8.self) : nil
  }

  // MARK: Counts

  /// The document has ended: every number that should be an array's count is compared with it.
  mutating func compareCounts() {
    for (index, value, rule, subject) in expectedCounts {
      let count = itemCounts[index]
      guard value.decimal?.int64 != Int64(count) else { continue }
      let found = options.redacts ? "another number" : subject.excerpt ?? ""
      fail(
        rule: rule, thread: 0, slot: 0, subject,
        "expected the number of items of \(program.countNames[index]), which is \(count), found \(found)")
    }
    expectedCounts = []
  }
}

extension DataValue {
  init(_ scalar: Scalar) {
    switch scalar.kind {
    case .null: self.init(kind: .null)
    case .boolean: self.init(kind: .boolean, text: [scalar.isTrue ? 1 : 0])
    case .number: self.init(kind: .number, text: scalar.text.array)
    case .string: self.init(kind: .string, text: scalar.text.array)
    case .array, .object: self.init(kind: .container)
    }
  }

  fileprivate var decimal: ExactDecimal? { withText { ExactDecimal($0) } }

  fileprivate func instant(_ format: StringFormat) -> Instant? { withText { format.instant($0) } }

  private func withText<R>(_ body: (ByteView) -> R?) -> R? {
    text.withUnsafeBufferPointer { bytes in bytes.baseAddress.flatMap { body(ByteView($0, count: bytes.count)) } }
  }
}
