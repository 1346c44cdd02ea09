package import ByteStreams
import GzipStreams
import LZ4Streams
import ZstdStreams

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
