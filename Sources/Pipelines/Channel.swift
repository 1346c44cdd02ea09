/// Carries values, in order, between a thread of its own, which may wait, and a task, which must not block the thread it runs on.
///
///     sendWaiting ─▶ │ 3 │ 2 │ ─▶ receive          a thread gives to a task: records
///     send ────────▶ │ 3 │ 2 │ ─▶ receiveWaiting   a task gives to a thread: bytes
///
/// One side sends and one receives. Whoever sends waits while `capacity` values are under way; whoever receives, while there is none.
package final class Channel<Element: Sendable>: @unchecked Sendable {
  // @unchecked: `monitor` guards all of it.
  private let monitor = Monitor()
  private let capacity: Int
  private var elements: [Element] = []
  /// The sender's last word.
  private var end: Result<Void, any Error>?
  private var isClosed = false
  /// The task that waits to look again, on either side.
  private var sleeper: CheckedContinuation<Void, Never>?

  package init(capacity: Int) {
    precondition(capacity > 0, "nothing would ever pass")
    self.capacity = capacity
  }

  // MARK: Sending

  /// Gives a value; false if nobody wants it any more.
  package func sendWaiting(_ element: Element) -> Bool {
    change {
      while !isClosed, elements.count >= capacity { monitor.wait() }
      if !isClosed { elements.append(element) }
      return !isClosed
    }
  }

  /// The same from a task.
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

  /// Says that no value follows.
  package func finish(_ end: Result<Void, any Error> = .success(())) {
    change { self.end = self.end ?? end }
  }

  // MARK: Receiving

  /// The next value; `nil` behind the last one.
  ///
  /// - Throws: what the sender finished with, `CancellationError` once the channel is closed.
  package func receiveWaiting() throws -> Element? {
    try change {
      while elements.isEmpty, end == nil, !isClosed { monitor.wait() }
      return try take()
    }
  }

  /// The same from a task, whose cancellation must close the channel.
  package func receive() async throws -> Element? {
    while true {
      let (isThere, element) = try change { hasNews ? (true, try take()) : (false, nil) }
      if isThere { return element }
      await sleep { hasNews }
    }
  }

  /// Ends the channel from either side: what is under way is dropped, and whoever waits goes on.
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

  /// Wakes everybody up after `body`.
  private func change<R>(_ body: () throws -> R) rethrows -> R {
    let (result, sleeper) = try monitor.locked {
      // What throws has changed nothing.
      let result = try body()
      monitor.wakeAll()
      defer { self.sleeper = nil }
      return (result, self.sleeper)
    }
    sleeper?.resume()
    return result
  }

  /// Lets the task sleep until something has changed, unless there is a reason not to.
  private func sleep(unless isReady: () -> Bool) async {
    await withCheckedContinuation { continuation in
      let mustWait = monitor.locked {
        if isReady() { return false }
        precondition(sleeper == nil, "one side of a channel is a single task")
        sleeper = continuation
        return true
      }
      if !mustWait { continuation.resume() }
    }
  }
}
