import ByteStreams
import Pipelines

extension Backup {
  /// Runs `work` on its own thread, which stops early if the task is cancelled or the execution's cancellation is requested.
  /// At the end, the execution's progress is finished.
  ///
  /// - Parameter work: receives a reading of the backup, and the cancellation to pass on.
  /// - Throws: the errors of `work`, `CofferError` if the bytes can't be read, `CancellationError`.
  func read<R: Sendable>(
    _ execution: Execution, _ work: @escaping @Sendable (BackupReading, Cancellation) throws -> R
  ) async throws -> R {
    defer { execution.progress?.finish() }
    let cancellation = Cancellation(within: execution.cancellation)
    let reading = try self.reading(cancellation: cancellation)
    return try await BlockingWork.run(onCancel: {
      cancellation.request()
      reading.cancel()
    }) {
      try Optional(cancellation).watch { try work(reading, cancellation) }
    }
  }
}
