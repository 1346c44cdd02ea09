import JSONEvents

/// A 64-bit hash of a scalar, for sketches and small sets.
///
/// It has no secret key, so that results of different threads and runs can be merged and repeated. An attacker
/// who makes values collide gets poor proposals, which the second pass refutes, and nothing else: all sets have limits.
enum ValueHash {
  /// The length of the longest text that is hashed. Longer values can't be keys.
  static let lengthLimit = 1024

  /// - Parameter text: a text of an `EventBatch`, which is followed by eight readable bytes.
  @inline(__always)
  static func hash(_ text: ByteView, isNumber: Bool) -> UInt64 {
    var hash: UInt64 = (isNumber ? 0x9E37_79B9_7F4A_7C15 : 0xD1B5_4A32_D192_ED03) ^ UInt64(text.count)
    var index = 0
    while index + 8 <= text.count {
      hash = mix(hash ^ text.word(at: index))
      index += 8
    }
    if index < text.count { hash = mix(hash ^ text.dropFirst(index).leadingWordOfPadded) }
    return finish(hash)
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low
  }

  /// Spreads a hash evenly, which the estimates of sketches need. 0 marks an empty slot.
  @inline(__always)
  private static func finish(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash ^= hash >> 32
    hash = hash &* 0xE703_7ED1_A0B4_28DB
    hash ^= hash >> 29
    return hash == 0 ? 1 : hash
  }
}
