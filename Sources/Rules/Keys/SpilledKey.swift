/// A key with the set that it stands in, so that one table serves all sets.
struct SpilledKey: TableSlot {
  /// The set's number and the key's form; 0 where there is none.
  private let place: UInt64
  private let low: UInt64
  private let high: UInt64

  private init(place: UInt64, low: UInt64, high: UInt64) {
    self.place = place
    self.low = low
    self.high = high
  }

  init(_ key: KeyValue, in set: Int) {
    self.init(
      place: UInt64(truncatingIfNeeded: set &+ 1) &<< 3 | UInt64(key.form.rawValue), low: key.low, high: key.high)
  }

  static var free: SpilledKey { SpilledKey(place: 0, low: 0, high: 0) }
  var isFree: Bool { place == 0 }

  func hash(seed: UInt64) -> UInt64 { KeyHash.hash(low, KeyHash.hash(high, place, seed: seed), seed: seed) }

  func isPlace(of other: SpilledKey) -> Bool { place == other.place && low == other.low && high == other.high }
  func includes(_ other: SpilledKey) -> Bool { isPlace(of: other) }
  mutating func formUnion(_ other: SpilledKey) {}
}
