/// A tiny photo: a baseline JPEG (ITU-T T.81) of 8 × 8 pixels of one colour, determined by its seed, stream and number.
///
///     SOI │ APP0 (JFIF) │ COM (its number) │ DQT │ SOF0 │ DHT │ DHT │ SOS │ three DC differences │ EOI
enum SyntheticPhoto {
  /// - Parameter stream: distinguishes the photos of different collections.
  static func bytes(seed: UInt64, stream: Int = 0, index: Int) -> [UInt8] {
    var random = RandomSource(seed: seed, stream: 0x9107_0000 + UInt64(stream), index: index)
    let comment = Array("made up, number \(index + 1), seed \(seed), kind \(stream)".utf8)
    var bytes: [UInt8] = [0xFF, 0xD8]
    append(0xE0, Array("JFIF".utf8) + [0, 1, 1, 0, 0, 1, 0, 1, 0, 0], to: &bytes)
    append(0xFE, comment, to: &bytes)
    append(0xDB, [0] + Array(repeating: 8, count: 64), to: &bytes)
    // 8 bits per sample, 8 rows of 8, three components without subsampling.
    append(0xC0, [8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0], to: &bytes)
    // Sixteen codes of four bits would leave none free, so there are twelve: one for each size of a DC difference.
    append(0xC4, [0x00, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + Array(0...11), to: &bytes)
    // Blocks have only a DC coefficient: the one code is the end of the block.
    append(0xC4, [0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], to: &bytes)
    append(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0], to: &bytes)
    bytes += block([random.below(240) - 120, random.below(200) - 100, random.below(200) - 100])
    return bytes + [0xFF, 0xD9]
  }

  private static func append(_ marker: UInt8, _ content: [UInt8], to bytes: inout [UInt8]) {
    let length = content.count + 2
    bytes += [0xFF, marker, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)]
    bytes += content
  }

  /// Returns the entropy-coded data: the DC coefficient and the end of block for each component.
  private static func block(_ coefficients: [Int]) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, count: Int) { for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) } }
    for coefficient in coefficients {
      let size = Int.bitWidth - abs(coefficient).leadingZeroBitCount
      append(size, count: 4)
      append(coefficient < 0 ? coefficient - 1 : coefficient, count: size)
      append(0, count: 1)
    }
    // Padded with ones. A zero follows a byte of ones, which would otherwise begin a marker.
    while bits.count % 8 != 0 { bits.append(true) }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: bits.count, by: 8) {
      let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
      bytes.append(byte)
      if byte == 0xFF { bytes.append(0) }
    }
    return bytes
  }
}
