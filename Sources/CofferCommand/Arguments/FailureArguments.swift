public import ArgumentParser
public import Coffer
import Findings
import Reports
import Rules

/// What reports show of findings.
struct FindingArguments: ParsableArguments {
  @Option(.count, "Findings to show per file, some of every rule; all are counted.")
  var maxFindings: Int?

  @Flag(help: "Leave the documents' values out of the report.")
  var redact = false

  /// The number of findings to keep.
  ///
  /// - Parameter formats: the formats of the reports on them.
  func limit(for formats: [ReportFormat] = []) -> Int { maxFindings ?? (formats.contains(.sarif) ? 5000 : 1000) }

  func validate() throws {
    if let maxFindings, maxFindings < 0 { throw ValidationError("--max-findings must not be negative") }
  }
}

/// The findings that make a run fail.
struct FailureArguments: ParsableArguments {
  @Option(help: "Fail on findings of this severity or a higher one.")
  var failOn: Severity?

  @Flag(help: "Short for --fail-on warning: also rules that are not applied make a run fail.")
  var strict = false

  @Option(
    .value("code=n"),
    "Tolerate up to this number of findings with a code, or a share of the records. May be repeated: foreign-key=10, order=0.5%.")
  var maxErrors: [ToleratedFindings] = []

  func validate() throws {
    if strict, let failOn, failOn != .warning {
      throw ValidationError("--strict and --fail-on \(failOn.rawValue) can't be combined")
    }
    for (index, limit) in maxErrors.enumerated() where maxErrors[..<index].contains(where: { $0.code == limit.code }) {
      throw ValidationError("--max-errors names \(limit.code) twice")
    }
  }

  /// True if an option was given.
  var isGiven: Bool { failOn != nil || strict || !maxErrors.isEmpty }

  static let options: Set = ["--fail-on", "--strict", "--max-errors"]

  /// Prints a notice about each code that no rule has.
  func checkCodes(of reports: [ValidationReport]) {
    if maxErrors.isEmpty { return }
    let codes = Set(reports.flatMap { $0.checkedRules.map(\.code) + $0.counts.byCode.keys })
    if codes.isEmpty { return }
    for limit in maxErrors where !codes.contains(limit.code) {
      let suggestion = Suggestion.text(for: limit.code, among: codes.sorted())
      Output.printNotice("--max-errors: no rule has the code '\(limit.code.printable)'\(suggestion)")
    }
  }

  var policy: FailurePolicy {
    var policy = FailurePolicy()
    policy.severity = failOn ?? (strict ? .warning : .error)
    policy.tolerances = Dictionary(maxErrors.map { ($0.code, $0.tolerance) }) { first, _ in first }
    return policy
  }
}

extension Severity: ExpressibleByArgument {
  public static var allValueStrings: [String] { ["error", "warning", "note"] }
}

/// `CODE=N` or `CODE=N%`.
struct ToleratedFindings: ExpressibleByArgument {
  let code: String
  let tolerance: FailurePolicy.Tolerance

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex,
      let tolerance = FailurePolicy.Tolerance(argument[argument.index(after: sign)...])
    else { return nil }
    code = String(argument[..<sign])
    self.tolerance = tolerance
  }
}
