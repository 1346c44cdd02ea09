import ByteStreams
import JSONEvents
import SystemPackage

/// The key operations that memory has no room for. They are on disk until the document's end, partitioned by the hashes of their
/// keys, and are then decided partition by partition.
///
///     partition 0     | claims and definitions … |  references … |
///     partition 1     | claims and definitions … |  references … |      256 of them
///
/// An operation only depends on those with the same key, which are in the same partition. So a partition's claims and definitions
/// go into a table in memory, which reveals duplicates; then its references are looked up there. If the table gets too large, it
/// stops growing, and the operations whose keys aren't in it are decided in a further pass. So a repeated key takes no more room
/// than a single one.
///
/// A dangling reference that refines another one is deferred to a second round, in the partition of that base.
struct KeySpill: ~Copyable {
  /// The partitioning of keys.
  struct Layout {
    /// The number of hash bits that choose a partition.
    var partitionBits = 8
    var blockSize = 1 << 16
    /// The bytes of a chain that are buffered before a write.
    var bufferSize = 1 << 13

    /// The memory of the buffers, in bytes.
    var memory: Int { bufferSize * (3 << partitionBits + 4) }
  }

  private struct Partition {
    /// Definitions and claims.
    var definitions: KeyRecordChain
    var references: KeyRecordChain

    init(in file: SpillFile) {
      definitions = KeyRecordChain(in: file)
      references = KeyRecordChain(in: file)
    }

    mutating func append(_ record: KeyRecord, to file: SpillFile, through buffer: inout ByteBuffer) throws(CofferError) {
      if record.operation == .refer {
        try references.append(record, to: file, through: &buffer)
      } else {
        try definitions.append(record, to: file, through: &buffer)
      }
    }
  }

  /// The check that a round makes for references.
  private enum Round {
    /// Checks that the reference's key is defined.
    case keys
    /// Checks that the base's key is defined, for a dangling reference with a base.
    case bases
  }

  private let file: SpillFile
  private let layout: Layout
  private let seed: UInt64
  private let decidesBases: Bool
  private var partitions: [Partition]
  /// The references of the second round, by partition.
  private var candidates: [KeyRecordChain?]
  private var buffer = ByteBuffer()

  /// - Parameter decidesBases: false to report all dangling references, whatever they refine.
  init(in folder: FilePath, layout: Layout, seed: UInt64, decidesBases: Bool) throws(CofferError) {
    let file = try SpillFile(in: folder, blockSize: layout.blockSize, bufferSize: layout.bufferSize)
    self.file = file
    self.layout = layout
    self.seed = seed
    self.decidesBases = decidesBases
    partitions = (0..<1 << layout.partitionBits).map { _ in Partition(in: file) }
    candidates = Array(repeating: nil, count: partitions.count)
  }

  /// Stores `record` until the end.
  mutating func append(_ record: KeyRecord) throws(CofferError) {
    try partitions[partition(of: SpilledKey(record.key, in: record.set, seed: seed))].append(
      record, to: file, through: &buffer)
  }

  /// Decides all stored operations.
  ///
  /// - Parameter memory: the limit for tables, in bytes.
  mutating func finish(memory: Int, report: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    for partition in partitions {
      try decide(partition, .keys, memory, report)
      partition.references.free(in: file)
    }
    for index in candidates.indices {
      guard let chain = candidates[index] else { continue }
      var partition = partitions[index]
      partition.references = chain
      try decide(partition, .bases, memory, report)
    }
  }

  private mutating func decide(
    _ partition: Partition, _ round: Round, _ memory: Int, _ report: (KeyRecord) throws(CofferError) -> Void
  ) throws(CofferError) {
    var rest = try decideWhatFits(partition, round, memory, report)
    while let part = rest {
      rest = try decideWhatFits(part, round, memory, report)
      part.definitions.free(in: file)
      part.references.free(in: file)
    }
  }

  /// Decides the operations on keys that fit into a table, and returns the others.
  private mutating func decideWhatFits(
    _ partition: Partition, _ round: Round, _ memory: Int, _ report: (KeyRecord) throws(CofferError) -> Void
  ) throws(CofferError) -> Partition? {
    var rest: Partition?
    var table = OrderedTable<SpilledKey>()
    // With room for some keys, each pass decides more.
    var budget = MemoryBudget(bytes: max(memory, 1 << 12))
    var definitions = partition.definitions.records(in: file)
    while let record = try definitions.next() {
      let key = SpilledKey(record.key, in: record.set, seed: seed)
      switch rest == nil ? table.insert(key, within: &budget) : table.includes(key) ? .known : .noRoom {
      case .new: break
      case .known: if round == .keys, record.operation == .claim { try report(record) }
      case .noRoom:
        if rest == nil { rest = Partition(in: file) }
        try rest?.append(record, to: file, through: &buffer)
      }
    }
    var references = partition.references.records(in: file)
    while let record = try references.next() {
      let base = record.base.map { SpilledKey($0.key, in: Int($0.set), seed: seed) }
      let key = round == .bases ? base : SpilledKey(record.key, in: record.set, seed: seed)
      guard let key else { throw file.damaged }
      if table.includes(key) {
        if round == .bases { try report(record) }
      } else if rest != nil {
        try rest?.append(record, to: file, through: &buffer)
      } else if round == .keys {
        if let base, decidesBases { try addToSpill(record, until: base) } else { try report(record) }
      }
    }
    return rest
  }

  /// Defers a dangling reference to the second round, which decides whether to report it.
  private mutating func addToSpill(_ reference: KeyRecord, until base: SpilledKey) throws(CofferError) {
    let index = partition(of: base)
    var chain = candidates[index] ?? KeyRecordChain(in: file)
    try chain.append(reference, to: file, through: &buffer)
    candidates[index] = chain
  }

  /// Returns the index of the partition that `key` belongs in: by the lowest bits, because the table uses the highest.
  private func partition(of key: SpilledKey) -> Int {
    Int(truncatingIfNeeded: key.hash) & (1 << layout.partitionBits - 1)
  }
}

/// A scattered key combined with the number of its set, so that one table serves all sets.
struct SpilledKey: TableSlot {
  /// The set's number and the key's form; 0 in a free slot.
  private let place: UInt64
  private let low: UInt64
  private let high: UInt64

  init(_ key: KeyValue, in set: Int, seed: UInt64) {
    place = UInt64(truncatingIfNeeded: set &+ 1) &<< 3 | UInt64(key.form.rawValue)
    (low, high) = KeyScatter.scatter(key.low, key.high, seed: KeyScatter.scatter(place, seed: seed))
  }

  private init() { (place, low, high) = (0, 0, 0) }

  static var free: SpilledKey { SpilledKey() }
  var isFree: Bool { place == 0 }

  var hash: UInt64 { high }
  func isPlace(of other: SpilledKey) -> Bool { place == other.place && low == other.low && high == other.high }
  func includes(_ other: SpilledKey) -> Bool { true }
  mutating func formUnion(_ other: SpilledKey) {}
}

/// A hash table with linear probing whose slots are ordered by hash.
///
///     slots   | home slots: hash × homeCount / 2⁶⁴ | tail |     the very last slot is free
///
/// A search for a missing key ends at the first larger hash. At 80 % load it reads 3 slots on average, instead of 13 without the
/// order. The table grows in place, in two passes over its slots, without a second table.
///
/// Memory: between 1.25 and 1.56 slots per member.
struct OrderedTable<Slot: TableSlot>: ~Copyable {
  /// The slots: none, or the last one is free.
  private var slots = UniqueArray<Slot>()
  private var homeCount = 0
  private var used = 0

  /// The bytes taken from budgets.
  var memory: Int { slots.count * MemoryLayout<Slot>.stride }

  @inline(__always)
  private func home(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(truncatingIfNeeded: homeCount)).high)
  }

  /// Returns the index of the slot for `probe`: its own, or the one before which it would be inserted.
  @inline(__always)
  private func index(of probe: Slot) -> Int {
    let hash = probe.hash
    var index = home(of: hash)
    while !slots[index].isFree {
      let other = slots[index].hash
      if other >= hash, other > hash || slots[index].isPlace(of: probe) { break }
      index += 1
    }
    return index
  }

  @inline(__always)
  func includes(_ member: Slot) -> Bool {
    if slots.isEmpty { return false }
    let index = index(of: member)
    return slots[index].isPlace(of: member) && slots[index].includes(member)
  }

  /// Queues the slots where a search for `member` begins: two cache lines, which few searches exceed.
  @inline(__always)
  func fetch(_ member: @autoclosure () -> Slot, through fetches: inout MemoryFetches) {
    // A smaller table is in the processor's caches.
    if memory < 1 << 18 { return }
    let member = member()
    let home = home(of: member.hash)
    slots.fetch(home, through: &fetches)
    slots.fetch(min(home + 64 / MemoryLayout<Slot>.stride, slots.count - 1), through: &fetches)
  }

  /// Inserts `member` if the budget allows.
  @inline(__always)
  mutating func insert(_ member: Slot, within budget: inout MemoryBudget) -> KeyInsertion {
    while true {
      if !slots.isEmpty {
        let index = index(of: member)
        if slots[index].isPlace(of: member) {
          if slots[index].includes(member) { return .known }
          slots[index].formUnion(member)
          return .new
        }
        if used * 5 < homeCount * 4 { return insert(member, at: index, within: &budget) ? .new : .noRoom }
      }
      guard grow(within: &budget) else { return .noRoom }
    }
  }

  /// Shifts the members from `index` to the next free slot by one, and inserts `member`.
  @inline(__always)
  private mutating func insert(_ member: Slot, at index: Int, within budget: inout MemoryBudget) -> Bool {
    var free = index
    while !slots[free].isFree { free += 1 }
    if free == slots.count - 1 { guard lengthen(to: slots.count + 16, within: &budget) else { return false } }
    while free > index {
      slots[free] = slots[free - 1]
      free -= 1
    }
    slots[index] = member
    used += 1
    return true
  }

  @inline(never)
  private mutating func lengthen(to slotCount: Int, within budget: inout MemoryBudget) -> Bool {
    guard budget.take((slotCount - slots.count) * MemoryLayout<Slot>.stride) else { return false }
    slots.append(.free, until: slotCount)
    return true
  }

  // MARK: Growing

  @inline(never)
  private mutating func grow(within budget: inout MemoryBudget) -> Bool {
    // Small tables double, because a quarter of a small table is too little.
    let added = homeCount < 1024 ? max(16, homeCount) : homeCount / 4
    guard lengthen(to: max(slots.count, 1) + added, within: &budget) else { return false }
    homeCount += added
    gather()
    // The members fit: a home moves by at most `added` slots.
    spread()
    return true
  }

  /// Moves all members to the end.
  private mutating func gather() {
    var start = slots.count
    for index in (0..<slots.count).reversed() where !slots[index].isFree {
      start -= 1
      slots[start] = slots[index]
    }
  }

  /// Moves the members from the end to their homes, or to the nearest free slot after them.
  private mutating func spread() {
    var next = 0
    for index in slots.count - used..<slots.count {
      let member = slots[index]
      let place = max(next, home(of: member.hash))
      for gap in next..<place { slots[gap] = .free }
      slots[place] = member
      next = place + 1
    }
    for gap in next..<slots.count { slots[gap] = .free }
  }
}
