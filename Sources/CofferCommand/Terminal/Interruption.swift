import ByteStreams
import Coffer
import Platform
import Synchronization

/// Ends a run on Ctrl-C, SIGTERM or SIGHUP: work stops at its next slice, what was begun is taken back, and the exit status says why.
///
/// What takes longer than that (keys that are being looked up on disk) is ended with the process; it leaves nothing behind.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  // A signal's handler can reach nothing but globals.
  private static let cancellation = Cancellation()
  private static let signal = Atomic(SIGINT)
  /// In milliseconds.
  private static let patience = Atomic(150)

  /// Listens from now on; a second signal ends the process at once.
  ///
  /// - Parameter patience: how long what is under way may take to come to an end of its own.
  static func start(patience: Duration = .milliseconds(150)) -> Cancellation {
    Self.patience.store(Int(patience / .milliseconds(1)), ordering: .relaxed)
    // Made now, for a handler must not allocate.
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
    // Whoever started this process may hold signals back in its own threads, and a mask is inherited.
    var heard = sigset_t()
    sigemptyset(&heard)
    for number in signals + [SIGALRM] { sigaddset(&heard, number) }
    pthread_sigmask(SIG_UNBLOCK, &heard, nil)
    return cancellation
  }

  /// What is left to do is short and must not be cut off: a report that is being written. Throws if the run was interrupted before.
  static func stop() throws(ExitStatus) {
    stopListening()
    if cancellation.isRequested { throw status }
  }

  /// What was to be done is done, and counts: a signal that comes now changes nothing.
  static func stopListening() { for number in signals { listen(number, SIG_IGN) } }

  /// Whether or not the signal was ignored before: a shell without job control has what it starts behind itself ignore Ctrl-C, but who sends that
  /// signal to one process by name means it. A hang-up that was ignored stays so: `nohup` means it.
  private static func listen(_ number: Int32, _ handler: sighandler_t?) {
    // Signals reach the process, not a run inside it.
    guard StandardStreams.current.belongToProcess else { return }
    var action = sigaction()
    if number == SIGHUP, sigaction(SIGHUP, nil, &action) == 0, action.ignoresSignal { return }
    action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    sigaction(number, &action, nil)
  }

  /// How the run ends.
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
