/// References to keys that have not been defined yet: they wait, for the collection they point into may come later.
///
/// A log in document order that only grows. To look which of them still wait, it is taken apart from the front, chunk by chunk, and what
/// waits on is added to a new one.
///
/// Many references often wait for few keys. While the keys are few, they are kept beside the log, so that it need not be read once all of them are defined.
///
/// Memory: 20 to 30 bytes a reference, see `KeyRecordCoder`; some 55 a key.
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
  /// Of the last chunk.
  private var coder = KeyRecordCoder()
  /// In bytes, as taken from budgets.
  private(set) var memory = 0

  /// - Parameters:
  ///   - chunkSize: how much memory is taken at once, in bytes.
  ///   - seed: scatters the keys.
  init(chunkSize: Int, seed: UInt64) {
    self.chunkSize = chunkSize
    self.seed = seed
    // At some 55 bytes a key, no more than the memory of four chunks.
    awaited = AwaitedKeys(limit: chunkSize / 16, seed: seed)
  }

  /// Which keys the references wait for, each once; `nil` if these are too many to be kept.
  var keys: [KeyLog.Target]? { awaited.keys }

  /// Adds `reference`, if there is room for it.
  mutating func append(_ reference: KeyRecord, through buffer: inout RecordBuffer, within budget: inout MemoryBudget) -> Bool {
    var next = coder
    buffer.removeAll()
    next.encode(reference, into: &buffer)
    if chunks.isEmpty || chunks[chunks.count - 1].bytes.count + buffer.count > chunks[chunks.count - 1].size {
      // A chunk can be read without the one before.
      next = KeyRecordCoder()
      buffer.removeAll()
      next.encode(reference, into: &buffer)
      let size = max(chunkSize, buffer.count)
      guard budget.take(size) else { return false }
      memory += size
      chunks.append(Chunk(size: size))
    }
    coder = next
    buffer.withBytes { chunks[chunks.count - 1].bytes.append(contentsOf: $0) }
    awaited.insert(KeyLog.Target(set: Int32(reference.set), key: reference.key))
    return true
  }

  /// Takes all references out: their memory counts as free from now on, and is when the chunk that they stand in has been read.
  mutating func removeAll(givingBackTo budget: inout MemoryBudget) -> Removed {
    budget.giveBack(memory)
    let removed = Removed(chunks: chunks.reversed().map(\.bytes))
    self = WaitingReferences(chunkSize: chunkSize, seed: seed)
    return removed
  }

  /// References that were taken out, in the order in which they came.
  struct Removed: IteratorProtocol {
    /// The first one last.
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
