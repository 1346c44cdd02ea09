import JSONEvents

/// The tests of scalars.
extension RuleEvaluator {
  /// Whether a scalar passes a check. `parent` is the thread of the container that holds it.
  @inline(__always)
  mutating func passes(_ check: RuleProgram.Check, _ kind: ValueKind, _ event: Event, _ batch: EventBatch, parent: Int, slot: Int) -> Bool {
    switch check.operation {
    case .never:
      // An operand of 1 or 2 lets one of the booleans pass.
      return check.operand == 0 ? false : (event.kind == .true) == (check.operand == 1)
    case .stringAmong: return program.constants.stringSets[Int(check.operand)].contains(batch.text(of: event))
    case .isInteger: return Self.isInteger(batch.text(of: event))
    case .numericBound: return isWithinBound(check, batch.text(of: event))
    case .format, .formatBound: return passesFormat(check, event, batch)
    default: return passesRarer(check, kind, event, batch, parent, slot)
    }
  }

  private mutating func passesRarer(
    _ check: RuleProgram.Check, _ kind: ValueKind, _ event: Event, _ batch: EventBatch, _ parent: Int, _ slot: Int
  ) -> Bool {
    let text = batch.text(of: event)
    let constants = program.constants
    switch check.operation {
    case .minimumLength: return Self.length(of: text) >= Int(check.operand)
    case .maximumLength: return Self.length(of: text) <= Int(check.operand)
    case .pattern: return matcher.match(constants.patterns[Int(check.operand)], in: text) == .match
    case .multipleOf:
      return ExactDecimal(text).map { $0.isMultiple(of: constants.decimals[Int(check.operand)]) } ?? false
    case .numberAmong:
      guard let value = ExactDecimal(text) else { return false }
      return constants.numberSets[Int(check.operand)].contains(value)
    case .numericData, .formatData, .equalsData: return passesData(check, kind, event, batch, parent, slot)
    case .count:
      expectCount(check, event, batch)
      return true
    case .since:
      noteNewerMember(check, event)
      return true
    default: preconditionFailure("tested before")
    }
  }

  /// In code points: bytes that don't continue one.
  private static func length(of text: ByteView) -> Int {
    var count = 0
    for index in 0..<text.count where text[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// An integer by value, whatever its spelling: `1.0` and `1e2` are some.
  @inline(__always)
  private static func isInteger(_ text: ByteView) -> Bool {
    for index in 0..<text.count where text[index] == UInt8(ascii: ".") || text[index] | 0x20 == UInt8(ascii: "e") {
      return ExactDecimal(text)?.isInteger ?? false
    }
    return true
  }

  @inline(__always)
  private func isWithinBound(_ check: RuleProgram.Check, _ text: ByteView) -> Bool {
    if let bound = integerBounds[Int(check.operand)] {
      if let value = IntegerText.value(text) { return check.comparison.holds(value, bound) }
      // What has no minus sign is at least 0, whatever follows.
      if bound == 0, check.comparison == .atLeast, text[0] != UInt8(ascii: "-") { return true }
    }
    guard let value = ExactDecimal(text) else { return false }
    return check.comparison.holds(value, program.constants.decimals[Int(check.operand)])
  }

  // MARK: Formats

  private mutating func passesFormat(_ check: RuleProgram.Check, _ event: Event, _ batch: EventBatch) -> Bool {
    let text = batch.text(of: event)
    if check.operation == .format {
      guard let format = StringFormat(rawValue: UInt8(check.operand)) else { preconditionFailure("no such format") }
      return format.isTemporal ? instant(format, event, batch) != nil : format.accepts(text)
    }
    let index = Int(check.operand)
    switch bounds[index] {
    case .instant(let bound):
      // What is no date is the format's finding, not the bound's.
      guard let value = instant(program.constants.formatBounds[index].format, event, batch) else { return true }
      return check.comparison.holds(value, bound)
    case .decimal(let bound):
      if check.comparison == .atLeast, bound.isZero, text.count > 0, text[0] != UInt8(ascii: "-") { return true }
      guard let value = ExactDecimal(text) else { return true }
      return check.comparison.holds(value, bound)
    }
  }

  /// The instant that a string stands for, read once for all checks of one value.
  private mutating func instant(_ format: StringFormat, _ event: Event, _ batch: EventBatch) -> Instant? {
    let offset = batch.offset(of: event)
    if lastInstant.offset == offset { return lastInstant.instant }
    let instant = format.instant(batch.text(of: event))
    lastInstant = (offset, instant)
    return instant
  }
}
