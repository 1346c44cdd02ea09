/// The scattered 16 bytes of a key whose form is known. Never zero: zero marks a free slot.
struct WideKey: TableSlot {
  private let low: UInt64
  private let high: UInt64

  init(_ key: KeyValue, seed: UInt64) { (low, high) = KeyScatter.scatter(key.low, key.high, seed: seed) }

  private init() { (low, high) = (0, 0) }

  static var free: WideKey { WideKey() }
  var isFree: Bool { low | high == 0 }

  var hash: UInt64 { high }
  func isPlace(of other: WideKey) -> Bool { low == other.low && high == other.high }
  func includes(_ other: WideKey) -> Bool { true }
  mutating func formUnion(_ other: WideKey) {}
}
