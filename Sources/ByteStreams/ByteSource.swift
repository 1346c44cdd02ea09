/// Bytes that arrive in order, each once: a file, standard input, memory.
///
/// A source is read by one consumer from start to end; it can't be rewound.
public protocol ByteSource {
  /// Fills the front of `buffer` and returns how many bytes it wrote; 0 only at the end of the input.
  ///
  /// Blocks until at least one byte is there. `buffer` is never empty.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int
}
