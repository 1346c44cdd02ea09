import ByteStreams
import Findings
public import Reports
public import Rules
import SystemPackage

/// A report on a folder of backups, newest first:
///
///     {"folder": "backups",
///       "backups": [{"name": "swiff_backup_2026-02-01_09-30-00.json", "format": "swiff", "version": 1,
///         "created": "2026-02-01T09:30:00Z", "createdBy": "document", "age": 86400, "size": 4711,
///         "app": "3.0", "device": null,
///         "collections": [{"pointer": "/people", "title": "people", "count": 2}],
///         "state": "valid", "checked": null, "errors": 0, "finding": null, "error": null}],
///       "others": [{"name": "notes.txt", "kind": "file"}], "unnamed": 0}
///
/// `createdBy` is `document`, `name` or `file`; `age` is in seconds; `state` is a `ListedBackup.Validity.code`; `checked` is the
/// time for which an earlier run found the backup valid, if this one didn't read it;
/// `finding` is the first finding of severity error; `error` is the error that ended reading the file, for others too;
/// `kind` is a `FolderListing.Other.Kind`. A report with the results of validation also has their members, such as `files`.
public struct ListingReport: Sendable, Encodable {
  public let listing: FolderListing
  /// The current time, for the backups' age.
  public let now: Instant
  /// The results of validating the files, if they are part of this report.
  public let results: ValidationResults?

  public init(_ listing: FolderListing, now: Instant, results: ValidationResults? = nil) {
    self.listing = listing
    self.now = now
    self.results = results
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["folder": listing.folder, "backups": listing.backups.map { AgedBackup(backup: $0, now: now) }])
    try encoder.encode(listing.otherMembers)
    try results?.encode(to: encoder)
  }
}

extension FolderListing {
  /// The members of a report that are not about backups.
  var otherMembers: ReportMembers { ["others": others, "unnamed": unnamedCount] }
}

/// A backup in a report, with its age.
struct AgedBackup: Encodable {
  let backup: ListedBackup
  let now: Instant

  func encode(to encoder: any Encoder) throws {
    let (age, isOver) = now.seconds.subtractingReportingOverflow(backup.created.instant.seconds)
    let (errors, finding, error): (Int, Finding?, CofferError?) =
      switch backup.validity {
      case .valid, .newer: (0, nil, nil)
      case .invalid(let errors, let first): (errors, first, nil)
      case .damaged(let error), .unreadable(let error): (0, nil, error)
      }
    try encoder.encode([
      "name": backup.name, "format": backup.format, "version": backup.version, "created": backup.created.instant,
      "createdBy": backup.created.source.rawValue, "age": isOver ? nil : age, "size": backup.size, "app": backup.app,
      "device": backup.device, "collections": backup.counts, "state": backup.validity.code,
      "checked": backup.checkedAt, "errors": errors,
      "finding": finding.map(FirstFinding.init), "error": error,
    ])
  }
}

/// The code, the message and the place of a finding.
private struct FirstFinding: Encodable {
  let finding: Finding

  func encode(to encoder: any Encoder) throws {
    try encoder.encode(["code": finding.code, "message": finding.message])
    try finding.place.encode(to: encoder)
  }
}

/// A report on a backup that was added to a folder, or that wasn't due:
///
///     {"database": "a.db", "folder": "backups", "written": true, "path": "backups/swiff_backup_2026-02-01_09-30-00.json",
///       "records": 12, "seconds": 0.04, "name": "swiff_backup_2026-02-01_09-30-00.json", "size": 4711, …}
///
/// It also has all members that a `ListingReport` gives the backup. If none was due, the backup is the newest valid one, and `dueIn`
/// has the seconds until another one is.
public struct AdditionReport: Sendable, Encodable {
  public let addition: BackupFolder.Addition
  /// The paths of the database and the folder, as given.
  public let database: String
  public let folder: String
  /// The time that the run took.
  public let seconds: Double
  /// The current time, for the backup's age.
  public let now: Instant

  public init(_ addition: BackupFolder.Addition, from database: String, to folder: String, seconds: Double, now: Instant) {
    self.addition = addition
    self.database = database
    self.folder = folder
    self.seconds = seconds
    self.now = now
  }

  public func encode(to encoder: any Encoder) throws {
    let (backup, seconds) =
      switch addition {
      case .written(let backup): (backup, nil as Int?)
      case .notDue(let newest, let seconds): (newest, seconds)
      }
    try encoder.encode([
      "database": database, "folder": folder, "written": seconds == nil, "dueIn": IfPresent(seconds),
      "path": backup.path(in: folder),
      "records": backup.recordCount, "seconds": self.seconds,
    ])
    try AgedBackup(backup: backup, now: now).encode(to: encoder)
  }
}

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
