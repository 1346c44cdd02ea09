public import ByteStreams
public import Findings
public import Rules

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
  /// Decides which findings make a document fail: that of all reports.
  public var policy: FailurePolicy {
    get { reports.first?.policy ?? FailurePolicy() }
    set { for index in reports.indices { reports[index].policy = newValue } }
  }
  /// True if the documents' values are left out. Fingerprints then don't depend on keys of records, because short ones could be
  /// guessed from them.
  public var isRedacted = false
  /// True if the results come from a stored report: text doesn't name options that would have shown more.
  public var isStored = false
  /// What the rules say and validation doesn't apply; `nil` if there is nothing.
  public var ruleWarnings: RuleWarnings?
  /// The folder whose files have relative paths in the formats of other programs, which look for them in their repository:
  /// usually the working directory.
  public var folder: String?
  /// Reads documents again, for the text report on a terminal: `nil` if their values are left out.
  package var source: TextReport.SourceReader?
  /// When and how the documents were validated, for pages.
  public var run: Run?
  /// The meaning of each keyword, in one sentence (`KeywordReference.summaries`).
  public var keywordSummaries: [String: String] = [:]

  /// What can't be read off the reports. Only pages show it, because reports for programs are the same whenever they are made.
  public struct Run: Sendable, Equatable {
    public var date: Instant
    /// The command, as it would be typed.
    public var command: String
    /// The time that counted as now for the rules.
    public var now: Instant

    public init(date: Instant, command: String, now: Instant) {
      self.date = date
      self.command = command
      self.now = now
    }
  }

  public init(_ reports: [ValidationReport], toolVersion: String) {
    self.reports = reports
    self.toolVersion = toolVersion
  }

  /// Writes the results in a format.
  ///
  /// Memory: 64 KiB, and as many findings as the format's limits allow. Text is in memory as a whole.
  public func write(as format: ReportFormat, to sink: inout some ByteSink) throws(CofferError) {
    let relative = relativeToFolder
    switch format {
    case .text: try sink.write(text(by: TextReport()))
    case .json: try JSONReport().write(self, to: &sink)
    case .sarif: try JSONReport.foreign.write(SARIFReport(relative), to: &sink)
    case .junit: try JUnitReport(relative).write(to: &sink)
    case .github: try WorkflowCommands(relative).write(to: &sink)
    case .markdown: try MarkdownSummary(relative).write(to: &sink)
    case .gitlab: try JSONReport.foreign.write(CodeQualityReport(relative), to: &sink)
    case .rdjsonl: try ReviewdogReport(relative).write(to: &sink)
    case .checkstyle: try CheckstyleReport(relative).write(to: &sink)
    case .html: try ValidationPage(relative).write(to: &sink)
    }
  }

  /// Returns all reports as text.
  package func text(by renderer: TextReport) -> String {
    var renderer = renderer
    renderer.namesOptions = renderer.namesOptions && !isStored
    if !isRedacted { renderer.source = source }
    return renderer.text(of: self)
  }
}

/// The results as Coffer's own JSON, after `formatVersion`: `{"redacted": true, "files": [{"file": "a.json", …}], "rules": {…}}`.
/// `redacted` occurs only if it is true, and `rules`, a `RuleWarnings`, only if some rules are not applied.
extension ValidationResults: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "redacted": IfPresent(isRedacted ? true : nil), "files": reports, "rules": IfPresent(ruleWarnings),
    ])
  }
}
