import ByteStreams
import SystemPackage

/// The key operations that memory has no room for. They are on disk until the document's end, partitioned by the hashes of their
/// keys, and are then decided partition by partition.
///
///     partition 0     | claims and definitions … |  references … |
///     partition 1     | claims and definitions … |  references … |      256 of them
///
/// An operation only depends on those with the same key, which are in the same partition. So a partition's claims and definitions
/// go into a table in memory, which reveals duplicates; then its references are looked up there. If the table gets too large, it
/// stops growing. Only the operations whose keys aren't in it are partitioned again, by further bits of the hash, so a repeated
/// key takes no more room than a single one.
///
/// A dangling reference that refines another one is deferred to a second round, in the partition of that base.
struct KeySpill: ~Copyable {
  /// The partitioning of keys.
  struct Layout {
    /// The number of hash bits that choose a partition, and that choose a part of a partition that is too large.
    var partitionBits = 8
    var partBits = 4
    /// The maximum number of times a partition is split. After that, all 32 bits are used, and a part of any size is processed.
    var maximumLevel = 6
    var blockSize = 1 << 16
    /// The bytes of a chain that are buffered before a write.
    var bufferSize = 1 << 13

    /// The memory of the buffers, in bytes.
    var memory: Int { bufferSize * (3 << partitionBits + maximumLevel * 2 << partBits) }
  }

  private struct Partition {
    /// Definitions and claims.
    var definitions: KeyRecordChain
    var references: KeyRecordChain

    init(in file: SpillFile) {
      definitions = KeyRecordChain(in: file)
      references = KeyRecordChain(in: file)
    }

    mutating func append(_ record: KeyRecord, to file: SpillFile, through buffer: inout RecordBuffer) throws(CofferError) {
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
  private var buffer = RecordBuffer()

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
    try partitions[part(of: SpilledKey(record.key, in: record.set, seed: seed), level: 0)].append(
      record, to: file, through: &buffer)
  }

  /// Decides all stored operations.
  ///
  /// - Parameter memory: the limit for tables, in bytes.
  mutating func finish(memory: Int, report: (KeyRecord) -> Void) throws(CofferError) {
    for partition in partitions {
      try decide(partition, level: 0, .keys, memory, report)
      partition.references.free(in: file)
    }
    for index in candidates.indices {
      guard let chain = candidates[index] else { continue }
      var partition = partitions[index]
      partition.references = chain
      try decide(partition, level: 0, .bases, memory, report)
    }
  }

  private mutating func decide(
    _ partition: Partition, level: Int, _ round: Round, _ memory: Int, _ report: (KeyRecord) -> Void
  ) throws(CofferError) {
    for part in try decideWhatFits(partition, level: level, round, memory, report) {
      try decide(part, level: level + 1, round, memory, report)
      part.definitions.free(in: file)
      part.references.free(in: file)
    }
  }

  /// Decides the operations on keys that fit into a table, and partitions the others.
  private mutating func decideWhatFits(
    _ partition: Partition, level: Int, _ round: Round, _ memory: Int, _ report: (KeyRecord) -> Void
  ) throws(CofferError) -> [Partition] {
    var parts: [Partition] = []
    var table = OrderedTable<SpilledKey>()
    var budget = level < layout.maximumLevel ? MemoryBudget(bytes: memory) : .unlimited
    var definitions = partition.definitions.records(in: file)
    while let record = try definitions.next() {
      let key = SpilledKey(record.key, in: record.set, seed: seed)
      switch parts.isEmpty ? table.insert(key, within: &budget) : table.includes(key) ? .known : .noRoom {
      case .new: break
      case .known: if round == .keys, record.operation == .claim { report(record) }
      case .noRoom:
        if parts.isEmpty { parts = (0..<1 << layout.partBits).map { _ in Partition(in: file) } }
        try parts[part(of: key, level: level + 1)].append(record, to: file, through: &buffer)
      }
    }
    var references = partition.references.records(in: file)
    while let record = try references.next() {
      let base = record.base.map { SpilledKey($0.key, in: Int($0.set), seed: seed) }
      let key = round == .bases ? base : SpilledKey(record.key, in: record.set, seed: seed)
      guard let key else { throw file.damaged }
      if table.includes(key) {
        if round == .bases { report(record) }
      } else if !parts.isEmpty {
        try parts[part(of: key, level: level + 1)].append(record, to: file, through: &buffer)
      } else if round == .keys {
        if let base, decidesBases { try addToSpill(record, until: base) } else { report(record) }
      }
    }
    return parts
  }

  /// Defers a dangling reference to the second round, which decides whether to report it.
  private mutating func addToSpill(_ reference: KeyRecord, until base: SpilledKey) throws(CofferError) {
    let index = part(of: base, level: 0)
    var chain = candidates[index] ?? KeyRecordChain(in: file)
    try chain.append(reference, to: file, through: &buffer)
    candidates[index] = chain
  }

  /// Returns the index of the level's partition that `key` belongs in.
  private func part(of key: SpilledKey, level: Int) -> Int {
    // Use the lowest bits, because the table uses the highest.
    let hash = key.hash
    if level == 0 { return Int(truncatingIfNeeded: hash) & (1 << layout.partitionBits - 1) }
    let used = layout.partitionBits + (level - 1) * layout.partBits
    return Int(truncatingIfNeeded: hash &>> UInt64(used)) & (1 << layout.partBits - 1)
  }
}
