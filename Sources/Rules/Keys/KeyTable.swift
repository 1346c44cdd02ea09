/// An exact set of key values, for one collection's key.
///
/// Memory: a third of a byte per integer in long consecutive runs, 20 to 25 bytes for any other key.
struct KeyTable: ~Copyable {
  private var integers = OrderedTable<IntegerBlock>()
  private var shortStrings = OrderedTable<WideKey>()
  private var upperUUIDs = OrderedTable<WideKey>()
  private var lowerUUIDs = OrderedTable<WideKey>()
  private var digests = OrderedTable<WideKey>()
  private var instants = OrderedTable<WideKey>()
  private var decimals = OrderedTable<WideKey>()
  /// One bit per form: set if the key that scatters to zero is a member. No table can hold that key.
  private var zeros: UInt8 = 0
  private let seed: UInt64

  /// - Parameter seed: the seed of the hashes of keys. It must be random, so that no document can force collisions.
  init(seed: UInt64) { self.seed = seed }

  /// The bytes that insertions took from their budgets.
  var memory: Int {
    integers.memory + shortStrings.memory + upperUUIDs.memory + lowerUUIDs.memory + digests.memory + instants.memory
      + decimals.memory
  }

  @inline(__always)
  func contains(_ key: KeyValue) -> Bool {
    let wide = WideKey(key, seed: seed)
    return switch key.form {
    case .integer: integers.includes(IntegerBlock(key.integer, seed: seed))
    case _ where wide.isFree: zeros & 1 << key.form.rawValue != 0
    case .shortString: shortStrings.includes(wide)
    case .upperUUID: upperUUIDs.includes(wide)
    case .lowerUUID: lowerUUIDs.includes(wide)
    case .digest: digests.includes(wide)
    case .instant: instants.includes(wide)
    case .decimal: decimals.includes(wide)
    }
  }

  @inline(__always)
  mutating func insert(_ key: KeyValue, within budget: inout MemoryBudget) -> KeyInsertion {
    let wide = WideKey(key, seed: seed)
    switch key.form {
    case .integer: return integers.insert(IntegerBlock(key.integer, seed: seed), within: &budget)
    case _ where wide.isFree:
      defer { zeros |= 1 << key.form.rawValue }
      return contains(key) ? .known : .new
    case .shortString: return shortStrings.insert(wide, within: &budget)
    case .upperUUID: return upperUUIDs.insert(wide, within: &budget)
    case .lowerUUID: return lowerUUIDs.insert(wide, within: &budget)
    case .digest: return digests.insert(wide, within: &budget)
    case .instant: return instants.insert(wide, within: &budget)
    case .decimal: return decimals.insert(wide, within: &budget)
    }
  }

  /// Queues the memory that a search for `key` will read.
  @inline(__always)
  func fetch(_ key: KeyValue, through fetches: inout MemoryFetches) {
    switch key.form {
    case .integer: integers.fetch(IntegerBlock(key.integer, seed: seed), through: &fetches)
    case .shortString: shortStrings.fetch(WideKey(key, seed: seed), through: &fetches)
    case .upperUUID: upperUUIDs.fetch(WideKey(key, seed: seed), through: &fetches)
    case .lowerUUID: lowerUUIDs.fetch(WideKey(key, seed: seed), through: &fetches)
    case .digest: digests.fetch(WideKey(key, seed: seed), through: &fetches)
    case .instant: instants.fetch(WideKey(key, seed: seed), through: &fetches)
    case .decimal: decimals.fetch(WideKey(key, seed: seed), through: &fetches)
    }
  }
}
