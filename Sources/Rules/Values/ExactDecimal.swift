package import JSONEvents

/// A decimal number with exactly the value that was written, with any number of digits.
///
/// Value: ± `digits` × 10^`exponent`. The digits have no zeros at either end; zero has no digits.
/// `1.50`, `15e-1` and `1.5` are the same value.
package struct ExactDecimal: Sendable, Hashable {
  package let isNegative: Bool
  /// The significant digits, each 0 to 9.
  package let digits: [UInt8]
  package let exponent: Int

  /// Reads a JSON number (RFC 8259, section 6). Returns `nil` if `text` is anything else.
  ///
  /// Cost: linear in the text.
  package init?(_ text: ByteView) {
    guard let number = DecimalText(text) else { return nil }
    var digits: [UInt8] = []
    digits.reserveCapacity(number.whole.count + number.fraction.count)
    for index in number.whole where !digits.isEmpty || text[index] != 48 { digits.append(text[index] - 48) }
    for index in number.fraction where !digits.isEmpty || text[index] != 48 { digits.append(text[index] - 48) }
    var exponent = number.exponent - number.fraction.count
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    self.digits = digits
    self.exponent = digits.isEmpty ? 0 : exponent
    isNegative = number.isNegative && !digits.isEmpty
  }

  /// Creates a value from digits that may have zeros at either end.
  init(digits: [UInt8], exponent: Int, isNegative: Bool) {
    let end = digits.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    let start = digits[..<end].firstIndex { $0 != 0 } ?? 0
    self.digits = Array(digits[start..<end])
    self.exponent = end == 0 ? 0 : exponent + digits.count - end
    self.isNegative = isNegative && end > 0
  }

  package init?(_ text: String) {
    let value = Array(text.utf8).withUnsafeBufferPointer { bytes in
      bytes.baseAddress.flatMap { ExactDecimal(ByteView($0, count: bytes.count)) }
    }
    guard let value else { return nil }
    self = value
  }

  /// Numbers with more integer digits than this are far from those that people write.
  static let farExponent = 36
  /// The side of all numbers of at most `farExponent` characters without an exponent: 1 above, -1 below, 0 if not that far away.
  var side: Int64 { digits.count + exponent <= Self.farExponent ? 0 : isNegative ? -1 : 1 }

  package var isInteger: Bool { exponent >= 0 }
  package var isZero: Bool { digits.isEmpty }
  /// The number of digits from the first to the last non-zero digit.
  package var digitCount: Int { digits.count }

  /// The value if it is a 64-bit integer.
  package var int64: Int64? {
    guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
    var result: Int64 = 0
    for index in 0..<digits.count + exponent {
      let digit = Int64(index < digits.count ? digits[index] : 0)
      let (product, overflow) = result.multipliedReportingOverflow(by: 10)
      let (sum, carry) = isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      result = sum
    }
    return result
  }

  /// Returns whether this is an integer multiple of `divisor`, which must not be zero. It is not of one with more than 18 digits.
  ///
  /// Cost: linear in the digits.
  package func isMultiple(of divisor: ExactDecimal) -> Bool {
    if isZero { return true }
    let shift = exponent - divisor.exponent
    // The digits don't end in zero, so a multiple can't have the smaller exponent.
    if shift < 0 || divisor.digits.count > 18 { return false }
    let modulus = divisor.digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
    let significand = digits.reduce(UInt64(0)) { ($0 * 10 + UInt64($1)) % modulus }
    return modulus.multiply(significand, modulus.power(of: 10, UInt64(shift))) == 0
  }
}

extension UInt64 {
  /// Returns `a × b` modulo this.
  fileprivate func multiply(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let (high, low) = (a % self).multipliedFullWidth(by: b % self)
    return dividingFullWidth((high, low)).remainder
  }

  /// Returns `base` to the power of `exponent`, modulo this.
  fileprivate func power(of base: UInt64, _ exponent: UInt64) -> UInt64 {
    var result = 1 % self
    var factor = base % self
    var rest = exponent
    while rest > 0 {
      if rest & 1 == 1 { result = multiply(result, factor) }
      factor = multiply(factor, factor)
      rest >>= 1
    }
    return result
  }
}

extension ExactDecimal: Comparable {
  package static func < (a: ExactDecimal, b: ExactDecimal) -> Bool {
    if a.isNegative != b.isNegative { return a.isNegative }
    return a.isNegative ? b.isSmallerInMagnitude(than: a) : a.isSmallerInMagnitude(than: b)
  }

  private func isSmallerInMagnitude(than other: ExactDecimal) -> Bool {
    if isZero || other.isZero { return isZero && !other.isZero }
    // Compares the place of the leading digit, then the digits from the front.
    let place = digits.count + exponent
    let otherPlace = other.digits.count + other.exponent
    if place != otherPlace { return place < otherPlace }
    return digits.lexicographicallyPrecedes(other.digits)
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// Plain digits if that is short, otherwise with an exponent.
  package var description: String {
    if isZero { return "0" }
    var text = String(decoding: digits.map { $0 + 48 }, as: UTF8.self)
    if exponent > 0, digits.count + exponent <= 21 {
      text += String(repeating: "0", count: exponent)
    } else if exponent < 0, -exponent < digits.count {
      text.insert(".", at: text.index(text.endIndex, offsetBy: exponent))
    } else if exponent < 0, -exponent < 21 {
      text = "0." + String(repeating: "0", count: -exponent - digits.count) + text
    } else if exponent != 0 {
      text += "e\(exponent)"
    }
    return (isNegative ? "-" : "") + text
  }
}

extension ExactDecimal {
  /// Returns the exact product, or `nil` if an exponent is out of range, or the factor has more than 18 digits.
  ///
  /// Cost: linear in the digits.
  package func multiplied(by factor: ExactDecimal) -> ExactDecimal? {
    guard factor.digits.count <= 18 else { return nil }
    // Larger exponents may have been clamped.
    guard abs(exponent) < 1 << 39, abs(factor.exponent) < 1 << 39 else { return nil }
    let multiplier = factor.digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1) }
    var product: [UInt8] = []
    product.reserveCapacity(digits.count + factor.digits.count)
    var carry: UInt64 = 0
    for digit in digits.reversed() {
      // The sum is below 9 × 10¹⁸ + 10¹⁸.
      let sum = UInt64(digit) * multiplier + carry
      product.append(UInt8(sum % 10))
      carry = sum / 10
    }
    while carry > 0 {
      product.append(UInt8(carry % 10))
      carry /= 10
    }
    product.reverse()
    return ExactDecimal(
      digits: product, exponent: exponent + factor.exponent, isNegative: isNegative != factor.isNegative)
  }
}
