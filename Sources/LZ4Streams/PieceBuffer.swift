package import ByteStreams

/// Reusable memory for one piece of a stream: filled by the reader, passed to a worker, and reused after the piece is written.
///
/// Fresh memory for each piece would cost as much as decoding it: the system has to clear 1000 pages.
package final class PieceBuffer: @unchecked Sendable {
  // @unchecked: no one uses the buffer after passing it on.
  private let memory: UnsafeMutableRawBufferPointer
  /// The number of bytes filled.
  package internal(set) var count = 0

  /// - Parameter capacity: the required capacity in bytes.
  package init(capacity: Int) { memory = .allocate(byteCount: capacity + Self.spare, alignment: 16) }

  deinit { memory.deallocate() }

  /// Room to read past the declared end: a complete frame leaves it empty, and a frame with a wrong size fills it.
  private static let spare = 64

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Returns the unfilled part of the first `length` bytes.
  func rest(upTo length: Int = .max) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[count..<min(length, memory.count)])
  }

  /// Refills the buffer from `source` with `length` bytes, or all if there are fewer, in as many reads as needed.
  package func fill(from source: inout some ByteSource, upTo length: Int) throws(CofferError) {
    precondition(length > 0 && length <= memory.count, "the length exceeds the capacity")
    count = 0
    while count < length {
      let read = try source.read(into: rest(upTo: length))
      if read == 0 { break }
      count += read
    }
  }
}
