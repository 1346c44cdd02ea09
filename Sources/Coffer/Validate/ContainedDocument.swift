package import BackupFormats
package import Findings
import JSONEvents
package import Rules

/// The result of validating a document, and its statements about its container.
package struct ContainedDocument {
  package var report: ValidationReport
  /// The document's format, or `nil` if it is unknown or the rules don't describe one.
  package var format: BackupFormat?
  /// The reason why the format could not be detected, and the remedy.
  package var undecided: String?
  /// The rules, if they don't describe a format.
  var rules: RuleDocument?
  var syntax = JSONSyntax.json
  /// `nil` if the document was not evaluated.
  package var claims: EntryClaims?
  /// True if `claims` is incomplete: collections were left out whose records name entries.
  package var leavesClaimsOut = false
  /// What a second evaluation can find out, if that is wanted and findings are about keys.
  var keySearch: KeySearch?
  /// The values that side documents must agree with: `ArchiveLayout.watchedPlaces`.
  package var watched: [WatchedValue] = []
}

extension ContainedDocument {
  /// Stores the result of a pass, which may have ended early.
  mutating func describe(_ consumer: borrowing ValidationConsumer, bytesRead: Int) {
    consumer.describe(in: &report)
    report.mayNeedEach = consumer.isArray == true && (format?.rules ?? rules)?.describesNoArray == true
    claims = consumer.entryClaims
    keySearch = consumer.keySearch
    watched = consumer.watched
    report.bytes = bytesRead
  }
}
