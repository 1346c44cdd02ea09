import ByteStreams
import Findings
import JSONEvents

/// Comparisons with values elsewhere in the document (`$data`).
extension RuleEvaluator {
  // MARK: Keeping values

  mutating func keepCell(_ value: DataValue, _ member: RuleProgram.Member, _ active: Int) {
    if member.cell >= 0 { cells[Int(activeStates[active].cells + member.cell)] = value }
    if member.globalCell >= 0 { globalCells[Int(member.globalCell)] = value }
  }

  var waitingLimit: Int { options.waitingLimit }

  static let waitingMessage =
    "too many values wait for a later one ($data, enum, countOf, sumOf or containerEntry) for the memory limit"

  /// Checks the limit at the end of an item. Nothing waits for values in the item any more, only for those in enclosing
  /// containers.
  @inline(never)
  mutating func checkWaiting() {
    let limit = options.deferredLimit(frameCount: frames.count)
    guard deferred.count > limit else { return }
    let subject = deferred[limit].finding
    exceed(Self.waitingMessage, at: subject.position)
  }

  // MARK: Comparing

  /// Compares with the other value if it is known. Otherwise defers the comparison, which passes for now.
  mutating func passesData(_ check: RuleProgram.Check, _ scalar: Scalar, _ parent: Int, _ slot: Int) -> Bool {
    let operand = program.constants.data[Int(check.operand)]
    var holder = -1
    // A comparison with the root's fields is unconditional: it fails the root, which outlives everything else.
    var holderSlot = 0
    let cell: Int
    let other: DataValue
    if operand.globalCell < 0, case .ancestor(let levels, let field) = operand.reference.origin {
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
    if other.kind != .absent {
      if holds(check, operand, scalar, other) || isExcused(other, check) { return true }
      wording.comparedValue = other
      return false
    }
    if holder < 0 {
      waitForRoot(check, operand, cell, scalar)
    } else {
      deferred.append(
        DeferredComparison(
          holder: holder, slot: holderSlot, cell: cell, check: check, value: DataValue(scalar), finding: subject(of: scalar)))
    }
    return true
  }

  /// Defers a comparison with a place addressed from the root, unless it holds for any value there.
  private mutating func waitForRoot(
    _ check: RuleProgram.Check, _ operand: RuleProgram.DataOperand, _ cell: Int, _ scalar: Scalar
  ) {
    var instant: Instant?
    switch check.operation {
    case .equalsData: break
    case .numericData: guard scalar.kind == .number else { return }
    default:
      guard let format = operand.format, scalar.kind == (format.appliesToNumbers ? .number : .string) else { return }
      if format != .decimal {
        instant = self.instant(format, scalar)
        if instant == nil { return }
      }
    }
    let position = position(at: scalar.offset)
    if program.documentDepth > 1, partial.waitingCount >= waitingLimit { return exceed(Self.waitingMessage, at: position) }
    var place = WaitingLog.Place(offset: scalar.offset, line: position.line, column: position.column)
    let top = frames.count - 1
    var container = -1
    if top > 1, frames[top].isObject, frames[top].member >= 0, !frames[top - 1].isObject {
      container = frames[top - 1].offset
      place.container = partial.waiting.container(at: container) ?? pointer(depth: top - 1)
      // A longer pointer is cut as a whole.
      if place.container.utf8.count > 256 { container = -1 }
    }
    if container < 0 {
      place.container = pointer(depth: frames.count)
    } else {
      place.index = frames[top - 1].index
      place.member = frames[top].member
    }
    partial.waiting.append(
      WaitingLog.Rule(check: check, cell: cell), scalar, instant: instant, at: place, in: container, through: &buffer)
  }

  /// Returns the active state `levels` containers further out, and its slot that fails with a slot of `active`; state 0 beyond
  /// the root.
  mutating func container(of active: Int, _ slot: Int = 0, levels: Int) -> (active: Int, slot: Int) {
    var container = (active: active, slot: slot)
    var rest = levels
    while rest > 0, container.active > 0 {
      rest -= 1
      container = (Int(activeStates[container.active].parent), Int(activeStates[container.active].slot))
    }
    return container
  }

  mutating func cellIndex(of field: String, in active: Int) -> Int? {
    let state = program.states[Int(activeStates[active].state)]
    for index in 0..<Int(state.cells.count) where program.cells[Int(state.cells.start) + index] == field {
      return Int(activeStates[active].cells) + index
    }
    return nil
  }

  /// Compares the values that waited for the ending container of `holder`; drops them if its field is missing.
  ///
  /// - Parameter offset: the container's offset.
  mutating func compareDeferred(heldBy holder: Int, from offset: Int) {
    // The values in the object are the last ones. Some of them wait for enclosing objects, or for another state of this one.
    let start = deferred.lastIndex { $0.finding.position.offset < offset }.map { $0 + 1 } ?? 0
    guard deferred[start...].contains(where: { $0.holder == holder }) else { return }
    let comparisons = Array(deferred[start...])
    deferred.removeSubrange(start...)
    for comparison in comparisons {
      if comparison.holder != holder {
        deferred.append(comparison)
      } else if comparison.cell >= 0 {
        compare(comparison, with: cells[comparison.cell])
      } else {
        compareAggregate(comparison)
      }
    }
  }

  /// Compares the values that waited for places addressed from the root, at the document's end.
  mutating func compareWaiting() {
    for log in partial.closedWaiting + [partial.waiting] where log.rules.contains(where: { mayFail($0) }) {
      let isRead = WaitingLog.read(log.bytes) { number, value, excerpt, place in
        guard log.rules.indices.contains(number) else { return false }
        compareWaiting(log.rules[number], value, excerpt, place)
        return true
      }
      precondition(isRead, "the log in memory is damaged")
    }
    (partial.closedWaiting, partial.waiting) = ([], WaitingLog())
  }

  /// Returns whether one of a rule's waiting comparisons may fail.
  func mayFail(_ rule: WaitingLog.Rule) -> Bool {
    let other = globalCells[rule.cell]
    guard other.kind != .absent else { return false }
    let operand = program.constants.data[Int(rule.check.operand)]
    guard let extremes = rule.extremes, let format = operand.format, let bound = Self.bound(operand, format, other) else {
      return !isExcused(other, rule.check)
    }
    return !rule.check.comparison.holds(extremes.least, bound) || !rule.check.comparison.holds(extremes.greatest, bound)
  }

  /// Returns the instant to compare with.
  private static func bound(_ operand: RuleProgram.DataOperand, _ format: StringFormat, _ other: DataValue) -> Instant? {
    guard other.kind == (format.appliesToNumbers ? .number : .string), let instant = other.instant(format) else { return nil }
    return operand.reference.plus?.added(to: instant) ?? instant
  }

  /// Compares a value that has waited.
  mutating func compareWaiting(_ rule: WaitingLog.Rule, _ value: DataValue, _ excerpt: String, _ place: WaitingLog.Place) {
    var pointer = place.container
    if place.index >= 0 { pointer += "/\(place.index)" }
    if place.member >= 0, place.member < program.members.count {
      let member = program.members[Int(place.member)]
      pointer += "/" + program.memberNames.view(from: Int(member.nameStart), count: Int(member.nameLength)).reportedToken
    }
    let finding = FindingSubject(
      pointer: pointer, position: TextPosition(offset: place.offset, line: place.line, column: place.column), excerpt: excerpt)
    compare(
      DeferredComparison(holder: -1, slot: 0, cell: rule.cell, check: rule.check, value: value, finding: finding),
      with: globalCells[rule.cell])
  }

  private mutating func compare(_ comparison: DeferredComparison, with other: DataValue) {
    let operand = program.constants.data[Int(comparison.check.operand)]
    guard other.kind != .absent else { return }
    let holds = comparison.value.withScalar(at: comparison.finding.position.offset) {
      self.holds(comparison.check, operand, $0, other)
    }
    if holds { return }
    if isExcused(other, comparison.check) { return }
    // The states below the holder are no longer active. The compiler ensures that there is no branch in between.
    failSubject(
      comparison.finding, by: comparison.check.rule, active: max(0, comparison.holder), slot: comparison.slot,
      message(for: comparison.check, found: comparison.found(redacts: options.redacts), comparedWith: other))
  }

  // MARK: Values that can't be compared

  /// Returns whether a failed comparison has no finding: the other value can't be compared, but it is null, which stands for a
  /// missing value, or it has a finding of its own.
  private func isExcused(_ other: DataValue, _ check: RuleProgram.Check) -> Bool {
    if isComparable(other, check) { return false }
    if other.kind == .null { return true }
    return other.fault.map { $0 >= program.rules[Int(check.rule)].severity } ?? false
  }

  private func isComparable(_ other: DataValue, _ check: RuleProgram.Check) -> Bool {
    let operand = program.constants.data[Int(check.operand)]
    switch check.operation {
    case .equalsData: return true
    case .numericData: return other.isNumber
    default:
      guard let format = operand.format else { return true }
      return format == .decimal ? other.decimal != nil : Self.bound(operand, format, other) != nil
    }
  }

  /// Returns the message about a failed comparison.
  func message(for check: RuleProgram.Check, found: String, comparedWith other: DataValue) -> String {
    let operand = program.constants.data[Int(check.operand)]
    if isComparable(other, check) {
      let expected = "expected \(program.rules[Int(check.rule)].expectation)"
      if options.redacts { return "\(expected), found \(found)" }
      var value = other.description(redacts: false)
      if operand.reference.plus != nil, let format = operand.format, let bound = Self.bound(operand, format, other) {
        value = bound.description
      }
      return "\(expected), which is \(value), found \(found)"
    }
    return "can't be compared with the value of \(operand.reference.text), which is "
      + other.description(whyNot: operand.format, redacts: options.redacts)
  }

  /// Returns whether a comparison holds, which it can't with a value of another kind. A value without the format passes: that is
  /// a finding of `format`.
  private mutating func holds(
    _ check: RuleProgram.Check, _ operand: RuleProgram.DataOperand, _ scalar: Scalar, _ other: DataValue
  ) -> Bool {
    switch check.operation {
    case .equalsData:
      if scalar.kind == .string, other.kind == .string { return equals(scalar.text, other, after: operand.reference.prefix) }
      let value = DataValue(scalar)
      if value.kind == .number, other.kind == .number { return value.decimal == other.decimal }
      return value.kind == other.kind && value.text == other.text
    case .numericData:
      if scalar.kind == .number, scalar.isInteger, let integer = other.integer {
        return check.comparison.holds(scalar.integer, integer)
      }
      guard let left = ExactDecimal(scalar.text), other.isNumber, let right = other.decimal else { return false }
      return check.comparison.holds(left, right)
    default:
      guard let format = operand.format, scalar.kind == (format.appliesToNumbers ? .number : .string) else { return true }
      if format == .decimal {
        guard let left = ExactDecimal(scalar.text) else { return true }
        return other.decimal.map { check.comparison.holds(left, $0) } ?? false
      }
      guard let left = instant(format, scalar) else { return true }
      return Self.bound(operand, format, other).map { check.comparison.holds(left, $0) } ?? false
    }
  }

  /// Returns whether a string equals the prefix followed by the other value.
  private func equals(_ text: ByteView, _ other: DataValue, after prefix: String?) -> Bool {
    let length = prefix?.utf8.count ?? 0
    guard text.count == length + other.text.count else { return false }
    if let prefix, !ByteView.with(prefix, { $0.elementsEqual(text.prefix(length)) }) { return false }
    return other.withText { $0.elementsEqual(text.dropFirst(length)) }
  }
}

extension EvaluationOptions {
  /// The most values of a kind that may wait in memory for a later one: each takes about 400 bytes.
  var waitingLimit: Int { max(1000, memoryLimit / 400) }

  /// The most values that may wait for fields of open containers at the end of an item.
  func deferredLimit(frameCount: Int) -> Int {
    // Collections are not sliced below this depth. More may be undecided there, so the limit is higher.
    frameCount <= 4 ? waitingLimit : 4 * waitingLimit
  }

  /// The most items of a list of allowed values.
  var gatheredLimit: Int { memoryLimit / 64 }
}

/// A value that `$data` compares with, kept until its object (or the document) ends.
struct DataValue: Sendable {
  enum Kind: UInt8, Sendable { case absent, null, boolean, number, string, container }

  var kind = Kind.absent
  var text: [UInt8] = []
  /// The value of a number that is written as an integer of at most 18 digits.
  var integer: Int64?
  /// True for a decimal string, which is compared like a number.
  var isDecimal = false
  /// The offset of a value that others are compared with.
  var offset = -1
  /// The severity of the worst finding about that value itself.
  var fault: Severity?
  /// Its place, if that may be needed.
  var position: TextPosition?
}

extension DataValue {
  init(_ scalar: Scalar) { self.init(scalar.kind, scalar.text) }

  init(_ kind: JSONKind, _ text: ByteView) {
    switch kind {
    case .null: self.init(kind: .null)
    case .boolean: self.init(kind: .boolean, text: [text.count == 4 ? 1 : 0])
    case .number: self.init(kind: .number, text: text.array, integer: IntegerText.value(text))
    case .string: self.init(kind: .string, text: text.array)
    case .array, .object: self.init(kind: .container)
    }
  }

  /// Restores a value from its kind and text.
  init(_ kind: Kind, text: [UInt8]) {
    self.init(kind: kind, text: text)
    if kind == .number { integer = withText { IntegerText.value($0) } }
  }

  /// True for a number, and for a decimal string.
  var isNumber: Bool { kind == .number || isDecimal }

  /// The value of a number, or of a string that spells one.
  var decimal: ExactDecimal? { kind == .number || kind == .string ? withText { ExactDecimal($0) } : nil }

  func instant(_ format: StringFormat) -> Instant? { withText { format.instant($0) } }

  /// Returns what the value is, in words.
  func description(redacts: Bool) -> String {
    switch kind {
    case .absent, .null: "null"
    case .boolean: redacts ? "a boolean" : text == [1] ? "true" : "false"
    case .number: redacts ? "a number" : withText { RuleEvaluator.excerpt(of: $0) }
    case .string: redacts ? "a string" : "'\(withText { RuleEvaluator.excerpt(of: $0) })'"
    case .container: "an array or object"
    }
  }

  /// Returns what the value is, and why it can't be compared.
  ///
  /// - Parameter format: the format of the values that it could be compared with, or `nil` for numbers.
  func description(whyNot format: StringFormat?, redacts: Bool) -> String {
    let found = description(redacts: redacts)
    if let format { return "\(found), not \(format.noun)" }
    return "\(found), " + (decimal == nil ? "not a number" : "without the format decimal")
  }

  func withText<R>(_ body: (ByteView) -> R) -> R { text.withView(body) }

  /// Calls `body` with the scalar that the value was.
  func withScalar<R>(at offset: Int, _ body: (Scalar) -> R) -> R {
    switch kind {
    case .boolean: ByteView.with(text == [1] ? "true" : "false") { body(Scalar(.boolean, text: $0, offset: offset)) }
    case .number: withText { body(Scalar(.number, text: $0, offset: offset)) }
    case .string: withText { body(Scalar(.string, text: $0, offset: offset)) }
    case .absent, .null, .container: withText { body(Scalar(.null, text: $0, offset: offset)) }
    }
  }
}

/// A comparison whose other side has not been read yet.
struct DeferredComparison: Sendable {
  /// The active state whose cell or aggregate is awaited, or -1 for the document's.
  var holder: Int
  /// The holder's slot that a failure marks.
  var slot: Int
  /// The cell, or -1 for an aggregate or a count.
  var cell = -1
  var check: RuleProgram.Check
  var value: DataValue
  /// The value as one of a list of allowed ones.
  var key = KeyValue.none
  var finding: FindingSubject

  /// Returns the value in words.
  func found(redacts: Bool) -> String {
    let text = finding.excerpt ?? ""
    return redacts ? "another value" : value.kind == .string ? "'\(text)'" : text
  }
}
