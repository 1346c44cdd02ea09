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
