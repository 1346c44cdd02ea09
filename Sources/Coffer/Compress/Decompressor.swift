public import ByteStreams
import LZ4Streams
import Pipelines

/// Decodes LZ4 data to the bytes that were compressed.
///
/// For example:
///
///     var file = try AtomicFile("export.json")
///     try Decompressor().decompress(FileSource(path: "export.json.lz4"), to: &file)
///     try file.commit()
///
/// Frames of at most 4 MiB, like those of ``Compressor``, are decoded on all processors; all others block by block, because each
/// block may need the previous one. `LZ4Source` documents what is read and checked.
///
/// Cost: one pass. Memory: two pieces of 4 MiB per job, their compressed data, and the memory of an `LZ4Source`.
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
  /// - Throws: `CofferError` from either, and those of an `LZ4Source`; `CancellationError`. Part of the content may already
  ///   be written then.
  @discardableResult
  public func decompress(_ source: some ByteSource, to sink: inout some ByteSink) throws -> CompressionSizes {
    if let count = (source as? FileSource)?.byteCount { options.execution.progress?.expect(count) }
    let source = LZ4Source(source.metered(by: options.execution.progress))
    var content = 0
    var spare: [PieceBuffer] = []
    try options.execution.cancellation.watch {
      _ = try OrderedPipeline(jobs: options.execution.jobs).run(
        next: { () -> LZ4Piece? in
          try options.execution.cancellation.check()
          return try source.nextPiece(in: spare.popLast() ?? PieceBuffer(capacity: LZ4Source.largestPiece))
        },
        makeWorker: { DecompressionWorker(decoder: LZ4PieceDecoder()) },
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

/// One thread's part.
private struct DecompressionWorker: Worker {
  let decoder: LZ4PieceDecoder

  /// Returns the piece's error.
  func process(_ piece: LZ4Piece) -> CofferError? {
    do throws(CofferError) {
      try decoder.decode(piece)
      return nil
    } catch {
      return error
    }
  }
}
