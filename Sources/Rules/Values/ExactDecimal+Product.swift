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
