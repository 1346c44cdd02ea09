import Synchronization

/// Asks whatever it was handed to for an early end, from any thread, or from a signal's handler.
public final class Cancellation: Sendable {
  private let flag = Atomic(false)

  /// What ends everything ends this, too.
  private let outer: Cancellation?

  /// - Parameter outer: a cancellation that stands for this one as well, and is left alone by it.
  public init(within outer: Cancellation? = nil) { self.outer = outer }

  public func request() { flag.store(true, ordering: .relaxed) }

  public var isRequested: Bool { flag.load(ordering: .relaxed) || outer?.isRequested == true }
}
