/// Up to 64 neighbouring integers, such as database ids, in 16 bytes.
///
///     | key >> 6, scattered | mask: bit (key & 63) set for each member |
///
/// Consecutive ids cost a third of a byte each. A scattered id takes a whole block.
struct IntegerBlock: TableSlot {
  let hash: UInt64
  private var mask: UInt64

  /// Creates the block with `key` as its only member.
  init(_ key: Int64, seed: UInt64) {
    hash = KeyScatter.scatter(UInt64(bitPattern: key >> 6), seed: seed)
    mask = 1 &<< UInt64(truncatingIfNeeded: key)
  }

  private init() { (hash, mask) = (0, 0) }

  static var free: IntegerBlock { IntegerBlock() }
  var isFree: Bool { mask == 0 }

  func isPlace(of other: IntegerBlock) -> Bool { hash == other.hash && !isFree }
  func includes(_ other: IntegerBlock) -> Bool { mask & other.mask == other.mask }
  mutating func formUnion(_ other: IntegerBlock) { mask |= other.mask }
}
