public import ByteStreams
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
    let removal = Removal(folder: folder, lock: lock, cancellation: options.execution.cancellation)
    return PruneRun(listing: listing, plan: plan(for: listing, by: policy), removal: removal)
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
  let removal: Removal

  /// Removes the planned backups, oldest first, so that an interrupted run has removed the least important. Syncs the folder.
  ///
  /// A file that has changed since it was examined (by inode, size or modification time), or that can't be removed, is kept, and
  /// the run continues.
  public func carryOut() -> PruneOutcome { removal.carryOut(plan.remove.map(\.backup)) }
}

/// The outcome of carrying out a plan.
public struct PruneOutcome: Sendable {
  /// A backup that couldn't be removed.
  public struct Failure: Sendable {
    public let backup: ListedBackup
    public let error: CofferError
  }

  /// The removed backups, in the order of removal.
  public internal(set) var removed: [ListedBackup] = []
  public internal(set) var failures: [Failure] = []
  /// The error of syncing the folder: the removals might not survive a power failure.
  public internal(set) var syncError: CofferError?
  /// True if a `Cancellation` ended the run; the next run removes the rest.
  public internal(set) var isInterrupted = false

  /// True if no removal failed, and the folder was synced.
  public var isClean: Bool { failures.isEmpty && syncError == nil }

  /// The total size of the removed backups, in bytes.
  public var bytes: Int { removed.reduce(0) { $0 + $1.size } }

  /// The names of the removed backups.
  var removedNames: Set<String> { Set(removed.map(\.name)) }

  /// The reasons why backups couldn't be removed, by their names.
  var errors: [String: CofferError] { Dictionary(failures.map { ($0.backup.name, $0.error) }) { first, _ in first } }
}

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
