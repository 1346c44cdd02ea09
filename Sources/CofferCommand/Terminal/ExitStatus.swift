import Coffer
import Platform
import Reports

/// The outcome of a run, thrown to end it.
enum ExitStatus: Int32, Error, Comparable {
  case success = 0
  /// Findings of severity error, or of another severity that `--fail-on` names.
  case findings = 1
  /// Wrong arguments, or rules that can't be compiled.
  case usage = 2
  /// Input that can't be read, is malformed, truncated or corrupt; output that can't be written.
  case unreadable = 3
  /// The command did nothing, because it would have lost data.
  case refused = 4
  /// No verdict: for this input, the rules ask for more than a limit allows, or for a document that is not available.
  case undecided = 5
  /// SIGHUP, Ctrl-C or SIGTERM ended the command.
  case hungUp = 129
  case interrupted = 130
  case terminated = 143

  /// Creates the status for an error.
  init(_ error: CofferError) { self = Self.statuses[error.code] ?? .unreadable }

  /// The status for each code. All others are for input that can't be read, and for output that can't be written.
  private static let statuses: [CofferError.Code: ExitStatus] = [
    .brokenPipe: .success, .findings: .findings,
    .ruleLimit: .undecided, .unresolvedReference: .undecided, .endlessReference: .undecided,
    // Wrong arguments and rules.
    .invalidRules: .usage, .unknownCollection: .usage, .noCollections: .usage, .invalidPointer: .usage, .invalidKey: .usage,
    // On a full disk, the old file is kept.
    .alreadyExists: .refused, .noSpace: .refused, .locked: .refused,
    // The format or version.
    .unknownFormat: .refused, .ambiguousFormat: .refused, .newerVersion: .refused, .olderVersion: .refused, .noVersion: .refused,
    .noMigration: .refused, .sizeLimit: .refused, .collectionOrder: .refused,
    .planMismatch: .refused,
    // Data that would be lost.
    .differentFormats: .refused, .differentVersions: .refused, .duplicateKey: .refused, .noKey: .refused, .noTime: .refused,
    .incompatible: .refused, .unsupportedValue: .refused, .conflict: .refused,
  ]

  /// The status for validated documents: the highest one of any.
  init(_ results: ValidationResults) {
    let statuses = results.reports.map { report in
      report.error.map { ExitStatus($0) } ?? (results.verdict(on: report) == .valid ? .success : .findings)
    }
    self = max(statuses.max() ?? .success, results.failsByRules ? .findings : .success)
  }

  /// Ends the process with this status.
  func end() -> Never { exit(rawValue) }

  static func < (a: ExitStatus, b: ExitStatus) -> Bool { a.rawValue < b.rawValue }
}
