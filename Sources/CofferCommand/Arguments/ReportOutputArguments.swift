import ArgumentParser
import ByteStreams
import Coffer
import Reports

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
