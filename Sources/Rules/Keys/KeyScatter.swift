/// Scatters keys, each to a place of its own: a permutation that depends on a seed.
///
/// The tables hold scattered keys, so a key's hash is a part of it and needs no computation.
enum KeyScatter {
  /// By folded multiplications (as in wyhash) in two rounds of a Feistel network: every bit of the key reaches every bit of the second word.
  @inline(__always)
  static func scatter(_ low: UInt64, _ high: UInt64, seed: UInt64) -> (low: UInt64, high: UInt64) {
    let low = low ^ fold(high ^ seed, 0x9E37_79B9_7F4A_7C15)
    return (low, high ^ fold(low ^ seed, seed | 0xA076_1D64_78BD_642F))
  }

  /// By two odd multiplications, with the upper half folded into the lower one between them.
  @inline(__always)
  static func scatter(_ word: UInt64, seed: UInt64) -> UInt64 {
    let first = (word ^ seed) &* 0x9E37_79B9_7F4A_7C15
    return (first ^ first &>> 32) &* (seed | 0xA076_1D64_78BD_642F)
  }

  @inline(__always)
  private static func fold(_ word: UInt64, _ factor: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }
}
