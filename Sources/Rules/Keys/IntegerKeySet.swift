/// A set of 64-bit integers that is compact where they lie close together, as database ids do.
///
///     slot   | block number = key >> 6 | mask: bit (key & 63) set for each member |      16 bytes for up to 64 keys
///
/// Consecutive ids cost a quarter of a byte each. Where members turn out to be scattered, each takes a block of its own: 16 bytes,
/// by the load factor 21 to 43. One insertion or lookup touches one slot, the last one again for a neighbour.
struct IntegerKeySet {
  private struct Slot {
    var block: Int64
    /// 0: the slot is free.
    var mask: UInt64
  }

  private var slots: [Slot] = []
  private var used = 0
  private let seed: UInt64
  /// Where the last key went: the next one is mostly its neighbour.
  private var last = 0
  private(set) var count = 0

  init(seed: UInt64) { self.seed = seed | 1 }

  /// Whether `key` was new.
  mutating func insert(_ key: Int64) -> Bool {
    let block = key >> 6
    let bit = (1 as UInt64) << UInt64(key & 63)
    if last < slots.count, slots[last].block == block, slots[last].mask != 0 {
      if slots[last].mask & bit != 0 { return false }
    } else {
      if used * 4 >= slots.count * 3 { grow() }
      last = slot(of: block)
      if slots[last].mask & bit != 0 { return false }
      if slots[last].mask == 0 {
        used += 1
        slots[last].block = block
      }
    }
    slots[last].mask |= bit
    count += 1
    return true
  }

  func contains(_ key: Int64) -> Bool {
    guard !slots.isEmpty else { return false }
    return slots[slot(of: key >> 6)].mask & (1 << UInt64(key & 63)) != 0
  }

  /// The slot that holds `block`, or the free one that it belongs in.
  private func slot(of block: Int64) -> Int {
    let end = slots.count - 1
    var index = Int(truncatingIfNeeded: KeyHash.hash(UInt64(bitPattern: block), 0, seed: seed)) & end
    while slots[index].mask != 0, slots[index].block != block { index = (index + 1) & end }
    return index
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(block: 0, mask: 0), count: max(16, old.count * 2))
    for entry in old where entry.mask != 0 { slots[slot(of: entry.block)] = entry }
  }
}
