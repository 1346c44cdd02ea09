package import ByteStreams

/// Memory for one piece of a stream: filled by whoever reads, handed to a worker, and used again when the piece has been written.
///
/// Fresh memory for each piece would cost as much as decoding it: 1000 pages that the system has to clear.
package final class PieceBuffer: @unchecked Sendable {
  // @unchecked: whoever hands it on keeps its hands off it.
  private let memory: UnsafeMutableRawBufferPointer
  /// How much of it is filled.
  package internal(set) var count = 0

  /// - Parameter capacity: how many bytes it is to hold.
  package init(capacity: Int) { memory = .allocate(byteCount: capacity + Self.spare, alignment: 16) }

  deinit { memory.deallocate() }

  /// A frame that is read to its end needs room for a byte which does not come; one that lies about its size fills it.
  private static let spare = 64

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// What is left to be filled, of the first `length` bytes.
  func rest(upTo length: Int = .max) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[count..<min(length, memory.count)])
  }

  /// Fills it anew from `source`, as far as that reaches: whatever the pieces in which bytes arrive, it ends up with `length` of them, or with all.
  package func fill(from source: inout some ByteSource, upTo length: Int) throws(ByteStreamError) {
    precondition(length > 0 && length <= memory.count, "more than it can hold")
    count = 0
    while count < length {
      let read = try source.read(into: rest(upTo: length))
      if read == 0 { break }
      count += read
    }
  }
}
