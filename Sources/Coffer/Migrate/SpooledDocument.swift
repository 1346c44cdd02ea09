import ByteStreams

/// A document that can be read once, put where it can be read again: in memory, or in a temporary file that has no name.
struct SpooledDocument {
  private let prefix: [UInt8]
  private let file: SpillFile?
  private let chain: SpillFile.Chain?
  private static let pieceSize = 1 << 20

  /// Reads all of `source`.
  init(_ source: some ByteSource, cancellation: Cancellation?) throws {
    var source = source
    prefix = try source.readPrefix(Self.pieceSize)
    guard prefix.count == Self.pieceSize else {
      (file, chain) = (nil, nil)
      return
    }
    let file = try SpillFile(blockSize: 1 << 20, bufferSize: 1 << 18)
    let chain = file.makeChain()
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { piece.deallocate() }
    while true {
      try cancellation.check()
      let count = try source.read(into: piece)
      if count == 0 { break }
      try file.append(UnsafeRawBufferPointer(rebasing: piece.prefix(count)), to: chain)
    }
    (self.file, self.chain) = (file, chain)
  }

  /// The document from its start; any number of times, one after the other.
  var source: any ByteSource {
    guard let file, let chain else { return MemorySource(prefix) }
    return PrefixedSource(prefix: prefix, rest: SpilledSource(file: file, chain: chain))
  }
}

/// A chain's bytes.
private struct SpilledSource: ByteSource {
  let file: SpillFile
  let chain: SpillFile.Chain
  var offset = 0

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = try file.read(chain, at: offset, into: buffer)
    offset += count
    return count
  }
}
