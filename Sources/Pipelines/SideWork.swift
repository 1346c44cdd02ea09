/// Work on a thread of its own while the calling thread does something else.
///
/// For example:
///
///     let check = SideWork { try quickCheck() }
///     let count = Result { try countRows() }
///     try check.result().get()
package final class SideWork<Value: Sendable>: @unchecked Sendable {
  // @unchecked: the thread writes the result, which is read once the thread has been joined.
  private var thread: WorkerThread?
  private var value: Result<Value, any Error>?

  /// Starts the work; where the system gives no thread, the calling one does it at once. So it must not wait for the caller.
  package init(_ work: @escaping @Sendable () throws -> Value) {
    if !start(work) { value = Result(catching: work) }
  }

  private init() {}

  /// Starts work that must run at the same time as the caller's; `nil` where the system gives no thread.
  package static func started(_ work: @escaping @Sendable () throws -> Value) -> SideWork? {
    let new = SideWork()
    return new.start(work) ? new : nil
  }

  private func start(_ work: @escaping @Sendable () throws -> Value) -> Bool {
    thread = WorkerThread(stackSize: BlockingWork.stackSize) { self.value = Result(catching: work) }
    return thread != nil
  }

  /// Waits for the end of the work. It must be called, once: otherwise the thread stays.
  package func result() -> Result<Value, any Error> {
    thread?.join()
    thread = nil
    guard let value else { preconditionFailure("the work has ended, and has a result") }
    return value
  }
}

extension Channel {
  /// Runs `produce` on the calling thread and `consume` on one of its own, which gets what the other sends, in order.
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
  /// - Returns: what both return; `nil` where the system gives no thread: then neither has run.
  /// - Throws: what `consume` throws, which ends `produce` at its next value; what `produce` throws, which `consume` gets, too.
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

/// What `consume` gets in place of what `produce` has thrown.
private struct ProducerFailure: Error {}
