import ArgumentParser
import Reports

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
