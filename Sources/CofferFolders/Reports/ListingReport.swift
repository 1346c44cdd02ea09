import ByteStreams
import Findings
public import Reports
public import Rules

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
