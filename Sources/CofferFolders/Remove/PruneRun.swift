import ByteStreams

extension BackupFolder {
  /// Plans which backups to remove. The folder stays locked until the run is carried out or dropped.
  ///
  /// For example:
  ///
  ///     let run = try folder.pruning(by: policy)
  ///     for removed in run.plan.remove { print("remove", removed.backup.name, removed.reasons) }
  ///     let outcome = run.carryOut()
  ///
  /// Cost: that of ``listing()``.
  ///
  /// - Throws: the errors of ``listing()``; `CofferError` with the code `locked` if another process writes to the folder.
  public func pruning(by policy: RetentionPolicy) throws -> PruneRun {
    let lock = try FolderLock(writingTo: folder)
    let listing = try listing(ofOpen: lock.descriptor)
    return PruneRun(listing: listing, plan: plan(for: listing, by: policy), folder: self, lock: lock)
  }

  /// Returns the same plan without locking the folder; it can't be carried out.
  ///
  /// - Throws: the errors of ``listing()``.
  public func preview(of policy: RetentionPolicy) throws -> (listing: FolderListing, plan: RetentionPlan) {
    let listing = try withFolder { try self.listing(ofOpen: $0) }
    return (listing, plan(for: listing, by: policy))
  }

  private func plan(for listing: FolderListing, by policy: RetentionPolicy) -> RetentionPlan {
    RetentionPlan(for: listing.backups, by: policy, at: options.now, clock: options.clock)
  }
}

/// A plan for a locked folder, to be shown and then carried out.
public struct PruneRun: Sendable {
  public let listing: FolderListing
  public let plan: RetentionPlan
  let folder: BackupFolder
  let lock: FolderLock

  /// Removes the planned backups, oldest first, so that an interrupted run has removed the least important. Syncs the folder.
  ///
  /// A file that has changed since it was examined (by inode, size or modification time), or that can't be removed, is kept, and
  /// the run continues.
  public func carryOut() -> RemovalOutcome { folder.remove(plan.remove.map(\.backup), under: lock) }
}
