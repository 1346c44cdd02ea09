import ArgumentParser

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
