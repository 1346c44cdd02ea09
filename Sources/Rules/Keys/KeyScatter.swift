/// Scatters keys by a permutation that depends on a seed.
///
/// The tables hold scattered keys, so a key's hash is a part of it and needs no computation.
enum KeyScatter {
  /// Uses folded multiplications (as in wyhash) in a two-round Feistel network: every bit of the key affects every bit of the
  /// second word.
  ///
  /// The second round multiplies twice. With one multiplication, short numbered strings cluster for some seeds, because the upper
  /// bits of the second word depend on few digits.
  @inline(__always)
  static func scatter(_ low: UInt64, _ high: UInt64, seed: UInt64) -> (low: UInt64, high: UInt64) {
    let low = low ^ fold(high ^ seed, 0x9E37_79B9_7F4A_7C15)
    return (low, high ^ fold(fold(low ^ seed, 0xA076_1D64_78BD_642F) ^ seed, 0xE703_7ED1_A0B4_28DB))
  }

  /// Uses two odd multiplications; between them, the upper half is folded into the lower one.
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
