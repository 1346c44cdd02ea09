/// How much of some bytes is well-formed UTF-8.
struct UTF8Prefix: Equatable {
  let count: Int
  /// What follows could still become a scalar, if more bytes came.
  let isIncomplete: Bool

  init(count: Int, isIncomplete: Bool) {
    self.count = count
    self.isIncomplete = isIncomplete
  }

  /// By Swift's own decoder.
  init(decoding bytes: [UInt8]) {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var count = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
    self.count = count
    isIncomplete = bytes.count - count <= 3 && Self.beginnings.contains(Array(bytes[count...]))
  }

  /// Every sequence with its last one, two or three bytes cut off.
  private static let beginnings: Set<[UInt8]> = {
    var result: Set<[UInt8]> = []
    // The last byte holds six bits: one scalar of each 64 gives all beginnings.
    for value in stride(from: 0x80 as UInt32, through: 0x10FFFF, by: 64) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      var bytes = Array(String(Character(scalar)).utf8)
      while bytes.count > 1 {
        bytes.removeLast()
        result.insert(bytes)
      }
    }
    return result
  }()
}

/// SplitMix64: the same numbers on every run.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }
}
