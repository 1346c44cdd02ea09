import ByteStreams
import Pipelines

extension Backup {
  /// Does some work on a thread of its own, which ends early if the task is cancelled or `cancellation` requested.
  ///
  /// - Parameter work: receives a reading of the backup, and the cancellation to pass on.
  /// - Throws: what `work` throws, `ByteStreamError` if the bytes can't be read, `CancellationError`.
  func read<R: Sendable>(
    cancellation outer: Cancellation?, _ work: @escaping @Sendable (BackupReading, Cancellation) throws -> R
  ) async throws -> R {
    let cancellation = Cancellation(within: outer)
    let reading = try self.reading(cancellation: cancellation)
    return try await BlockingWork.run(onCancel: {
      cancellation.request()
      reading.cancel()
    }) {
      try Optional(cancellation).watch { try work(reading, cancellation) }
    }
  }
}
