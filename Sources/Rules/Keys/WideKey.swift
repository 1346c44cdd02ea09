/// The 16 bytes of a key whose form is known. All but zero, which marks free slots.
struct WideKey: TableSlot {
  private let low: UInt64
  private let high: UInt64

  init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  static var free: WideKey { WideKey(low: 0, high: 0) }
  var isFree: Bool { low | high == 0 }

  func hash(seed: UInt64) -> UInt64 { KeyHash.hash(low, high, seed: seed) }
  func isPlace(of other: WideKey) -> Bool { low == other.low && high == other.high }
  func includes(_ other: WideKey) -> Bool { isPlace(of: other) }
  mutating func formUnion(_ other: WideKey) {}
}
