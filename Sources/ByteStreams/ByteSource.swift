/// Bytes that arrive in order, each once: a file, standard input, memory.
///
/// A source is read by one consumer from start to end; it can't be rewound.
public protocol ByteSource {
  /// Fills the front of `buffer` and returns how many bytes it wrote; 0 only at the end of the input.
  ///
  /// Blocks until at least one byte is there. `buffer` is never empty.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int
}

extension ByteSource {
  /// Reads so many bytes, or fewer where the source ends before.
  package mutating func readPrefix(_ length: Int) throws(ByteStreamError) -> [UInt8] {
    var prefix = [UInt8](repeating: 0, count: length)
    var count = 0
    while count < length {
      var result: Result<Int, ByteStreamError> = .success(0)
      prefix.withUnsafeMutableBytes { bytes in
        do throws(ByteStreamError) {
          result = .success(try self.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[count...])))
        } catch { result = .failure(error) }
      }
      let more = try result.get()
      if more == 0 { break }
      count += more
    }
    prefix.removeLast(length - count)
    return prefix
  }
}
