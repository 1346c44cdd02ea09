import Coffer
import Platform
import Reports
import SystemPackage

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
    .sql: .usage,
    // On a full disk, the old file is kept.
    .alreadyExists: .refused, .noSpace: .refused, .locked: .refused,
    // The format or version.
    .unknownFormat: .refused, .ambiguousFormat: .refused, .newerVersion: .refused, .olderVersion: .refused, .noVersion: .refused,
    .noMigration: .refused, .sizeLimit: .refused, .collectionOrder: .refused,
    .planMismatch: .refused, .keyRows: .refused, .unnamedScan: .refused,
    // Data that would be lost.
    .differentFormats: .refused, .differentVersions: .refused, .duplicateKey: .refused, .noKey: .refused, .noTime: .refused,
    .incompatible: .refused, .unsupportedValue: .refused, .conflict: .refused,
  ]

  /// The status for validated documents: the highest one of any.
  init(_ results: ValidationResults) {
    let statuses = results.reports.map { report in
      report.error.map { ExitStatus($0) } ?? (report.verdict == .valid ? .success : .findings)
    }
    self = max(statuses.max() ?? .success, results.failsByRules ? .findings : .success)
  }

  /// The outcome's code, stable for programs.
  var code: String {
    switch self {
    case .hungUp, .interrupted, .terminated: "interrupted"
    default: "\(self)"
    }
  }

  /// Ends the process with this status.
  func end() -> Never { exit(rawValue) }

  static func < (a: ExitStatus, b: ExitStatus) -> Bool { a.rawValue < b.rawValue }
}

extension CofferError {
  /// Returns the error in one line, which begins with the name of the file that it is about, and the place in it:
  /// `rules.json:2:3: there is no keyword 'tpye' at /tpye`. A hint follows, if there is one, and the number of further errors.
  ///
  /// - Parameters:
  ///   - inputs: the names of the inputs. The first one names the input of an error that names none.
  ///   - rules: the name of the requested rules. The error may be in a document that they refer to.
  func text(inputs: [String], rules: String) -> String {
    let hint = Hint.text(for: self).map { "; \($0)" } ?? ""
    let further = furtherCount > 0 ? "; \(furtherCount.counted("further error")): 'coffer rules check' lists all" : ""
    return line(inputs: inputs, rules: rules) + hint + further
  }

  private func line(inputs: [String], rules: String) -> String {
    if [.unknownCollection, .noCollections].contains(code) { return "--only: \(message)" }
    let file = place.document ?? (code == .invalidRules ? rules : inputs.first ?? "the input")
    guard let position = place.position else {
      if place.entry != nil { return "\(file): \(messageWithEntry) [\(code.rawValue)]" }
      return namesFile(among: inputs) ? message : "\(file): \(message)"
    }
    let start = "\(file):\(position.line):\(position.column): \(messageWithEntry)"
    guard let pointer = place.pointer else { return "\(start) (byte \(position.offset))" }
    return "\(start) at \(pointer.isEmpty ? "the root" : pointer)"
  }

  /// True if the message names the file: errors of the system do, and others that begin with the name of an input.
  private func namesFile(among inputs: [String]) -> Bool {
    if underlying is Errno || [.alreadyExists, .damagedPartial, .keyRows, .locked, .planMismatch, .unnamedScan].contains(code) {
      return true
    }
    return inputs.contains { name in
      guard message.hasPrefix(name), let next = message.dropFirst(name.count).first else { return false }
      return " :,'".contains(next)
    }
  }
}

extension ExitStatus {
  /// Prints the error that ended a command, and returns what to throw.
  ///
  /// - Parameters:
  ///   - inputs: the names of the inputs. The first one names the input of an error that names none.
  ///   - rules: the name of the requested rules.
  static func ending(with error: any Error, inputs: [String], rules: String? = nil) -> any Error {
    switch error {
    case is CancellationError, CofferError.Code.cancelled: return Interruption.status
    // The reader has closed the pipe: that is not a failure.
    case CofferError.Code.brokenPipe: return ExitStatus.success
    case let error as CofferError:
      if let cause = error.underlying as? FindingsError { Output.printNotice(of: cause.report) }
      Output.printError(error.text(inputs: inputs, rules: rules ?? "the rules"))
      return ExitStatus(error)
    default: return error
    }
  }
}
