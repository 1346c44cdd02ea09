import Platform
import Synchronization
public import SystemPackage

/// The resources that a task may use, and how to stop and watch it: a part of all options.
///
/// Results don't depend on it, except that rules which need more memory than `memoryLimit` fail (`rule-limit`), and so do compressed
/// documents beyond the limits of `expansion` (`limit`).
///
/// For example:
///
///     var options = ValidationOptions(now: now)
///     options.execution.jobs = 2
///     options.execution.progress = progress
public struct Execution: Sendable {
  /// Worker threads, including the caller's: at least 1 (default: all processors).
  ///
  /// Memory: up to twice as many slices of about 1 MiB are in progress. A slice with a larger record takes up to 16 MiB.
  public var jobs = Execution.processorCount
  /// Memory for keys and pending references, in bytes; the rest spills to a temporary file. At least 1 MiB.
  public var memoryLimit = 256 << 20
  /// The limits of what compressed documents may expand to.
  public var expansion = ExpansionLimits()
  /// The folder for temporary files, which have no names (default: `TMPDIR`, or `/tmp`).
  public var temporaryFolder: FilePath
  /// Stops the task, which then throws a `CancellationError`.
  public var cancellation: Cancellation?
  /// Counts the bytes that are read, and the records.
  public var progress: WorkProgress?

  public init() { temporaryFolder = SpillFile.defaultFolder }

  /// A copy without progress, for work that is not counted.
  package var unmetered: Execution {
    var execution = self
    execution.progress = nil
    return execution
  }

  /// The number of processors of this machine.
  public static var processorCount: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

/// Requests that an operation end early, from any thread or from a signal handler.
public final class Cancellation: Sendable {
  private let flag = Atomic(false)

  /// Cancelling this one cancels `self`, too.
  private let outer: Cancellation?

  /// - Parameter outer: a cancellation that includes this one; requesting this one leaves it unchanged.
  public init(within outer: Cancellation? = nil) { self.outer = outer }

  public func request() { flag.store(true, ordering: .relaxed) }

  public var isRequested: Bool { flag.load(ordering: .relaxed) || outer?.isRequested == true }
}
