import ArgumentParser
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
