import ArgumentParser

struct ReportFormatArguments: ParsableArguments {
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

  @Option(help: "The report's format: text for people (the default), or one JSON document for programs.")
  var outputFormat: Format?

  @Flag(help: "Short for --output-format json.")
  var json = false

  func validate() throws {
    if json, outputFormat == .text { throw ValidationError("--json and --output-format text exclude each other") }
  }

  var isJSON: Bool { json || outputFormat == .json }
}
