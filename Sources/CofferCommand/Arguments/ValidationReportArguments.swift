import ArgumentParser
import ByteStreams
import Coffer
import Platform
import Reports
import SystemPackage

/// The formats and destinations of the report on validated documents.
struct ValidationReportArguments: ParsableArguments {
  @OptionGroup var reportArguments: ReportOutputArguments<ReportFormat>

  @Flag(help: "Print nothing if all is well, and only what failed otherwise.")
  var quiet = false

  @Flag(help: "Print only the counts.")
  var summary = false

  func validate() throws {
    if quiet || summary {
      if quiet, summary { throw ValidationError("--quiet and --summary can't be combined") }
      if reportArguments.format != .text { throw ValidationError("--quiet and --summary apply only to the text report") }
    }
    if let summaryPath, reportArguments.outputs.contains(where: { Output.isSameFile($0, summaryPath) }) {
      throw ValidationError("two reports would be written to \(summaryPath)")
    }
  }

  /// The formats of all reports.
  var formats: [ReportFormat] { [reportArguments.format] + reportArguments.report.map(\.format) }

  /// The files to write.
  var outputs: [String] { reportArguments.outputs + [summaryPath].compactMap(\.self) }

  /// The name of an option that was given, or `nil` if the report is text on standard output.
  var givenOption: String? {
    if reportArguments.format != .text { return "--output-format" }
    if !outputs.isEmpty { return reportArguments.report.isEmpty ? "--output" : "--report" }
    return quiet ? "--quiet" : summary ? "--summary" : nil
  }

  /// True if a report shows where values end, and the records that hold them. Text doesn't.
  var showsPlaces: Bool { reportArguments.format != .text || !reportArguments.report.isEmpty }

  /// The job summary that GitHub shows, to which the report for GitHub is added.
  private var summaryPath: String? {
    guard reportArguments.format == .github, let path = getenv("GITHUB_STEP_SUMMARY").map({ String(cString: $0) }) else {
      return nil
    }
    return path.isEmpty ? nil : path
  }

  /// Throws if a report would replace an input. Call it before anything is read.
  func checkOutputs(reading inputs: [String]) throws {
    try Output.checkReports(outputs, reading: inputs)
  }

  /// Writes all requested reports, even if one can't be written. Prints errors, and throws the highest exit status.
  func write(_ results: ValidationResults) throws { try write(results, reported: results) }

  /// The same, with a verb's own text and JSON.
  func write(_ results: ValidationResults, json: some Encodable, text: @escaping (TextReport) -> String) throws {
    try write(results, reported: VerbResults(results: results, json: json, text: text))
  }

  private func write(_ results: ValidationResults, reported: some ReportedResults<ReportFormat>) throws {
    var failure: ExitStatus?
    do { try reportArguments.write(reported, extent: quiet ? .failures : summary ? .counts : .everything) } catch {
      failure = error
    }
    noteFindingsLeftOut(of: results)
    if let summaryPath {
      do { try appendSummary(of: results, to: summaryPath) } catch { failure = max(failure ?? error, error) }
    }
    if let failure { throw failure }
  }

  /// Says how many findings are missing from reports whose formats have no place for it.
  private func noteFindingsLeftOut(of results: ValidationResults) {
    let rest = results.reports.reduce(0) { $0 + $1.notShown }
    guard rest > 0, let format = formats.first(where: { [.gitlab, .rdjsonl, .checkstyle].contains($0) }) else { return }
    let remedy = results.isStored ? "" : ": --max-findings sets the number of those that are"
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

extension ValidationResults: ReportedResults {}

/// Results whose text and JSON are a verb's own.
private struct VerbResults<JSON: Encodable>: ReportedResults {
  let results: ValidationResults
  let json: JSON
  let text: (TextReport) -> String

  func text(by renderer: TextReport) -> String { text(renderer) }

  func write(as format: ReportFormat, to sink: inout some ByteSink) throws(CofferError) {
    switch format {
    case .text: try sink.write(text(TextReport()))
    case .json: try JSONReport().write(json, to: &sink)
    default: try results.write(as: format, to: &sink)
    }
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
