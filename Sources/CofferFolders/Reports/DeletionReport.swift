import ByteStreams
import Findings
public import Rules
import SystemPackage

/// A report on deleted backups:
///
///     {"dryRun": false,
///       "delete": [{"path": "backups/old.json", "deleted": true, "failure": null, "name": "old.json", …}],
///       "refused": [{"path": "backups/last.json", "code": "last-valid", "words": "must stay, or …"}],
///       "interrupted": false, "syncError": null}
///
/// Each backup also has all members that a `ListingReport` gives it. If a file is refused, none is deleted.
public struct DeletionReport: Sendable, Encodable {
  /// The runs, one for each folder, with their outcomes; none for a dry run, or if they were not carried out.
  public let runs: [(run: DeletionRun, outcome: PruneOutcome?)]
  public let isDryRun: Bool
  /// The current time, for the backups' age.
  public let now: Instant

  public init(_ runs: [(run: DeletionRun, outcome: PruneOutcome?)], isDryRun: Bool, now: Instant) {
    self.runs = runs
    self.isDryRun = isDryRun
    self.now = now
  }

  public func encode(to encoder: any Encoder) throws {
    let backups = runs.flatMap { run, outcome in
      let outcomes = PruneOutcome.ByName(outcome)
      return run.backups.map { backup in
        DeletedBackup(
          members: [
            "path": backup.path(in: run.folder), "deleted": outcomes.isRemoved(backup.name),
            "failure": outcomes.error(for: backup.name),
          ], backup: AgedBackup(backup: backup, now: now))
      }
    }
    let refused = runs.flatMap { run, _ in
      run.refusals.map { refusal in
        [
          "path": FilePath(run.folder).appending(refusal.name).string, "code": refusal.reason.code, "words": refusal.reason.words,
        ] as ReportMembers
      }
    }
    try encoder.encode([
      "dryRun": isDryRun, "delete": backups, "refused": refused,
      "interrupted": runs.contains { $0.outcome?.isInterrupted == true },
      "syncError": runs.lazy.compactMap(\.outcome?.syncError).first,
    ])
  }
}

private struct DeletedBackup: Encodable {
  let members: ReportMembers
  let backup: AgedBackup

  func encode(to encoder: any Encoder) throws {
    try encoder.encode(members)
    try backup.encode(to: encoder)
  }
}
