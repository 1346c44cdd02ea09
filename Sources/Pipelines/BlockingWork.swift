/// Blocking work (reading files, waiting for others) that a task awaits.
///
/// It runs on its own system thread, never on Swift's cooperative threads, of which there is one per processor.
package enum BlockingWork {
  /// The stack size of a program's first thread, because decoders recurse with the nesting of their input.
  package static let stackSize = 8 << 20

  /// Runs `work` and returns its result.
  ///
  /// - Parameter onCancel: called from any thread when the task is cancelled. It must make `work` end early; `run` waits for
  ///   that.
  /// - Throws: errors of `work`, or `ThreadError`.
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

  /// Starts `work` without waiting for it.
  package static func start(_ work: @escaping @Sendable () -> Void) throws(ThreadError) {
    guard let thread = WorkerThread(stackSize: stackSize, work) else { throw ThreadError() }
    thread.detach()
  }
}

/// The system can't create another thread.
package struct ThreadError: Error, CustomStringConvertible {
  package var description: String { "the system can't create another thread" }
}
