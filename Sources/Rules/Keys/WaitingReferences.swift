import JSONEvents

/// References to keys that are not defined yet: the target collection may come later in the document.
///
/// An append-only log in document order. A review decodes it from the front, chunk by chunk, and appends the references that
/// still wait to a new log.
///
/// Often many references wait for few keys. A small set of keys is kept next to the log, so that the log need not be read once
/// all of them are defined.
///
/// Memory: 20 to 30 bytes per reference (see `KeyRecordCoder`), about 55 per key.
struct WaitingReferences: ~Copyable {
  private let chunkSize: Int
  private let seed: UInt64
  private var chunks = UniqueArray<ByteBuffer>()
  /// The distinct keys that the references wait for, or `nil` if there are too many to keep: checking them would then cost more than
  /// reading the log. They take little, so they are not charged to a budget.
  private(set) var keys: [KeyLog.Target]? = []
  private var awaited = OrderedTable<SpilledKey>()
  /// The coder of the last chunk.
  private var coder = KeyRecordCoder()
  /// The bytes taken from budgets.
  private(set) var memory = 0

  /// - Parameters:
  ///   - chunkSize: the size of an allocation, in bytes.
  ///   - seed: the seed of the hashes of keys.
  init(chunkSize: Int, seed: UInt64) {
    self.chunkSize = chunkSize
    self.seed = seed
  }

  /// Appends `reference`; returns false if there is no room for it.
  mutating func append(_ reference: KeyRecord, within budget: inout MemoryBudget) -> Bool {
    let size = KeyRecordCoder.sizeLimit(of: reference)
    if chunks.isEmpty || chunks[chunks.count - 1].count + size > chunkSize {
      let size = max(chunkSize, size)
      guard budget.take(size) else { return false }
      memory += size
      chunks.append(ByteBuffer(capacity: size))
      // Each chunk can be decoded separately.
      coder = KeyRecordCoder()
    }
    coder.encode(reference, into: &chunks[chunks.count - 1])
    note(KeyLog.Target(set: Int32(reference.set), key: reference.key))
    return true
  }

  @inline(__always)
  private mutating func note(_ key: KeyLog.Target) {
    if keys == nil { return }
    var unlimited = MemoryBudget.unlimited
    guard awaited.insert(SpilledKey(key.key, in: Int(key.set), seed: seed), within: &unlimited) == .new else { return }
    keys?.append(key)
    // At about 60 bytes per key, this is at most the memory of four chunks.
    guard let count = keys?.count, count > chunkSize / 16 else { return }
    keys = nil
    awaited = OrderedTable()
  }

  /// Removes and returns all references. Their memory counts as free from now on; each chunk is freed when it is read.
  mutating func removeAll(givingBackTo budget: inout MemoryBudget) -> Removed {
    budget.giveBack(memory)
    var removed = Removed()
    while !chunks.isEmpty { removed.chunks.append(chunks.removeLast()) }
    self = WaitingReferences(chunkSize: chunkSize, seed: seed)
    return removed
  }

  /// Removed references, in the order of appending.
  struct Removed: ~Copyable {
    /// The chunks in reverse order.
    fileprivate var chunks = UniqueArray<ByteBuffer>()
    private var reader = KeyRecordReader()

    mutating func next() -> KeyRecord? {
      while true {
        if let reference = reader.next() { return reference }
        if chunks.isEmpty { return nil }
        reader = KeyRecordReader(Array(chunks[chunks.count - 1].bytes))
        _ = chunks.removeLast()
      }
    }
  }
}
