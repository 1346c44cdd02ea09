public import ArgumentParser
import ByteStreams
import Coffer
import Platform
public import Reports
import SystemPackage

/// The formats and destinations of the report on validated documents.
struct ValidationReportArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The report's format: text for people (the default), one JSON document for programs, or that of a CI system.",
      valueName: "format"))
  var outputFormat: ReportFormat?

  @Flag(help: "Short for --output-format json.")
  var json = false

  @Option(
    help: ArgumentHelp("Write the report to this file instead of standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: ArgumentHelp("Write another report of the same run to a file. May be repeated.", valueName: "format=file"))
  var report: [ReportDestination] = []

  @OptionGroup var colorArgument: ColorArgument

  func validate() throws {
    if json, let outputFormat, outputFormat != .json {
      throw ValidationError("--json and --output-format \(outputFormat.rawValue) exclude each other")
    }
    for (index, path) in outputs.enumerated() where outputs[..<index].contains(where: { Output.isSameFile($0, path) }) {
      throw ValidationError("two reports would be written to \(path)")
    }
  }

  /// The files to write.
  var outputs: [String] { ([output == "-" ? nil : output] + report.map(\.path) + [summaryPath]).compactMap(\.self) }

  private var format: ReportFormat { json ? .json : outputFormat ?? .text }

  /// The job summary that GitHub shows, to which the report for GitHub is added.
  private var summaryPath: String? {
    guard format == .github, let path = getenv("GITHUB_STEP_SUMMARY").map({ String(cString: $0) }) else { return nil }
    return path.isEmpty ? nil : path
  }

  /// Throws if a report would replace an input. Call it before anything is read.
  func checkOutputs(reading inputs: [String]) throws {
    for path in outputs { try Output.checkReport(path, reading: inputs) }
  }

  /// Writes all requested reports, also if one can't be written. Prints errors, and throws the highest exit status.
  func write(_ results: ValidationResults) throws {
    try write(results, json: FileReports(results.reports)) { renderer in
      results.reports.map(renderer.text(of:)).joined(separator: "\n")
    }
  }

  /// The same, with a verb's own text and JSON.
  func write(_ results: ValidationResults, json: some Encodable, text: (TextReport) -> String) throws {
    func put(_ format: ReportFormat, to sink: inout some ByteSink) throws(CofferError) {
      switch format {
      case .text: try sink.write(text(TextReport()))
      case .json: try JSONReport().write(json, to: &sink)
      default: try results.write(as: format, to: &sink)
      }
    }
    var failure: ExitStatus?
    func attempt(_ write: () throws(ExitStatus) -> Void) {
      do { try write() } catch { failure = max(failure ?? error, error) }
    }
    for destination in report {
      attempt { () throws(ExitStatus) in
        try Output.writeReport(to: destination.path) { file throws(CofferError) in
          try put(destination.format, to: &file)
        }
      }
    }
    attempt { () throws(ExitStatus) in
      if let output, output != "-" {
        try Output.writeReport(to: output) { file throws(CofferError) in try put(format, to: &file) }
      } else if format == .text {
        var renderer = TextReport()
        renderer.usesColor = colorArgument.applies(isTerminal: Terminal.isOpen(\.output))
        try Output.print(text(renderer))
      } else {
        try Output.print { sink throws(CofferError) in try put(format, to: &sink) }
      }
    }
    if let summaryPath { attempt { () throws(ExitStatus) in try appendSummary(of: results, to: summaryPath) } }
    if let failure { throw failure }
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

extension ReportFormat: ExpressibleByArgument {}

extension ValidationResults {
  /// Results of this version of the command.
  init(_ reports: [ValidationReport], isStrict: Bool) {
    self.init(reports, toolVersion: Version.text)
    self.isStrict = isStrict
    keywordSummaries = KeywordReference().summaries
  }
}

/// `FORMAT=FILE`.
struct ReportDestination: ExpressibleByArgument {
  let format: ReportFormat
  let path: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), let format = ReportFormat(rawValue: String(argument[..<sign])) else {
      return nil
    }
    self.format = format
    path = String(argument[argument.index(after: sign)...])
    // Only one report can go to standard output: that of --output-format.
    if path.isEmpty || path == "-" { return nil }
  }

  static var allValueStrings: [String] { ReportFormat.allCases.map { "\($0.rawValue)=FILE" } }
}
