import ByteStreams
import JSONEvents
import Rules

/// Resolves strings.
extension RecipeBuilder {
  /// Returns the recipe of sorted values that are neither numbers nor times: ranks, or one value for all records.
  func sorted(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Recipe? {
    if let value = alternative.values?.first { return try context.isUnique ? nil : pool([value], context) }
    guard kind(of: alternative, context) == .string,
      !alternative.formats.contains(where: { $0.isTemporal || $0 == .decimal })
    else { return nil }
    if alternative.accepts(["00000000", "99999999"]) {
      return .text([.rank(isDescending: context.order?.isDescending == true)])
    }
    guard !context.isUnique, let text = Vocabulary.candidates(for: alternative, most: 1).first else { return nil }
    return .among([.string(text)])
  }

  func string(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Recipe {
    let formats = alternative.formats.filter { !$0.appliesToNumbers }
    if let format = formats.first(where: { $0.isTemporal || $0 == .decimal }) { return try number(alternative, context, format) }
    if formats.contains(.uuid), alternative.length.contains(36) { return .uuid }
    switch hint(context)?.content {
    case .text(let parts): return text(parts, context)
    case .uuid: return .uuid
    default: break
    }
    if archive != nil, alternative.fileRule != nil, context.file == nil {
      throw .impossible(context.pointer, "only a direct member of a record can name a file")
    }
    if let file = context.file {
      // Distinct from the files of other collections.
      let stems = Vocabulary.files.map { file == 0 ? $0 : "\($0)-\(file + 1)" }
      let allowed = stems.filter { stem in alternative.accepts([1, 4_000_000].map { "\(stem)_\($0).jpg" }) }
      if !allowed.isEmpty { return text([.among(allowed), .among([".jpg"])], context) }
    }
    if context.isUnique {
      let words = Vocabulary.titles.filter { word in
        (context.file == nil || Vocabulary.isFileName(word)) && alternative.accepts([1, 4_000_000].map { "\(word) \($0)" })
      }
      if !words.isEmpty { return text([.among(words)], context) }
    }
    var candidates = Vocabulary.candidates(for: alternative, most: context.isUnique ? 400 : 48)
    if context.file != nil {
      // A and a may be the same file on the system where it is unpacked.
      var known: Set<String> = []
      candidates.removeAll { !Vocabulary.isFileName($0) || !known.insert($0.lowercased()).inserted }
    }
    guard !candidates.isEmpty else {
      throw .hintNeeded(context.pointer, "found no string that satisfies its rules: list some with \"among\"")
    }
    return try pool(candidates.map(JSONValue.string), context, isDistinct: context.isUnique)
  }

  private func text(_ parts: [TextPart], _ context: Context) -> Recipe {
    guard context.isUnique else { return .text(parts) }
    // The number comes before an extension such as `.jpg`, so that file names stay file names.
    if case .among(let texts)? = parts.last, parts.count > 1, texts.allSatisfy({ $0.hasPrefix(".") }) {
      return .text(parts.dropLast() + [.among(["_"]), .ordinal, .among(texts)])
    }
    return .text(parts + [.among([" "]), .ordinal])
  }
}

/// Resolves numbers, and points in time, which are numbers of seconds.
extension RecipeBuilder {
  private static let day: Int64 = 86_400
  /// The default range of dates, back from the backup's creation time.
  private static let past: Int64 = 3 * 365 * day
  /// A time after any validation of the output.
  private static let future: Int64 = 3_786_912_000  // 2090-01-01
  /// A number that is large enough for any rule, and small enough to compute with.
  static let largest: Int64 = 4_000_000_000_000_000
  /// The minimum range in which a sequence of unique numbers has gaps.
  private static let sparseLimit: Int64 = 1_000_000

  func number(_ alternative: Conjunction, _ context: Context, _ format: StringFormat? = nil) throws(CofferError) -> Recipe {
    let format = format ?? alternative.formats.first { $0.appliesToNumbers }
    var number =
      if let format, format.isTemporal {
        time(alternative, context, format)
      } else {
        try plain(alternative, context, format)
      }
    for (comparison, data) in alternative.dataBounds {
      guard let place = place(of: data, context) else { continue }
      number.bounds.append((place, comparison, data.plus))
    }
    if let order = context.order { (number.ascends, number.descends) = (true, order.isDescending) }
    return .number(number)
  }

  // MARK: Numbers

  private func plain(_ alternative: Conjunction, _ context: Context, _ format: StringFormat?) throws(CofferError) -> Numbers {
    var (hintLow, hintHigh): (ExactDecimal?, ExactDecimal?) = (nil, nil)
    var decimals: Int?
    var ascends = false
    if case .numbers(let low, let high, let places, let grows)? = hint(context)?.content {
      (hintLow, hintHigh, decimals, ascends) = (low, high, places, grows)
    }
    let limits = alternative.limits
    let isWhole = alternative.isWhole || context.isUnique && !alternative.isFraction
    // Narrow bounds may need more decimal places.
    let exponents =
      [limits.lower, limits.upper].compactMap { $0.map { limit in limit.value.exponent - 1 } }
      + alternative.divisors.map(\.exponent)
    let scale = isWhole ? 0 : exponents.reduce(decimals ?? 2) { max($0, min(6, -$1)) }
    var number = Numbers(low: 0, high: 0, hardLow: -Self.largest, hardHigh: Self.largest, scale: scale, format: format)
    number.ascends = ascends
    if let lower = limits.lower {
      number.hardLow = max(number.hardLow, lower.value.units(scale: scale, roundingUp: true, isExclusive: lower.isExclusive))
    }
    if let upper = limits.upper {
      number.hardHigh = min(number.hardHigh, upper.value.units(scale: scale, roundingUp: false, isExclusive: upper.isExclusive))
    }
    number.step = try step(alternative, scale: scale, context)
    let low = hintLow?.units(scale: scale, roundingUp: true)
    let high = hintHigh?.units(scale: scale, roundingUp: false)
    let unit = Int64.unit(scale: scale)
    let width = 1000 * unit * min(number.step, 1_000_000)
    number.low = max(low ?? (number.hardLow > 0 || number.hardHigh < 0 ? number.hardLow : 0), number.hardLow)
    if low == nil, number.hardLow == -Self.largest, number.hardHigh < 0 { number.low = number.hardHigh - width }
    number.high = min(high ?? number.low + width, number.hardHigh)
    for excluded in excluded(by: alternative, scale: scale) where (number.low...max(number.low, number.high)).contains(excluded) {
      if excluded < number.high { number.low = excluded + 1 } else { number.high = excluded - 1 }
    }
    number.low = number.low.roundedUp(to: number.step)
    number.isFraction = alternative.isFraction
    guard number.low <= number.high else { throw .hintNeeded(context.pointer, "found no number within its bounds") }
    if context.isUnique {
      number.isSequence = true
      number.low = max(number.low, number.hardLow, min(1, number.hardHigh)).roundedUp(to: number.step)
      if number.isFraction {
        // One half after each integer.
        (number.low, number.step) = (number.low.roundedUp(to: unit) + unit / 2, unit)
        number.isFraction = false
      }
      if (number.hardHigh - number.low) / number.step < Self.sparseLimit { number.stride = 1 }
    }
    return number
  }

  /// Returns the numbers that a value must not have.
  private func excluded(by alternative: Conjunction, scale: Int) -> [Int64] {
    alternative.checks.flatMap { check -> [Int64] in
      guard case .values(let values) = check.keyword.assertion else { return [] }
      return values.compactMap { $0.number.flatMap { ExactDecimal($0) }?.units(scale: scale, roundingUp: true) }
    }
  }

  /// Returns the least common multiple of a number's divisors, in units.
  private func step(_ alternative: Conjunction, scale: Int, _ context: Context) throws(CofferError) -> Int64 {
    var step: Int64 = 1
    for divisor in alternative.divisors {
      let units = divisor.units(scale: scale, roundingUp: true)
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

  private func time(_ alternative: Conjunction, _ context: Context, _ format: StringFormat) -> Numbers {
    // The years 1 to 9998.
    var number = Numbers(
      low: hints.reference - Self.past, high: hints.reference, hardLow: -62_135_596_800, hardHigh: 253_370_764_800, format: format
    )
    if format == .time { (number.low, number.high, number.hardLow, number.hardHigh) = (0, Self.day - 1, 0, Self.day - 1) }
    for bound in alternative.formatBounds {
      let isLower = bound.comparison.isLower
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
      if bound.comparison.isStrict { limit += isLower ? Self.day : -Self.day }
      if isLower { number.hardLow = max(number.hardLow, limit) } else { number.hardHigh = min(number.hardHigh, limit) }
    }
    if format.appliesToNumbers {
      // A number of seconds can also have plain numeric bounds.
      let limits = alternative.limits
      func seconds(_ limit: ExactDecimal, roundingUp: Bool) -> Int64 {
        let count = limit.units(scale: 0, roundingUp: roundingUp, isExclusive: true)
        return count / (format == .unixTimeMilliseconds ? 1000 : 1) + format.epoch
      }
      if let lower = limits.lower { number.hardLow = max(number.hardLow, seconds(lower.value, roundingUp: true) + 1) }
      if let upper = limits.upper { number.hardHigh = min(number.hardHigh, seconds(upper.value, roundingUp: false)) }
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
  func units(scale: Int, roundingUp: Bool, isExclusive: Bool = false) -> Int64 {
    let wholeDigits = digits.count + exponent + scale
    if wholeDigits > 15 { return isNegative ? -RecipeBuilder.largest : RecipeBuilder.largest }
    var value: Int64 = 0
    for place in 0..<max(0, wholeDigits) { value = value * 10 + (place < digits.count ? Int64(digits[place]) : 0) }
    if isNegative { value = -value }
    if exponent + scale >= 0 { return isExclusive ? (roundingUp ? value + 1 : value - 1) : value }
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

  /// Returns the product, or a sixteenth of the largest or smallest integer on overflow.
  func multipliedSafely(by other: Int64) -> Int64 {
    let (product, isCut) = multipliedReportingOverflow(by: other)
    return isCut ? ((self < 0) == (other < 0) ? .max / 16 : .min / 16) : product
  }

  func addingSafely(_ other: Int64) -> Int64 {
    let (sum, isCut) = addingReportingOverflow(other)
    return isCut ? (other > 0 ? .max / 16 : .min / 16) : sum
  }
}
