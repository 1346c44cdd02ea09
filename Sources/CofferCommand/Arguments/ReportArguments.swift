import ArgumentParser
import ByteStreams
import Coffer
import Reports

/// The formats of a command's reports.
protocol ReportFormatChoice: ExpressibleByArgument, CaseIterable, RawRepresentable<String>, Sendable {
  static var text: Self { get }
  static var json: Self { get }
  /// The help of the option that chooses one.
  static var optionHelp: String { get }
}

extension ReportFormatChoice {
  /// The format that `--output-format` and `--json` choose.
  static func chosen(_ outputFormat: Self?, json: Bool) -> Self { json ? .json : outputFormat ?? .text }

  static func check(_ outputFormat: Self?, json: Bool) throws {
    if json, let outputFormat, outputFormat != .json {
      throw ValidationError("--json and --output-format \(outputFormat.rawValue) can't be combined")
    }
  }
}

extension ReportFormat: ReportFormatChoice {
  static let optionHelp =
    "The report's format: text for people (the default), one JSON document for programs, or that of a CI system."
}

/// The formats of most reports.
enum PlainReportFormat: String, ReportFormatChoice {
  case text, json

  static let optionHelp = "The report's format: text for people (the default), or one JSON document for programs."
}

/// The formats of reports without findings that are also pages.
enum PageReportFormat: String, ReportFormatChoice {
  case text, json, html

  static let optionHelp =
    "The report's format: text for people (the default), one JSON document for programs, or a page (HTML) for people."
}

/// The format of a report on standard output.
struct ReportFormatArguments: ParsableArguments {
  @Option(.value("format"), "\(PlainReportFormat.optionHelp)")
  var outputFormat: PlainReportFormat?

  @Flag(help: "Short for --output-format json.")
  var json = false

  func validate() throws { try PlainReportFormat.check(outputFormat, json: json) }

  var isJSON: Bool { PlainReportFormat.chosen(outputFormat, json: json) == .json }
}

/// `FORMAT=FILE`.
struct ReportDestination<Format: ReportFormatChoice>: ExpressibleByArgument {
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

/// The formats and destinations of a report.
///
/// Groups of options contain no other groups: debug builds of ArgumentParser take five times as long for each level.
struct ReportArguments<Format: ReportFormatChoice>: ParsableArguments {
  @Option(.value("format"), "\(Format.optionHelp)")
  var outputFormat: Format?

  @Flag(help: "Short for --output-format json.")
  var json = false

  @Option(.file, "Write the report to this file instead of standard output.")
  var output: String?

  @Option(
    .report(as: Format.allCases.map(\.rawValue)),
    "Write another report of the same run to a file, such as json=report.json. May be repeated.")
  var report: [ReportDestination<Format>] = []

  @Option(help: "When to colour the text report: on a terminal, always or never.")
  var color = ColorChoice.auto

  func validate() throws { try Format.check(outputFormat, json: json) }

  /// The files to write.
  var outputs: [String] { [output == "-" ? nil : output].compactMap(\.self) + report.map(\.path) }

  var format: Format { .chosen(outputFormat, json: json) }

  /// The renderer of text on standard output.
  func renderer(of extent: TextReport.Extent = .everything) -> TextReport {
    var renderer = TextReport.plain
    renderer.usesColor = color.applies(isTerminal: Terminal.isOpen(\.output))
    renderer.extent = extent
    return renderer
  }

  /// Writes all requested reports, even if one can't be written. Prints errors, and throws the highest exit status.
  func write(_ reported: Reported<Format>, by renderer: TextReport? = nil) throws(ExitStatus) {
    let renderer = renderer ?? self.renderer()
    var failure: ExitStatus?
    for (format, path) in report.map({ ($0.format, $0.path) }) + [(format, output)] {
      do { try reported.write(as: format, to: path, by: renderer) } catch { failure = max(failure ?? error, error) }
    }
    if let failure { throw failure }
  }

  /// Writes a report whose formats are text and JSON.
  func write(json: some Encodable, text: @escaping (TextReport) -> String) throws(ExitStatus) {
    try write(Reported(text: text) { _, sink throws(CofferError) in try JSONReport().write(ConfiguredReport(json), to: &sink) })
  }
}

/// What a command reports: as text by a renderer, and in other formats.
struct Reported<Format: ReportFormatChoice> {
  let text: (TextReport) -> String
  let others: (Format, inout any ByteSink) throws(CofferError) -> Void

  /// Writes it to a file, or to standard output if there is none. Only there, text has colours and fits the terminal.
  func write(as format: Format, to path: String?, by renderer: TextReport) throws(ExitStatus) {
    let isPrinted = path == nil || path == "-"
    var text = format == .text ? text(isPrinted ? renderer : renderer.unbound) : nil
    // Nothing follows a quiet report.
    if text?.isEmpty == false { text? += RunConfiguration.current.line }
    func write(_ sink: inout any ByteSink) throws(CofferError) {
      if let text { try sink.write(text) } else { try others(format, &sink) }
    }
    if let path, !isPrinted { try Output.writeReport(to: path, write) } else { try Output.print(write) }
  }
}

/// The summary of what a command did.
struct SummaryArguments: ParsableArguments {
  @Option(.value("format"), "\(PlainReportFormat.optionHelp)")
  var outputFormat: PlainReportFormat?

  @Flag(help: "Short for --output-format json.")
  var json = false

  @Flag(help: "Print nothing if all is well, and only what failed otherwise.")
  var quiet = false

  var isJSON: Bool { PlainReportFormat.chosen(outputFormat, json: json) == .json }

  func validate() throws {
    try PlainReportFormat.check(outputFormat, json: json)
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
    if output == "-" { return }
    Output.printNotice(text + (text.hasSuffix("\n") ? "" : "\n") + RunConfiguration.current.line, terminator: "")
  }
}

/// When the text report has colours.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never

  /// Returns true if a report on standard output has colours.
  ///
  /// `auto` follows https://no-color.org, `CLICOLOR_FORCE` and `TERM=dumb`, in this order.
  func applies(isTerminal: Bool) -> Bool {
    switch self {
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
    renderer.hints = Hint.inReports
    renderer.width = Terminal.columns(of: \.output)
    return renderer
  }

  /// The renderer of the same report in a file: whole, with lines as long as their values.
  var unbound: TextReport {
    var renderer = TextReport()
    renderer.hints = hints
    return renderer
  }
}
