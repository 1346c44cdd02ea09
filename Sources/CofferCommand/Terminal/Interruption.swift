import ByteStreams
import Coffer
import Platform
import Synchronization

/// Ends a run on Ctrl-C, SIGTERM or SIGHUP: work stops at the next slice, partial output is removed, and the exit status shows
/// the cause.
///
/// Longer operations (looking up keys on disk) end with the process and leave no files.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  // A signal handler can use only globals.
  private static let cancellation = Cancellation()
  private static let signal = Atomic(SIGINT)
  /// Milliseconds until a run that was asked to end is killed.
  private static let patience = Atomic(150)

  /// Starts to listen for signals. A second signal ends the process immediately.
  ///
  /// - Parameter patience: how long running work may take to end on its own.
  static func start(patience: Duration = .milliseconds(150)) -> Cancellation {
    Self.patience.store(Int(patience / .milliseconds(1)), ordering: .relaxed)
    // Initialise it here, because a handler must not allocate.
    let cancellation = cancellation
    signal.store(SIGINT, ordering: .relaxed)
    for number in signals {
      listen(number) { number in
        if Interruption.cancellation.isRequested { _exit(128 + number) }
        Interruption.signal.store(number, ordering: .relaxed)
        Interruption.cancellation.request()
        var patience = itimerval()
        let milliseconds = Interruption.patience.load(ordering: .relaxed)
        patience.it_value.tv_sec = milliseconds / 1000
        patience.it_value.tv_usec = numericCast(milliseconds % 1000 * 1000)
        #if canImport(Darwin)
          setitimer(ITIMER_REAL, &patience, nil)
        #else
          setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &patience, nil)
        #endif
      }
    }
    listen(SIGALRM) { _ in _exit(128 + Interruption.signal.load(ordering: .relaxed)) }
    // The parent process may block signals in its threads, and the mask is inherited.
    var heard = sigset_t()
    sigemptyset(&heard)
    for number in signals + [SIGALRM] { sigaddset(&heard, number) }
    pthread_sigmask(SIG_UNBLOCK, &heard, nil)
    return cancellation
  }

  /// Stops listening, because the rest is short and must not be cut off, such as writing a report. Throws if the run was already
  /// interrupted.
  static func stop() throws(ExitStatus) {
    stopListening()
    if cancellation.isRequested { throw status }
  }

  /// Ignores signals from now on: the work is done, and a signal must not change its result.
  static func stopListening() { for number in signals { listen(number, SIG_IGN) } }

  /// Sets the handler, even if the signal was ignored: a shell without job control makes background processes ignore Ctrl-C, but
  /// a signal sent to this process is intended. An ignored hang-up stays ignored, for `nohup`.
  static func listen(_ number: Int32, flags: Int32 = 0, _ handler: sighandler_t?) {
    // Signals go to the process, not to a run inside it.
    guard StandardStreams.current.belongToProcess else { return }
    var action = sigaction()
    if number == SIGHUP, sigaction(SIGHUP, nil, &action) == 0, action.ignoresSignal { return }
    action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    action.sa_flags = flags
    sigaction(number, &action, nil)
  }

  /// The exit status of the interrupted run.
  static var status: ExitStatus {
    switch signal.load(ordering: .relaxed) {
    case SIGTERM: .terminated
    case SIGHUP: .hungUp
    default: .interrupted
    }
  }
}

extension sigaction {
  fileprivate var ignoresSignal: Bool {
    #if canImport(Darwin)
      let handler = __sigaction_u.__sa_handler
    #else
      let handler = __sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}

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
