/// A sequence of bytes that can be read once: a file, standard input, memory.
///
/// One consumer reads a source from start to end; a source can't be rewound.
public protocol ByteSource {
  /// Fills the front of `buffer` and returns the number of bytes read: 0 only at the end of the input.
  ///
  /// Blocks until at least one byte is available. `buffer` is never empty.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int
}

extension ByteSource {
  /// Reads `length` bytes, or fewer if the source ends first. The memory is proportional to what was read.
  package mutating func readPrefix(_ length: Int) throws(CofferError) -> [UInt8] {
    var prefix: [UInt8] = []
    var count = 0
    while count < length {
      if count == prefix.count { prefix += [UInt8](repeating: 0, count: min(length - count, max(count, 1 << 16))) }
      var result: Result<Int, CofferError> = .success(0)
      prefix.withUnsafeMutableBytes { bytes in
        do throws(CofferError) {
          result = .success(try self.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...])))
        } catch { result = .failure(error) }
      }
      let more = try result.get()
      if more == 0 { break }
      count += more
    }
    prefix.removeLast(prefix.count - count)
    return prefix
  }
}
