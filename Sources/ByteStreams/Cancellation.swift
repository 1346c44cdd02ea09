import Synchronization

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
