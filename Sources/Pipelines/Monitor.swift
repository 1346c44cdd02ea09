import Platform

/// A lock with a condition that threads can wait for.
///
/// Uses pthreads, because `Synchronization.Mutex` has no condition.
final class Monitor: @unchecked Sendable {
  // @unchecked: both are made for use by several threads, and never move.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    guard pthread_mutex_init(mutex, nil) == 0, pthread_cond_init(condition, nil) == 0 else { fatalError("out of memory") }
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func locked<R>(_ body: () throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Call within ``locked(_:)``: releases the lock until ``wakeAll()`` is called. May return early.
  func wait() { pthread_cond_wait(condition, mutex) }

  func wakeAll() { pthread_cond_broadcast(condition) }
}
