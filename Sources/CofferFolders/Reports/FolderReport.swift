import ByteStreams
import Findings
public import Reports
public import Rules
import SystemPackage

/// A report on a folder of backups for programs.
///
/// Each case gives the current time, for the backups' age. All reports have the same members about a backup:
///
///     {"name": "swiff_backup_2026-02-01_09-30-00.json", "format": "swiff", "version": 1,
///       "created": "2026-02-01T09:30:00Z", "createdBy": "document", "age": 86400, "size": 4711,
///       "app": "3.0", "device": null,
///       "collections": [{"pointer": "/people", "title": "people", "count": 2}],
///       "state": "valid", "checked": null, "errors": 0, "finding": null, "error": null}
///
/// `createdBy` is `document`, `name` or `file`; `age` is in seconds; `state` is a `ListedBackup.Validity.code`; `checked` is the
/// time for which an earlier run found the backup valid, if this one didn't read it;
/// `finding` is the first finding of severity error; `error` is the error that ended reading the file.
public enum FolderReport: Sendable, Encodable {
  /// The contents of a folder, newest first:
  ///
  ///     {"folder": "backups", "backups": [{"name": …}], "others": [{"name": "notes.txt", "kind": "file"}], "unnamed": 0}
  ///
  /// `kind` is a `FolderListing.Other.Kind`; others have an `error`, too. With the results of validating the files, the report also
  /// has their members, such as `files`.
  case listing(FolderListing, now: Instant, results: ValidationResults? = nil)

  /// A backup that was added to a folder, or that wasn't due; with the paths of the database and the folder as given, and the time
  /// that the run took:
  ///
  ///     {"database": "a.db", "folder": "backups", "written": true, "path": "backups/swiff_backup_2026-02-01_09-30-00.json",
  ///       "records": 12, "seconds": 0.04, "name": "swiff_backup_2026-02-01_09-30-00.json", "size": 4711, …}
  ///
  /// If none was due, the backup is the newest valid one, and `dueIn` has the seconds until another one is.
  case addition(BackupFolder.Addition, from: String, to: String, seconds: Double, now: Instant)

  /// A plan for the backups of a folder and its outcome, which is `nil` for a dry run:
  ///
  ///     {"folder": "backups", "dryRun": false,
  ///       "keep": [{"name": …, "reasons": [{"code": "newest", "words": "1 of the 5 newest"}], …}],
  ///       "remove": [{"name": …, "reasons": [{"code": "too-old", "words": "older than 30d"}], "removed": true,
  ///           "failure": null, …}],
  ///       "others": […], "unnamed": 0, "interrupted": false, "syncError": null}
  ///
  /// The codes are those of `RetentionPlan.Reason`.
  case retention(RetentionPlan, for: FolderListing, outcome: RemovalOutcome?, now: Instant)

  /// Deleted backups: the runs, one for each folder, with their outcomes; none for a dry run, or if they were not carried out.
  ///
  ///     {"dryRun": false,
  ///       "delete": [{"path": "backups/old.json", "deleted": true, "failure": null, "name": "old.json", …}],
  ///       "refused": [{"path": "backups/last.json", "code": "last-valid", "words": "must stay, or …"}],
  ///       "interrupted": false, "syncError": null}
  ///
  /// If a file is refused, none is deleted.
  case deletion([(run: DeletionRun, outcome: RemovalOutcome?)], isDryRun: Bool, now: Instant)

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .listing(let listing, let now, let results):
      let backups = listing.backups.map { ReportedBackup(backup: $0, now: now) }
      try encoder.encode([
        "folder": listing.folder, "backups": backups, "others": listing.others, "unnamed": listing.unnamedCount,
      ])
      try results?.encode(to: encoder)
    case .addition(let addition, let database, let folder, let seconds, let now):
      let (backup, dueIn) =
        switch addition {
        case .written(let backup): (backup, nil as Int?)
        case .notDue(let newest, let seconds): (newest, seconds)
        }
      try encoder.encode([
        "database": database, "folder": folder, "written": dueIn == nil, "dueIn": IfPresent(dueIn),
        "path": backup.path(in: folder), "records": backup.recordCount, "seconds": seconds,
      ])
      try ReportedBackup(backup: backup, now: now).encode(to: encoder)
    case .retention(let plan, let listing, let outcome, let now):
      let (gone, errors) = (outcome?.removedNames ?? [], outcome?.errors ?? [:])
      let keep = plan.keep.map { ReportedBackup(backup: $0.backup, now: now, after: ["reasons": $0.reasons]) }
      let remove = plan.remove.map { removed in
        let name = removed.backup.name
        return ReportedBackup(
          backup: removed.backup, now: now,
          after: ["reasons": removed.reasons, "removed": gone.contains(name), "failure": errors[name]])
      }
      try encoder.encode([
        "folder": listing.folder, "dryRun": outcome == nil, "keep": keep, "remove": remove, "others": listing.others,
        "unnamed": listing.unnamedCount, "interrupted": outcome?.isInterrupted ?? false, "syncError": outcome?.syncError,
      ])
    case .deletion(let runs, let isDryRun, let now):
      let backups = runs.flatMap { run, outcome in
        let (gone, errors) = (outcome?.removedNames ?? [], outcome?.errors ?? [:])
        return run.backups.map { backup in
          let (path, name) = (backup.path(in: run.folder), backup.name)
          return ReportedBackup(
            before: ["path": path, "deleted": gone.contains(name), "failure": errors[name]], backup: backup, now: now)
        }
      }
      let refused = runs.flatMap { run, _ in
        run.refusals.map { refusal in
          let path = FilePath(run.folder).appending(refusal.name).string
          return ["path": path, "code": refusal.code, "words": refusal.words] as ReportMembers
        }
      }
      try encoder.encode([
        "dryRun": isDryRun, "delete": backups, "refused": refused,
        "interrupted": runs.contains { $0.outcome?.isInterrupted == true },
        "syncError": runs.lazy.compactMap(\.outcome?.syncError).first,
      ])
    }
  }
}

/// A backup in a report, and the members before and after those about it.
private struct ReportedBackup: Encodable {
  var before: ReportMembers = [:]
  let backup: ListedBackup
  let now: Instant
  var after: ReportMembers = [:]

  func encode(to encoder: any Encoder) throws {
    let (age, isOver) = now.seconds.subtractingReportingOverflow(backup.created.instant.seconds)
    let (errors, finding, error): (Int, Finding?, CofferError?) =
      switch backup.validity {
      case .valid, .newer: (0, nil, nil)
      case .invalid(let errors, let first): (errors, first, nil)
      case .damaged(let error), .unreadable(let error): (0, nil, error)
      }
    try encoder.encode(before)
    try encoder.encode([
      "name": backup.name, "format": backup.format, "version": backup.version, "created": backup.created.instant,
      "createdBy": backup.created.source.rawValue, "age": isOver ? nil : age, "size": backup.size, "app": backup.app,
      "device": backup.device, "collections": backup.counts, "state": backup.validity.code,
      "checked": backup.checkedAt, "errors": errors,
      "finding": finding.map(FirstFinding.init), "error": error,
    ])
    try encoder.encode(after)
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
