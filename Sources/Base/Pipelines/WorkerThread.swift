import Platform

/// A system thread that runs one closure and must be joined or detached.
struct WorkerThread {
  private let thread: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Small, because our own workers don't recurse: 256 threads with the usual 8 MiB would take 2 GiB of address space.
  static let smallStack = 1 << 20

  /// Returns `nil` if the system can't create a thread.
  init?(stackSize: Int = smallStack, _ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, stackSize)
    defer { pthread_attr_destroy(&attributes) }
    // The new thread inherits a mask that blocks all signals: signals belong to the threads of the embedding program.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
    #if canImport(Darwin)
      var made: pthread_t?
      let status = pthread_create(&made, &attributes, { Self.start($0) }, context)
    #else
      var made = pthread_t()
      let status = pthread_create(&made, &attributes, { Self.start($0) }, context)
    #endif
    guard status == 0 else {
      Unmanaged<Body>.fromOpaque(context).release()
      return nil
    }
    #if canImport(Darwin)
      guard let made else { return nil }
    #endif
    thread = made
  }

  private static func start(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
    return nil
  }

  /// Lets the thread end when its closure returns.
  func detach() { pthread_detach(thread) }

  func join() { pthread_join(thread, nil) }
}

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
