/// The length of the well-formed UTF-8 at the start of some bytes.
struct UTF8Prefix: Equatable {
  let count: Int
  /// True if the remaining bytes could become a scalar with more bytes.
  let isIncomplete: Bool

  init(count: Int, isIncomplete: Bool) {
    self.count = count
    self.isIncomplete = isIncomplete
  }

  /// Uses Swift's own decoder.
  init(decoding bytes: [UInt8]) {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var count = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { count += UTF8.width(scalar) }
    self.count = count
    isIncomplete = bytes.count - count <= 3 && Self.beginnings.contains(Array(bytes[count...]))
  }

  /// All sequences without their last one, two or three bytes.
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
