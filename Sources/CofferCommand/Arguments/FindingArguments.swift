import ArgumentParser

/// What reports show of findings.
struct FindingArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Findings to show per file; all are counted.", valueName: "n"))
  var maxFindings = 1000

  @Flag(help: "Leave the documents' values out of the report.")
  var redact = false

  func validate() throws {
    if maxFindings < 0 { throw ValidationError("--max-findings must not be negative") }
  }
}
