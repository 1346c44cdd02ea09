import Coffer
import GRDB
import Platform

extension Database.BusyMode {
  /// Waits while another connection locks the database, unless a cancellation is requested.
  static func waiting(for time: Duration, _ cancellation: Cancellation?) -> Database.BusyMode {
    let pause = Duration.milliseconds(10)
    let most = Int(time / pause)
    return .callback { tries in
      usleep(10_000)
      return tries < most && cancellation?.isRequested != true
    }
  }
}
