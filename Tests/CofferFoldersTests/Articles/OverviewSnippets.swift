// The code in the overview of CofferFolders.

// snippet: retention
import Coffer
import CofferFolders

/// Removes old backups from a folder, and returns the number of freed bytes.
func removeOldBackups(from path: FilePath, now: Instant) throws -> Int {
  let folder = BackupFolder(path, formats: .builtIn, options: .init(now: now))
  guard let policy = RetentionPolicy(keepLast: 5, keepWithin: BackupAge("30d")) else { return 0 }
  let run = try folder.pruning(by: policy)
  for removed in run.plan.remove { print(removed.backup.name, removed.reasons.map(\.words)) }
  let outcome = run.carryOut()
  for failure in outcome.failures { print(failure.backup.name, failure.error.message) }
  return outcome.bytes
}
// end

// snippet: addition
/// Adds a backup unless the newest valid one is less than a day old, and returns the name of the newest one.
func addBackup(_ document: [UInt8], of format: BackupFormat, to folder: BackupFolder) throws -> String {
  let addition = try folder.add(format, isArchive: false, ifOlderThan: BackupAge("1d")) { file in
    try file.write(document)
  }
  switch addition {
  case .written(let backup): return backup.name
  case .notDue(let newest, _): return newest.name
  }
}
// end
