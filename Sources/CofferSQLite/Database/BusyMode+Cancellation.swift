import Coffer
import GRDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Database.BusyMode {
  /// Waits for whoever holds the database, unless a cancellation is requested.
  static func waiting(for time: Duration, _ cancellation: Cancellation?) -> Database.BusyMode {
    let pause = Duration.milliseconds(10)
    let most = Int(time / pause)
    return .callback { tries in
      usleep(10_000)
      return tries < most && cancellation?.isRequested != true
    }
  }
}
