public import ByteStreams
public import CompressedStreams
import LZ4Streams
import Pipelines

/// Compresses any bytes to LZ4, gzip or zstd, on all processors.
///
/// For example:
///
///     var file = try AtomicFile("export.json.lz4")
///     let sizes = try Compressor().compress(FileSource(path: "export.json"), to: &file)
///     try file.commit()
///     print(sizes.ratio)
///
/// Every program for the format reads the result, and Coffer detects if it is not complete: see `LZ4StreamWriter`,
/// `GzipStreamWriter` and `ZstdStreamWriter`.
///
/// Cost: one pass. Memory: two pieces of 4 MiB per job, and about 4 MiB per job for compressing; for zstd up to 100 MiB at the
/// highest level.
public struct Compressor: Sendable {
  public struct Options: Sendable {
    public var compression = Compression.lz4
    /// Threads, memory, temporary files, cancellation and progress.
    public var execution = Execution()

    public init() {}
  }

  private let options: Options

  public init(options: Options = Options()) { self.options = options }

  /// Reads `source` to its end and writes it to `sink`, compressed.
  ///
  /// - Throws: `CofferError` from either, `CancellationError`. Then the output is incomplete.
  public func compress(_ source: some ByteSource, to sink: inout some ByteSink) throws -> CompressionSizes {
    if let count = (source as? FileSource)?.byteCount { options.execution.progress?.expect(count) }
    var source = source
    var writer = CompressibleOutput(sink, compression: options.compression)
    defer { sink = writer.sink }
    var content = 0
    var spare: [PieceBuffer] = []
    try options.execution.cancellation.watch {
      _ = try OrderedPipeline(jobs: options.execution.jobs).run(
        next: { () -> PieceBuffer? in
          try options.execution.cancellation.check()
          let piece = spare.popLast() ?? PieceBuffer(capacity: PieceEncoder.largestContent)
          try piece.fill(from: &source, upTo: PieceEncoder.largestContent)
          content += piece.count
          options.execution.progress?.add(bytes: piece.count)
          return piece.count > 0 ? piece : nil
        },
        makeWorker: { [compression = options.compression] in
          let encoder = PieceEncoder(compression)
          return { encoder.encode($0.bytes) }
        },
        merge: { piece, compressed in
          try options.execution.cancellation.check()
          try writer.write(compressed)
          spare.append(piece)
          return .more
        })
      try writer.finish()
    }
    return CompressionSizes(content: content, compressed: writer.compressedSize)
  }
}

/// Uncompressed and compressed sizes in bytes.
public struct CompressionSizes: Sendable, Hashable, Encodable {
  public var content: Int
  public var compressed: Int

  /// In a report: `{"bytes": 1048576, "compressedBytes": 262144}`.
  private enum CodingKeys: String, CodingKey { case content = "bytes", compressed = "compressedBytes" }

  public init(content: Int, compressed: Int) {
    self.content = content
    self.compressed = compressed
  }

  /// The compressed size divided by the uncompressed size: 0.25 is a quarter. 1 if there is no content.
  public var ratio: Double { content == 0 ? 1 : Double(compressed) / Double(content) }
}
