public import ByteStreams
import GzipStreams
import LZ4Streams
import ZstdStreams

/// How to compress: a format and its level.
///
/// For example:
///
///     options.compression = .zstd
///     options.compression = Compression(.gzip, level: 9)
public struct Compression: Sendable, Hashable {
  public let format: CompressionFormat
  /// From 1, the fastest, to the largest of the format's levels, the smallest.
  public let level: Int

  /// The format at its default level.
  public init(_ format: CompressionFormat) {
    self.format = format
    level = format.defaultLevel
  }

  /// - Returns: `nil` if the format doesn't have the level.
  public init?(_ format: CompressionFormat, level: Int) {
    guard format.levels.contains(level) else { return nil }
    self.format = format
    self.level = level
  }

  /// Returns the compression that a file name promises, or `nil` for an uncompressed file.
  public init?(ofFileNamed name: String) {
    guard let format = CompressionFormat(ofFileNamed: name) else { return nil }
    self.init(format)
  }

  public static let lz4 = Compression(.lz4)
  public static let gzip = Compression(.gzip)
  public static let zstd = Compression(.zstd)
}

/// Output to a sink, uncompressed or compressed.
package struct CompressibleOutput<Sink: ByteSink>: ByteSink {
  // This is not an enum, because each write would copy the case's payload, including all buffered data.
  private var plain: Sink?
  private var compressed: PieceWriter<PieceEncoder, Sink>?

  package init(_ sink: Sink, compression: Compression?) {
    if let compression {
      compressed = PieceWriter(to: sink, PieceEncoder(compression))
    } else {
      plain = sink
    }
  }

  package var sink: Sink {
    guard let sink = plain ?? compressed?.sink else { preconditionFailure("one of them must be set") }
    return sink
  }

  /// The number of compressed bytes written to the sink.
  package var compressedSize: Int { compressed?.bytesWritten ?? 0 }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try plain?.write(bytes)
    try compressed?.write(bytes)
  }

  /// Writes data that a worker compressed in the output's format.
  package mutating func write(_ piece: CompressedPiece) throws(CofferError) { try compressed?.write(piece) }

  package mutating func finish() throws(CofferError) { try compressed?.finish() }
}

/// Compresses bytes for a ``CompressibleOutput``.
package struct PieceEncoder: PieceCodec {
  private let codec: any PieceCodec

  package init(_ compression: Compression) {
    codec =
      switch compression.format {
      case .lz4: LZ4FrameEncoder(level: compression.level)
      case .gzip: GzipPieceEncoder(level: compression.level)
      case .zstd: ZstdFrameEncoder(level: compression.level)
      }
  }

  package var frame: StreamFrame { codec.frame }

  package func encode(_ bytes: UnsafeRawBufferPointer) -> CompressedPiece { codec.encode(bytes) }
}
