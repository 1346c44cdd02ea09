import ByteStreams
import JSONEvents
import Rules

/// Compiles values: chooses the generator for an alternative.
extension PlanCompiler {
  struct Compiled {
    var generator: Int32
    /// True if `null` is also allowed.
    var isNullable: Bool
    /// True if only `null` is allowed.
    var isNull = false
  }

  /// Returns the generator of a value, or `nil` if no value is allowed.
  func generator(for shape: Shape, _ context: Context) throws(CofferError) -> Compiled? {
    try countValue(context)
    var isNullable = false
    var alternatives: [Conjunction] = []
    for alternative in shape.alternatives {
      if alternative.types.contains(.null), alternative.accepts(.null) { isNullable = true }
      var rest = alternative
      rest.types.remove(.null)
      rest.values?.removeAll { $0 == .null }
      if !rest.types.isEmpty, rest.values?.isEmpty != true { alternatives.append(rest) }
    }
    guard !alternatives.isEmpty else {
      return isNullable ? Compiled(generator: pool([.null]), isNullable: false, isNull: true) : nil
    }
    if let reference = try referenceGenerator(context) { return Compiled(generator: reference, isNullable: isNullable) }

    if context.isEnvelope, let array = alternatives.first(where: { isCollection($0) }) {
      return try self.array(array, context).map { Compiled(generator: $0, isNullable: isNullable) }
    }
    let objects = alternatives.filter { kind(of: $0, context) == .object }
    var generators: [Int32] = []
    var failure: CofferError?
    if !objects.isEmpty {
      do throws(CofferError) {
        if let object = try object(objects, context) { generators.append(add(.object(object))) }
      } catch {
        failure = error
      }
    }
    if !context.isEnvelope || generators.isEmpty {
      for alternative in alternatives where kind(of: alternative, context) != .object && generators.count < 8 {
        do throws(CofferError) {
          if let generator = try generator(of: alternative, context) { generators.append(generator) }
        } catch {
          failure = failure ?? error
        }
      }
    }
    guard let first = generators.first else {
      if let failure { throw failure }
      return isNullable ? Compiled(generator: pool([.null]), isNullable: false, isNull: true) : nil
    }
    if generators.count == 1 { return Compiled(generator: first, isNullable: isNullable) }
    let start = Int32(plan.choices.count)
    plan.choices += generators
    return Compiled(generator: add(.choice(Plan.Slice(start, Int32(plan.choices.count)))), isNullable: isNullable)
  }

  /// Returns true if this is an array of records in the envelope.
  private func isCollection(_ alternative: Conjunction) -> Bool {
    alternative.types.contains(.array) && alternative.holdsRecords && alternative.prefix.isEmpty && alternative.values == nil
  }

  private func generator(of alternative: Conjunction, _ context: Context) throws(CofferError) -> Int32? {
    if let data = alternative.equals.first {
      guard let place = place(of: data, context) else {
        throw .hintNeeded(context.pointer, "it must equal a value that isn't known yet")
      }
      if let prefix = data.prefix { return add(.prefixed(textPool([prefix]), place: place)) }
      return add(.copy(place))
    }
    if let data = alternative.among.first {
      guard let place = place(of: data, context) else {
        throw .hintNeeded(context.pointer, "it must be one of values that aren't known yet")
      }
      return add(.item(place: place, name: -1))
    }
    if let tokens = alternative.count { return add(.count(collection(at: tokens))) }
    if let sum = alternative.sum { return try self.sum(sum, context) }
    if context.order != nil, let generator = sorted(alternative, context) { return generator }
    if let hint = hint(context), case .among(let values) = hint.content {
      let fitting = values.filter { alternative.accepts($0) }
      if !fitting.isEmpty { return pool(fitting, isDistinct: context.isUnique) }
    }
    if let values = alternative.values { return pool(values, isDistinct: context.isUnique) }
    switch kind(of: alternative, context) {
    case .string: return try string(alternative, context)
    case .number: return try alternative.isFraction ? fraction(alternative, context) : number(alternative, context)
    case .boolean:
      return pool([.boolean(false), .boolean(true)].filter { alternative.accepts($0) }, isDistinct: context.isUnique)
    case .array: return try array(alternative, context)
    default: return nil
    }
  }

  func hint(_ context: Context) -> ValueHint? { context.hint ?? hints.values[context.pointer] }

  /// Returns the one of a value's allowed types that the rules constrain most.
  private func kind(of alternative: Conjunction, _ context: Context) -> TypeSet {
    let types = alternative.types
    func first(_ kind: TypeSet, if says: Bool) -> TypeSet? { types.contains(kind) && says ? kind : nil }
    if types.rawValue.nonzeroBitCount == 1 { return types }
    if case .among(let values)? = hint(context)?.content, let value = values.first(where: { alternative.accepts($0) }) {
      return value.type
    }
    if let value = alternative.values?.first { return value.type }
    let numeric =
      alternative.lower != nil || alternative.upper != nil || alternative.isInteger || !alternative.divisors.isEmpty
      || !alternative.dataBounds.isEmpty || alternative.count != nil || alternative.sum != nil
      || alternative.formats.contains(where: \.appliesToNumbers)
    let textual =
      !alternative.patterns.isEmpty || alternative.length != 0...Int.max || alternative.formats.contains { !$0.appliesToNumbers }
    return first(.object, if: alternative.isAboutObjects)
      ?? first(
        .array,
        if: alternative.rest != nil || !alternative.prefix.isEmpty || !alternative.contains.isEmpty
          || !alternative.recordFields.isEmpty)
      ?? first(.string, if: textual) ?? first(.number, if: numeric)
      ?? [.string, .number, .boolean, .object, .array].first { types.contains($0) } ?? types
  }

  // MARK: Sums

  private func sum(_ sum: Schema.Sum, _ context: Context) throws(CofferError) -> Int32 {
    guard let place = place(of: sum.values, context) else {
      throw .hintNeeded(context.pointer, "the generator can't find the summands, or they depend on the sum")
    }
    plan.sums.append(SumPlan(place: place, scale: 2))
    return add(.sum(Int32(plan.sums.count - 1)))
  }

  // MARK: Texts

  /// Returns the generator of sorted values that are neither numbers nor times: ranks, or one value for all records.
  private func sorted(_ alternative: Conjunction, _ context: Context) -> Int32? {
    if let value = alternative.values?.first { return context.isUnique ? nil : pool([value]) }
    guard kind(of: alternative, context) == .string,
      !alternative.formats.contains(where: { $0.isTemporal || $0 == .decimal })
    else { return nil }
    if ["00000000", "99999999"].allSatisfy({ alternative.accepts(.string($0)) }) {
      plan.parts.append(PartPlan(content: .rank(isDescending: context.order?.isDescending == true)))
      return add(.text(Plan.Slice(Int32(plan.parts.count - 1), Int32(plan.parts.count))))
    }
    guard !context.isUnique, let text = Vocabulary.candidates(for: alternative, most: 1).first else { return nil }
    return pool([.string(text)])
  }

  private func string(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Int32 {
    let formats = alternative.formats.filter { !$0.appliesToNumbers }
    if let format = formats.first(where: { $0.isTemporal || $0 == .decimal }) { return try number(alternative, context, format) }
    if formats.contains(.uuid), alternative.length.contains(36) { return add(.uuid) }
    if case .text(let parts)? = hint(context)?.content { return text(parts, context) }
    if case .uuid? = hint(context)?.content { return add(.uuid) }
    let fileNumber = files.found.firstIndex { $0.path == context.path }
    if let fileNumber, let names = fileNames(fileNumber, for: alternative) { return text(names, context) }
    if context.isUnique {
      let words = Vocabulary.titles.filter { word in
        (fileNumber == nil || Vocabulary.isFileName(word))
          && [1, 4_000_000].allSatisfy { alternative.accepts(.string("\(word) \($0)")) }
      }
      if !words.isEmpty { return text([.among(words)], context) }
    }
    var candidates = Vocabulary.candidates(for: alternative, most: context.isUnique ? 400 : 48)
    if fileNumber != nil {
      // A and a may be the same file on the system where it is unpacked.
      var known: Set<String> = []
      candidates.removeAll { !Vocabulary.isFileName($0) || !known.insert($0.lowercased()).inserted }
    }
    guard !candidates.isEmpty else {
      throw .hintNeeded(context.pointer, "found no string that satisfies its rules: list some with \"among\"")
    }
    return pool(candidates.map(JSONTree.string), isDistinct: context.isUnique)
  }

  /// Returns file names that the rules allow, distinct from other collections' files, or `nil` if the rules require something
  /// else.
  private func fileNames(_ number: Int, for alternative: Conjunction) -> [ValueHint.Part]? {
    let stems = Vocabulary.files.map { number == 0 ? $0 : "\($0)-\(number + 1)" }
    let allowed = stems.filter { stem in [1, 4_000_000].allSatisfy { alternative.accepts(.string("\(stem)_\($0).jpg")) } }
    return allowed.isEmpty ? nil : [.among(allowed), .among([".jpg"])]
  }

  private func text(_ pieces: [ValueHint.Part], _ context: Context) -> Int32 {
    var parts = pieces.map { piece -> PartPlan in
      switch piece {
      case .among(let texts): PartPlan(content: .pool(textPool(texts)))
      case .number(let range): PartPlan(content: .number(Int64(range.lowerBound), Int64(range.upperBound)))
      }
    }
    if context.isUnique {
      // Inserted before an extension such as `.jpg`, so that file names stay file names.
      let ending: Int = {
        guard case .among(let texts)? = pieces.last, parts.count > 1, texts.allSatisfy({ $0.hasPrefix(".") }) else {
          return parts.count
        }
        return parts.count - 1
      }()
      parts.insert(
        contentsOf: [PartPlan(content: .pool(textPool([ending < parts.count ? "_" : " "]))), PartPlan(content: .ordinal)],
        at: ending)
    }
    let start = Int32(plan.parts.count)
    plan.parts += parts
    return add(.text(Plan.Slice(start, Int32(plan.parts.count))))
  }
}

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

/// Compiles numbers that must not be integers.
extension PlanCompiler {
  private static let mostFractions = 1000

  /// Returns a pool of fractions that satisfy all constraints on the value.
  func fraction(_ alternative: Conjunction, _ context: Context) throws(CofferError) -> Int32 {
    let exponents = [alternative.lower?.value.exponent, alternative.upper?.value.exponent] + alternative.divisors.map(\.exponent)
    let scale = exponents.compactMap(\.self).reduce(2) { max($0, min(6, 1 - $1)) }
    let unit = (0..<scale).reduce(Int64(1)) { unit, _ in unit * 10 }
    let widest = 1000 * unit
    let lower = alternative.lower?.value.units(scale: scale, roundingUp: true, isExclusive: false)
    let upper = alternative.upper?.value.units(scale: scale, roundingUp: false, isExclusive: false)
    let low = lower ?? upper.map { $0 <= 0 ? $0 - widest : 0 } ?? 0
    let high = min(upper ?? .max, low + widest)
    var step = try step(alternative, scale: scale, context)
    // Use steps of one half if the range is wide enough.
    if step == 1 { step = max(1, min(unit / 2, (high - low) / Int64(Self.mostFractions))) }
    var values: [JSONTree] = []
    var next = low.roundedUp(to: step)
    // At least one of a hundred multiples of a fractional step is not an integer.
    for _ in 0..<100 * Self.mostFractions where next <= high && values.count < Self.mostFractions {
      let value = JSONTree.number(Self.text(of: next, unit: unit))
      if next % unit != 0, alternative.accepts(value) { values.append(value) }
      next += step
    }
    guard !values.isEmpty, alternative.dataBounds.isEmpty else {
      throw .hintNeeded(context.pointer, "found no fraction within its bounds")
    }
    return pool(values, isDistinct: context.isUnique)
  }

  /// Formats a number of units as JSON: 150 hundredths are 1.50.
  private static func text(of number: Int64, unit: Int64) -> String {
    let digits = String(unit + Int64((number % unit).magnitude)).dropFirst()
    return "\(number < 0 ? "-" : "")\(number.magnitude / unit.magnitude).\(digits)"
  }
}
