public import ByteStreams
public import Findings

/// The results of validating documents, with what reports need to know about the run.
///
/// For example:
///
///     var results = ValidationResults(reports, toolVersion: "0.1.0")
///     results.policy.severity = .warning
///     try results.write(as: .sarif, to: &sink)
///
/// A report depends only on these values: no clock, host or folder appears in it.
public struct ValidationResults: Sendable {
  public var reports: [ValidationReport]
  /// The version of Coffer, as in `coffer --version`.
  public var toolVersion: String
  /// Decides which findings make a document fail.
  public var policy = FailurePolicy()
  /// True if the documents' values are left out. Fingerprints then don't depend on keys of records, because short ones could be
  /// guessed from them.
  public var isRedacted = false
  /// The meaning of each keyword, in one sentence (`KeywordReference.summaries`).
  public var keywordSummaries: [String: String] = [:]

  public init(_ reports: [ValidationReport], toolVersion: String) {
    self.reports = reports
    self.toolVersion = toolVersion
  }

  /// Writes the results in a format.
  ///
  /// Memory: 64 KiB, and as many findings as the format's limits allow. Text is in memory as a whole.
  public func write(as format: ReportFormat, to sink: inout some ByteSink) throws(CofferError) {
    switch format {
    case .text: try sink.write(TextReport().text(of: self))
    case .json: try JSONReport().write(FileReports(reports), to: &sink)
    case .sarif: try SARIFReport(self).write(to: &sink)
    case .junit: try JUnitReport(self).write(to: &sink)
    case .github: try WorkflowCommands(self).write(to: &sink)
    case .markdown: try MarkdownSummary(self).write(to: &sink)
    case .gitlab: try CodeQualityReport(self).write(to: &sink)
    case .rdjsonl: try ReviewdogReport(self).write(to: &sink)
    case .checkstyle: try CheckstyleReport(self).write(to: &sink)
    case .html: try HTMLReport(self).write(to: &sink)
    }
  }
}
