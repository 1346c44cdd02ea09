import ArgumentParser
import ByteStreams
import Coffer
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
      if format == .json {
        try JSONReport().write(ConfiguredReport(json), to: &sink)
      } else {
        try results.write(as: format, to: &sink)
      }
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
