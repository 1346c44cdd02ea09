/// An exact set of key values: the members of one collection's key.
///
/// Memory: for integers as `IntegerKeySet` says, for the other forms 16 bytes a key at a load of 3/8 to 3/4.
package struct KeySet {
  private var integers: IntegerKeySet
  private var wide: [WideKeySet]
  private let seed: UInt64

  /// - Parameter seed: scatters the keys; from a random source, so that no document can be made to collide.
  package init(seed: UInt64) {
    self.seed = seed
    integers = IntegerKeySet(seed: seed)
    wide = KeyValue.Form.allCases.map { _ in WideKeySet(seed: seed) }
  }

  /// Whether `key` was new.
  package mutating func insert(_ key: KeyValue) -> Bool {
    key.form == .integer ? integers.insert(key.integer) : wide[Int(key.form.rawValue)].insert(key.low, key.high)
  }

  package func contains(_ key: KeyValue) -> Bool {
    key.form == .integer ? integers.contains(key.integer) : wide[Int(key.form.rawValue)].contains(key.low, key.high)
  }

  package var count: Int { wide.reduce(integers.count) { $0 + $1.count } }
}

/// A set of 128-bit values by open addressing. Zero, which marks free slots, is kept apart.
struct WideKeySet {
  private struct Slot {
    var low: UInt64
    var high: UInt64
    var isFree: Bool { low == 0 && high == 0 }
  }

  private var slots: [Slot] = []
  private var used = 0
  private var hasZero = false
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed | 1 }

  var count: Int { used + (hasZero ? 1 : 0) }

  mutating func insert(_ low: UInt64, _ high: UInt64) -> Bool {
    if low == 0, high == 0 {
      defer { hasZero = true }
      return !hasZero
    }
    if used * 4 >= slots.count * 3 { grow() }
    let index = slot(of: low, high)
    guard slots[index].isFree else { return false }
    slots[index] = Slot(low: low, high: high)
    used += 1
    return true
  }

  func contains(_ low: UInt64, _ high: UInt64) -> Bool {
    if low == 0, high == 0 { return hasZero }
    return !slots.isEmpty && !slots[slot(of: low, high)].isFree
  }

  private func slot(of low: UInt64, _ high: UInt64) -> Int {
    let last = slots.count - 1
    var index = Int(truncatingIfNeeded: KeyHash.hash(low, high, seed: seed)) & last
    while !slots[index].isFree, slots[index].low != low || slots[index].high != high { index = (index + 1) & last }
    return index
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: Slot(low: 0, high: 0), count: max(16, old.count * 2))
    for entry in old where !entry.isFree { slots[slot(of: entry.low, entry.high)] = entry }
  }
}

/// Two words to one, by folded multiplication (as in wyhash): every bit of the input reaches every bit of the result.
enum KeyHash {
  static func hash(_ low: UInt64, _ high: UInt64, seed: UInt64) -> UInt64 {
    let first = (low ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15 ^ high)
    let folded = first.high ^ first.low ^ high
    let second = folded.multipliedFullWidth(by: seed | 0xA076_1D64_78BD_642F)
    return second.high ^ second.low
  }
}
