import ByteStreams
import Findings
public import Rules

/// A report on a plan and its outcome:
///
///     {"folder": "backups", "dryRun": false,
///       "keep": [{"name": …, "reasons": [{"code": "newest", "words": "1 of the 5 newest"}], …}],
///       "remove": [{"name": …, "reasons": [{"code": "too-old", "words": "older than 30d"}], "removed": true,
///           "failure": null, …}],
///       "others": […], "unnamed": 0, "interrupted": false, "syncError": null}
///
/// Each backup also has all members that a `ListingReport` gives it. The codes are those of `RetentionPlan.KeepReason` and
/// `RetentionPlan.RemovalReason`.
public struct RetentionReport: Sendable, Encodable {
  /// The plan for the backups of a folder.
  public let plan: RetentionPlan
  public let listing: FolderListing
  /// The outcome, or `nil` for a dry run.
  public let outcome: PruneOutcome?
  /// The current time, for the backups' age.
  public let now: Instant

  public init(_ plan: RetentionPlan, for listing: FolderListing, outcome: PruneOutcome?, now: Instant) {
    self.plan = plan
    self.listing = listing
    self.outcome = outcome
    self.now = now
  }

  public func encode(to encoder: any Encoder) throws {
    let outcomes = PruneOutcome.ByName(outcome)
    let keep = plan.keep.map { kept in
      PlannedBackup(kept.backup, now: now, kept.reasons.map { ["code": $0.code, "words": $0.words] })
    }
    let remove = plan.remove.map { gone in
      PlannedBackup(
        gone.backup, now: now, gone.reasons.map { ["code": $0.code, "words": $0.words] },
        outcome: ["removed": outcomes.isRemoved(gone.backup.name), "failure": outcomes.error(for: gone.backup.name)])
    }
    try encoder.encode(["folder": listing.folder, "dryRun": outcome == nil, "keep": keep, "remove": remove])
    try encoder.encode(listing.otherMembers)
    try encoder.encode([
      "interrupted": outcome?.isInterrupted ?? false, "syncError": outcome?.syncError,
    ])
  }
}

/// A backup to keep, or to remove.
private struct PlannedBackup: Encodable {
  let backup: AgedBackup
  let reasons: [ReportMembers]
  let outcome: ReportMembers

  init(_ backup: ListedBackup, now: Instant, _ reasons: [ReportMembers], outcome: ReportMembers = [:]) {
    self.backup = AgedBackup(backup: backup, now: now)
    self.reasons = reasons
    self.outcome = outcome
  }

  func encode(to encoder: any Encoder) throws {
    try backup.encode(to: encoder)
    try encoder.encode(["reasons": reasons])
    try encoder.encode(outcome)
  }
}
