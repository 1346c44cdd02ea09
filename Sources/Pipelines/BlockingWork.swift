/// Work that blocks (reads files, waits for others) and is waited for by a task.
///
/// It runs on a thread of the system that is made for it, never on one of Swift's cooperative threads, of which there are as many as processors.
package enum BlockingWork {
  /// Decoders recurse with what they decode: as much as a program's first thread has.
  package static let stackSize = 8 << 20

  /// Runs `work` to its end and returns what it returns.
  ///
  /// - Parameter onCancel: called, from any thread, when the task is cancelled: it has to make `work` end early, which is then waited for.
  /// - Throws: what `work` throws, or `ThreadError`.
  package static func run<R: Sendable>(
    onCancel: @escaping @Sendable () -> Void, _ work: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do {
          try start { continuation.resume(with: Result(catching: work)) }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      onCancel()
    }
  }

  /// Starts `work`, for whose end nobody waits.
  package static func start(_ work: @escaping @Sendable () -> Void) throws(ThreadError) {
    guard let thread = WorkerThread(stackSize: stackSize, work) else { throw ThreadError() }
    thread.detach()
  }
}

/// The system gives no more threads.
package struct ThreadError: Error, CustomStringConvertible {
  package var description: String { "the system gives no more threads" }
}
