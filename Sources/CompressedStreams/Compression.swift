public import ByteStreams
package import GzipStreams
package import LZ4Streams
package import ZstdStreams

/// How to compress: a format and its level.
///
/// For example:
///
///     options.compression = .zstd
///     options.compression = Compression(.gzip, level: 9)
public struct Compression: Sendable, Hashable {
  public let format: CompressionFormat
  /// From 1, the fastest, to the largest of ``levels(of:)``, the smallest.
  public let level: Int

  /// The format at its default level.
  public init(_ format: CompressionFormat) {
    self.format = format
    level = Self.defaultLevel(of: format)
  }

  /// - Returns: `nil` if the format doesn't have the level.
  public init?(_ format: CompressionFormat, level: Int) {
    guard Self.levels(of: format).contains(level) else { return nil }
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

  /// The levels of a format, as in its program.
  public static func levels(of format: CompressionFormat) -> ClosedRange<Int> {
    switch format {
    case .lz4: LZ4Level.numbers
    case .gzip: GzipLevel.numbers
    case .zstd: ZstdLevel.numbers
    }
  }

  /// The default level of a format: 1 for LZ4, 6 for gzip, 3 for zstd.
  public static func defaultLevel(of format: CompressionFormat) -> Int {
    switch format {
    case .lz4: LZ4Level.fastest.number
    case .gzip: GzipLevel.normal.number
    case .zstd: ZstdLevel.normal.number
    }
  }

  // The levels have been checked.
  var lz4Level: LZ4Level { LZ4Level(level) ?? .fastest }
  var gzipLevel: GzipLevel { GzipLevel(level) ?? .normal }
  var zstdLevel: ZstdLevel { ZstdLevel(level) ?? .normal }
}

/// Output to a sink, uncompressed or compressed.
package struct CompressibleOutput<Sink: ByteSink>: ByteSink {
  // This is not an enum, because each write would copy the case's payload, including all buffered data.
  private var plain: Sink?
  private var lz4: LZ4StreamWriter<Sink>?
  private var gzip: GzipStreamWriter<Sink>?
  private var zstd: ZstdStreamWriter<Sink>?

  package init(_ sink: Sink, compression: Compression?) {
    guard let compression else {
      plain = sink
      return
    }
    switch compression.format {
    case .lz4: lz4 = LZ4StreamWriter(to: sink, level: compression.lz4Level)
    case .gzip: gzip = GzipStreamWriter(to: sink, level: compression.gzipLevel)
    case .zstd: zstd = ZstdStreamWriter(to: sink, level: compression.zstdLevel)
    }
  }

  package var sink: Sink {
    guard let sink = plain ?? lz4?.sink ?? gzip?.sink ?? zstd?.sink else { preconditionFailure("one of them must be set") }
    return sink
  }

  /// The number of compressed bytes written to the sink.
  package var compressedSize: Int { lz4?.bytesWritten ?? gzip?.bytesWritten ?? zstd?.bytesWritten ?? 0 }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    try plain?.write(bytes)
    try lz4?.write(bytes)
    try gzip?.write(bytes)
    try zstd?.write(bytes)
  }

  /// Writes data that a worker compressed in the output's format.
  package mutating func write(_ piece: CompressedPiece) throws(CofferError) {
    switch piece {
    case .lz4(let frames): try lz4?.write(frames)
    case .gzip(let piece): try gzip?.write(piece)
    case .zstd(let frames): try zstd?.write(frames)
    }
  }

  package mutating func finish() throws(CofferError) {
    try lz4?.finish()
    try gzip?.finish()
    try zstd?.finish()
  }
}

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
