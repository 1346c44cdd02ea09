import ByteStreams
import JSONEvents
import Rules

/// Compiles numbers, and points in time, which are numbers of seconds.
extension PlanCompiler {
  private static let day: Int64 = 86_400
  /// The default range of dates, back from the backup's creation time.
  private static let past: Int64 = 3 * 365 * day
  /// A time after any validation of the output.
  private static let future: Int64 = 3_786_912_000  // 2090-01-01

  /// The minimum range in which a sequence of unique numbers has gaps.
  private static let sparseLimit: Int64 = 1_000_000

  func number(_ alternative: Conjunction, _ context: Context, _ format: StringFormat? = nil) throws(CofferError) -> Int32 {
    let format = format ?? alternative.formats.first { $0.appliesToNumbers }
    var number: NumberPlan
    if let format, format.isTemporal {
      number = time(alternative, context, format)
    } else {
      number = try plain(alternative, context, isText: format == .decimal)
    }
    let start = Int32(plan.bounds.count)
    let dataBounds =
      alternative.dataBounds.map { ($0.comparison, $0.data) }
      + alternative.formatBounds.compactMap { bound -> (Comparison, Schema.DataReference)? in
        if case .data(let data) = bound.operand { (bound.comparison, data) } else { nil }
      }
    for (comparison, data) in dataBounds {
      guard let place = place(of: data, context) else { continue }
      plan.bounds.append(
        BoundPlan(
          place: place, isLower: comparison == .atLeast || comparison == .moreThan,
          isExclusive: comparison == .moreThan || comparison == .lessThan, offset: data.plus))
    }
    number.bounds = Plan.Slice(start, Int32(plan.bounds.count))
    if let order = context.order { (number.ascends, number.descends) = (true, order.isDescending) }
    plan.numbers.append(number)
    return add(.number(Int32(plan.numbers.count - 1)))
  }

  // MARK: Numbers

  private func plain(_ alternative: Conjunction, _ context: Context, isText: Bool) throws(CofferError) -> NumberPlan {
    var (hintLow, hintHigh): (ExactDecimal?, ExactDecimal?) = (nil, nil)
    var decimals: Int?
    var ascends = false
    if case .numbers(let low, let high, let places, let grows)? = hint(context)?.content {
      (hintLow, hintHigh, decimals, ascends) = (low, high, places, grows)
    }
    var (lower, upper) = (alternative.lower, alternative.upper)
    if isText {
      for bound in alternative.formatBounds {
        guard case .decimal(let value) = bound.operand else { continue }
        let limit = Conjunction.Limit(value: value, isExclusive: bound.comparison == .moreThan || bound.comparison == .lessThan)
        if bound.comparison == .atLeast || bound.comparison == .moreThan { lower = limit } else { upper = limit }
      }
    }
    let isWhole = alternative.isInteger || context.isUnique
    var scale = isWhole ? 0 : decimals ?? 2
    if !isWhole {
      // Narrow bounds may need more decimal places.
      for exponent in [lower?.value.exponent, upper?.value.exponent].compactMap({ $0 }) {
        scale = max(scale, min(6, -exponent + 1))
      }
      for divisor in alternative.divisors { scale = max(scale, min(6, -divisor.exponent)) }
    }
    var number = NumberPlan(
      low: 0, high: 0, hardLow: -4_000_000_000_000_000, hardHigh: 4_000_000_000_000_000, scale: Int32(scale))
    number.form = isText ? .quoted : .number
    number.ascends = ascends
    if let lower {
      number.hardLow = max(number.hardLow, lower.value.units(scale: scale, roundingUp: true, isExclusive: lower.isExclusive))
    }
    if let upper {
      number.hardHigh = min(number.hardHigh, upper.value.units(scale: scale, roundingUp: false, isExclusive: upper.isExclusive))
    }
    number.step = try step(alternative, scale: scale, context)
    let unit = (0..<scale).reduce(Int64(1)) { unit, _ in unit * 10 }
    let low = hintLow?.units(scale: scale, roundingUp: true, isExclusive: false)
    let high = hintHigh?.units(scale: scale, roundingUp: false, isExclusive: false)
    let width = 1000 * unit * min(number.step, 1_000_000)
    number.low = max(low ?? (number.hardLow > 0 || number.hardHigh < 0 ? number.hardLow : 0), number.hardLow)
    if low == nil, number.hardLow < -3_999_999_999_999_999, number.hardHigh < 0 { number.low = number.hardHigh - width }
    number.high = min(high ?? number.low + width, number.hardHigh)
    for value in alternative.excluded {
      guard case .number(let text) = value, let decimal = ExactDecimal(text) else { continue }
      let excluded = decimal.units(scale: scale, roundingUp: true, isExclusive: false)
      if excluded >= number.low, excluded <= number.high {
        if excluded < number.high { number.low = excluded + 1 } else { number.high = excluded - 1 }
      }
    }
    number.low = number.low.roundedUp(to: number.step)
    guard number.low <= number.high else { throw .hintNeeded(context.pointer, "found no number within its bounds") }
    if context.isUnique {
      number.isSequence = true
      number.low = max(number.low, number.hardLow, min(1, number.hardHigh)).roundedUp(to: number.step)
      if (number.hardHigh - number.low) / number.step < Self.sparseLimit { number.stride = 1 }
    }
    return number
  }

  /// Returns the least common multiple of a number's divisors, in units.
  func step(_ alternative: Conjunction, scale: Int, _ context: Context) throws(CofferError) -> Int64 {
    var step: Int64 = 1
    for divisor in alternative.divisors {
      let units = divisor.units(scale: scale, roundingUp: true, isExclusive: false)
      guard units > 0, divisor.exponent >= -scale, units < 1_000_000_000 else {
        throw .hintNeeded(context.pointer, "its multipleOf is too fine or too large: list some numbers with \"among\"")
      }
      var (a, b) = (step, units)
      while b != 0 { (a, b) = (b, a % b) }
      step = step / a * units
      guard step < 1_000_000_000_000 else { throw .hintNeeded(context.pointer, "its multipleOf values combined are too large") }
    }
    return step
  }

  // MARK: Times

  private func time(_ alternative: Conjunction, _ context: Context, _ format: StringFormat) -> NumberPlan {
    var number = NumberPlan(
      low: hints.reference - Self.past, high: hints.reference, hardLow: -62_135_596_800, hardHigh: 253_370_764_800)
    number.form =
      switch format {
      case .date: .date
      case .time: .time
      case .unixTime: .unixTime
      case .unixTimeMilliseconds: .unixMilliseconds
      case .appleReferenceTime: .appleTime
      default: .dateTime
      }
    if format == .time { (number.low, number.high, number.hardLow, number.hardHigh) = (0, Self.day - 1, 0, Self.day - 1) }
    for bound in alternative.formatBounds {
      let isLower = bound.comparison == .atLeast || bound.comparison == .moreThan
      var limit: Int64
      switch bound.operand {
      case .instant(let instant): limit = instant.seconds
      case .now(let offset):
        // Validation happens after the backup's creation time, so a value that isn't later than that time isn't later than now.
        limit = isLower ? Self.future : hints.reference
        if let offset {
          let moved = offset.added(to: Instant(seconds: limit)).seconds
          limit = isLower ? max(moved, limit) : min(moved, limit)
        }
      default: continue
      }
      if bound.comparison == .moreThan { limit += Self.day }
      if bound.comparison == .lessThan { limit -= Self.day }
      if isLower { number.hardLow = max(number.hardLow, limit) } else { number.hardHigh = min(number.hardHigh, limit) }
    }
    // A number of seconds can also have plain numeric bounds.
    let (perSecond, epoch): (Int64, Int64) =
      number.form == .unixMilliseconds ? (1000, 0) : (1, number.form == .appleTime ? 978_307_200 : 0)
    if format.appliesToNumbers {
      if let lower = alternative.lower {
        number.hardLow = max(
          number.hardLow, lower.value.units(scale: 0, roundingUp: true, isExclusive: true) / perSecond + epoch + 1)
      }
      if let upper = alternative.upper {
        number.hardHigh = min(
          number.hardHigh, upper.value.units(scale: 0, roundingUp: false, isExclusive: true) / perSecond + epoch)
      }
    }
    if case .times(let from, let to, let ascending)? = hint(context)?.content {
      if let from { number.low = from.added(to: Instant(seconds: hints.reference)).seconds }
      if let to { number.high = to.added(to: Instant(seconds: hints.reference)).seconds }
      number.ascends = ascending
    }
    if context.path == createdAt { (number.low, number.high) = (hints.reference, hints.reference) }
    if context.isUnique { number.ascends = true }
    number.low = max(number.low, number.hardLow)
    number.high = min(number.high, number.hardHigh)
    if number.low > number.high {
      // The range that the rules require is outside of the usual one.
      number.low = number.hardLow > hints.reference ? number.hardLow : max(number.hardLow, number.hardHigh - Self.past)
      number.high = number.hardLow > hints.reference ? min(number.hardHigh, number.hardLow + Self.past) : number.hardHigh
    }
    if context.isUnique, format == .date {
      // One day per record, from the first day on.
      (number.isSequence, number.ascends, number.step, number.stride) = (true, false, Self.day, 1)
      number.hardHigh = number.high
    }
    return number
  }
}

extension ExactDecimal {
  /// Returns the number as an integer number of 10⁻ˢ. More decimal places are rounded, larger numbers are clamped.
  func units(scale: Int, roundingUp: Bool, isExclusive: Bool) -> Int64 {
    let limit: Int64 = 4_000_000_000_000_000
    let wholeDigits = digits.count + exponent + scale
    if wholeDigits > 15 { return isNegative ? -limit : limit }
    var value: Int64 = 0
    for place in 0..<max(0, wholeDigits) { value = value * 10 + (place < digits.count ? Int64(digits[place]) : 0) }
    if isNegative { value = -value }
    let isExact = exponent + scale >= 0
    if isExact { return isExclusive ? (roundingUp ? value + 1 : value - 1) : value }
    // Truncated towards zero, so move by one if that is the wrong direction.
    if roundingUp { return isNegative ? value : value + 1 }
    return isNegative ? value - 1 : value
  }
}

extension Int64 {
  func roundedUp(to step: Int64) -> Int64 {
    guard step > 1 else { return self }
    let rest = self % step
    return rest == 0 ? self : self - rest + (rest > 0 ? step : 0)
  }
}
