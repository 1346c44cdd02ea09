import ByteStreams
import JSONEvents
import Rules

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
