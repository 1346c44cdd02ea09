import ByteStreams
import Failpoints
import Platform
import SystemPackage

/// Removes backups from a locked folder.
struct Removal: Sendable {
  let folder: FilePath
  let lock: FolderLock
  let cancellation: Cancellation?

  /// Removes the backups, oldest first, so that an interrupted run has removed the least important. Syncs the folder.
  ///
  /// A file that has changed since it was examined (by inode, size or modification time), or that can't be removed, is kept, and
  /// the run continues.
  func carryOut(_ backups: [ListedBackup]) -> PruneOutcome {
    var outcome = PruneOutcome()
    for (index, backup) in backups.sorted(by: { $1.isNewer(than: $0) }).enumerated() {
      if cancellation?.isRequested == true {
        outcome.isInterrupted = true
        break
      }
      do throws(CofferError) {
        if index > 0 { try failpoint(.betweenPruneRemovals, backup.name) }
        try remove(backup)
        outcome.removed.append(backup)
      } catch {
        outcome.failures.append(PruneOutcome.Failure(backup: backup, error: error))
      }
    }
    if !outcome.removed.isEmpty { sync(&outcome) }
    return outcome
  }

  private func remove(_ backup: ListedBackup) throws(CofferError) {
    guard let identity = backup.identity, FileIdentity(backup.name, in: lock.descriptor) == identity else {
      throw CofferError(
        .inputChanged, "\(backup.name) has changed since it was examined, so it is kept")
    }
    try failpoint(.beforePruneRemoval, backup.name)
    if unlinkat(lock.descriptor, backup.name, 0) != 0 {
      throw CofferError(Errno(rawValue: errno), verb: "remove", name: backup.name)
    }
  }

  private func sync(_ outcome: inout PruneOutcome) {
    do {
      try Failpoint.reach(.beforePruneSync)
      try FileDescriptor(rawValue: lock.descriptor).sync()
    } catch {
      outcome.syncError = CofferError(error, verb: "sync", name: folder.string)
    }
  }

  private func failpoint(_ place: Failpoint, _ name: String) throws(CofferError) {
    do { try Failpoint.reach(place) } catch { throw CofferError(error, verb: "remove", name: name) }
  }
}
