import ByteStreams
package import GzipStreams
package import LZ4Streams
package import ZstdStreams

/// Compresses bytes for a ``CompressibleOutput``. An encoder is used by one thread at a time; make one for each thread.
package struct PieceEncoder {
  private enum Encoder {
    case lz4(LZ4FrameEncoder)
    case gzip(GzipPieceEncoder)
    case zstd(ZstdFrameEncoder)
  }

  private let encoder: Encoder

  /// The largest content of a piece in bytes.
  package static let largestContent = LZ4Codec.largestContent

  package init(_ compression: Compression) {
    encoder =
      switch compression.format {
      case .lz4: .lz4(LZ4FrameEncoder(level: compression.lz4Level))
      case .gzip: .gzip(GzipPieceEncoder(level: compression.gzipLevel))
      case .zstd: .zstd(ZstdFrameEncoder(level: compression.zstdLevel))
      }
  }

  package func encode(_ bytes: UnsafeRawBufferPointer) -> CompressedPiece {
    switch encoder {
    case .lz4(let encoder): .lz4(encoder.encode(bytes))
    case .gzip(let encoder): .gzip(encoder.encode(bytes))
    case .zstd(let encoder): .zstd(encoder.encode(bytes))
    }
  }
}

/// Bytes that a worker compressed.
package enum CompressedPiece: Sendable {
  case lz4(LZ4Frames)
  case gzip(GzipPiece)
  case zstd(ZstdFrames)
}
