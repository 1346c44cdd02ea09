import Findings
public import Rules

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
