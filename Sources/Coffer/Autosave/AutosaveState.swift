import Synchronization

/// What an ``Autosave`` is doing.
public enum AutosaveState: Sendable {
  /// All changes are saved.
  case saved
  /// `changes` changes wait.
  case waiting(changes: Int)
  /// A save has written `done` of its changes. None of them takes effect before it ends.
  case saving(done: Int, of: Int)
  /// A save has failed, or some of its changes (``UnsavedKeys``). They wait, and are saved again after a pause.
  case failed(any Error, failures: Int, retryIn: Duration)
  /// ``Autosave/end()`` has saved all changes.
  case ended
}

/// Sends states to all who listen. The closures of a save call it from other threads.
final class AutosaveStates: Sendable {
  private struct Listeners: Sendable {
    var current = AutosaveState.saved
    var continuations: [Int: AsyncStream<AutosaveState>.Continuation] = [:]
    var count = 0
  }

  private let listeners = Mutex(Listeners())

  func send(_ state: AutosaveState) {
    listeners.withLock { listeners in
      listeners.current = state
      for continuation in listeners.continuations.values { continuation.yield(state) }
    }
  }

  /// Ends all sequences.
  func finish() {
    let continuations = listeners.withLock { listeners in
      defer { listeners.continuations = [:] }
      return Array(listeners.continuations.values)
    }
    // This calls `remove`.
    for continuation in continuations { continuation.finish() }
  }

  /// Returns the current state and those that follow. A listener who is slow misses states, but never the newest.
  func stream() -> AsyncStream<AutosaveState> {
    let (stream, continuation) = AsyncStream.makeStream(of: AutosaveState.self, bufferingPolicy: .bufferingNewest(16))
    listeners.withLock { listeners in
      continuation.yield(listeners.current)
      if case .ended = listeners.current { return continuation.finish() }
      let number = listeners.count
      listeners.count += 1
      listeners.continuations[number] = continuation
      continuation.onTermination = { [weak self] _ in self?.remove(number) }
    }
    return stream
  }

  private func remove(_ number: Int) {
    // The continuation is released outside of the lock: releasing it may end up here.
    _ = listeners.withLock { $0.continuations.removeValue(forKey: number) }
  }
}
