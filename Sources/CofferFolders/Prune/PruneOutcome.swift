public import ByteStreams

/// What became of a plan.
public struct PruneOutcome: Sendable {
  /// What stayed though it was to go.
  public struct Failure: Sendable {
    public let backup: CatalogedBackup
    public let error: ByteStreamError
  }

  /// In the order in which they went.
  public internal(set) var removed: [CatalogedBackup] = []
  public internal(set) var failures: [Failure] = []
  /// Why nobody knows whether the removals would survive a power cut.
  public internal(set) var syncError: ByteStreamError?
  /// A `Cancellation` ended it; what is left to be removed is for the next run.
  public internal(set) var isInterrupted = false

  /// Whether all that was begun was done.
  public var isClean: Bool { failures.isEmpty && syncError == nil }

  /// How many bytes the removed ones had.
  public var bytes: Int { removed.reduce(0) { $0 + $1.size } }
}
