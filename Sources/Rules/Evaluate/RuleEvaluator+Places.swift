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
  mutating func takePlace(_ action: RuleProgram.PlaceAction, _ scalar: Scalar?, in container: Int) {
    let holder = holder(of: container, levels: Int(action.levels))
    switch action.kind {
    case .capture:
      var capture = Capture(status: .container)
      if let scalar {
        capture = Capture(scalar, key(scalar, by: action))
        capture.fault = fault(at: scalar.offset)
      }
      captures[Int(activeStates[holder].captures + action.index)] = capture
    case .reference:
      guard let scalar, scalar.kind != .null else { return }
      let depth = frames.count - 1 - Int(action.tail)
      let offset = frames[depth].offset
      let last = multivaluedReferences.last?.array
      let array = last?.offset == offset ? last : nil
      multivaluedReferences.append(
        MultivaluedReference(
          record: holder, step: action.index, key: key(scalar, by: action),
          excerpt: action.ignoresCase ? KeyValue(scalar, key: options.key) : nil, array: array ?? (offset, pointer(depth: depth)),
          index: frames[depth].index, position: position(at: scalar.offset), fault: fault(at: scalar.offset)))
    case .definition:
      guard let scalar, scalar.kind != .null else { return }
      var key = key(scalar, by: action)
      if action.levels >= 0 {
        guard let inScope = scoped(key, levels: action.levels) else { return }
        key = inScope
      }
      partial.keys.define(key, in: action.index)
    case .sum:
      guard let scalar else { return }
      withAggregate(action.index, of: holder) { $0.sum.add(scalar.text) }
    case .item:
      guard let scalar else { return }
      let value = KeyValue(scalar, key: options.key)
      var count = 0
      withAggregate(action.index, of: holder) {
        $0.items.insert(value)
        count = $0.items.count
      }
      if count > options.gatheredLimit { exceed(Self.longList, at: framePosition(frames.count - 1)) }
    case .order: if let scalar { takeSorted(scalar, by: Int(action.index), in: holder) }
    }
  }

  // MARK: Faults

  /// Notes a finding about a scalar, so that a reference from it isn't reported as well.
  mutating func noteFault(at offset: Int, _ severity: Severity) {
    lastFault = (offset, max(fault(at: offset) ?? severity, severity))
    hasFaults = true
    for index in 0..<captures.count where captures[index].status == .scalar && captures[index].offset == offset {
      captures[index].fault = lastFault.severity
    }
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
    guard action.ignoresCase, scalar.kind == .string else { return keyValue(of: scalar) }
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

  static let longList = "the list of allowed values is too long: increase --memory-limit"

  // MARK: Comparing

  /// Compares if the aggregate is complete. Otherwise defers the comparison, which passes for now.
  mutating func passesAggregate(_ check: RuleProgram.Check, _ scalar: Scalar, _ parent: Int, _ slot: Int) -> Bool {
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
    let comparison = AggregateComparison(
      holder: holder, slot: holderSlot, check: check, value: DataValue(scalar), key: key,
      finding: subject(of: scalar))
    if isGlobal { partial.rootAggregateComparisons.append(comparison) } else { aggregateComparisons.append(comparison) }
    return true
  }

  /// Makes the comparisons that waited for the ending container of `holder`.
  ///
  /// - Parameter offset: the container's offset.
  mutating func compareAggregates(heldBy holder: Int, from offset: Int) {
    // As in `compareDeferred`.
    let start = aggregateComparisons.lastIndex { $0.finding.offset < offset }.map { $0 + 1 } ?? 0
    guard aggregateComparisons[start...].contains(where: { $0.holder == holder }) else { return }
    let comparisons = Array(aggregateComparisons[start...])
    aggregateComparisons.removeSubrange(start...)
    for comparison in comparisons {
      if comparison.holder == holder { compare(comparison) } else { aggregateComparisons.append(comparison) }
    }
  }

  /// Makes the comparisons that waited for the document's end.
  mutating func compareRootAggregates() {
    for comparison in partial.rootAggregateComparisons { compare(comparison) }
    partial.rootAggregateComparisons = []
  }

  private mutating func compare(_ comparison: AggregateComparison) {
    let operand = program.constants.aggregates[Int(comparison.check.operand)]
    var aggregate = Aggregate()
    withAggregate(operand.number, of: comparison.holder) { aggregate = $0 }
    let rule = program.rules[Int(comparison.check.rule)]
    let text = comparison.finding.excerpt ?? ""
    let found = options.redacts ? "another value" : comparison.value.kind == .string ? "'\(text)'" : text
    var message = "expected \(rule.expectation), found \(found)"
    if comparison.check.operation == .amongData {
      // A missing array allows everything: other rules may require it.
      guard aggregate.isComplete, !aggregate.items.contains(comparison.key) else { return }
    } else {
      guard let value = comparison.value.decimal else { return }
      if let sum = aggregate.sum.value {
        if value == sum { return }
        if let tolerance = operand.tolerance, value.isWithin(tolerance, of: sum) { return }
        if !options.redacts { message = "expected \(rule.expectation), which is \(String("\(sum)".prefix(80))), found \(found)" }
      } else {
        message = "\(rule.expectation) can't be computed: a number has digits more than \(ExactSum.reach) places from the point"
      }
    }
    failSubject(comparison.finding, by: comparison.check.rule, active: max(0, comparison.holder), slot: comparison.slot, message)
  }
}
