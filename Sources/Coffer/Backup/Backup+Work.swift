import ByteStreams
import Pipelines

extension Backup {
  /// Does something with the document, on a thread of its own, which ends early if the task is cancelled or `cancellation` requested.
  ///
  /// - Parameter work: is given the document's bytes, expanded if they are compressed, and what to ask whether it is to end.
  /// - Throws: what `work` throws, `ByteStreamError` if the bytes can't be had, `CancellationError`.
  func read<R: Sendable>(
    cancellation outer: Cancellation?, progress: ByteProgress?,
    _ work: @escaping @Sendable (any ByteSource, Cancellation) throws -> R
  ) async throws -> R {
    let cancellation = Cancellation(within: outer)
    let reading = try self.reading(cancellation: cancellation)
    return try await BlockingWork.run(onCancel: {
      cancellation.request()
      reading.cancel()
    }) {
      let source = try Optional(cancellation).watch { try reading.source(progress: progress) }
      return try work(source, cancellation)
    }
  }
}
