import BackupFormats
import ByteStreams
import JSONEvents
import Rules

/// Creates the entries for the records and members of one document.
struct EntryConsumer: DocumentConsumer, ~Copyable {
  fileprivate typealias Member = (offset: Int, name: KeyValue)

  private let side: RecordEntry.Side
  private let skeleton: Skeleton
  private let limits: ReaderLimits
  private let key: SipHash128.Key
  private var cursor: SkeletonCursor
  /// The number of records of each node so far.
  private var recordCounts: [Int]
  private var closings: [Int?]
  private var closedCount = 0
  private var arrays: Set<Int> = []
  private var digesters: [RecordDigester]
  /// The start and name of the member whose value is next or current. Records have none.
  private var member: Member?
  private var isMemberLeftOut = false
  /// The number of open arrays in the current member, and whether any object was in one.
  private var arrayDepth = 0
  private var holdsRecords = false
  /// The open nodes, outermost first.
  private var opened: [Member] = []
  private var origin: OriginReader
  /// The numbers to ignore.
  private var counts: NumberPaths
  private(set) var sorter: SpillSorter<RecordEntry>

  /// - Parameter ignoring: the places of numbers to ignore.
  init(
    _ side: RecordEntry.Side, _ skeleton: Skeleton, _ format: BackupFormat?, ignoring counts: [[String]], limits: ReaderLimits,
    key: SipHash128.Key, into sorter: consuming SpillSorter<RecordEntry>
  ) {
    self.counts = NumberPaths(counts.map { ($0, 0) })
    self.side = side
    self.skeleton = skeleton
    self.limits = limits
    self.key = key
    self.sorter = sorter
    cursor = SkeletonCursor(skeleton)
    recordCounts = Array(repeating: 0, count: skeleton.nodes.count)
    closings = Array(repeating: nil, count: skeleton.nodes.count)
    digesters = skeleton.nodes.map { RecordDigester($0.collection?.fields ?? RecordDigester.Fields(), key: key) }
    origin = OriginReader(format)
  }

  /// The facts about the document, except its entries.
  var facts: DocumentFacts {
    DocumentFacts(counts: recordCounts, closings: closings, arrays: arrays, version: origin.version, createdAt: origin.createdAt)
  }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    for index in 0..<batch.count {
      let event = batch[index]
      origin.consume(event, of: batch)
      let isCount = counts.number(at: event, of: batch) != nil
      switch cursor.consume(event, of: batch) {
      case .leftOut: member = nil
      case .key:
        member = (batch.offset(of: event), KeyValue(string: batch.text(of: event), key: key))
        isMemberLeftOut = skeleton.leavesMembersOut && cursor.next == nil
      case .opening:
        opened.append(member ?? Self.document(at: batch.offset(of: event)))
        member = nil
      case .closing(let node):
        closings[node] = closedCount
        closedCount += 1
        let (start, name) = opened.removeLast()
        let end = batch.offset(of: event) + 1
        let isArray = event.kind == .arrayEnd
        if isArray { arrays.insert(node) }
        try sorter.append(
          RecordEntry(ofNodeAt: start..<max(start, end), isArray: isArray, key: name, in: cursor.node, side: side))
      case .value(let node, let isFirst, let isLast):
        if isFirst, node == Skeleton.holder { member = Self.document(at: batch.offset(of: event)) }
        if isFirst { (arrayDepth, holdsRecords) = (0, false) }
        switch event.kind {
        case .arrayStart: arrayDepth += 1
        case .arrayEnd: arrayDepth -= 1
        case .objectStart: if arrayDepth > 0 { holdsRecords = true }
        default: break
        }
        var digest: RecordDigest?
        if isCount {
          digesters[node].consumeAnyNumber(event, of: batch) { digest = $0 }
        } else {
          digesters[node].consume(batch, index..<index + 1) { digest = $0 }
        }
        if isLast, let digest { try add(digest, in: node) }
      }
    }
  }

  /// Returns the name of the root, which is in no object.
  private static func document(at offset: Int) -> Member { (offset, KeyValue(integer: 0)) }

  private mutating func add(_ digest: RecordDigest, in node: Int) throws(CofferError) {
    if let (offset, name) = member {
      var digest = digest
      digest.offset = offset
      digest.key = name
      let isRecord = skeleton.nodes[node].holdsNamedRecords
      if !isRecord { digest.time = nil }
      member = nil
      if isMemberLeftOut, !isRecord { return }
      var entry = RecordEntry(digest, in: node, side: side, index: nil)
      if isRecord { recordCounts[node] += 1 } else { entry.holdsRecords = holdsRecords }
      try sorter.append(entry)
    } else {
      try sorter.append(RecordEntry(digest, in: node, side: side, index: recordCounts[node]))
      recordCounts[node] += 1
    }
  }

  // MARK: Slices

  static var takesObjects: Bool { true }

  var slicesObject: Bool { cursor.isInNamedRecords }

  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> EntryWorker.Partial?)? {
    let array = cursor.innermostArray
    let fields: RecordDigester.Fields =
      if case .records(let node) = array, let collection = skeleton.nodes[node].collection { collection.fields } else { .init() }
    return { [side, limits, key] in
      var worker = EntryWorker(array: array, digester: RecordDigester(fields, key: key), side: side, depth: depth, limits: limits)
      return { slice, _ in worker.entries(of: slice) }
    }
  }

  mutating func merge(_ partial: EntryWorker.Partial, of slice: Slice) throws {
    switch partial {
    case .nothing: break
    case .items(let items, let holdsRecords):
      digesters[cursor.node].add(items: items)
      self.holdsRecords = self.holdsRecords || holdsRecords
    case .entries(let entries):
      for entry in entries { try sorter.append(entry) }
      recordCounts[cursor.node] += entries.count
    }
  }
}

/// One thread's part of creating entries: those of a slice's records, or item digests for an array that is compared as a whole.
struct EntryWorker {
  enum Partial: Sendable {
    /// Well-formed records that are left out.
    case nothing
    case entries([RecordEntry])
    /// - Parameter holdsRecords: true if there is any object.
    case items([KeyValue], holdsRecords: Bool)
  }

  let array: SkeletonCursor.ArrayKind
  var digester: RecordDigester
  let side: RecordEntry.Side
  /// The number of open brackets around the records.
  let depth: Int
  let limits: ReaderLimits
  /// The start and name of the member that is being read.
  fileprivate var member: EntryConsumer.Member?

  mutating func entries(of slice: Slice) -> Partial? {
    var reader = SliceReader(slice, depth: depth, limits: limits)
    let partial: Partial
    switch array {
    case .leftOut:
      while reader.next() {}
      partial = .nothing
    case .whole:
      var items: [KeyValue] = []
      items.reserveCapacity(slice.recordCount)
      var holdsRecords = false
      while reader.next() {
        holdsRecords = holdsRecords || (0..<reader.batch.count).contains { reader.batch[$0].kind == .objectStart }
        digester.consume(reader.batch, 0..<reader.batch.count) { items.append($0.value) }
      }
      partial = .items(items, holdsRecords: holdsRecords)
    case .records(let node):
      var entries: [RecordEntry] = []
      entries.reserveCapacity(slice.recordCount)
      if slice.isOfObject {
        while reader.next() { addMembers(of: reader.batch, in: node, to: &entries) }
      }
      while reader.next() {
        digester.consume(reader.batch, 0..<reader.batch.count) { digest in
          entries.append(RecordEntry(digest, in: node, side: side, index: slice.firstIndex + entries.count))
        }
      }
      partial = .entries(entries)
    }
    if reader.hasFailed {
      digester.reset()
      member = nil
      return nil
    }
    return partial
  }

  /// Adds the entries of an object's members, which their names identify.
  private mutating func addMembers(of batch: EventBatch, in node: Int, to entries: inout [RecordEntry]) {
    for index in 0..<batch.count {
      let event = batch[index]
      if member == nil, event.kind == .key {
        member = (batch.offset(of: event), KeyValue(string: batch.text(of: event), key: digester.key))
        continue
      }
      digester.consume(batch, index..<index + 1) { digest in
        guard let (offset, name) = member.take() else { return }
        var digest = digest
        (digest.offset, digest.key) = (offset, name)
        entries.append(RecordEntry(digest, in: node, side: side, index: nil))
      }
    }
  }
}

/// Facts about a document that was read, except its entries.
struct DocumentFacts {
  /// The number of records of each node.
  var counts: [Int]
  /// The position of each node in the order of closing, or `nil` if the document doesn't have the node.
  var closings: [Int?]
  /// The nodes that are arrays in this document.
  var arrays: Set<Int>
  /// Spelled as in the document.
  var version: String?
  var createdAt: Instant?
  var bytes = 0
}
