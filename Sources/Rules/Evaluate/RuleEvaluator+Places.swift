import ByteStreams
import Findings
import JSONEvents

/// Values whose place matters: parts of keys, references, sums, lists of allowed values.
extension RuleEvaluator {
  /// Performs an action for a value at a certain place.
  ///
  /// - Parameters:
  ///   - scalar: `nil` if the value is an array or object.
  ///   - container: an active state of the enclosing container.
  mutating func notePlace(_ action: RuleProgram.PlaceAction, _ scalar: Scalar?, in container: Int) {
    let holder = holder(of: container, levels: Int(action.levels))
    switch action.kind {
    case .capture:
      var capture = Capture(status: .container)
      if let scalar {
        let number = action.numbers == .read ? Self.integer(spelledBy: scalar.text) : nil
        capture = Capture(scalar, number ?? key(scalar, by: action))
        if action.numbers == .read, number == nil { capture.status = .absent }
        capture.fault = fault(at: scalar.offset)
      }
      captures[Int(activeStates[holder].captures + action.index)] = capture
    case .reference:
      guard let scalar, scalar.kind != .null else { return }
      let depth = frames.count - 1 - Int(action.tail)
      let offset = frames[depth].offset
      let isObject = frames[depth].isObject
      let last = multivaluedReferences.last?.array
      let array = !isObject && last?.offset == offset ? last : nil
      multivaluedReferences.append(
        MultivaluedReference(
          record: holder, step: action.index, key: key(scalar, by: action),
          excerpt: action.ignoresCase ? KeyValue(scalar, key: options.key) : nil,
          array: array ?? (offset, depth, pointer(depth: isObject ? depth + 1 : depth)),
          index: isObject ? -1 : frames[depth].index, position: position(at: scalar.offset), fault: fault(at: scalar.offset)))
    case .definition:
      guard let scalar, scalar.kind != .null else { return }
      define(key(scalar, by: action), by: action)
      if action.isName, let number = Self.integer(spelledBy: scalar.text) { define(number, by: action) }
    case .sum:
      guard let scalar, scalar.kind == .number || isDecimal(scalar) else { return leaveOut(scalar, of: action, holder) }
      withAggregate(action.index, of: holder) { $0.sum.add(scalar.text) }
    case .item:
      guard let scalar else { return }
      let value = KeyValue(scalar, key: options.key)
      let number = action.isName ? Self.integer(spelledBy: scalar.text) : nil
      var count = 0
      withAggregate(action.index, of: holder) {
        $0.items.insert(value)
        if let number { $0.items.insert(number) }
        count = $0.items.count
      }
      if count > options.gatheredLimit { exceed(Self.longList, at: framePosition(frames.count - 1)) }
    case .noItems:
      // A value of the wrong type has one fault, not one for each value that would be compared with it.
      if let scalar, fault(at: scalar.offset) == nil { withAggregate(action.index, of: holder) { $0.isComplete = true } }
    case .order: if let scalar { compareSorted(scalar, by: Int(action.index), in: holder) }
    }
  }

  private mutating func define(_ key: KeyValue, by action: RuleProgram.PlaceAction) {
    guard let key = action.levels < 0 ? key : scoped(key, levels: action.levels) else { return }
    partial.keys.define(key, in: action.index)
  }

  /// Returns the 64-bit integer that a name spells. JSON has no other way to name a member by a number.
  static func integer(spelledBy name: ByteView) -> KeyValue? {
    // Identifiers from 64-bit generators have 19 digits.
    let value = IntegerText.value(name) ?? (19...20 ~= name.count ? Int64(name.string) : nil)
    guard let value, ByteView.with(String(value), { $0.elementsEqual(name) }) else { return nil }
    return KeyValue(integer: value)
  }

  // MARK: Decimal strings

  /// Returns whether a string counts as a number: it has the format `decimal`, and a schema that applies to it says so.
  mutating func isDecimal(_ scalar: Scalar) -> Bool {
    scalar.isDecimalText && hasDecimalFormat
  }

  /// True if a schema that applies to the current value of the innermost container says `format: decimal`.
  private var hasDecimalFormat: Bool {
    mutating get {
      let frame = frames[frames.count - 1]
      for active in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
        // The quick path for members doesn't select their children.
        let isMember = frame.isPlain && frame.member >= 0
        let rows = isMember ? program.members[Int(frame.member)].children : activeStates[active].next
        for row in rows.indices {
          let checks = program.checks(of: Int(children[row].state), .string)
          for check in checks.indices
          where program.checks[check].operation == .format && program.checks[check].operand == StringFormat.decimal.rawValue {
            return true
          }
        }
      }
      return false
    }
  }

  /// Notes a value that a sum leaves out.
  ///
  /// - Parameter scalar: the value; `nil` for an array or object.
  private mutating func leaveOut(_ scalar: Scalar?, of action: RuleProgram.PlaceAction, _ holder: Int) {
    let offset = scalar?.offset ?? frames[frames.count - 1].offset
    if fault(at: offset) == .error { return withAggregate(action.index, of: holder) { $0.leavesOutFaulty = true } }
    var value = LeftOutValue(offset: offset, aggregate: action.index, holder: holder)
    withAggregate(action.index, of: holder) {
      value.before = $0.unsummed
      $0.unsummed?.count += 1
    }
    if value.before == nil {
      let subject = subject(of: scalar)
      let unsummed = UnsummedValues(first: subject, found: words(forUnsummed: scalar, subject))
      withAggregate(action.index, of: holder) { $0.unsummed = unsummed }
    }
    if leftOut.last?.offset != offset { leftOut = [] }
    leftOut.append(value)
  }

  private mutating func words(forUnsummed scalar: Scalar?, _ subject: FindingSubject) -> String {
    guard let scalar else { return frames[frames.count - 1].isObject ? "an object" : "an array" }
    let found = description(of: scalar, subject)
    return "\(found), " + (scalar.isDecimalText ? "without the format decimal" : "not a number")
  }

  /// Takes back that a value was left out of sums, because it has an error of its own.
  private mutating func excuseLeftOut() {
    for value in leftOut {
      withAggregate(value.aggregate, of: value.holder) {
        $0.unsummed = value.before
        $0.leavesOutFaulty = true
      }
    }
    leftOut = []
  }

  // MARK: Faults

  /// Returns whether a scalar already has a finding that is as severe as one of this rule would be.
  mutating func isFaulty(_ scalar: Scalar, _ rule: Int32) -> Bool {
    fault(at: scalar.offset).map { $0 >= program.rules[Int(rule)].severity } ?? false
  }

  /// Notes a finding about a value, so that a reference from it, or a comparison with it, isn't reported as well.
  mutating func noteFault(at offset: Int, _ severity: Severity) {
    lastFault = (offset, max(fault(at: offset) ?? severity, severity))
    hasFaults = true
    for index in 0..<captures.count where captures[index].status == .scalar && captures[index].offset == offset {
      captures[index].fault = lastFault.severity
    }
    if leftOut.last?.offset == offset, severity == .error { excuseLeftOut() }
    for index in cells.indices where cells[index].offset == offset { cells[index].fault = lastFault.severity }
    for index in globalCells.indices where globalCells[index].offset == offset { globalCells[index].fault = lastFault.severity }
    var index = multivaluedReferences.count - 1
    while index >= 0, multivaluedReferences[index].position.offset == offset {
      multivaluedReferences[index].fault = lastFault.severity
      index -= 1
    }
  }

  @inline(__always)
  private mutating func fault(at offset: Int) -> Severity? { lastFault.offset == offset ? lastFault.severity : nil }

  private mutating func key(_ scalar: Scalar, by action: RuleProgram.PlaceAction) -> KeyValue {
    if action.comparesInstants, scalar.kind == .string,
      let instant = DateTimeText.wholeSeconds(scalar.text) ?? DateTimeText.dateTime(scalar.text)
    {
      return KeyValue(instant)
    }
    guard action.ignoresCase, scalar.kind == .string else {
      let value = keyValue(of: scalar)
      return action.numbers == .spelled ? value.spelled(key: options.key) : value
    }
    return uuid(scalar).map { KeyValue(ignoringCaseOf: $0) } ?? KeyValue(string: scalar.text, ignoringCase: options.key)
  }

  /// Completes an aggregate at the end of the array that holds its items.
  mutating func complete(_ action: RuleProgram.PlaceAction, of active: Int) {
    let holder = holder(of: Int(activeStates[active].parent), levels: Int(action.levels))
    withAggregate(action.index, of: holder) { $0.isComplete = true }
  }

  /// Returns the active state `levels` containers further out, or -1 for the document.
  private mutating func holder(of active: Int, levels: Int) -> Int {
    levels < 0 ? -1 : container(of: active, levels: levels).active
  }

  private mutating func withAggregate(_ number: Int32, of holder: Int, _ body: (inout Aggregate) -> Void) {
    guard holder >= 0 else { return body(&partial.aggregates[Int(number)]) }
    // Nothing encloses the root.
    if holder == 0 { return }
    let run = program.states[Int(activeStates[holder].state)].aggregates
    for (index, row) in run.indices.enumerated() where program.aggregates[row] == number {
      body(&aggregates[Int(activeStates[holder].aggregates) + index])
    }
  }

  static let longList = "the list of allowed values is too long for the memory limit"

  // MARK: Comparing

  /// Compares if the aggregate is complete. Otherwise defers the comparison, which passes for now.
  mutating func passesAggregate(_ check: RuleProgram.Check, _ scalar: Scalar, _ parent: Int, _ slot: Int) -> Bool {
    if check.operation == .count {
      // The count is known at the document's end.
      let value = DataValue(scalar)
      partial.rootAggregateComparisons.append(
        DeferredComparison(holder: -1, slot: 0, check: check, value: value, finding: subject(of: scalar)))
      return true
    }
    let operand = program.constants.aggregates[Int(check.operand)]
    let isGlobal = operand.levels < 0
    let (holder, holderSlot) = isGlobal ? (-1, 0) : container(of: parent, slot, levels: operand.levels - 1)
    if !isGlobal, isAroundDocument(holder) { return true }
    let key = KeyValue(scalar, key: options.key)
    if check.operation == .amongData {
      var verdict: Bool?
      withAggregate(operand.number, of: holder) { if $0.isComplete { verdict = $0.items.contains(key) } }
      if let verdict { return verdict }
    }
    let comparison = DeferredComparison(
      holder: holder, slot: holderSlot, check: check, value: DataValue(scalar), key: key,
      finding: subject(of: scalar))
    if isGlobal { partial.rootAggregateComparisons.append(comparison) } else { deferred.append(comparison) }
    return true
  }

  /// Makes the comparisons that waited for the document's end.
  mutating func compareRootAggregates() {
    for comparison in partial.rootAggregateComparisons { compareAggregate(comparison) }
    partial.rootAggregateComparisons = []
  }

  mutating func compareAggregate(_ comparison: DeferredComparison) {
    if comparison.check.operation == .count { return compareCount(comparison) }
    let operand = program.constants.aggregates[Int(comparison.check.operand)]
    var aggregate = Aggregate()
    withAggregate(operand.number, of: comparison.holder) { aggregate = $0 }
    let rule = program.rules[Int(comparison.check.rule)]
    let found = comparison.found(redacts: options.redacts)
    var message = "expected \(rule.expectation), found \(found)"
    if comparison.check.operation == .amongData {
      // A missing array allows everything: other rules may require it.
      guard aggregate.isComplete, !aggregate.items.contains(comparison.key) else { return }
    } else {
      guard let value = comparison.value.decimal else { return }
      if let unsummed = aggregate.unsummed {
        return failSubject(
          unsummed.first, by: comparison.check.rule, active: max(0, comparison.holder), slot: comparison.slot,
          unsummed.message(rule.expectation))
      }
      if aggregate.leavesOutFaulty { return }
      if let sum = aggregate.sum.value {
        if value == sum { return }
        if let tolerance = operand.tolerance, value.isWithin(tolerance, of: sum) { return }
        if comparison.holder < 0 { noteTotal("\(sum)", at: comparison.finding.position.offset) }
        if !options.redacts { message = "expected \(rule.expectation), which is \(String("\(sum)".prefix(80))), found \(found)" }
      } else {
        message = "\(rule.expectation) can't be computed: a number has digits more than \(ExactSum.reach) places from the point"
      }
    }
    failSubject(comparison.finding, by: comparison.check.rule, active: max(0, comparison.holder), slot: comparison.slot, message)
  }

  /// Compares a number with the count of an array's items (`countOf`).
  private mutating func compareCount(_ comparison: DeferredComparison) {
    let index = Int(comparison.check.operand)
    let count = partial.itemCounts[index]
    guard comparison.value.decimal?.int64 != Int64(count) else { return }
    noteTotal("\(count)", at: comparison.finding.position.offset)
    let found = options.redacts ? "another number" : comparison.finding.excerpt ?? ""
    failSubject(
      comparison.finding, by: comparison.check.rule, active: 0, slot: 0,
      "expected the number of items of \(program.countNames[index]), which is \(count), found \(found)")
  }
}

/// The version that a document declares, and members that a later version introduced (`since`).
extension RuleEvaluator {
  /// Notes a member that a later version of the format introduced. It is a violation only if the document declares an earlier
  /// version.
  mutating func noteNewerMember(_ check: RuleProgram.Check, _ scalar: Scalar?) {
    let index = Int(check.operand)
    partial.newerMembers[index].count += 1
    if partial.newerMembers[index].remaining > 0 { partial.newerMembers[index].append(subject(of: scalar)) }
  }

  mutating func reportNewerMembers() {
    guard let declared = declaredVersion.flatMap({ ExactDecimal($0) })?.int64 else { return }
    for (versionRule, member) in zip(program.versionRules, partial.newerMembers) where declared < Int64(versionRule.version) {
      let words = program.rules[Int(versionRule.rule)]
      for subject in member.subjects {
        emit(
          versionRule.rule, subject,
          words.message ?? "version \(versionRule.version) introduced this member, but the document declares \(declared)")
      }
      partial.collector.count(member.count - member.subjects.count, words.graded(words.severity))
    }
  }

  /// The version that the document declares, as spelled there, or `nil` before it has been read, or if the rules don't say where
  /// it is.
  package var declaredVersion: String? {
    guard program.versionCell >= 0 else { return nil }
    let value = globalCells[Int(program.versionCell)]
    return value.kind == .number || value.kind == .string ? String(decoding: value.text, as: UTF8.self) : nil
  }
}
