import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Platform
import Reports
import SystemPackage

/// A verb that ends with a verdict on documents, and the reports on them.
protocol ConcludingVerb: Verb {
  var reportArguments: ReportArguments<ReportFormat> { get }
  var extentArguments: ExtentArguments { get }
  var failureArguments: FailureArguments { get }
  var baselineArguments: BaselineArguments { get }
}

extension ConcludingVerb {
  /// Updates the baseline, decides the verdict, and writes the reports.
  ///
  /// - Parameters:
  ///   - known: the baseline that the reports were compared with.
  ///   - limit: the number of findings to keep in each report.
  /// - Throws: the exit status, unless it is that of success.
  func conclude(_ results: ValidationResults, known: Baseline?, keeping limit: Int) throws {
    if let report = results.reports.first(where: { $0.mayNeedEach && $0.error == nil }) {
      Output.printNotice(
        "coffer: \(report.file.printable) is a list of values, but the rules describe a single one; --each applies them to each value"
      )
    }
    var results = results
    let failure = baselineArguments.update(known, by: &results.reports, keeping: limit)
    results.reports.joinResolved()
    failureArguments.checkCodes(of: results.reports)
    results.policy = failureArguments.policy
    Run.note([
      "files": results.reports.count, "valid": results.reports.count { $0.verdict == .valid },
      "errors": results.reports.reduce(0) { $0 + $1.counts.count(.error) },
      "warnings": results.reports.reduce(0) { $0 + $1.counts.count(.warning) },
    ])
    Run.note(errorOf: results.reports)
    var renderer = reportArguments.renderer(of: extentArguments.extent)
    if !results.isRedacted { renderer.source = SourceText.read }
    try reportArguments.write(results, by: renderer)
    Hint.print(for: results.reports)
    let status = max(ExitStatus(results), failure ?? .success)
    if status != .success { throw status }
  }
}

extension ValidationResults {
  /// Read when a report needs the first: the pages of all keywords take longer to read than a small document to validate.
  private static let keywordSummaries = KeywordReference().summaries

  /// Results of this version of the command.
  ///
  /// - Parameter now: the time that counted as now, or `nil` if this run hasn't validated the documents.
  init(_ reports: [ValidationReport], now: Instant? = nil) {
    self.init(reports, toolVersion: Version.text)
    keywordSummary = { Self.keywordSummaries[$0] }
    configuration = RunConfiguration.current.words
    if let now {
      run = Run(
        date: .now, command: (["coffer"] + CommandLine.arguments.dropFirst().map(\.shellWord)).joined(separator: " "), now: now)
    }
    if let current = getcwd(nil, 0) {
      defer { free(current) }
      folder = String(platformString: current)
    }
  }
}
