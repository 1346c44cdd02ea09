package import JSONEvents

/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, "SipHash: a fast short-input PRF"): a keyed digest that can't be
/// made to collide without knowledge of the key.
package struct SipHash128: BitwiseCopyable {
  package struct Key: Sendable, BitwiseCopyable {
    package let low: UInt64
    package let high: UInt64

    package init(low: UInt64, high: UInt64) {
      self.low = low
      self.high = high
    }

    /// Returns a random key, which no document can foresee.
    package static func random() -> Key {
      var random = SystemRandomNumberGenerator()
      return Key(low: random.next(), high: random.next())
    }

    /// A random key of this process: documents can't foresee it, and a system call for each small one is saved.
    package static let ofProcess = random()
  }

  private var v0, v1, v2, v3: UInt64

  package init(key: Key) {
    v0 = 0x736f_6d65_7073_6575 ^ key.low
    v1 = 0x646f_7261_6e64_6f6d ^ key.high ^ 0xee
    v2 = 0x6c79_6765_6e65_7261 ^ key.low
    v3 = 0x7465_6462_7974_6573 ^ key.high
  }

  package static func digest(of bytes: ByteView, key: Key) -> (UInt64, UInt64) {
    var hash = SipHash128(key: key)
    var index = 0
    while index + 8 <= bytes.count {
      hash.absorb(bytes.word(at: index))
      index += 8
    }
    return hash.finish(tail: bytes.dropFirst(index).leadingWord, count: bytes.count)
  }

  /// Adds the next eight bytes.
  @inline(__always)
  mutating func absorb(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  /// - Parameters:
  ///   - tail: the last, up to seven, bytes.
  ///   - count: the total number of bytes.
  package mutating func finish(tail: UInt64, count: Int) -> (UInt64, UInt64) {
    absorb(tail | UInt64(truncatingIfNeeded: count) << 56)
    v2 ^= 0xee
    for _ in 0..<4 { round() }
    let low = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    for _ in 0..<4 { round() }
    return (low, v0 ^ v1 ^ v2 ^ v3)
  }

  // Otherwise each round loads and stores its words.
  @inline(__always)
  private mutating func round() {
    v0 &+= v1
    v1 = v1 << 13 | v1 >> 51
    v1 ^= v0
    v0 = v0 << 32 | v0 >> 32
    v2 &+= v3
    v3 = v3 << 16 | v3 >> 48
    v3 ^= v2
    v0 &+= v3
    v3 = v3 << 21 | v3 >> 43
    v3 ^= v0
    v2 &+= v1
    v1 = v1 << 17 | v1 >> 47
    v1 ^= v2
    v2 = v2 << 32 | v2 >> 32
  }
}
