import ByteStreams
import Failpoints
import Platform
import SystemPackage

extension BackupFolder {
  /// Plans which backups to remove. The folder stays locked until the run is carried out or dropped.
  ///
  /// For example:
  ///
  ///     let run = try catalog.pruning(by: policy)
  ///     for removed in run.plan.remove { print("remove", removed.backup.name, removed.reasons) }
  ///     let outcome = run.carryOut()
  ///
  /// Cost: that of ``listing()``.
  ///
  /// - Throws: the errors of ``listing()``; `CofferError` with the code `locked` if another process writes to the folder.
  public func pruning(by policy: RetentionPolicy) throws -> PruneRun {
    let lock = try FolderLock(writingTo: folder)
    let listing = try listing(ofOpen: lock.descriptor)
    return PruneRun(
      listing: listing, plan: RetentionPlan(for: listing.backups, by: policy, at: options.now), lock: lock,
      cancellation: options.execution.cancellation)
  }

  /// Returns the same plan without locking the folder; it can't be carried out.
  ///
  /// - Throws: the errors of ``listing()``.
  public func preview(of policy: RetentionPolicy) throws -> (listing: FolderListing, plan: RetentionPlan) {
    let listing = try withFolder { try self.listing(ofOpen: $0) }
    return (listing, RetentionPlan(for: listing.backups, by: policy, at: options.now))
  }
}

/// A plan for a locked folder, to be shown and then carried out.
public struct PruneRun: Sendable {
  public let listing: FolderListing
  public let plan: RetentionPlan
  private let lock: FolderLock
  private let cancellation: Cancellation?

  init(listing: FolderListing, plan: RetentionPlan, lock: FolderLock, cancellation: Cancellation?) {
    self.listing = listing
    self.plan = plan
    self.lock = lock
    self.cancellation = cancellation
  }

  /// Removes the planned backups, oldest first, so that an interrupted run has removed the least important. Syncs the folder.
  ///
  /// A file that has changed since it was examined (by inode, size or modification time), or that can't be removed, is kept, and
  /// the run continues.
  public func carryOut() -> PruneOutcome {
    var outcome = PruneOutcome()
    let removals = plan.remove.map(\.backup).sorted { $1.isNewer(than: $0) }
    for (index, backup) in removals.enumerated() {
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
    do throws(CofferError) {
      try failpoint(.beforePruneSync, verb: "sync", listing.folder)
      // Some file systems can't sync a folder, and don't need to.
      if fsync(lock.descriptor) != 0, errno != EINVAL {
        throw CofferError(Errno(rawValue: errno), verb: "sync", name: listing.folder)
      }
    } catch {
      outcome.syncError = error
    }
  }

  private func failpoint(_ place: Failpoint, verb: String = "remove", _ name: String) throws(CofferError) {
    do { try Failpoint.reach(place) } catch { throw CofferError(error, verb: verb, name: name) }
  }
}
