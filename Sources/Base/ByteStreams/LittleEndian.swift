// Numbers as LZ4, gzip, zstd and ZIP store them: the least byte first.

extension [UInt8] {
  package mutating func append(littleEndian number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension RandomAccessCollection<UInt8> where Index == Int {
  /// Returns the number of up to eight bytes at an offset from the start, all of which must be there.
  @inlinable
  package func littleEndian(at offset: Int, count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(self[startIndex + offset + $1]) &<< UInt64(8 * $1) }
  }
}
