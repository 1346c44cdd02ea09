import JSONEvents

/// Checks of scalars.
extension RuleEvaluator {
  /// Returns whether a scalar passes a check. `parent` is an active state of the enclosing container, `slot` its slot with the
  /// check.
  @inline(__always)
  mutating func passes(_ check: RuleProgram.Check, _ scalar: Scalar, parent: Int, slot: Int) -> Bool {
    switch check.operation {
    case .never:
      // Operand 1 accepts `true`, operand 2 accepts `false`.
      return check.operand == 0 ? false : scalar.isTrue == (check.operand == 1)
    case .stringAmong:
      let index = Int(check.operand)
      let only = Int(program.stringTables[index].only)
      if only >= 0 { return program.isMember(only, named: scalar.text) }
      return program.member(
        named: scalar.text, keyTable: program.stringTables[index].keyTable, keyMask: program.stringTables[index].keyMask) >= 0
    case .isInteger: return scalar.isInteger || Self.isInteger(scalar.text)
    case .numericBound:
      if scalar.isInteger, check.hasIntegerBound {
        return check.comparison.holds(scalar.integer, program.integers[Int(check.operand)])
      }
      return isWithinBound(check, scalar.text)
    // With a fraction, or an offset, a date is longer. A check of apple-date-time reports anything else.
    case .wholeSeconds where scalar.text.count <= 20: return true
    case .format, .wholeSeconds, .instantBound, .decimalBound: return passesFormat(check, scalar)
    default: return passesRarer(check, scalar, parent, slot)
    }
  }

  @inline(never)
  private mutating func passesRarer(_ check: RuleProgram.Check, _ scalar: Scalar, _ parent: Int, _ slot: Int) -> Bool {
    let text = scalar.text
    let operand = Int(check.operand)
    switch check.operation {
    case .minimumLength: return Self.length(of: text) >= operand
    case .maximumLength: return Self.length(of: text) <= operand
    case .pattern:
      var steps = 0
      wording.patternOutcome = matcher.match(program.constants.patterns[operand], in: text, addingSteps: &steps)
      // A long text pays for its own backtracking.
      steps = max(0, steps - StepBudget.paid(by: max(0, text.count - StepBudget.longText))) + StepBudget.steps(forReading: text)
      if steps > 0 { spend(steps, on: scalar) { _ in check.rule } }
      return wording.patternOutcome == .match
    case .test: return program.constants.tests[operand](scalar)
    case .numberAmong: return program.constants.numberSets[operand].contains(scalar)
    case .numericData, .formatData, .equalsData: return passesData(check, scalar, parent, slot)
    case .sum, .count:
      // Any string but a decimal number isn't the total, unless it has a finding of its own.
      if scalar.kind == .string, !isDecimal(scalar) { return isFaulty(scalar, check.rule) }
      return passesAggregate(check, scalar, parent, slot)
    case .amongData: return passesAggregate(check, scalar, parent, slot)
    case .place:
      notePlace(program.placeActions[operand], scalar, in: parent)
      return true
    case .entry:
      claimEntry(check, scalar, in: parent)
      return true
    case .since:
      noteNewerMember(check, scalar)
      return true
    case .unusable:
      meet(program.constants.obstacles[operand], at: position(at: scalar.offset))
      return true
    default: preconditionFailure("already handled")
    }
  }

  /// Returns the length in code points: the number of bytes that don't continue one.
  private static func length(of text: ByteView) -> Int {
    var count = 0
    for index in 0..<text.count where text[index] & 0xC0 != 0x80 { count += 1 }
    return count
  }

  /// Returns whether a number is an integer by value: `1.0` and `1e2` are.
  private static func isInteger(_ text: ByteView) -> Bool {
    for index in 0..<text.count where text[index] == UInt8(ascii: ".") || text[index] | 0x20 == UInt8(ascii: "e") {
      return ExactDecimal(text)?.isInteger ?? false
    }
    return true
  }

  private static func hasExponent(_ text: ByteView) -> Bool {
    for index in 0..<text.count where text[index] | 0x20 == UInt8(ascii: "e") { return true }
    return false
  }

  @inline(never)
  private mutating func isWithinBound(_ check: RuleProgram.Check, _ text: ByteView) -> Bool {
    let operand = Int(check.operand)
    // A number without a minus sign is at least 0.
    if check.hasIntegerBound, check.comparison == .atLeast, program.integers[operand] == 0, text[0] != UInt8(ascii: "-") {
      return true
    }
    // A number this short can't be beyond a far bound.
    let side = check.hasIntegerBound ? 0 : program.integers[operand]
    if side != 0, text.count <= ExactDecimal.farExponent, !Self.hasExponent(text) { return check.comparison.holds(0, side) }
    guard let value = ExactDecimal(text) else { return false }
    return check.comparison.holds(value, program.constants.decimals[operand])
  }

  // MARK: Formats

  @inline(never)
  private mutating func passesFormat(_ check: RuleProgram.Check, _ scalar: Scalar) -> Bool {
    let text = scalar.text
    if check.operation == .format {
      let steps = StepBudget.steps(forReading: text)
      if steps > 0 { spend(steps, on: scalar) { _ in check.rule } }
      guard let format = StringFormat(rawValue: UInt8(check.operand)) else { preconditionFailure("no such format") }
      if format == .uuid { return uuid(scalar) != nil }
      return format.isTemporal ? instant(format, scalar) != nil : format.accepts(text)
    }
    if check.operation == .wholeSeconds {
      return DateTimeText.wholeSeconds(text) != nil || instant(.appleDateTime, scalar) == nil
    }
    if check.operation == .instantBound {
      // The format reports invalid dates; the bound doesn't.
      guard let value = instant(instantBounds[Int(check.operand)].format, scalar) else { return true }
      return check.comparison.holds(value, instantBounds[Int(check.operand)].instant)
    }
    if check.hasIntegerBound, check.comparison == .atLeast, text.count > 0, text[0] != UInt8(ascii: "-") { return true }
    guard case .decimal(let bound) = program.constants.formatBounds[Int(check.operand)].operand else { return true }
    if bound.side != 0, text.count <= ExactDecimal.farExponent, !Self.hasExponent(text) {
      return check.comparison.holds(0, bound.side)
    }
    guard let value = ExactDecimal(text) else { return true }
    return check.comparison.holds(value, bound)
  }

  /// Returns a scalar's UUID, parsed once for all checks.
  @inline(__always)
  mutating func uuid(_ scalar: Scalar) -> UUIDText? {
    if scalar.kind != .string || scalar.text.count != 36 { return nil }
    if lastUUID.offset != scalar.offset { lastUUID = (scalar.offset, UUIDText(scalar.text)) }
    return lastUUID.uuid
  }

  /// Returns a scalar's instant, parsed once for all checks of the value with the same format.
  mutating func instant(_ format: StringFormat, _ scalar: Scalar) -> Instant? {
    if lastInstant.offset == scalar.offset, lastInstant.format == format { return lastInstant.instant }
    let instant = format.instant(scalar.text)
    lastInstant = (scalar.offset, format, instant)
    return instant
  }
}

/// A bound on a temporal format, with `now` resolved.
struct InstantBound: BitwiseCopyable {
  let format: StringFormat
  let instant: Instant

  /// Creates a bound. The instant of a bound of another kind is unused.
  init(_ bound: (format: StringFormat, operand: Schema.FormatOperand), now: Instant) {
    format = bound.format
    switch bound.operand {
    case .instant(let instant): self.instant = instant
    case .now(let duration): instant = duration?.added(to: now) ?? now
    case .decimal, .data: instant = now
    }
  }
}
