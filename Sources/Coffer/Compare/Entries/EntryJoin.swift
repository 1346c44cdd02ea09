import ByteStreams
import Rules

/// Walks through the sorted entries of two documents, and classifies each.
///
///     key 7     old, value x · new, value x        same
///     key 8     old, value x · new, value y        changed
///     key 9     old, value x                       only in the old one
///     key 9     new, value x                       only in the new one
///     no key    three of value x · two of value x  two the same, one only in the old one
///
/// A key that occurs twice in one document identifies no record: records with it are compared like those without a key.
///
/// Memory: a few entries, however many are equal.
struct EntryJoin {
  enum Outcome {
    case same(RecordEntry)
    case changed(old: RecordEntry, new: RecordEntry)
    /// A number of equal entries, including this one.
    case onlyOld(RecordEntry, count: Int)
    case onlyNew(RecordEntry)
    /// A key that occurs several times in one document: the count, and the places of the first two.
    case duplicate(RecordEntry, RecordEntry, count: Int)
  }

  /// The entries with one key.
  private struct Group {
    let key: RecordEntry
    var old = Places()
    var new = Places()
    /// The entries that differ, while one may be a changed version of the other.
    var pendingOld: RecordEntry?
    var pendingNew: RecordEntry?

    var isAmbiguous: Bool { key.hasKey && (old.count > 1 || new.count > 1) }
  }

  /// One side's entries with one key: their number, and the first two.
  private struct Places {
    var count = 0
    var first: RecordEntry?
    var second: RecordEntry?

    mutating func add(_ entry: RecordEntry) {
      count += 1
      if first.map({ entry.offset < $0.offset }) ?? true {
        second = first
        first = entry
      } else if second.map({ entry.offset < $0.offset }) ?? true {
        second = entry
      }
    }
  }

  /// Equal values with one key: the old document's come first.
  private struct Twins {
    let value: RecordEntry
    /// The number of old entries that match a new one.
    var foundCount = 0
    /// The number of old entries, the first ones, that are not kept.
    var furtherCount = 0
  }

  /// The number of equal entries that are distinguished.
  private static let twinLimit = 1024

  private let emit: (Outcome) throws -> Void
  private var group: Group?
  private var twins: Twins?
  /// The last of the old twins.
  private var oldTwins: [RecordEntry] = []

  private init(_ emit: @escaping (Outcome) throws -> Void) { self.emit = emit }

  /// - Parameter sorter: a finished sorter with all entries.
  static func run(
    _ sorter: inout SpillSorter<RecordEntry>, cancellation: Cancellation?, _ emit: (Outcome) throws -> Void
  ) throws {
    try withoutActuallyEscaping(emit) { emit in
      var join = EntryJoin(emit)
      var count = 0
      while let entry = try sorter.next() {
        count += 1
        if count % 4096 == 0 { try cancellation.check() }
        try join.consume(entry)
      }
      try join.endGroup()
    }
  }

  private mutating func consume(_ entry: RecordEntry) throws {
    if let group, !group.key.hasKey(of: entry) { try endGroup() }
    if group == nil { group = Group(key: entry) }
    if let twins, !twins.value.hasValue(of: entry) { try endTwins() }
    if twins == nil { twins = Twins(value: entry) }
    switch entry.side {
    case .old:
      group?.old.add(entry)
      oldTwins.append(entry)
      if oldTwins.count > 2 * Self.twinLimit {
        oldTwins.removeFirst(Self.twinLimit)
        twins?.furtherCount += Self.twinLimit
      }
    case .new:
      group?.new.add(entry)
      guard let found = twins?.foundCount, let further = twins?.furtherCount, found < further + oldTwins.count else {
        return try addPending(new: entry)
      }
      twins?.foundCount += 1
      try emit(.same(entry))
    }
  }

  private mutating func endTwins() throws {
    guard let twins else { return }
    self.twins = nil
    let kept = oldTwins.dropFirst(max(0, twins.foundCount - twins.furtherCount))
    for entry in kept { try addPending(old: entry) }
    let further = twins.furtherCount - twins.foundCount
    if let entry = kept.first, further > 0 { try emit(.onlyOld(entry, count: further)) }
    oldTwins.removeAll(keepingCapacity: true)
  }

  private mutating func addPending(old entry: RecordEntry) throws {
    if let pending = group?.pendingOld { try emit(.onlyOld(pending, count: 1)) }
    group?.pendingOld = entry
  }

  private mutating func addPending(new entry: RecordEntry) throws {
    if let pending = group?.pendingNew { try emit(.onlyNew(pending)) }
    group?.pendingNew = entry
  }

  private mutating func endGroup() throws {
    try endTwins()
    guard let group else { return }
    self.group = nil
    if !group.isAmbiguous, let old = group.pendingOld, let new = group.pendingNew, old.hasKey {
      return try emit(.changed(old: old, new: new))
    }
    if let old = group.pendingOld { try emit(.onlyOld(old, count: 1)) }
    if let new = group.pendingNew { try emit(.onlyNew(new)) }
    guard group.isAmbiguous else { return }
    for places in [group.old, group.new] where places.count > 1 {
      if let first = places.first, let second = places.second { try emit(.duplicate(first, second, count: places.count)) }
    }
  }
}

/// Two documents that have been read once: their sorted entries and their facts.
struct PairReading {
  let inputs: (old: ComparedInput, new: ComparedInput)
  let format: ComparisonFormat
  var skeleton: Skeleton { format.skeleton }
  private(set) var facts: (old: DocumentFacts, new: DocumentFacts)
  private var sorter: SpillSorter<RecordEntry>
  private let options: ComparisonOptions

  /// Reads both documents to their ends.
  ///
  /// - Parameters:
  ///   - counts: the places of numbers to ignore.
  ///   - memory: the memory limit for entries, in bytes.
  /// - Throws: `CofferError` if a document can't be read, or the two can't be compared; `CancellationError`;
  ///   `CofferError` of temporary files.
  init(
    _ inputs: (old: ComparedInput, new: ComparedInput), by format: ComparisonFormat, ignoring counts: [[String]] = [],
    memory: Int, _ options: ComparisonOptions
  ) throws {
    self.inputs = inputs
    self.format = format
    self.options = options
    sorter = SpillSorter(memory: memory, folder: options.execution.temporaryFolder)
    // The key is random, so that no document can be crafted with collisions.
    let key = SipHash128.Key.random()
    func read(_ input: ComparedInput, _ side: RecordEntry.Side, into sorter: inout SpillSorter<RecordEntry>) throws
      -> DocumentFacts
    {
      try input.reading {
        let consumer = EntryConsumer(
          side, format.skeleton, format.format, ignoring: counts, limits: options.limits, key: key, into: sorter)
        sorter = SpillSorter(memory: 0, folder: options.execution.temporaryFolder)
        var pass = try input.pass(consumer)
        try pass.run()
        sorter = pass.consumer.sorter
        var facts = pass.consumer.facts
        facts.bytes = pass.bytesRead
        return facts
      }
    }
    let old = try read(inputs.old, .old, into: &sorter)
    facts = (old, try read(inputs.new, .new, into: &sorter))
    try format.checkFormat(inputs, facts)
    try format.checkVersions(inputs, facts)
    try format.checkKeys(options.keys, inputs, arrays: facts.old.arrays.union(facts.new.arrays))
    try sorter.finish()
  }

  /// True if the root of one of them is a collection.
  var isCollection: Bool {
    facts.old.arrays.contains(Skeleton.root) || facts.new.arrays.contains(Skeleton.root)
      || skeleton.nodes[Skeleton.root].holdsNamedRecords
  }

  /// Classifies each entry, in no particular order. Call it only once.
  mutating func join(_ emit: (EntryJoin.Outcome) throws -> Void) throws {
    try EntryJoin.run(&sorter, cancellation: options.execution.cancellation, emit)
    sorter = SpillSorter(memory: 0, folder: options.execution.temporaryFolder)
  }
}
