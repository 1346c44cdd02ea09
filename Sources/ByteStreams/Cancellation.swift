import Synchronization

/// Asks whatever it was handed to for an early end, from any thread, or from a signal's handler.
public final class Cancellation: Sendable {
  private let flag = Atomic(false)

  public init() {}

  public func request() { flag.store(true, ordering: .relaxed) }

  public var isRequested: Bool { flag.load(ordering: .relaxed) }
}
