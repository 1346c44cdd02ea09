/// A source of bytes in memory, read in pieces of at most `chunkSize`.
public struct MemorySource: ByteSource, Sendable {
  private let bytes: [UInt8]
  private let chunkSize: Int
  private var position = 0

  /// - Parameters:
  ///   - bytes: the content.
  ///   - chunkSize: the largest number of bytes per read, at least 1. Small sizes are for tests of the layers above.
  public init(_ bytes: some Sequence<UInt8>, chunkSize: Int = .max) {
    precondition(chunkSize > 0, "the chunk size must be positive")
    self.bytes = Array(bytes)
    self.chunkSize = chunkSize
  }

  /// All bytes, if none has been read and reads may return all of them.
  var unread: [UInt8]? { position == 0 && chunkSize == .max ? bytes : nil }

  public mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = min(buffer.count, chunkSize, bytes.count - position)
    guard count > 0 else { return 0 }
    bytes.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[position..<position + count]))
    }
    position += count
    return count
  }
}
