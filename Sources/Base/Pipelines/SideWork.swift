/// Work on a separate thread while the calling thread continues.
///
/// For example:
///
///     let check = SideWork { try quickCheck() }
///     let count = Result { try countRows() }
///     try check.result().get()
package final class SideWork<Value: Sendable>: @unchecked Sendable {
  // @unchecked: the thread writes the result, which is read only after the thread is joined.
  private var thread: WorkerThread?
  private var value: Result<Value, any Error>?

  /// Starts the work, or runs it immediately if the system can't create a thread. It must therefore not wait for the caller.
  package init(_ work: @escaping @Sendable () throws -> Value) {
    if !start(work) { value = Result(catching: work) }
  }

  private init() {}

  /// Starts work that must run in parallel with the caller. Returns `nil` if the system can't create a thread.
  package static func started(_ work: @escaping @Sendable () throws -> Value) -> SideWork? {
    let new = SideWork()
    return new.start(work) ? new : nil
  }

  private func start(_ work: @escaping @Sendable () throws -> Value) -> Bool {
    thread = WorkerThread(stackSize: BlockingWork.stackSize) { self.value = Result(catching: work) }
    return thread != nil
  }

  /// Waits for the work to end. Must be called exactly once, or the thread is never released.
  package func result() -> Result<Value, any Error> {
    thread?.join()
    thread = nil
    guard let value else { preconditionFailure("the joined thread left no result") }
    return value
  }
}

extension Channel {
  /// Runs `produce` on the calling thread and `consume` on its own thread, which receives the values sent, in order.
  ///
  /// For example:
  ///
  ///     let both = try Channel<Int>(capacity: 4).run { send in
  ///       for number in 1...3 { try send(number) }
  ///     } consume: { next in
  ///       var sum = 0
  ///       while let number = try next() { sum += number }
  ///       return sum
  ///     }
  ///     both?.consumed      // 6
  ///
  /// - Returns: both results, or `nil` if the system can't create a thread: then neither has run.
  /// - Throws: an error of `consume`, which ends `produce` at its next value; an error of `produce`, which also ends `consume`.
  package func run<Produced, Consumed: Sendable>(
    produce: ((Element) throws -> Void) throws -> Produced,
    consume: @escaping @Sendable (() throws -> Element?) throws -> Consumed
  ) throws -> (produced: Produced, consumed: Consumed)? {
    let consumer = SideWork.started {
      do {
        return try consume {
          do { return try self.receiveWaiting() } catch { throw ProducerFailure() }
        }
      } catch {
        self.close()
        throw error
      }
    }
    guard let consumer else { return nil }
    let produced = Result {
      try produce { if !sendWaiting($0) { throw CancellationError() } }
    }
    finish(produced.map { _ in })
    switch (produced, consumer.result()) {
    case (.success(let produced), .success(let consumed)): return (produced, consumed)
    case (.failure(let failure), .success): throw failure
    case (.failure(let failure), .failure(let other)): throw other is ProducerFailure ? failure : other
    case (.success, .failure(let failure)): throw failure
    }
  }
}

/// The error that `consume` gets if `produce` throws.
private struct ProducerFailure: Error {}

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
  package init() {}

  package var description: String { "the system can't create another thread" }
}
