public import ByteStreams
import CompressedStreams
import LZ4Streams
import Pipelines

/// Decodes LZ4, gzip or zstd data to the bytes that were compressed. The format is detected.
///
/// For example:
///
///     var file = try AtomicFile("export.json")
///     try Decompressor().decompress(FileSource(path: "export.json.lz4"), to: &file)
///     try file.commit()
///
/// LZ4 frames of at most 4 MiB, like those of ``Compressor``, are decoded on all processors; everything else on one. `LZ4Source`,
/// `GzipSource` and `ZstdSource` document what is read and checked.
///
/// Cost: one pass. Memory: two pieces of 4 MiB per job, their compressed data, and the memory of the format's source.
public struct Decompressor: Sendable {
  public struct Options: Sendable {
    /// Threads, memory, temporary files, cancellation and progress.
    public var execution = Execution()

    public init() {}
  }

  private let options: Options

  public init(options: Options = Options()) { self.options = options }

  /// Reads `source` to its end, and writes the decoded bytes to `sink`.
  ///
  /// - Throws: `CofferError` from either, `notCompressed`, `foreignCompression`, and those of the format's source;
  ///   `CancellationError`. Part of the content may already be written then.
  @discardableResult
  public func decompress(_ source: some ByteSource, to sink: inout some ByteSink) throws -> CompressionSizes {
    if let count = (source as? FileSource)?.byteCount { options.execution.progress?.expect(count) }
    let decompression = try Decompression(source.metered(by: options.execution.progress), limits: options.execution.expansion)
    switch decompression.source {
    case let source as LZ4Source: return try decompress(source, to: &sink)
    case let source as any CompressedSource: return try decompress(source, to: &sink)
    default:
      var source = decompression.source
      if let foreign = ForeignFile(of: try source.readPrefix(ForeignFile.signatureLength)) { throw foreign.error }
      throw CofferError(.notCompressed, "not LZ4, gzip or zstd data", at: .init(inputOffset: 0))
    }
  }

  private func decompress(_ source: some CompressedSource, to sink: inout some ByteSink) throws -> CompressionSizes {
    let buffer = PieceBuffer(capacity: PieceEncoder.largestContent)
    var source = source
    var content = 0
    try options.execution.cancellation.watch {
      while true {
        try options.execution.cancellation.check()
        try buffer.fill(from: &source, upTo: PieceEncoder.largestContent)
        if buffer.count == 0 { break }
        try sink.write(buffer.bytes)
        content += buffer.count
      }
    }
    return CompressionSizes(content: content, compressed: source.bytesRead)
  }

  /// Decodes frames on all processors.
  private func decompress(_ source: LZ4Source, to sink: inout some ByteSink) throws -> CompressionSizes {
    var content = 0
    var spare: [PieceBuffer] = []
    try options.execution.cancellation.watch {
      _ = try OrderedPipeline(jobs: options.execution.jobs).run(
        next: { () -> LZ4Piece? in
          try options.execution.cancellation.check()
          return try source.nextPiece(in: spare.popLast() ?? PieceBuffer(capacity: LZ4Source.largestPiece))
        },
        makeWorker: {
          let decoder = LZ4PieceDecoder()
          return { decoder.failure(of: $0) }
        },
        merge: { piece, failure in
          try options.execution.cancellation.check()
          if let failure { throw failure }
          try sink.write(piece.content.bytes)
          content += piece.content.count
          spare.append(piece.content)
          return .more
        })
    }
    return CompressionSizes(content: content, compressed: source.bytesRead)
  }
}

extension LZ4PieceDecoder {
  /// Decodes a piece, and returns its error.
  fileprivate func failure(of piece: LZ4Piece) -> CofferError? {
    do throws(CofferError) {
      try decode(piece)
      return nil
    } catch {
      return error
    }
  }
}
