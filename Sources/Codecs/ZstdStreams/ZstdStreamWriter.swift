public import ByteStreams
import CZstd

/// Writes zstd data that every program can read and whose truncation is always detected; `StreamSeal` shows the layout.
///
/// For example:
///
///     var writer = ZstdStreamWriter(to: try AtomicFile("export.json.zst"))
///     try writer.write("[1, 2, 3]")
///     try writer.finish()
///     try writer.sink.commit()
public typealias ZstdStreamWriter<Sink: ByteSink> = PieceWriter<ZstdFrameEncoder, Sink>

extension PieceWriter where Codec == ZstdFrameEncoder {
  public init(to sink: Sink, level: Int = CompressionFormat.zstd.defaultLevel) {
    self.init(to: sink, ZstdFrameEncoder(level: level))
  }
}

/// Compresses bytes into independent frames with content size and checksum.
public final class ZstdFrameEncoder: PieceCodec {
  /// An empty frame with a checksum, and a window of 1152 bytes: those that `zstd` writes are powers of two.
  static let emptyFrame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x01, 0x01, 0x00, 0x00, 0x99, 0xE9, 0xD8, 0x51]

  private let compressor: ZstdCompressor

  public init(level: Int = CompressionFormat.zstd.defaultLevel) { compressor = ZstdCompressor(level: level) }

  public var frame: StreamFrame { .sealed(after: Self.emptyFrame) }

  /// Returns one frame for each 4 MiB of `bytes` and one for the rest; none for no bytes.
  public func encode(_ bytes: UnsafeRawBufferPointer) -> CompressedPiece {
    var frames = CompressedPiece()
    for start in stride(from: 0, to: bytes.count, by: Self.largestContent) {
      let content = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + Self.largestContent, bytes.count)])
      let frame = compressor.frame(content)
      // Readers, including `ZstdSource`, take data that expands too much for a bomb. A skippable frame before it makes it larger.
      let smallest = content.count / ExpansionLimits.largestWrittenRatio
      if content.count > 64 << 10, frame.count < smallest {
        frames.bytes += Self.padding(smallest - frame.count)
      }
      frames.bytes += frame
      let checksum = UInt32(frame.suffix(4).littleEndian(at: 0, count: 4))
      frames.contents.append(FrameContent(size: UInt64(content.count), checksum: checksum))
    }
    return frames
  }

  /// Returns a skippable frame of zeros, longer than any that a `StreamSeal` has.
  private static func padding(_ count: Int) -> [UInt8] {
    StreamSeal.skippable([UInt8](repeating: 0, count: max(count, StreamSeal.largestPayload + 1)))
  }
}

/// Compresses independent frames; the only owner of libzstd's context for it.
final class ZstdCompressor {
  private let context: OpaquePointer

  init(level: Int) {
    guard let context = ZSTD_createCCtx() else { fatalError("out of memory") }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, CInt(level))
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  func frame(_ content: UnsafeRawBufferPointer) -> [UInt8] {
    let capacity = ZSTD_compressBound(content.count)
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = ZSTD_compress2(context, buffer.baseAddress, capacity, content.baseAddress, content.count)
      // The buffer suffices for the worst case, so only memory can be lacking.
      guard ZSTD_isError(count) == 0 else { fatalError("out of memory") }
    }
  }
}
