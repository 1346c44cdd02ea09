import JSONEvents
import Rules

/// Computes the numbers of values.
extension RecordWriter {
  @inline(__always)
  mutating func value(of index: Int, _ random: inout RandomSource) -> Int64 {
    let number = plan.numbers[index]
    if number.ascends || number.isSequence { return ascending(number, &random) }
    if !number.bounds.isEmpty { return bounded(number, &random) }
    return number.step == 1
      ? random.within(number.low, number.high)
      : number.low + random.within(0, (number.high - number.low) / number.step) * number.step
  }

  mutating func bounded(_ number: NumberPlan, _ random: inout RandomSource) -> Int64 {
    var (low, high) = (number.low, number.high)
    for index in number.bounds {
      let bound = plan.bounds[Int(index)]
      let before = top
      let path = enterPlace(plan.places[Int(bound.place)])
      let found = self.number(path)
      top = before
      guard var (value, scale) = found else { continue }
      while scale < Int(number.scale) {
        value = value.multipliedSafely(by: 10)
        scale += 1
      }
      while scale > Int(number.scale) {
        // Rounded up for a lower bound, down for an upper one: division itself rounds towards zero.
        let rest = value % 10
        value = value / 10 + (bound.isLower ? (rest > 0 ? 1 : 0) : (rest < 0 ? -1 : 0))
        scale -= 1
      }
      if let offset = bound.offset, value.magnitude < 1_000_000_000_000 {
        value = offset.added(to: Instant(seconds: value)).seconds
      }
      if bound.isExclusive, value.magnitude < UInt64(Int64.max) { value += bound.isLower ? 1 : -1 }
      if bound.isLower { low = max(low, value) } else { high = min(high, value) }
    }
    if low > high {
      // The bound is outside of the usual range, but within the allowed one.
      let width = number.high - number.low
      let lowestAllowed = number.bounds.contains { !plan.bounds[Int($0)].isLower }
      if lowestAllowed { low = max(number.hardLow, high - width) } else { high = min(number.hardHigh, low + width) }
    }
    low = low.roundedUp(to: number.step)
    guard low <= high else { return low }
    return number.step == 1 ? random.within(low, high) : low + random.within(0, (high - low) / number.step) * number.step
  }

  /// Returns a number that grows with the record's index.
  func ascending(_ number: NumberPlan, _ random: inout RandomSource) -> Int64 {
    let frame = frames[top]
    let index = Int64(number.descends ? rank(of: frame) : frame.index)
    if number.isSequence {
      let place = index.multipliedSafely(by: number.stride) + Int64(random.below(Int(number.stride)))
      return number.low.addingSafely(place.multipliedSafely(by: number.step))
    }
    let count = Int64(recordCount(of: frame))
    let span = number.high - number.low
    let step = span / max(1, count)
    let start = number.low + Int64((Double(span) * (Double(index) / Double(max(1, count)))).rounded(.down))
    let value = min(number.high, start + (step > 1 ? random.within(0, step - 1) : 0))
    return number.step == 1 ? value : number.low + (value - number.low) / number.step * number.step
  }

  /// Returns the number of records after a frame's record.
  func rank(of frame: Frame) -> Int { max(0, recordCount(of: frame) - 1 - frame.index) }

  /// Returns the number of records in the collection of a frame's record.
  func recordCount(of frame: Frame) -> Int {
    for (index, collection) in plan.collections.enumerated() where collection.object == frame.object {
      return population.counts[index]
    }
    return 1000
  }

  /// Returns the number at a path from the innermost frame, in units of 10⁻ˢ, or `nil` if there is none.
  mutating func number(_ path: Plan.Slice) -> (Int64, scale: Int)? {
    guard let member = member(path, from: top) else { return nil }
    var random = RandomSource(state: frames[top].state &+ member.salt)
    guard presence(of: member, &random, in: top) == .value else { return nil }
    return number(member.generator, &random)
  }

  mutating func number(_ generator: Int32, _ random: inout RandomSource) -> (Int64, scale: Int)? {
    if isCircular { return nil }
    switch plan.generators[Int(generator)] {
    case .number(let index): return (value(of: Int(index), &random), Int(plan.numbers[Int(index)].scale))
    case .pool(let pool):
      let index = pool.count == 1 ? Int(pool.lowerBound) : Int(pool.lowerBound) + random.below(pool.count)
      let piece = pieces[index]
      return Self.number(
        String(decoding: UnsafeBufferPointer(start: text + Int(piece.start), count: Int(piece.count)), as: UTF8.self))
    case .distinct(let pool):
      let piece = pieces[Int(pool.lowerBound) + frames[top].index % pool.count]
      return Self.number(
        String(decoding: UnsafeBufferPointer(start: text + Int(piece.start), count: Int(piece.count)), as: UTF8.self))
    case .count(let collection): return (Int64(population.counts[Int(collection)]), 0)
    case .fileSize(let number): return (Int64(bytes(ofFile: frames[top].index, of: plan.files[Int(number)]).count), 0)
    case .sum(let number):
      let sum = sum(plan.places[Int(plan.sums[Int(number)].place)])
      return (Int64(clamping: sum.units), sum.scale)
    case .copy(let place):
      let before = top
      defer { top = before }
      return number(enterPlace(plan.places[Int(place)]))
    default: return nil
    }
  }

  static func number(_ text: String) -> (Int64, scale: Int)? {
    if text.hasPrefix("\"") {
      let inner = String(text.dropFirst().dropLast())
      if let instant = Instant(inner) { return (instant.seconds, 0) }
      return ExactDecimal(inner).map { ($0.units(scale: 6, roundingUp: true, isExclusive: false), 6) }
    }
    return ExactDecimal(text).map {
      $0.isInteger
        ? ($0.units(scale: 0, roundingUp: true, isExclusive: false), 0)
        : ($0.units(scale: 6, roundingUp: true, isExclusive: false), 6)
    }
  }
}

extension Int64 {
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
