import Synchronization

/// A clock that tests set.
package final class ManualClock: Clock, Sendable {
  package struct Instant: InstantProtocol {
    package var offset: Duration
    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleepers: Sendable {
    var now = Instant(offset: .zero)
    var waiting: [(deadline: Instant, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let sleepers = Mutex(Sleepers())

  package init() {}

  package var now: Instant { sleepers.withLock(\.now) }
  package var minimumResolution: Duration { .nanoseconds(1) }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    await withCheckedContinuation { continuation in
      let isOver = sleepers.withLock { sleepers in
        if deadline <= sleepers.now { return true }
        sleepers.waiting.append((deadline, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
    try Task.checkCancellation()
  }

  /// Moves the time, once somebody sleeps.
  package func advance(by duration: Duration) async {
    while sleepers.withLock({ $0.waiting.isEmpty }) { await Task.yield() }
    let woken = sleepers.withLock { sleepers in
      sleepers.now = sleepers.now.advanced(by: duration)
      let woken = sleepers.waiting.filter { $0.deadline <= sleepers.now }
      sleepers.waiting.removeAll { $0.deadline <= sleepers.now }
      return woken
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }
}
