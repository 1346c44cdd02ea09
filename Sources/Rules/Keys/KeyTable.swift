/// A set of key values, for one collection's key.
///
/// Integers are compared exactly. Other keys share a table, and are scattered differently by their forms: keys of one form are compared
/// exactly, and two of different forms count as equal with a probability of 2⁻¹²⁸.
///
/// Memory: a third of a byte per integer in long consecutive runs, 20 to 25 bytes for any other key.
struct KeyTable: ~Copyable {
  private var integers = OrderedTable<IntegerBlock>()
  private var others = OrderedTable<WideKey>()
  /// One bit per form: set if the key that scatters to zero is a member. The table can't hold that key.
  private var zeros: UInt8 = 0
  private let seed: UInt64

  /// - Parameter seed: the seed of the hashes of keys. It must be random, so that no document can force collisions.
  init(seed: UInt64) { self.seed = seed }

  /// The bytes that insertions took from their budgets.
  var memory: Int { integers.memory + others.memory }

  @inline(__always)
  func contains(_ key: KeyValue) -> Bool {
    if key.form == .integer { return integers.includes(IntegerBlock(key.integer, seed: seed)) }
    let wide = WideKey(key, seed: seed)
    return wide.isFree ? zeros & 1 << key.form.rawValue != 0 : others.includes(wide)
  }

  @inline(__always)
  mutating func insert(_ key: KeyValue, within budget: inout MemoryBudget) -> KeyInsertion {
    if key.form == .integer { return integers.insert(IntegerBlock(key.integer, seed: seed), within: &budget) }
    let wide = WideKey(key, seed: seed)
    guard wide.isFree else { return others.insert(wide, within: &budget) }
    defer { zeros |= 1 << key.form.rawValue }
    return contains(key) ? .known : .new
  }

  /// Queues the memory that a search for `key` will read.
  @inline(__always)
  func fetch(_ key: KeyValue, through fetches: inout MemoryFetches) {
    if key.form == .integer {
      integers.fetch(IntegerBlock(key.integer, seed: seed), through: &fetches)
    } else {
      others.fetch(WideKey(key, seed: seed), through: &fetches)
    }
  }
}

/// An element of an `OrderedTable`: one member, or several neighbours.
protocol TableSlot: BitwiseCopyable {
  /// An empty slot.
  static var free: Self { get }
  var isFree: Bool { get }

  /// The hash, uniform over all 64 bits.
  var hash: UInt64 { get }
  /// Returns whether `other` belongs in this slot; false if this slot is free.
  func isPlace(of other: Self) -> Bool
  /// Returns whether this slot, which must be the place of `other`, holds the members of `other`.
  func includes(_ other: Self) -> Bool
  /// Adds the members of `other`.
  mutating func formUnion(_ other: Self)
}

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

/// The scattered 16 bytes of a key that isn't an integer. Zero marks a free slot.
struct WideKey: TableSlot {
  private let low: UInt64
  private let high: UInt64

  init(_ key: KeyValue, seed: UInt64) {
    let seed = seed ^ UInt64(key.form.rawValue) &* 0x9E37_79B9_7F4A_7C15
    (low, high) = KeyScatter.scatter(key.low, key.high, seed: seed)
  }

  private init() { (low, high) = (0, 0) }

  static var free: WideKey { WideKey() }
  var isFree: Bool { low | high == 0 }

  var hash: UInt64 { high }
  func isPlace(of other: WideKey) -> Bool { low == other.low && high == other.high }
  func includes(_ other: WideKey) -> Bool { true }
  mutating func formUnion(_ other: WideKey) {}
}
