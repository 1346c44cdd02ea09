import Coffer
import Synchronization
import TestSupport

/// A backup of many trips, and how far its readings have come.
final class WatchedTrips: Sendable {
  static let trip = #"{"id":12345678,"name":"\#(String(repeating: "n", count: 80))","stops":[]}"#

  private let read = Atomic(0)
  private let open = Atomic(0)
  private let count: Int

  /// - Parameter count: how many there are, less one. The default is much more than may wait in memory.
  init(count: Int = 1_000_000) { self.count = count }

  /// `{"trips": […]}`
  var backup: Backup {
    Backup(source: { [self] in Source(trips: self, count: count) })
  }

  /// How many bytes have been read.
  var bytesRead: Int { read.load(ordering: .relaxed) }

  /// Returns when no thread reads any more; a suite's time limit says when that should have been.
  func waitForEnd() async throws {
    while open.load(ordering: .acquiring) > 0 { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// Its thread is the last to let go of it, and that has waited for all others.
  private final class Source: ByteSource {
    private let trips: WatchedTrips
    private var source: RepeatingSource

    init(trips: WatchedTrips, count: Int) {
      self.trips = trips
      source = RepeatingSource(start: "{\"trips\":[", piece: WatchedTrips.trip + ",", count: count, end: WatchedTrips.trip + "]}")
      trips.open.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    deinit { trips.open.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
      let count = try source.read(into: buffer)
      trips.read.wrappingAdd(count, ordering: .relaxed)
      return count
    }
  }
}
