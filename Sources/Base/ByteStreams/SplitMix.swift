extension UInt64 {
  /// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014): a bijection, so that distinct
  /// numbers stay distinct. Numbers that are alike get ones that look random, the same on every machine.
  @inlinable @inline(__always)
  package var scattered: UInt64 {
    var word = self
    word = (word ^ word &>> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word &>> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word &>> 31
  }
}
