public import ByteStreams
public import Coffer
public import Rules

/// Reports as pages for people: the verdict and the counts first.
///
/// A page has no scripts and requests nothing. Texts of documents are escaped, and neither change the direction of other text nor
/// hide control characters. ``ValidationResults`` have a page, too.
///
/// For example:
///
///     try HTMLReport(toolVersion: "0.1.0").write(difference, to: &sink)
///
/// Memory: 64 KiB, and the texts of one change or collection.
public struct HTMLReport: Sendable {
  /// The version of Coffer, as in `coffer --version`.
  public var toolVersion: String

  public init(toolVersion: String) { self.toolVersion = toolVersion }

  /// Writes inspections with their collections, counts and date ranges.
  ///
  /// - Parameter now: The current time, for the documents' ages. If `nil`, ages are not shown.
  public func write(_ inspections: [Inspection], now: Instant? = nil, to sink: inout some ByteSink) throws(CofferError) {
    try InspectionPage(inspections: inspections, now: now, toolVersion: toolVersion).write(to: &sink)
  }

  /// Writes the difference between two backups: the changed values side by side, of at most 10,000 changes.
  public func write(_ difference: BackupDifference, to sink: inout some ByteSink) throws(CofferError) {
    try DifferencePage(difference: difference, toolVersion: toolVersion).write(to: &sink)
  }

  /// Writes the score of rules: what they let pass, and a matrix of fields and kinds of defects.
  public func write(_ score: RuleScore, to sink: inout some ByteSink) throws(CofferError) {
    try ScorePage(score: score, toolVersion: toolVersion).write(to: &sink)
  }
}
