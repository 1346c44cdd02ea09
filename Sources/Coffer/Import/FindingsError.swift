import BackupFormats
public import Findings

/// Validation found errors, and they were not accepted: the cause of errors with the code `findings`.
public struct FindingsError: Error, Sendable {
  /// The report with the findings.
  public let report: ValidationReport
  package let format: BackupFormat?

  package init(report: ValidationReport, format: BackupFormat? = nil) {
    self.report = report
    self.format = format
  }
}
