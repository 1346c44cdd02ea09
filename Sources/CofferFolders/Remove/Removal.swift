public import ByteStreams
import Failpoints
import Platform
import SystemPackage

/// The outcome of removing backups: of a ``PruneRun`` or a ``DeletionRun``.
public struct RemovalOutcome: Sendable {
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

extension BackupFolder {
  /// Removes backups from the locked folder, as ``PruneRun/carryOut()`` says.
  func remove(_ backups: [ListedBackup], under lock: FolderLock) -> RemovalOutcome {
    var outcome = RemovalOutcome()
    for (index, backup) in backups.sorted(by: { $1.isNewer(than: $0) }).enumerated() {
      if options.execution.cancellation?.isRequested == true {
        outcome.isInterrupted = true
        break
      }
      do throws(CofferError) {
        if index > 0 { try failpoint(.betweenPruneRemovals, backup.name) }
        try remove(backup, under: lock)
        outcome.removed.append(backup)
      } catch {
        outcome.failures.append(RemovalOutcome.Failure(backup: backup, error: error))
      }
    }
    if !outcome.removed.isEmpty { sync(lock, &outcome) }
    return outcome
  }

  private func remove(_ backup: ListedBackup, under lock: FolderLock) throws(CofferError) {
    guard let identity = backup.identity, FileIdentity(backup.name, in: lock.descriptor) == identity else {
      throw CofferError(
        .inputChanged, "\(backup.name) has changed since it was examined, so it is kept")
    }
    try failpoint(.beforePruneRemoval, backup.name)
    if unlinkat(lock.descriptor, backup.name, 0) != 0 {
      throw CofferError(Errno(rawValue: errno), verb: "remove", name: backup.name)
    }
  }

  private func sync(_ lock: FolderLock, _ outcome: inout RemovalOutcome) {
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
