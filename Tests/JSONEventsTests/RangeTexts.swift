import TestSupport

/// Documents and other bytes to cut into ranges.
enum RangeTexts {
  /// Returns a document, valid or damaged, or bytes of an alphabet that matters to ranges.
  static func text(_ seed: UInt64, size: Int = 700) -> [UInt8] {
    var random = SeededRandom(seed: seed &* 31)
    let length = Int(random.next() % UInt64(size))
    switch seed % 8 {
    case 0: return drawn(from: Array("[]{},".utf8), length, &random)
    case 1: return drawn(from: Array("[]{},,,\"\"\\1\n ".utf8), length, &random)
    case 2: return drawn(from: Array("\"\\\\a,]é€🔋\r\n".utf8), length / 8, &random)
    case 3: return drawn(from: Array(0...255), length / 8, &random)
    case 4:
      let depth = Int(random.next() % 100)
      let towers = (0..<3).map { _ in
        String(repeating: "[0,{\"a\":1,\"b\":", count: depth) + "[]" + String(repeating: "},\n2]", count: depth)
      }
      return Array("\u{FEFF}[\(towers.joined(separator: ",\r\n"))]".utf8)
    default:
      var document = RandomDocument(seed: seed, size: size)
      if seed % 8 == 5 { document.damage() }
      return document.bytes
    }
  }

  private static func drawn(from alphabet: [UInt8], _ length: Int, _ random: inout SeededRandom) -> [UInt8] {
    (0..<length).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
  }

  /// Returns ascending places at which ranges of `bytes` may begin, some of them equal.
  static func cuts(_ bytes: [UInt8], _ random: inout SeededRandom) -> [Int] {
    if random.next() % 8 == 0 { return bytes.indices.map { PlainRange.boundary(in: bytes, atOrAfter: $0) } }
    let count = random.next() % 12
    let cuts = (0..<count).map { _ in
      PlainRange.boundary(in: bytes, atOrAfter: Int(random.next() % UInt64(bytes.count + 1)))
    }
    return cuts.sorted()
  }
}
