package import BackupFormats
import ByteStreams
package import Findings
import JSONEvents
package import Rules

/// The result of validating a document, and what its container must agree with.
package struct ValidatedDocument {
  package var report: ValidationReport
  /// What the document is, as far as that is known.
  var identity: IdentifiedDocument.Identity?
  var syntax = JSONSyntax.json
  /// The document's first bytes, as many as detection needed.
  var prefix: [UInt8] = []
  /// `nil` if the document was not evaluated.
  package var claims: EntryClaims?
  /// True if `claims` is incomplete: collections were left out whose records name entries.
  var leavesClaimsOut = false
  /// What a second evaluation can find out, if that is wanted and findings are about keys.
  var keySearch: KeySearch?
  /// The places of errors: as many as ``ValidationOptions/errorLimit``.
  package var errors: [LocatedErrors] = []
  /// The right values of numbers that wrongly declare totals, by their offsets, if the places of errors are kept.
  package var rightTotals: [Int: String] = [:]
  /// The values that side documents must agree with: `ArchiveLayout.watchedPlaces`.
  package var watched: [WatchedValue] = []

  /// The document's format, or `nil` if it is unknown or the rules don't describe one.
  package var format: BackupFormat? { identity?.format }
  /// The rules that the document is checked against.
  var rules: RuleDocument? { identity?.rules }
  /// The reason why the format could not be detected, and the remedy.
  package var undecided: String? { if case .undetected(let detection) = identity { detection.problem.message } else { nil } }
}

extension ValidatedDocument {
  /// Stores the syntax that the document was read in.
  mutating func detect(_ found: JSONSyntax) {
    if found != syntax { report.detectedSyntax = found.rawValue }
    syntax = found
  }

  /// Stores the result of a pass, which may have ended early.
  mutating func describe(_ evaluator: borrowing DocumentEvaluator, bytesRead: Int, options: ValidationOptions) {
    report.records = evaluator.recordCount ?? 0
    report.collections = evaluator.collections
    report.ruleValues = evaluator.ruleValues
    var collector = evaluator.collector
    if !options.runsSQLChecks, let warning = Finding(notRun: format?.checks ?? []) { collector.add(warning) }
    report.counts = collector.counts
    report.findings = collector.findings()
    report.findingsExceedMemory = report.notShown > 0 && report.findings.count < evaluator.options.maximumFindings
    report.version = evaluator.options.redacts ? nil : evaluator.declaredVersion
    report.mayNeedEach = evaluator.isArray == true && rules?.describesNoArray == true
    report.bytes = bytesRead
    claims = evaluator.entryClaims
    keySearch = options.explainsKeys ? evaluator.keySearch : nil
    errors = evaluator.errors
    rightTotals = evaluator.rightTotals
    watched = evaluator.watched
  }
}
