package import ByteStreams

/// An entry of an archive that is being written: what is written to it is compressed, and goes to the archive's sink.
package struct CompressedEntry<Sink: ByteSink>: ByteSink {
  private(set) var record: ZIPRecord
  private(set) var sink: Sink
  private let allowsBombs: Bool
  private let deflater = Deflater()

  init(_ record: ZIPRecord, to sink: Sink, allowsBombs: Bool) {
    self.allowsBombs = allowsBombs
    self.record = record
    self.sink = sink
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.pieceSize))
      rest = rest.dropFirst(piece.count)
      let isStored = allowsBombs ? false : try isTooDense
      if isStored { try store(piece) } else { try compress(piece, .none) }
      record.size += piece.count
      record.checksum.add(piece)
    }
  }

  /// Writes what is left of it.
  mutating func finish() throws(ByteStreamError) { try compress(UnsafeRawBufferPointer(start: nil, count: 0), .last) }

  private mutating func compress(_ bytes: UnsafeRawBufferPointer, _ flush: Deflater.Flush) throws(ByteStreamError) {
    try deflater.add(UnsafeMutableRawBufferPointer(mutating: bytes), flush) { compressed throws(ByteStreamError) in
      try sink.write(Array(compressed))
      record.compressedSize += compressed.count
    }
  }

  // MARK: What compresses too well

  /// As many bytes as a stored block of Deflate has room for.
  private static var pieceSize: Int { 0xFFFF }

  /// Whether what has been written comes to so many times its compressed size that readers would take it for a bomb: a quarter of what ours allows, from half
  /// the size on from which it looks.
  private var isTooDense: Bool {
    mutating get throws(ByteStreamError) {
      let isDense = { (record: ZIPRecord) in
        record.size >= ZIPLimits.ratioFloor / 2 && record.size / (ZIPLimits().ratio / 4) >= record.compressedSize
      }
      guard isDense(record) else { return false }
      // Some megabytes may be on their way through zlib.
      try compress(UnsafeRawBufferPointer(start: nil, count: 0), .full)
      return isDense(record)
    }
  }

  /// Writes bytes as they are, in a block of their own (RFC 1951, 3.2.4), which everything before has to have been flushed for.
  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws(ByteStreamError) {
    var header: [UInt8] = [0]
    header.append16(bytes.count)
    header.append16(~bytes.count)
    try sink.write(header)
    try sink.write(bytes)
    record.compressedSize += header.count + bytes.count
  }
}
