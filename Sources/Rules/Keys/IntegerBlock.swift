/// Up to 64 neighbouring integers in 16 bytes, as database ids are.
///
///     | number = key >> 6 | mask: bit (key & 63) set for each member |
///
/// Consecutive ids cost a third of a byte each. Where members turn out to be scattered, each takes a block of its own.
struct IntegerBlock: TableSlot {
  private let number: Int64
  private var mask: UInt64

  private init(number: Int64, mask: UInt64) {
    self.number = number
    self.mask = mask
  }

  /// The block of `key` alone.
  init(_ key: Int64) { self.init(number: key >> 6, mask: 1 &<< UInt64(truncatingIfNeeded: key)) }

  static var free: IntegerBlock { IntegerBlock(number: 0, mask: 0) }
  var isFree: Bool { mask == 0 }

  func hash(seed: UInt64) -> UInt64 { KeyHash.hash(UInt64(bitPattern: number), 0, seed: seed) }
  func isPlace(of other: IntegerBlock) -> Bool { number == other.number }
  func includes(_ other: IntegerBlock) -> Bool { mask & other.mask == other.mask }
  mutating func formUnion(_ other: IntegerBlock) { mask |= other.mask }
}
