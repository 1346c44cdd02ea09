package import ByteStreams

/// An entry that is being written: compresses its bytes and writes them to the archive's sink.
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

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // A whole piece that is stored would be much for a small entry.
      let size = record.size < ExpansionLimits.ratioFloor / 2 ? Self.smallestDenseSize : Self.pieceSize
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(size))
      rest = rest.dropFirst(piece.count)
      let isStored = allowsBombs ? false : try isTooDense
      if isStored { try store(piece) } else { try compress(piece, .none) }
      record.size += piece.count
      record.checksum.add(piece)
    }
  }

  /// Writes the rest of the entry.
  mutating func finish() throws(CofferError) { try compress(UnsafeRawBufferPointer(start: nil, count: 0), .last) }

  private mutating func compress(_ bytes: UnsafeRawBufferPointer, _ flush: Deflater.Flush) throws(CofferError) {
    try deflater.add(UnsafeMutableRawBufferPointer(mutating: bytes), flush) { compressed throws(CofferError) in
      try sink.write(Array(compressed))
      record.compressedSize += compressed.count
    }
  }

  // MARK: Data that compresses too well

  /// The capacity of a stored block of Deflate.
  private static var pieceSize: Int { 0xFFFF }

  /// Smaller entries can't be too dense, because each has a header.
  private static var smallestDenseSize: Int { 8192 }

  /// True if the compression ratio is so high that readers would take the entry, or an archive of such entries, for a bomb: a quarter of
  /// the ratio that ours allows.
  private var isTooDense: Bool {
    mutating get throws(CofferError) {
      let isDense = { (record: ZIPRecord) in
        record.size >= Self.smallestDenseSize && record.size / (ZIPLimits().ratio / 4) >= record.compressedSize
      }
      guard isDense(record) else { return false }
      // A few megabytes may be pending in zlib.
      try compress(UnsafeRawBufferPointer(start: nil, count: 0), .full)
      return isDense(record)
    }
  }

  /// Writes bytes uncompressed, in a separate block (RFC 1951, 3.2.4). Everything before must have been flushed.
  private mutating func store(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    var header: [UInt8] = [0]
    header.append16(bytes.count)
    header.append16(~bytes.count)
    try sink.write(header)
    try sink.write(bytes)
    record.compressedSize += header.count + bytes.count
  }
}
