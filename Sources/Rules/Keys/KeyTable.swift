/// An exact set of key values: the members of one collection's key.
///
/// Memory: a third of a byte for each of many consecutive integers, 19 to 24 bytes for other keys.
struct KeyTable: ~Copyable {
  private var integers: SegmentedTable<IntegerBlock>
  private var shortStrings: SegmentedTable<WideKey>
  private var upperUUIDs: SegmentedTable<WideKey>
  private var lowerUUIDs: SegmentedTable<WideKey>
  private var digests: SegmentedTable<WideKey>
  private var instants: SegmentedTable<WideKey>
  private var decimals: SegmentedTable<WideKey>
  /// By form: whether zero, which stands in no table, is a member.
  private var zeros: UInt8 = 0

  /// - Parameter seed: scatters the keys; from a random source, so that no document can be made to collide.
  init(seed: UInt64) {
    integers = SegmentedTable(seed: seed)
    shortStrings = SegmentedTable(seed: seed)
    upperUUIDs = SegmentedTable(seed: seed)
    lowerUUIDs = SegmentedTable(seed: seed)
    digests = SegmentedTable(seed: seed)
    instants = SegmentedTable(seed: seed)
    decimals = SegmentedTable(seed: seed)
  }

  /// In bytes, what insertions took from their budgets.
  var memory: Int {
    integers.memory + shortStrings.memory + upperUUIDs.memory + lowerUUIDs.memory + digests.memory + instants.memory
      + decimals.memory
  }

  @inline(__always)
  func contains(_ key: KeyValue) -> Bool {
    let wide = WideKey(low: key.low, high: key.high)
    if wide.isFree, key.form != .integer { return zeros & 1 << key.form.rawValue != 0 }
    return switch key.form {
    case .integer: integers.includes(IntegerBlock(key.integer))
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
    let wide = WideKey(low: key.low, high: key.high)
    if wide.isFree, key.form != .integer {
      defer { zeros |= 1 << key.form.rawValue }
      return contains(key) ? .known : .new
    }
    return switch key.form {
    case .integer: integers.insert(IntegerBlock(key.integer), within: &budget)
    case .shortString: shortStrings.insert(wide, within: &budget)
    case .upperUUID: upperUUIDs.insert(wide, within: &budget)
    case .lowerUUID: lowerUUIDs.insert(wide, within: &budget)
    case .digest: digests.insert(wide, within: &budget)
    case .instant: instants.insert(wide, within: &budget)
    case .decimal: decimals.insert(wide, within: &budget)
    }
  }

  /// Asks for what looking for `key` will need.
  @inline(__always)
  func fetch(_ key: KeyValue, through fetches: inout MemoryFetches) {
    let wide = WideKey(low: key.low, high: key.high)
    switch key.form {
    case .integer: integers.fetch(IntegerBlock(key.integer), through: &fetches)
    case .shortString: shortStrings.fetch(wide, through: &fetches)
    case .upperUUID: upperUUIDs.fetch(wide, through: &fetches)
    case .lowerUUID: lowerUUIDs.fetch(wide, through: &fetches)
    case .digest: digests.fetch(wide, through: &fetches)
    case .instant: instants.fetch(wide, through: &fetches)
    case .decimal: decimals.fetch(wide, through: &fetches)
    }
  }
}
