import ArgumentParser
import Coffer
import Reports

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
