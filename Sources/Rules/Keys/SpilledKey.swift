/// A scattered key combined with the number of its set, so that one table serves all sets.
struct SpilledKey: TableSlot {
  /// The set's number and the key's form; 0 in a free slot.
  private let place: UInt64
  private let low: UInt64
  private let high: UInt64

  init(_ key: KeyValue, in set: Int, seed: UInt64) {
    place = UInt64(truncatingIfNeeded: set &+ 1) &<< 3 | UInt64(key.form.rawValue)
    (low, high) = KeyScatter.scatter(key.low, key.high, seed: KeyScatter.scatter(place, seed: seed))
  }

  private init() { (place, low, high) = (0, 0, 0) }

  static var free: SpilledKey { SpilledKey() }
  var isFree: Bool { place == 0 }

  var hash: UInt64 { high }
  func isPlace(of other: SpilledKey) -> Bool { place == other.place && low == other.low && high == other.high }
  func includes(_ other: SpilledKey) -> Bool { true }
  mutating func formUnion(_ other: SpilledKey) {}
}
