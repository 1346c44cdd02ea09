public import ArgumentParser
import ByteStreams
public import Coffer
import Findings
import Platform
import Reports
import Rules
import SystemPackage

/// How much of the report on validated documents is printed.
struct ExtentArguments: ParsableArguments {
  @Flag(help: "Print nothing if all is well, and only what failed otherwise.")
  var quiet = false

  @Flag(help: "Print only the counts.")
  var summary = false

  func validate() throws {
    if quiet, summary { throw ValidationError("--quiet and --summary can't be combined") }
  }

  /// Throws if the report has a format that is always whole.
  func check(_ format: ReportFormat) throws {
    if quiet || summary, format != .text { throw ValidationError("--quiet and --summary apply only to the text report") }
  }

  var extent: TextReport.Extent { quiet ? .failures : summary ? .counts : .everything }
}

/// The report on validated documents.
extension ReportArguments<ReportFormat> {
  /// The formats of all reports.
  var formats: [ReportFormat] { [format] + report.map(\.format) }

  /// The files to write, also GitHub's job summary.
  var allOutputs: [String] { outputs + [summaryPath].compactMap(\.self) }

  /// True if a report shows where values end, and the records that hold them. Text doesn't.
  var showsPlaces: Bool { format != .text || !report.isEmpty }

  /// The job summary that GitHub shows, to which the report for GitHub is added.
  private var summaryPath: String? {
    let path = Terminal.variable("GITHUB_STEP_SUMMARY")
    return format == .github && !path.isEmpty ? path : nil
  }

  /// Writes all requested reports, even if one can't be written. Prints errors, and throws the highest exit status.
  ///
  /// - Parameter json, text: the verb's own, if it has some.
  func write(
    _ results: ValidationResults, by renderer: TextReport, json: (any Encodable)? = nil, text: ((TextReport) -> String)? = nil
  ) throws {
    let json: any Encodable = json ?? results
    let reported = Reported<ReportFormat>(text: text ?? { $0.text(of: results) }) { format, sink throws(CofferError) in
      if format == .json { try JSONReport().write(json, to: &sink) } else { try results.write(as: format, to: &sink) }
    }
    var failure: ExitStatus?
    do { try write(reported, by: renderer) } catch { failure = error }
    noteFindingsLeftOut(of: results, renderer)
    if let summaryPath {
      do { try appendSummary(of: results, to: summaryPath) } catch { failure = max(failure ?? error, error) }
    }
    if let failure { throw failure }
  }

  /// Says how many findings are missing from reports whose formats have no place for it.
  private func noteFindingsLeftOut(of results: ValidationResults, _ renderer: TextReport) {
    let rest = results.reports.reduce(0) { $0 + $1.notShown }
    guard rest > 0, let format = formats.first(where: { [.gitlab, .rdjsonl, .checkstyle].contains($0) }) else { return }
    let remedy = renderer.hint("not-shown", ": ")
    Output.printNotice("coffer: \(rest.counted("finding")) not in the report for \(format.rawValue)\(remedy)")
  }

  /// Adds the summary to those of the job's other steps.
  private func appendSummary(of results: ValidationResults, to path: String) throws(ExitStatus) {
    do {
      var summary = MemorySink()
      try results.write(as: .markdown, to: &summary)
      let file = try FileDescriptor.open(
        path, .writeOnly, options: [.append, .create], permissions: [.ownerReadWrite, .groupRead, .otherRead])
      try file.closeAfter { _ = try file.writeAll(summary.bytes) }
    } catch {
      let error = error as? CofferError ?? CofferError(error as? Errno ?? .ioError, verb: "write the job summary to", name: path)
      Output.printError(error.message)
      throw ExitStatus(error)
    }
  }
}

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
      "files": results.reports.count, "valid": results.reports.count { results.verdict(on: $0) == .valid },
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
  /// Results of this version of the command.
  ///
  /// - Parameter now: the time that counted as now, or `nil` if this run hasn't validated the documents.
  init(_ reports: [ValidationReport], now: Instant? = nil) {
    self.init(reports, toolVersion: Version.text)
    keywordSummaries = KeywordReference().summaries
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

/// A baseline: findings that are known and accepted.
struct BaselineArguments: ParsableArguments {
  @Option(.file(ending: ["json"]), "Accept the findings in this file, and report others as new.")
  var baseline: String?

  @Flag(help: "Write the findings of this run to the file of --baseline, with the reasons that it has.")
  var updateBaseline = false

  func validate() throws {
    if updateBaseline, baseline == nil { throw ValidationError("--update-baseline needs --baseline with the file to write") }
    if baseline == "-" { throw ValidationError("--baseline needs a file") }
  }

  static let options: Set = ["--baseline", "--update-baseline"]

  /// The baseline, if it is only read.
  var unchanged: [String] { updateBaseline ? [] : [baseline].compactMap(\.self) }

  /// The baseline, if it is replaced.
  var updated: String? { updateBaseline ? baseline : nil }

  /// Reads the baseline.
  ///
  /// - Returns: `nil` if there is none, or none yet.
  /// - Throws: the exit status, after the error was printed.
  func read(_ execution: Execution) throws -> Baseline? {
    guard let path = baseline else { return nil }
    do {
      return try Baseline(FileSource(argument: path, cancellation: execution.cancellation), execution: execution.unmetered)
    } catch CofferError.Code.notFound where updateBaseline {
      return nil
    } catch {
      throw ExitStatus.ending(with: error, inputs: [path])
    }
  }

  /// The baseline to compare the findings with. For an update all of them are new, and known only to their keys.
  func compared(_ known: Baseline?) -> Baseline? { updateBaseline ? Baseline([]) : known }

  /// Throws if the baseline would be updated without all findings and their keys.
  func checkUpdate(by verb: some EvaluatingVerb) throws {
    if updateBaseline, verb.findingArguments.redact || verb.onlyArgument.selection != nil || verb.evaluation.syntaxOnly {
      throw ValidationError("--update-baseline needs all findings with their keys, without --redact, --only and --syntax-only")
    }
  }

  /// What a plan has of a baseline, or `nil` if there is none.
  func use(_ known: Baseline?) -> SplitPlan.BaselineUse? {
    baseline == nil ? nil : SplitPlan.BaselineUse(count: compared(known)?.count ?? 0, isUpdated: updateBaseline)
  }

  /// Writes a baseline that accepts all findings of these reports, and compares them with it. Prints errors.
  ///
  /// - Parameters:
  ///   - known: the earlier baseline.
  ///   - limit: the number of findings to keep in each report.
  /// - Returns: the exit status if the baseline can't be written, or would not be complete.
  func update(_ known: Baseline?, by reports: inout [ValidationReport], keeping limit: Int) -> ExitStatus? {
    guard updateBaseline, let path = baseline else { return nil }
    defer {
      for index in reports.indices where reports[index].findings.count > limit {
        reports[index].compare(with: Baseline([]), keeping: limit)
      }
    }
    for report in reports {
      let reason: String
      if report.error != nil {
        reason = "was not read completely"
      } else if report.formatProblem != nil {
        reason = "was not checked, because its format is not known"
      } else if report.notShown > 0 {
        reason = "has more than \(Baseline.limit.grouped) findings"
      } else {
        continue
      }
      Output.printError("the baseline is not updated: \(report.file) \(reason)")
      return report.error == nil ? .refused : nil
    }
    let updated = Baseline(accepting: reports, reasonsOf: known)
    if updated.entries.count > Baseline.limit {
      Output.printError("the baseline is not updated: the files have more than \(Baseline.limit.grouped) findings")
      return .refused
    }
    do {
      try Output.writeReport(to: path) { sink throws(CofferError) in try updated.write(to: &sink) }
    } catch {
      return error
    }
    for index in reports.indices { reports[index].compare(with: updated, keeping: limit) }
    return nil
  }
}
