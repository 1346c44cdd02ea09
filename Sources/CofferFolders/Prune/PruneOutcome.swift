public import ByteStreams

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

  /// Looks up the outcome of each backup by its name. Without an outcome, no backup has one.
  struct ByName {
    private let removed: Set<String>
    private let errors: [String: CofferError]

    init(_ outcome: PruneOutcome?) {
      removed = Set(outcome?.removed.map(\.name) ?? [])
      errors = Dictionary((outcome?.failures ?? []).map { ($0.backup.name, $0.error) }) { first, _ in first }
    }

    func isRemoved(_ name: String) -> Bool { removed.contains(name) }

    /// The reason why a backup couldn't be removed.
    func error(for name: String) -> CofferError? { errors[name] }
  }
}
