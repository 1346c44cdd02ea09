#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A thread of the system that runs one closure, and must be joined or detached.
struct WorkerThread {
  private let thread: pthread_t

  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// No worker of our own recurses: 256 threads of the usual 8 MiB would take 2 GiB of addresses.
  static let smallStack = 1 << 20

  /// `nil` where the system gives no more threads.
  init?(stackSize: Int = smallStack, _ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body)).toOpaque()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, stackSize)
    defer { pthread_attr_destroy(&attributes) }
    // Signals are for the threads of whoever embeds this: the new one inherits a mask that holds all of them back.
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

  /// It ends by itself when its closure does.
  func detach() { pthread_detach(thread) }

  func join() { pthread_join(thread, nil) }
}
