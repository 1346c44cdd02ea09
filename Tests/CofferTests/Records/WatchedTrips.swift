import Coffer
import Synchronization
import TestSupport

/// A backup of many trips that counts the bytes read and the open readings.
final class WatchedTrips: Sendable {
  static let trip = #"{"id":12345678,"name":"\#(String(repeating: "n", count: 80))","stops":[]}"#

  private let read = Atomic(0)
  private let open = Atomic(0)
  private let count: Int

  /// - Parameter count: the number of trips minus one. The default is far more than memory may hold.
  init(count: Int = 1_000_000) { self.count = count }

  /// `{"trips": […]}`
  var backup: Backup {
    Backup(source: { [self] in Source(trips: self, count: count) })
  }

  /// Bytes read so far.
  var bytesRead: Int { read.load(ordering: .relaxed) }

  /// Waits until no thread reads any more; the suite's time limit is the deadline.
  func waitForEnd() async throws {
    while open.load(ordering: .acquiring) > 0 { try await Task.sleep(for: .milliseconds(1)) }
  }

  /// Its reading thread releases it last, after waiting for all others.
  private final class Source: ByteSource {
    private let trips: WatchedTrips
    private var source: RepeatingSource

    init(trips: WatchedTrips, count: Int) {
      self.trips = trips
      source = RepeatingSource(start: "{\"trips\":[", piece: WatchedTrips.trip + ",", count: count, end: WatchedTrips.trip + "]}")
      trips.open.wrappingAdd(1, ordering: .acquiringAndReleasing)
    }

    deinit { trips.open.wrappingSubtract(1, ordering: .acquiringAndReleasing) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
      let count = try source.read(into: buffer)
      trips.read.wrappingAdd(count, ordering: .relaxed)
      return count
    }
  }
}
