import ByteStreams

/// Returns bytes in pieces of the given sizes, used in turn.
struct PieceSource: ByteSource {
  private var rest: ArraySlice<UInt8>
  private let sizes: [Int]
  private var reads = 0

  init(_ bytes: [UInt8], sizes: [Int]) {
    rest = bytes[...]
    self.sizes = sizes
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let piece = rest.prefix(min(sizes[reads % sizes.count], buffer.count))
    reads += 1
    rest = rest.dropFirst(piece.count)
    buffer.copyBytes(from: piece)
    return piece.count
  }
}
