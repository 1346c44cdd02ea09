package import BackupFormats
package import Findings
package import Rules

/// The result of validating a document, and what it says about its container.
package struct ContainedDocument {
  package var report: ValidationReport
  /// The format that it is of; `nil`: unknown, or the rules don't describe a format.
  package var format: BackupFormat?
  /// Why its format could not be detected, and what to do about it.
  package var undecided: String?
  /// `nil` if it was not evaluated.
  package var claims: EntryClaims?
  /// Collections were left out whose records name entries, so that the claims are not all that it says.
  package var leavesClaimsOut = false
  /// The values that side documents must agree with: `ArchiveLayout.watchedPlaces`.
  package var watched: [WatchedValue] = []
}

extension ContainedDocument {
  /// Takes the result of a pass, which may have ended early.
  mutating func describe(_ consumer: borrowing ValidationConsumer, bytesRead: Int) {
    consumer.describe(in: &report)
    claims = consumer.entryClaims
    watched = consumer.watched
    report.bytes = bytesRead
  }
}
