/// Two words to one, by folded multiplication (as in wyhash): every bit of the input reaches every bit of the result.
enum KeyHash {
  @inline(__always)
  static func hash(_ low: UInt64, _ high: UInt64, seed: UInt64) -> UInt64 {
    let first = (low ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ high)
    let folded = first.high ^ first.low ^ high
    let second = folded.multipliedFullWidth(by: seed | 0xA076_1D64_78BD_642F)
    return second.high ^ second.low
  }
}
