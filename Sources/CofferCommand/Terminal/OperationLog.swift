import ArgumentParser
import ByteStreams
import Coffer
import JSONEvents
import Platform
import Synchronization
import SystemPackage

/// What the log says about the current run. A run of `--log FILE` appends a line:
///
///     {"time":"2026-07-10T03:15:00Z","verb":"backup","files":["a.db","backups"],"result":"success","status":0,
///      "error":null,"counts":{"written":1,"records":12},"seconds":0.042}
///
/// A run that is killed appends nothing.
final class OperationLog: Sendable {
  @TaskLocal static var current: OperationLog?

  struct State {
    var counts: [(name: String, count: Int)] = []
    var error: String?
  }

  let state = Mutex(State())

  /// Adds counts to the line of the current run, if it is logged.
  static func note(_ counts: KeyValuePairs<String, Int>) {
    current?.state.withLock { state in state.counts += counts.map { ($0.key, $0.value) } }
  }

  /// Adds an error to the line. Only the first of a run is kept: it is the cause.
  static func note(error: String) {
    current?.state.withLock { state in if state.error == nil { state.error = error } }
  }

  /// Adds the error of the first file that can't be read or is damaged.
  static func note(errorOf reports: [ValidationReport]) {
    if let error = reports.lazy.compactMap(\.error).first { note(error: error.message) }
  }
}

extension ExitStatus {
  /// The outcome's code, stable for programs.
  var code: String {
    switch self {
    case .success: "success"
    case .findings: "findings"
    case .usage: "usage"
    case .unreadable: "unreadable"
    case .refused: "refused"
    case .undecided: "undecided"
    case .hungUp, .interrupted, .terminated: "interrupted"
    }
  }
}
