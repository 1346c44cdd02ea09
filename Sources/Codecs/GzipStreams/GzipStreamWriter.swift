public import ByteStreams

/// Writes gzip data that every program can read: one member, so its truncation is always detected.
///
/// For example:
///
///     var writer = GzipStreamWriter(to: try AtomicFile("export.json.gz"))
///     try writer.write("[1, 2, 3]")
///     try writer.finish()
///     try writer.sink.commit()
public typealias GzipStreamWriter<Sink: ByteSink> = PieceWriter<GzipPieceEncoder, Sink>

extension PieceWriter where Codec == GzipPieceEncoder {
  public init(to sink: Sink, level: Int = CompressionFormat.gzip.defaultLevel) {
    self.init(to: sink, GzipPieceEncoder(level: level))
  }
}

/// Compresses bytes into blocks of Deflate data that refer to nothing before them, and end at a whole byte: the pieces of one gzip
/// member.
///
///     header without name and time │ blocks, empty stored block │ blocks, empty stored block │ … │ empty last block │ CRC-32 │ size
public final class GzipPieceEncoder: PieceCodec {
  private let deflater: Deflater

  public init(level: Int = CompressionFormat.gzip.defaultLevel) { deflater = Deflater(level: level) }

  /// The same content gives the same bytes: no time, and an unknown operating system.
  public var frame: StreamFrame { .member(header: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]) }

  public func encode(_ bytes: UnsafeRawBufferPointer) -> CompressedPiece {
    var piece = CompressedPiece()
    var checksum = CRC32()
    checksum.add(bytes)
    piece.contents = [FrameContent(size: UInt64(bytes.count), checksum: checksum.value)]
    piece.bytes = deflated(bytes)
    // Readers, including `GzipSource`, take data that expands too much for a bomb. So the beginning of such a piece is stored.
    let stored = bytes.count / ExpansionLimits.largestWrittenRatio
    if stored > piece.bytes.count {
      let blocks = Self.stored(UnsafeRawBufferPointer(rebasing: bytes[..<stored]))
      piece.bytes = blocks + deflated(UnsafeRawBufferPointer(rebasing: bytes[stored...]))
    }
    return piece
  }

  /// Returns the blocks of these bytes, and an empty stored block that ends at a whole byte.
  private func deflated(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var blocks: [UInt8] = []
    if bytes.isEmpty { return blocks }
    deflater.reset()
    deflater.add(bytes, .whole) { blocks.append(contentsOf: $0) }
    return blocks
  }

  /// Returns stored blocks (RFC 1951, 3.2.4).
  private static func stored(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var blocks: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 0xFFFF) {
      let block = bytes[start..<min(start + 0xFFFF, bytes.count)]
      blocks.append(0)
      blocks.append(littleEndian: UInt16(block.count))
      blocks.append(littleEndian: ~UInt16(block.count))
      blocks.append(contentsOf: block)
    }
    return blocks
  }
}
