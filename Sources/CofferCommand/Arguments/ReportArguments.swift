import ArgumentParser
import ByteStreams
import Coffer
import Reports

/// The format and destination of a report.
struct ReportArguments: ParsableArguments {
  @OptionGroup var format: ReportFormatArguments<PlainReportFormat>

  @Option(help: ArgumentHelp("Write the report to this file instead of standard output.", valueName: "file"), completion: .file())
  var output: String?

  @OptionGroup var colorArgument: ColorArgument

  /// The file to write, or `nil` for standard output.
  var file: String? { output == "-" ? nil : output }

  /// Throws if the report would replace an input. Call it before anything is read.
  func checkOutput(reading inputs: [String]) throws {
    try Output.checkReports([file].compactMap(\.self), reading: inputs)
  }

  /// Writes the report in the requested format. Prints errors, and throws the exit status.
  func write(json: some Encodable, text: (TextReport) -> String) throws {
    guard let file else {
      return try format.isJSON ? Output.print(json: json) : Output.print(text(colorArgument.renderer))
    }
    try Output.writeReport(to: file) { file throws(CofferError) in
      if format.isJSON { try JSONReport().write(json, to: &file) } else { try file.write(text(TextReport())) }
    }
  }
}

/// The formats of a command's reports.
protocol ReportFormatArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String>, Sendable {
  static var text: Self { get }
  static var json: Self { get }
  /// The help of the option that chooses one.
  static var optionHelp: String { get }
}

extension ReportFormat: ReportFormatArgument {
  static let optionHelp =
    "The report's format: text for people (the default), one JSON document for programs, or that of a CI system."
}

/// The formats of most reports.
enum PlainReportFormat: String, ReportFormatArgument {
  case text, json

  static let optionHelp = "The report's format: text for people (the default), or one JSON document for programs."
}

/// The formats of reports without findings that are also pages.
enum PageReportFormat: String, ReportFormatArgument {
  case text, json, html

  static let optionHelp =
    "The report's format: text for people (the default), one JSON document for programs, or a page (HTML) for people."
}

/// The format of a report.
struct ReportFormatArguments<Format: ReportFormatArgument>: ParsableArguments {
  @Option(help: ArgumentHelp("\(Format.optionHelp)", valueName: "format"))
  var outputFormat: Format?

  @Flag(help: "Short for --output-format json.")
  var json = false

  func validate() throws {
    if json, let outputFormat, outputFormat != .json {
      throw ValidationError("--json and --output-format \(outputFormat.rawValue) can't be combined")
    }
  }

  var format: Format { json ? .json : outputFormat ?? .text }

  var isJSON: Bool { format == .json }
}

/// `FORMAT=FILE`.
struct ReportDestination<Format: ReportFormatArgument>: ExpressibleByArgument {
  let format: Format
  let path: String

  init?(argument: String) {
    guard let sign = argument.firstIndex(of: "="), let format = Format(rawValue: String(argument[..<sign])) else {
      return nil
    }
    self.format = format
    path = String(argument[argument.index(after: sign)...])
    // Only one report can go to standard output: that of --output-format.
    if path.isEmpty || path == "-" { return nil }
  }

  static var allValueStrings: [String] { Format.allCases.map { "\($0.rawValue)=FILE" } }
}

/// The formats and destinations of a report that has several formats.
struct ReportOutputArguments<Format: ReportFormatArgument>: ParsableArguments {
  @OptionGroup var formatArguments: ReportFormatArguments<Format>

  @Option(
    help: ArgumentHelp("Write the report to this file instead of standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Option(
    help: ArgumentHelp(
      "Write another report of the same run to a file, such as json=report.json. May be repeated.", valueName: "format=file"))
  var report: [ReportDestination<Format>] = []

  @OptionGroup var colorArgument: ColorArgument

  func validate() throws {
    for (index, path) in outputs.enumerated() where outputs[..<index].contains(where: { Output.isSameFile($0, path) }) {
      throw ValidationError("two reports would be written to \(path)")
    }
  }

  /// The files to write.
  var outputs: [String] { [output == "-" ? nil : output].compactMap(\.self) + report.map(\.path) }

  var format: Format { formatArguments.format }

  /// Throws if a report would replace an input. Call it before anything is read.
  func checkOutputs(reading inputs: [String]) throws {
    try Output.checkReports(outputs, reading: inputs)
  }

  /// Writes all requested reports, even if one can't be written. Prints errors, and throws the highest exit status.
  ///
  /// - Parameter extent: the part that text on standard output shows.
  func write(_ results: some ReportedResults<Format>, extent: TextReport.Extent = .everything) throws(ExitStatus) {
    var failure: ExitStatus?
    func attempt(_ write: () throws(ExitStatus) -> Void) {
      do { try write() } catch { failure = max(failure ?? error, error) }
    }
    for destination in report {
      attempt { () throws(ExitStatus) in
        try Output.writeReport(to: destination.path) { file throws(CofferError) in
          try results.write(as: destination.format, to: &file)
        }
      }
    }
    attempt { () throws(ExitStatus) in try writeMain(results, extent) }
    if let failure { throw failure }
  }

  private func writeMain(_ results: some ReportedResults<Format>, _ extent: TextReport.Extent) throws(ExitStatus) {
    if let output, output != "-" {
      try Output.writeReport(to: output) { file throws(CofferError) in try results.write(as: format, to: &file) }
    } else if format == .text {
      var renderer = colorArgument.renderer
      renderer.extent = extent
      try Output.print(results.text(by: renderer))
    } else {
      try Output.print { sink throws(CofferError) in try results.write(as: format, to: &sink) }
    }
  }
}

/// What a command reports in several formats.
protocol ReportedResults<Format> {
  associatedtype Format: ReportFormatArgument

  func text(by renderer: TextReport) -> String
  func write(as format: Format, to sink: inout some ByteSink) throws(CofferError)
}

/// The summary of what a command did.
struct SummaryArguments: ParsableArguments {
  @OptionGroup private var format: ReportFormatArguments<PlainReportFormat>

  @Flag(help: "Print nothing if all is well, and only what failed otherwise.")
  var quiet = false

  var isJSON: Bool { format.isJSON }

  func validate() throws {
    if quiet, isJSON { throw ValidationError("--quiet and --json can't be combined") }
  }

  /// Throws if the summary as JSON and the document would both go to standard output.
  func check(_ output: String?) throws {
    if isJSON, output == "-" {
      throw ValidationError("the report as JSON and the document can't both go to standard output")
    }
  }

  /// Prints the summary of a written document, as text to standard error.
  ///
  /// - Parameter output: the document's path; for `-` there is no text. If `nil`, there always is.
  func write(json: some Encodable, text: String, on output: String? = nil) throws {
    if quiet { return }
    if isJSON { return try Output.print(json: json) }
    if output != "-" { Output.printNotice(text, terminator: text.hasSuffix("\n") ? "" : "\n") }
  }
}

/// What reports show of findings.
struct FindingArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Findings to show per file, some of every rule; all are counted.", valueName: "n"))
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

/// When the text report has colours.
struct ColorArgument: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, always, never }

  @Option(help: "When to colour the text report: on a terminal, always or never.")
  var color = Choice.auto

  /// The renderer of a report on standard output.
  var renderer: TextReport {
    var renderer = TextReport.plain
    renderer.usesColor = applies(isTerminal: Terminal.isOpen(\.output))
    return renderer
  }

  /// Returns true if a report on standard output has colours.
  ///
  /// `auto` follows https://no-color.org, `CLICOLOR_FORCE` and `TERM=dumb`, in this order.
  func applies(isTerminal: Bool) -> Bool {
    switch color {
    case .always: return true
    case .never: return false
    case .auto:
      if Terminal.variable("NO_COLOR") != "" { return false }
      if !["", "0"].contains(Terminal.variable("CLICOLOR_FORCE")) { return true }
      return isTerminal && !Terminal.isDumb
    }
  }
}

extension TextReport {
  /// The renderer of a report on standard output, without colours.
  static var plain: TextReport {
    var renderer = TextReport()
    renderer.width = Terminal.columns(of: \.output)
    return renderer
  }
}
