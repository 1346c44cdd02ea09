/// Carries values in order between a dedicated thread, which may block, and a task, which must not.
///
///     sendWaiting ─▶ │ 3 │ 2 │ ─▶ receive          from a thread to a task: records
///     send ────────▶ │ 3 │ 2 │ ─▶ receiveWaiting   from a task to a thread: bytes
///
/// A channel has one sender and one receiver. The sender waits while `capacity` values are pending, the receiver while there are
/// none.
package final class Channel<Element: Sendable>: @unchecked Sendable {
  // @unchecked: `monitor` guards all properties.
  private let monitor = Monitor()
  private let capacity: Int
  private var elements: [Element] = []
  /// The sender's final result.
  private var end: Result<Void, any Error>?
  private var isClosed = false
  /// The suspended task, on either side.
  private var sleeper: CheckedContinuation<Void, Never>?

  package init(capacity: Int) {
    precondition(capacity > 0, "the capacity must be positive")
    self.capacity = capacity
  }

  // MARK: Sending

  /// Sends a value, blocking if necessary; false if the channel is closed.
  package func sendWaiting(_ element: Element) -> Bool {
    change {
      while !isClosed, elements.count >= capacity { monitor.wait() }
      if !isClosed { elements.append(element) }
      return !isClosed
    }
  }

  /// Sends a value from a task.
  package func send(_ element: Element) async -> Bool {
    while true {
      let isDone: Bool? = change {
        if isClosed { return false }
        guard elements.count < capacity else { return nil }
        elements.append(element)
        return true
      }
      if let isDone { return isDone }
      await sleep { isClosed || elements.count < capacity }
    }
  }

  /// Marks the end of the values.
  package func finish(_ end: Result<Void, any Error> = .success(())) {
    change { self.end = self.end ?? end }
  }

  // MARK: Receiving

  /// Returns the next value, blocking if necessary, or `nil` after the last one.
  ///
  /// - Throws: the error that the sender finished with; `CancellationError` once the channel is closed.
  package func receiveWaiting() throws -> Element? {
    try change {
      while elements.isEmpty, end == nil, !isClosed { monitor.wait() }
      return try take()
    }
  }

  /// Receives from a task; cancelling the task must close the channel.
  package func receive() async throws -> Element? {
    while true {
      let (isThere, element) = try change { hasNews ? (true, try take()) : (false, nil) }
      if isThere { return element }
      await sleep { hasNews }
    }
  }

  /// Closes the channel from either side: drops pending values and wakes the waiting side.
  package func close() {
    change {
      isClosed = true
      elements = []
    }
  }

  private var hasNews: Bool { !elements.isEmpty || end != nil || isClosed }

  private func take() throws -> Element? {
    if isClosed { throw CancellationError() }
    if !elements.isEmpty { return elements.removeFirst() }
    try end?.get()
    return nil
  }

  // MARK: Waiting

  /// Wakes all waiters after `body`.
  private func change<R>(_ body: () throws -> R) rethrows -> R {
    let (result, sleeper) = try monitor.locked {
      // If `body` throws, nothing has changed.
      let result = try body()
      monitor.wakeAll()
      defer { self.sleeper = nil }
      return (result, self.sleeper)
    }
    sleeper?.resume()
    return result
  }

  /// Suspends the task until the next change, unless `isReady` returns true.
  private func sleep(unless isReady: () -> Bool) async {
    await withCheckedContinuation { continuation in
      let mustWait = monitor.locked {
        if isReady() { return false }
        precondition(sleeper == nil, "only one task may wait on a channel")
        sleeper = continuation
        return true
      }
      if !mustWait { continuation.resume() }
    }
  }
}
