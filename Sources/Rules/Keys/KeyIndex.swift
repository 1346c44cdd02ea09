import ByteStreams
import JSONEvents
import SystemPackage

/// All keys of a document, and the references that wait for a key. Turns `KeyLog`s, in document order, into violations.
///
///     in memory    sets of the document · scoped sets · waiting references        until memory runs out
///     then         the frozen sets, read only  ·  everything else on disk         until the document's end
///
/// The result is exact either way: a key that is in the sets is decided immediately, and any other can only have equals on disk.
///
/// Memory: a third of a byte per integer in dense ranges, otherwise about 22 bytes per distinct key; 20 to 30 per waiting
/// reference, 40 if it has its own value and a base. Never more than the limit, which should be at least 1 MiB, plus about 6 % of
/// it for awaited keys.
///
/// Disk: the same for each operation that found no room, in a temporary file without a name; see `SpillFile`.
struct KeyIndex: ~Copyable {
  /// A set that belongs to one array.
  ///
  /// Most are small enough for the memory that is left after the freeze. Any other is frozen separately.
  struct Scope: ~Copyable {
    /// The set's number on disk.
    let number: Int
    var set: KeyTable
    var isFrozen = false

    init(number: Int, seed: UInt64) {
      self.number = number
      set = KeyTable(seed: seed)
    }
  }

  /// True if the index has all keys, so that a dangling reference isn't a violation if its base dangles as well.
  private let decidesBases: Bool
  private let spillFolder: FilePath
  private let layout: KeySpill.Layout
  private let seed: UInt64
  private let limit: Int

  private var sets: UniqueArray<KeyTable>
  private var scopes = UniqueArray<Scope>()
  private var nextScope: Int
  private var waiting: WaitingReferences
  /// The memory use at which the waiting references are next searched for resolved ones.
  private var reviewSize = 1 << 20
  private var budget: MemoryBudget
  /// After memory ran out: everything that the sets don't decide.
  private var spill: KeySpill?
  private var fetches = MemoryFetches(capacity: lookahead * 2)
  /// The number of operations for which memory is fetched together.
  private static var lookahead: Int { 32 }

  /// - Parameters:
  ///   - setCount: the number of the document's sets, without scoped ones.
  ///   - memoryLimit: in bytes.
  ///   - key: the seed of the hashes of keys. It must be random, so that no document can force collisions.
  ///   - spillFolder: the folder for data that exceeds the memory.
  ///   - decidesBases: false to report all dangling references, whatever they refine.
  init(setCount: Int, memoryLimit: Int, key: SipHash128.Key, spillFolder: FilePath, decidesBases: Bool = true) {
    var layout = KeySpill.Layout()
    // Under a small limit, most of the memory is for the sets.
    while layout.memory > memoryLimit / 4, layout.bufferSize > 256 { layout.bufferSize /= 2 }
    self.init(
      setCount: setCount, memoryLimit: memoryLimit, key: key, spillFolder: spillFolder, decidesBases: decidesBases, layout: layout
    )
  }

  init(
    setCount: Int, memoryLimit: Int, key: SipHash128.Key, spillFolder: FilePath, decidesBases: Bool = true,
    layout: KeySpill.Layout
  ) {
    self.decidesBases = decidesBases
    self.spillFolder = spillFolder
    self.layout = layout
    seed = key.low ^ key.high
    limit = max(0, memoryLimit - layout.memory)
    budget = MemoryBudget(bytes: limit)
    sets = UniqueArray(capacity: setCount)
    for _ in 0..<setCount { sets.append(KeyTable(seed: seed)) }
    nextScope = setCount
    waiting = WaitingReferences(chunkSize: min(1 << 20, max(1 << 10, limit / 64)), seed: seed)
  }

  /// Creates an index of the document's sets that reports all dangling references, whatever they refine.
  init(_ schema: KeySchema, _ options: EvaluationOptions) {
    self.init(
      setCount: schema.setCount, memoryLimit: options.memoryLimit / 2, key: options.key, spillFolder: options.temporaryFolder,
      decidesBases: false)
  }

  /// Applies the log of the next stretch of the document.
  ///
  /// - Parameters:
  ///   - lines: finds the lines of places in that stretch.
  ///   - report: called with each violation, in no particular order.
  /// - Throws: `noSpace` or another error of the temporary file. The index is unusable afterwards.
  mutating func apply(
    _ log: KeyLog, lines: inout LineCursor, report: (KeyRecord) throws(CofferError) -> Void
  ) throws(CofferError) {
    for row in log.entries.indices {
      if row % Self.lookahead == 0 { fetch(log, from: row) }
      let entry = log.entries[row]
      switch entry.operation {
      case .claim(let set):
        switch try insert(entry.key, into: Int(set)) {
        case .new: break
        case .known: try report(record(.claim, of: Int(set), entry, in: log, &lines))
        case .noRoom: try addToSpill(record(.claim, of: Int(set), entry, in: log, &lines))
        }
      case .claimInScope(let height):
        switch try insert(entry.key, intoScope: Int(height)) {
        case .new: break
        case .known: try report(record(.claim, of: scopes[Int(height)].number, entry, in: log, &lines))
        case .noRoom: try addToSpill(record(.claim, of: scopes[Int(height)].number, entry, in: log, &lines))
        }
      case .define(let set):
        if try insert(entry.key, into: Int(set)) == .noRoom {
          try addToSpill(record(.define, of: Int(set), entry, in: log, &lines))
        }
      case .refer(let set):
        if !sets[Int(set)].contains(entry.key) { try addToSpill(record(.refer, of: Int(set), entry, in: log, &lines)) }
      case .openScopes(let count): for _ in 0..<count { openScope() }
      case .closeScopes(let height): closeScopes(downTo: Int(height))
      }
    }
  }

  /// Applies a record of the next stretch of the document.
  ///
  /// - Throws: as for a log; `damagedPartial` if the record's set is neither one of the document nor of an open array.
  mutating func apply(_ record: KeyRecord, report: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    let isScoped = record.set >= sets.count
    switch record.operation {
    case .duplicate: try report(record)
    case .claim where isScoped:
      guard let height = (0..<scopes.count).first(where: { scopes[$0].number == record.set }) else { throw .damagedPartial }
      try claim(record, inScope: height, report: report)
    case _ where isScoped: throw .damagedPartial
    case .claim:
      switch try insert(record.key, into: record.set) {
      case .new: break
      case .known: try report(record)
      case .noRoom: try spill?.append(record)
      }
    case .define: if try insert(record.key, into: record.set) == .noRoom { try spill?.append(record) }
    case .refer: if !sets[record.set].contains(record.key) { try addToSpill(record) }
    }
  }

  /// Claims the record's key in an open scoped set, whatever set the record names.
  mutating func claim(_ record: KeyRecord, inScope height: Int, report: (KeyRecord) throws(CofferError) -> Void)
    throws(CofferError)
  {
    switch try insert(record.key, intoScope: height) {
    case .new: break
    case .known: try report(record)
    case .noRoom:
      var record = record
      record.set = scopes[height].number
      try spill?.append(record)
    }
  }

  /// The numbers of the scoped sets that are open, the outermost first.
  var scopeNumbers: [Int] { (0..<scopes.count).map { scopes[$0].number } }

  /// Reports the remaining duplicates and dangling references at the end of the document.
  mutating func finish(report: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    var references = takeWaiting()
    while let undefined = nextUndefined(of: &references) {
      for reference in undefined {
        // If the base dangles, that is the only cause.
        if decidesBases, let base = reference.base, !isDefined(base) { continue }
        try report(reference)
      }
    }
    if spill == nil { return }
    sets = UniqueArray()
    scopes = UniqueArray()
    try spill?.finish(memory: limit, report: report)
  }

  /// Reports the remaining duplicates of a document that can't be read to its end: its missing part may have the targets of references.
  mutating func finishEarly(report: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    if spill == nil { return }
    sets = UniqueArray()
    scopes = UniqueArray()
    try spill?.finish(memory: limit) { record throws(CofferError) in if record.operation == .claim { try report(record) } }
  }

  /// Returns the next batch of waiting references without those that are resolved, or `nil` at the end.
  private mutating func nextUndefined(of references: inout WaitingReferences.Removed) -> [KeyRecord]? {
    var batch: [KeyRecord] = []
    batch.reserveCapacity(Self.lookahead)
    while batch.count < Self.lookahead, let reference = references.next() {
      sets[reference.set].fetch(reference.key, through: &fetches)
      batch.append(reference)
    }
    if batch.isEmpty { return nil }
    fetches.finish()
    batch.removeAll { sets[$0.set].contains($0.key) }
    return batch
  }

  private func isDefined(_ target: KeyLog.Target) -> Bool { sets[Int(target.set)].contains(target.key) }

  /// Fetches the memory that the next operations will look at.
  private mutating func fetch(_ log: KeyLog, from start: Int) {
    // The number of scopes that stay open.
    var scopeCount = scopes.count
    for row in start..<min(start + Self.lookahead, log.entries.count) {
      let entry = log.entries[row]
      switch entry.operation {
      case .claim(let set), .define(let set), .refer(let set): sets[Int(set)].fetch(entry.key, through: &fetches)
      case .claimInScope(let height):
        if height < scopeCount { scopes[Int(height)].set.fetch(entry.key, through: &fetches) }
      case .openScopes: break
      case .closeScopes(let height): scopeCount = min(scopeCount, Int(height))
      }
    }
    fetches.finish()
  }

  // MARK: Sets

  /// - Returns: `noRoom` if the key is not in the set and can't be added.
  private mutating func insert(_ key: KeyValue, into set: Int) throws(CofferError) -> KeyInsertion {
    while spill == nil {
      let insertion = sets[set].insert(key, within: &budget)
      if insertion != .noRoom { return insertion }
      try makeRoom()
    }
    return sets[set].contains(key) ? .known : .noRoom
  }

  private mutating func insert(_ key: KeyValue, intoScope height: Int) throws(CofferError) -> KeyInsertion {
    while !scopes[height].isFrozen {
      let insertion = scopes[height].set.insert(key, within: &budget)
      if insertion != .noRoom { return insertion }
      if spill == nil { try makeRoom() } else { scopes[height].isFrozen = true }
    }
    return scopes[height].set.contains(key) ? .known : .noRoom
  }

  mutating func openScope() {
    scopes.append(Scope(number: nextScope, seed: seed))
    nextScope += 1
  }

  mutating func closeScopes(downTo height: Int) {
    while scopes.count > height { budget.giveBack(scopes.removeLast().set.memory) }
  }

  private func record(
    _ operation: KeyRecord.Operation, of set: Int, _ entry: KeyLog.Entry, in log: KeyLog, _ lines: inout LineCursor
  ) -> KeyRecord {
    KeyRecord(
      operation: operation, set: set, violation: log.violation(operation == .refer ? .dangling : .duplicate, entry, &lines),
      base: log.base(of: entry))
  }

  // MARK: Waiting references

  /// Defers an operation to the document's end: a reference in memory while there is room, everything else on disk.
  private mutating func addToSpill(_ record: KeyRecord) throws(CofferError) {
    while record.operation == .refer, spill == nil {
      if waiting.append(record, within: &budget) {
        if waiting.memory >= reviewSize { review() }
        return
      }
      try makeRoom()
    }
    let spilled = withoutKnownBase(record)
    try spill?.append(spilled)
  }

  /// Drops the references that are resolved.
  private mutating func review() {
    let mayDropSome = waiting.keys?.contains { isDefined($0) } ?? true
    if mayDropSome {
      var references = takeWaiting()
      var unlimited = MemoryBudget.unlimited
      while let undefined = nextUndefined(of: &references) {
        for reference in undefined { _ = waiting.append(reference, within: &unlimited) }
      }
      budget.charge(waiting.memory)
    }
    reviewSize = max(1 << 20, waiting.memory * 4)
  }

  /// Removes and returns the waiting references; returns none if all their keys are defined by now.
  private mutating func takeWaiting() -> WaitingReferences.Removed {
    let areAllDefined = waiting.keys?.allSatisfy { isDefined($0) } ?? false
    let references = waiting.removeAll(givingBackTo: &budget)
    return areAllDefined ? WaitingReferences.Removed() : references
  }

  private mutating func makeRoom() throws(CofferError) {
    let before = budget.left
    // If a review would free little memory, the freeze frees that as well.
    if waiting.memory > limit / 8 { review() }
    if budget.left - before <= limit / 8 { try freeze() }
  }

  /// Makes the sets read-only. From now on, operations that they don't decide spill to disk.
  private mutating func freeze() throws(CofferError) {
    var spill = try KeySpill(in: spillFolder, layout: layout, seed: seed, decidesBases: decidesBases)
    var references = takeWaiting()
    while let undefined = nextUndefined(of: &references) {
      for reference in undefined { try spill.append(withoutKnownBase(reference)) }
    }
    self.spill = consume spill
  }

  /// Drops a base that the sets define: the spill doesn't see the sets in memory, and needn't look for it again.
  private func withoutKnownBase(_ record: KeyRecord) -> KeyRecord {
    var record = record
    if decidesBases, let base = record.base, isDefined(base) { record.base = nil }
    return record
  }
}

/// The result of inserting a key into a set.
enum KeyInsertion {
  case new
  case known
  /// The key isn't a member, and there is no memory to add it.
  case noRoom
}

/// The memory that is still available, in bytes.
struct MemoryBudget {
  private(set) var left: Int

  static var unlimited: MemoryBudget { MemoryBudget(bytes: .max) }

  init(bytes: Int) { left = max(0, bytes) }

  /// Takes `bytes` if they are available.
  mutating func take(_ bytes: Int) -> Bool {
    guard bytes <= left else { return false }
    left -= bytes
    return true
  }

  /// Takes `bytes` that are already in use, available or not.
  mutating func charge(_ bytes: Int) { left -= bytes }

  mutating func giveBack(_ bytes: Int) { left += bytes }
}

/// Addresses that will be read soon, to be fetched together.
///
/// Nearly all the cost of a large table is waiting for memory, 150 ns or more each time. But independent loads run in parallel,
/// as many as the processor sees ahead. So all addresses are computed first, and then loaded in a tight loop. With 10 million
/// keys (200 MB), a lookup took 60 ns this way instead of 120.
struct MemoryFetches: ~Copyable {
  private let places: UnsafeMutablePointer<UnsafeRawPointer>
  private let capacity: Int
  private var count = 0
  /// The sum of all fetched bytes: the compiler would remove loads whose results are unused.
  private var sum: UInt8 = 0

  init(capacity: Int) {
    self.capacity = capacity
    places = .allocate(capacity: capacity)
  }

  deinit { places.deallocate() }

  /// Queues the memory at `place`, which must be readable until ``finish()``.
  @inline(__always)
  mutating func append(_ place: UnsafeRawPointer) {
    precondition(count < capacity, "too many places")
    (places + count).initialize(to: place)
    count += 1
  }

  /// Fetches everything that was queued.
  @inline(never)
  mutating func finish() {
    for index in 0..<count { sum &+= places[index].load(as: UInt8.self) }
    count = 0
  }
}
