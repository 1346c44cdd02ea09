import ByteStreams

/// Objects whose members are in a temporary file, because they are too large to be sorted in memory.
struct SpilledObjects: ~Copyable {
  /// How large an object may become in memory.
  let size: Int
  private var file: SpillFile?
  /// An object that is complete, and stands in no other that spilled: it is next to be handed over.
  private var finished: (chain: SpillFile.Chain, ranges: [Range<Int>])?
  /// So much is copied at once.
  private static let pieceSize = 64 << 10

  init(size: Int) { self.size = size }

  /// Adds to an object's members; a new object's, if there is no chain.
  mutating func append(_ bytes: UnsafeRawBufferPointer, to chain: SpillFile.Chain?) throws(ByteStreamError) -> SpillFile.Chain {
    // Not with `??`, which would forget what is thrown.
    if file == nil { file = try SpillFile() }
    guard let file else { preconditionFailure("just made") }
    let chain = chain ?? file.makeChain()
    try file.append(bytes, to: chain)
    return chain
  }

  /// Adds a complete object's members in their order, without the last comma, to those of the object around it; how many bytes these are.
  mutating func move(
    _ chain: SpillFile.Chain, in ranges: some Collection<Range<Int>>, to outer: SpillFile.Chain
  ) throws(ByteStreamError) -> Int {
    guard let file else { return 0 }
    var count = 0
    try Self.read(chain, of: file, in: ranges) { piece throws(ByteStreamError) in
      try file.append(piece, to: outer)
      count += piece.count
    }
    return count
  }

  /// The object is complete, and stands in no other that spilled.
  mutating func finish(_ chain: SpillFile.Chain, in ranges: [Range<Int>]) {
    precondition(finished == nil, "two objects spilled between two drains")
    finished = (chain, ranges)
  }

  mutating func flush(to sink: inout some ByteSink) throws(ByteStreamError) {
    guard let file, let (chain, ranges) = finished else { return }
    finished = nil
    try Self.read(chain, of: file, in: ranges) { piece throws(ByteStreamError) in try sink.write(piece) }
  }

  private static func read(
    _ chain: SpillFile.Chain, of file: SpillFile, in ranges: some Collection<Range<Int>>,
    _ body: (UnsafeRawBufferPointer) throws(ByteStreamError) -> Void
  ) throws(ByteStreamError) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 1)
    defer {
      piece.deallocate()
      file.free(chain)
    }
    var rest = ranges.reduce(0) { $0 + $1.count } - 1
    for range in ranges {
      var offset = range.lowerBound
      let end = offset + min(range.count, rest)
      rest -= end - offset
      while offset < end {
        let wanted = UnsafeMutableRawBufferPointer(rebasing: piece.prefix(end - offset))
        let count = try file.read(chain, at: offset, into: wanted)
        if count == 0 { throw file.damaged }
        try body(UnsafeRawBufferPointer(rebasing: wanted.prefix(count)))
        offset += count
      }
    }
  }
}
