import Coffer
import Platform

/// The outcome of a run, thrown to end it.
enum ExitStatus: Int32, Error, Comparable {
  case sound = 0
  /// Findings of severity error; with `--strict`, also of severity warning.
  case findings = 1
  /// Wrong arguments, or rules that can't be compiled.
  case usage = 2
  /// Input that can't be read, is malformed, truncated or corrupt; output that can't be written.
  case unreadable = 3
  /// Nothing was done, because it would have lost data.
  case refused = 4
  /// No verdict: for this input, the rules ask for more than a limit allows.
  case undecided = 5
  /// Ended by SIGHUP, Ctrl-C or SIGTERM.
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// The status for input that was not read to its end.
  init(reading error: DocumentError) { self.init(readingCode: error.code) }

  /// The status for input that was not read to its end.
  init(reading error: JSONReadError) { self.init(readingCode: error.code.rawValue) }

  private init(readingCode code: String) { self = code == JSONReadError.Code.ruleLimit.rawValue ? .undecided : .unreadable }

  /// Ends the process with this status.
  func end() -> Never { exit(rawValue) }

  /// The status for output that could not be written. On a full disk, the old file is kept.
  init(writing error: ByteStreamError) { self = error.code == .noSpace ? .refused : .unreadable }

  static func < (a: ExitStatus, b: ExitStatus) -> Bool { a.rawValue < b.rawValue }
}
