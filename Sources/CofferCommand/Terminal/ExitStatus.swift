import Coffer
import Platform

/// What a run came to, thrown to end it.
enum ExitStatus: Int32, Error, Comparable {
  case sound = 0
  /// Findings of severity error; with `--strict`, of warning too.
  case findings = 1
  /// Wrong arguments, or rules that can't be compiled.
  case usage = 2
  /// Input that can't be read, is malformed, cut off or corrupt; output that can't be written.
  case unreadable = 3
  /// Nothing was done, because it would have lost data.
  case refused = 4
  /// The rules ask for more than a limit allows of this input, so that there is no verdict.
  case undecided = 5
  /// By SIGHUP, Ctrl-C or SIGTERM.
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// What input comes to that was not read to its end.
  init(reading error: DocumentError) { self.init(readingCode: error.code) }

  /// What input comes to that was not read to its end.
  init(reading error: JSONReadError) { self.init(readingCode: error.code.rawValue) }

  private init(readingCode code: String) { self = code == JSONReadError.Code.ruleLimit.rawValue ? .undecided : .unreadable }

  /// Ends the process with this status.
  func end() -> Never { exit(rawValue) }

  /// What a run comes to that could not write its output: on a full disk the old one has been kept.
  init(writing error: ByteStreamError) { self = error.code == .noSpace ? .refused : .unreadable }

  static func < (a: ExitStatus, b: ExitStatus) -> Bool { a.rawValue < b.rawValue }
}
