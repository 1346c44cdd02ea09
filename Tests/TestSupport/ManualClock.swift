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
    var count = 0
    var waiting: [Int: (deadline: Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
  }

  private let sleepers = Mutex(Sleepers())

  package init() {}

  package var now: Instant { sleepers.withLock(\.now) }
  package var minimumResolution: Duration { .nanoseconds(1) }

  package func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = sleepers.withLock { sleepers in
      sleepers.count += 1
      return sleepers.count
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = sleepers.withLock { sleepers in
          if deadline <= sleepers.now || Task.isCancelled { return true }
          sleepers.waiting[number] = (deadline, continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      sleepers.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume()
    }
    try Task.checkCancellation()
  }

  /// Waits until a task sleeps, and moves the time.
  package func advance(by duration: Duration) async {
    while sleepers.withLock({ $0.waiting.isEmpty }) { await Task.yield() }
    let woken = sleepers.withLock { sleepers in
      sleepers.now = sleepers.now.advanced(by: duration)
      let woken = sleepers.waiting.filter { $0.value.deadline <= sleepers.now }
      for number in woken.keys { sleepers.waiting[number] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }
}
