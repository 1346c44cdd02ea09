public import ByteStreams

/// A format of reports on validated documents; its raw value is its name for users.
public enum ReportFormat: String, CaseIterable, Sendable {
  /// Lines for people: ``TextReport``.
  case text
  /// Coffer's own JSON: ``JSONReport``.
  case json
  /// SARIF 2.1.0, as GitHub's code scanning requires it.
  case sarif
  /// JUnit's XML: a suite for each file, a test case for each rule.
  case junit
  /// GitHub's workflow commands, which annotate lines.
  case github
  /// A job summary in GitHub's Markdown.
  case markdown
  /// GitLab's Code Quality report.
  case gitlab
  /// Reviewdog's diagnostics, a JSON object on each line.
  case rdjsonl
  /// Checkstyle's XML.
  case checkstyle
  /// A page for people, without scripts and requests.
  case html
}

extension ValidationResults {
  /// Writes the results in a format.
  ///
  /// Memory: 64 KiB, and as many findings as the format's limits allow. Text is in memory as a whole.
  public func write(as format: ReportFormat, to sink: inout some ByteSink) throws(CofferError) {
    let relative = relativeToFolder
    switch format {
    case .text: try sink.write(TextReport().text(of: self))
    case .json: try JSONReport().write(self, to: &sink)
    case .sarif: try JSONReport.foreign.write(SARIFReport(relative), to: &sink)
    case .junit: try JUnitReport(results: relative).write(to: &sink)
    case .github: try WorkflowCommands(results: relative).write(to: &sink)
    case .markdown: try MarkdownSummary(results: relative).write(to: &sink)
    case .gitlab: try JSONReport.foreign.write(CodeQualityReport(results: relative), to: &sink)
    case .rdjsonl: try ReviewdogReport(results: relative).write(to: &sink)
    case .checkstyle: try CheckstyleReport(results: relative).write(to: &sink)
    case .html: try ValidationPage(results: relative).write(to: &sink)
    }
  }
}
