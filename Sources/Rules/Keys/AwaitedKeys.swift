/// The distinct keys that references wait for.
///
/// The set is dropped once it has more than `limit` keys: checking them would then cost more than reading the log.
///
/// Memory: 32 bytes per key, plus 20 to 25 in the table. Not charged to a budget, because `limit` keys take little.
struct AwaitedKeys: ~Copyable {
  /// The keys, or `nil` once the limit was exceeded.
  private(set) var keys: [KeyLog.Target]? = []
  private let limit: Int
  private let seed: UInt64
  /// The tables, by set.
  private var tables = UniqueArray<KeyTable>()
  private var budget = MemoryBudget.unlimited

  /// - Parameters:
  ///   - limit: the most keys to keep.
  ///   - seed: the seed of the hashes of keys.
  init(limit: Int, seed: UInt64) {
    self.limit = limit
    self.seed = seed
  }

  @inline(__always)
  mutating func insert(_ key: KeyLog.Target) {
    if keys == nil { return }
    let set = Int(key.set)
    while tables.count <= set { tables.append(KeyTable(seed: seed)) }
    guard tables[set].insert(key.key, within: &budget) == .new else { return }
    keys?.append(key)
    guard let count = keys?.count, count > limit else { return }
    keys = nil
    tables = UniqueArray()
  }
}
