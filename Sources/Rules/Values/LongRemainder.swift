/// The remainder of a long division, fed nine digits at a time.
struct LongRemainder {
  /// Limbs of nine digits, lowest first, at least three; the remainder has one more for the next limb.
  private let divisor: [UInt64]
  private var limbs: [UInt64]
  private static let base: UInt64 = 1_000_000_000

  init(divisor digits: [UInt8]) {
    var limbs: [UInt64] = []
    var end = digits.count
    while end > 0 {
      let start = max(0, end - 9)
      limbs.append(digits[start..<end].reduce(0) { $0 * 10 + UInt64($1) })
      end = start
    }
    divisor = limbs + [0]
    self.limbs = Array(repeating: 0, count: limbs.count + 1)
  }

  var isZero: Bool { limbs.allSatisfy { $0 == 0 } }

  mutating func append(_ limb: UInt64) {
    limbs.removeLast()
    limbs.insert(limb, at: 0)
    // An estimate from the leading limbs with the divisor rounded up: at most two less than the quotient.
    let top = limbs.count - 1
    let leading =
      (UInt128(limbs[top]) * UInt128(Self.base) + UInt128(limbs[top - 1])) * UInt128(Self.base) + UInt128(limbs[top - 2])
    subtract(UInt64(leading / UInt128(divisor[top - 1] * Self.base + divisor[top - 2] + 1)))
    while !limbs.reversed().lexicographicallyPrecedes(divisor.reversed()) { subtract(1) }
  }

  /// Subtracts the divisor `count` times.
  private mutating func subtract(_ count: UInt64) {
    if count == 0 { return }
    var borrow: UInt64 = 0
    for index in limbs.indices {
      let taken = divisor[index] * count + borrow
      borrow = taken / Self.base
      let rest = taken % Self.base
      if limbs[index] < rest { borrow += 1 }
      limbs[index] = limbs[index] < rest ? limbs[index] + Self.base - rest : limbs[index] - rest
    }
  }
}
