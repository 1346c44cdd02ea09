import ByteStreams
import Pipelines

extension Backup {
  /// Runs `work` on its own thread, which stops early if the task is cancelled or `cancellation` is requested.
  ///
  /// - Parameter work: receives a reading of the backup, and the cancellation to pass on.
  /// - Throws: the errors of `work`, `CofferError` if the bytes can't be read, `CancellationError`.
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
