/// ZIP's little-endian numbers.
extension RandomAccessCollection<UInt8> where Index == Int {
  /// Returns the number at an offset, which must be within the bytes.
  func number16(at offset: Int) -> Int { number(at: offset, count: 2) }
  func number32(at offset: Int) -> Int { number(at: offset, count: 4) }

  /// Returns the number at an offset, or `nil` if it is greater than any size.
  func number64(at offset: Int) -> Int? {
    let high = number(at: offset + 4, count: 4)
    return high < 1 << 31 ? high << 32 | number(at: offset, count: 4) : nil
  }

  private func number(at offset: Int, count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(self[startIndex + offset + $1]) << (8 * $1) }
  }
}

extension [UInt8] {
  mutating func append16(_ number: Int) { append(number, count: 2) }
  mutating func append32(_ number: Int) { append(number, count: 4) }
  mutating func append64(_ number: Int) { append(number, count: 8) }

  private mutating func append(_ number: Int, count: Int) {
    for index in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
  }
}
