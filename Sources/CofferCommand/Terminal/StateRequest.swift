import Platform
import Synchronization

/// A request for the state of the run: SIGUSR1, and Ctrl-T on Apple's systems. It doesn't end the process once ``listen()`` was called.
enum StateRequest {
  // A signal handler can use only globals.
  private static let isPending = Atomic(false)

  /// Starts to listen. Before, SIGUSR1 ends the process.
  static func listen() {
    // Initialise it here, because a handler must not allocate.
    isPending.store(false, ordering: .relaxed)
    // SA_RESTART: the signal must not interrupt reads and writes.
    Interruption.listen(SIGUSR1, flags: SA_RESTART) { _ in StateRequest.isPending.store(true, ordering: .relaxed) }
    #if canImport(Darwin)
      Interruption.listen(SIGINFO, flags: SA_RESTART) { _ in StateRequest.isPending.store(true, ordering: .relaxed) }
    #endif
  }

  /// Returns true once for each request.
  static func take() -> Bool { isPending.exchange(false, ordering: .relaxed) }
}
