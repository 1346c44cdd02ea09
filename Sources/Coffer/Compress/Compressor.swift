public import ByteStreams
public import LZ4Streams
import Pipelines

/// Compresses any bytes to LZ4 frames, on all processors.
///
/// For example:
///
///     var file = try AtomicFile("export.json.lz4")
///     let sizes = try Compressor().compress(FileSource(path: "export.json"), to: &file)
///     try file.commit()
///     print(sizes.ratio)
///
/// The frames are independent of each other, a seal around them shows whether the data is complete (`LZ4StreamWriter`), and `lz4
/// -d` reads them.
///
/// Cost: one pass. Memory: two pieces of 4 MiB per job, and about 4 MiB per job for compressing.
public struct Compressor: Sendable {
  public struct Options: Sendable {
    public var level = LZ4Level.fastest
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
    var writer = LZ4StreamWriter(to: sink, level: options.level)
    defer { sink = writer.sink }
    var content = 0
    var spare: [PieceBuffer] = []
    try options.execution.cancellation.watch {
      _ = try OrderedPipeline(jobs: options.execution.jobs).run(
        next: { () -> PieceBuffer? in
          try options.execution.cancellation.check()
          let piece = spare.popLast() ?? PieceBuffer(capacity: LZ4FrameEncoder.largestContent)
          try piece.fill(from: &source, upTo: LZ4FrameEncoder.largestContent)
          content += piece.count
          options.execution.progress?.add(bytes: piece.count)
          return piece.count > 0 ? piece : nil
        },
        makeWorker: { [level = options.level] in CompressionWorker(encoder: LZ4FrameEncoder(level: level)) },
        merge: { piece, frames in
          try options.execution.cancellation.check()
          try writer.write(frames)
          spare.append(piece)
          return .more
        })
      try writer.finish()
    }
    return CompressionSizes(content: content, compressed: writer.bytesWritten)
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

/// One thread's part.
private struct CompressionWorker: Worker {
  let encoder: LZ4FrameEncoder

  func process(_ piece: PieceBuffer) -> LZ4Frames { encoder.encode(piece.bytes) }
}
