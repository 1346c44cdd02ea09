package import BackupFormats
public import Findings

/// Validation found errors, and errors were not accepted.
public struct ImportRefusal: Error, Sendable, CustomStringConvertible {
  /// The report with the findings.
  public let report: ValidationReport
  package let format: BackupFormat?

  package init(report: ValidationReport, format: BackupFormat?) {
    self.report = report
    self.format = format
  }

  public var description: String {
    let count = report.counts.count(.error)
    return "\(report.file): \(count) finding\(count == 1 ? "" : "s") of severity error: nothing was imported"
  }
}
