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
  private struct Chunk {
    var bytes: [UInt8]
    let size: Int

    init(size: Int) {
      bytes = []
      bytes.reserveCapacity(size)
      self.size = size
    }
  }

  private let chunkSize: Int
  private let seed: UInt64
  private var chunks: [Chunk] = []
  private var awaited: AwaitedKeys
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
    // At about 55 bytes per key, this is at most the memory of four chunks.
    awaited = AwaitedKeys(limit: chunkSize / 16, seed: seed)
  }

  /// The distinct keys that the references wait for, or `nil` if there are too many to keep.
  var keys: [KeyLog.Target]? { awaited.keys }

  /// Appends `reference`; returns false if there is no room for it.
  mutating func append(_ reference: KeyRecord, through buffer: inout ByteBuffer, within budget: inout MemoryBudget) -> Bool {
    var next = coder
    buffer.removeAll()
    next.encode(reference, into: &buffer)
    if chunks.isEmpty || chunks[chunks.count - 1].bytes.count + buffer.count > chunks[chunks.count - 1].size {
      // Each chunk can be decoded separately.
      next = KeyRecordCoder()
      buffer.removeAll()
      next.encode(reference, into: &buffer)
      let size = max(chunkSize, buffer.count)
      guard budget.take(size) else { return false }
      memory += size
      chunks.append(Chunk(size: size))
    }
    coder = next
    chunks[chunks.count - 1].bytes.append(contentsOf: buffer.bytes)
    awaited.insert(KeyLog.Target(set: Int32(reference.set), key: reference.key))
    return true
  }

  /// Removes and returns all references. Their memory counts as free from now on; each chunk is freed once it has been read.
  mutating func removeAll(givingBackTo budget: inout MemoryBudget) -> Removed {
    budget.giveBack(memory)
    let removed = Removed(chunks: chunks.reversed().map(\.bytes))
    self = WaitingReferences(chunkSize: chunkSize, seed: seed)
    return removed
  }

  /// Removed references, in the order of appending.
  struct Removed: IteratorProtocol {
    /// The chunks in reverse order.
    private var chunks: [[UInt8]]
    private var reader = KeyRecordReader()

    static var empty: Removed { Removed(chunks: []) }

    fileprivate init(chunks: [[UInt8]]) { self.chunks = chunks }

    mutating func next() -> KeyRecord? {
      while true {
        if let reference = reader.next() { return reference }
        guard let chunk = chunks.popLast() else { return nil }
        reader = KeyRecordReader(chunk)
      }
    }
  }
}

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
