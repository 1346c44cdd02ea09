package import JSONEvents

/// The exact sum of decimal numbers, added in any order.
///
/// A number below 10¹⁸ with up to 18 decimal places, such as an amount, costs a 128-bit addition; any other is added digit by
/// digit. A number with digits more than 1000 places from the point is out of reach, and so is any sum that includes it.
package struct ExactSum: Sendable {
  /// The part of the sum that fits, in units of 10⁻¹⁸.
  private(set) var units: Int128 = 0
  private(set) var rest = ExactDecimal(digits: [], exponent: 0, isNegative: false)
  private(set) var isOutOfReach = false
  /// The farthest that a digit may be from the decimal point on either side, in places.
  static let reach = 1000

  package init() {}

  /// Restores a sum. Returns `nil` if there can be no such sum.
  init?(units: Int128, rest: ExactDecimal, isOutOfReach: Bool) {
    guard rest.isZero || rest.exponent >= -Self.reach && rest.exponent + rest.digits.count <= Self.reach + 128 else { return nil }
    self.units = units
    self.rest = rest
    self.isOutOfReach = isOutOfReach
  }

  /// - Parameter number: a JSON number, or text of that form.
  package mutating func add(_ number: ByteView) {
    guard let decimal = ExactDecimal(number) else { preconditionFailure("not a number") }
    if let added = Self.units(of: decimal) {
      let (sum, overflow) = units.addingReportingOverflow(added)
      if !overflow {
        units = sum
        return
      }
    }
    add(decimal)
  }

  mutating func add(_ other: ExactSum) {
    if other.isOutOfReach { isOutOfReach = true }
    add(other.rest)
    let (sum, overflow) = units.addingReportingOverflow(other.units)
    if overflow { add(Self.decimal(of: other.units)) } else { units = sum }
  }

  /// The sum, or `nil` if it is out of reach.
  package var value: ExactDecimal? { isOutOfReach ? nil : rest.adding(Self.decimal(of: units)) }

  private mutating func add(_ decimal: ExactDecimal) {
    if Self.reaches(decimal) { rest = rest.adding(decimal) } else { isOutOfReach = true }
  }

  /// Returns whether a number is within reach. The running sum may be a few places longer.
  static func reaches(_ decimal: ExactDecimal) -> Bool {
    decimal.isZero || decimal.exponent >= -reach && decimal.exponent + decimal.digits.count <= reach + 64
  }

  private static func units(of decimal: ExactDecimal) -> Int128? {
    let shift = decimal.exponent + 18
    guard shift >= 0, decimal.digits.count + shift <= 36 else { return nil }
    var value: Int128 = 0
    for digit in decimal.digits { value = value * 10 + Int128(digit) }
    for _ in 0..<shift { value *= 10 }
    return decimal.isNegative ? -value : value
  }

  private static func decimal(of units: Int128) -> ExactDecimal {
    let digits = String(units.magnitude).utf8.map { $0 - 48 }
    return ExactDecimal(digits: units == 0 ? [] : digits, exponent: -18, isNegative: units < 0)
  }
}

extension ExactDecimal {
  /// Returns whether this is within `tolerance` of `other`. All must be within the reach of sums.
  func isWithin(_ tolerance: ExactDecimal, of other: ExactDecimal) -> Bool {
    let least = other.adding(ExactDecimal(digits: tolerance.digits, exponent: tolerance.exponent, isNegative: true))
    return least <= self && self <= other.adding(tolerance)
  }

  /// Returns the exact sum of two numbers of similar magnitude. Cost: linear in the places from the highest digit to the lowest.
  fileprivate func adding(_ other: ExactDecimal) -> ExactDecimal {
    if isZero { return other }
    if other.isZero { return self }
    let lowest = min(exponent, other.exponent)
    let highest = max(exponent + digits.count, other.exponent + other.digits.count)
    let width = highest - lowest + 1
    var places = [Int8](repeating: 0, count: width)
    for number in [self, other] {
      // The last element of `places` has the weight 10 to the power of `lowest`.
      let first = width - (number.exponent - lowest) - number.digits.count
      for (index, digit) in number.digits.enumerated() { places[first + index] += number.isNegative ? -Int8(digit) : Int8(digit) }
    }
    let isNegative = places.first { $0 != 0 }.map { $0 < 0 } ?? false
    var carry: Int8 = 0
    var digits = [UInt8](repeating: 0, count: width)
    for index in places.indices.reversed() {
      let value = (isNegative ? -places[index] : places[index]) + carry
      carry = value < 0 ? -1 : value > 9 ? 1 : 0
      digits[index] = UInt8(value - carry * 10)
    }
    return ExactDecimal(digits: digits, exponent: lowest, isNegative: isNegative)
  }
}
