import ArgumentParser
import Coffer
import Reports

/// How a report is written, and where: the same for every command whose result is one.
struct ReportArguments: ParsableArguments {
  @OptionGroup var format: ReportFormatArguments

  @Option(help: ArgumentHelp("Write the report to this file instead of standard output.", valueName: "file"))
  var output: String?

  @Flag(help: "Print no colours.")
  var noColor = false

  /// The file that is written; `nil`: standard output.
  private var file: String? { output == "-" ? nil : output }

  /// Refuses to replace what the report is about; before anything is read.
  func checkOutput(reading inputs: [String]) throws {
    guard let file, let input = inputs.first(where: { $0 != "-" && Output.isSameFile($0, file) }) else { return }
    Output.complain("the report would replace \(input), which is to be read")
    throw ExitStatus.refused
  }

  /// Writes the report as it was asked for; what goes wrong is said, and ends the run.
  func write(json: @autoclosure () -> String, text: (TextReport) -> String) throws {
    var renderer = TextReport()
    renderer.usesColor = file == nil && Output.usesColor(unless: noColor)
    let report = format.isJSON ? json() : text(renderer)
    guard let file else { return try Output.print(report) }
    do {
      var file = try OutputFile(file, existing: .replace)
      try file.write(report)
      try file.commit()
    } catch {
      Output.complain(error.message)
      throw ExitStatus(writing: error)
    }
  }
}
