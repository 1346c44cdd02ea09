package import ByteStreams
import Findings
package import JSONEvents

/// The result of evaluating a run of consecutive slices of one collection, for another process to merge.
///
///     slices  | 0 | 1 | 2 | 3 | 4 | 5 | 6 |         Partial each
///     runs    | 0 … 2     | 3 … 4 | 5 … 6 |         CollectionPartial each, in any process
///     merged  | 0 … 4             | 5 … 6 |         in trees of any shape, and at last into a DocumentEvaluator
///
/// What the document's evaluator holds in the end doesn't depend on the runs or the shape of the tree.
///
/// Memory: as much as a document's evaluator holds for the same slices, the limit for keys, and up to 1 MiB of key rows. Further
/// rows, and the comparisons with places addressed from the root, are in temporary files.
package struct CollectionPartial: ~Copyable {
  let program: RuleProgram
  let options: EvaluationOptions
  let shape: CollectionShape
  /// All of it but the keys and the comparisons with places addressed from the root.
  private(set) var content: Partial
  private(set) var waiting: WaitingComparisons
  private var keys: KeyCombiner
  /// The names of an object's members, once another slice follows.
  private var names: MemberNameSet?
  /// The index of the first record, or `nil` if there is no slice yet.
  private(set) var firstIndex: Int?
  /// The aggregates that were complete before the collection. Each slice has a copy, which isn't needed.
  private let isComplete: (outer: [Bool], global: [Bool])

  init(
    _ program: RuleProgram, _ options: EvaluationOptions, _ shape: CollectionShape, _ context: CollectionContext,
    memoryLimit: Int
  ) {
    self.program = program
    self.options = options
    self.shape = shape
    content = Partial(program, ReportBounds(program, options))
    content.outerAggregates = Array(repeating: Aggregate(), count: shape.aggregateCount)
    waiting = WaitingComparisons(in: options.temporaryFolder)
    keys = KeyCombiner(program, options, shape, memoryLimit: memoryLimit)
    isComplete = (context.aggregates.map(\.isComplete), context.globalAggregates.map(\.isComplete))
  }

  /// Restores what another process has stored.
  init(
    _ program: RuleProgram, _ options: EvaluationOptions, _ shape: CollectionShape, _ content: consuming Partial,
    firstIndex: Int?, _ waiting: consuming WaitingComparisons, _ rows: consuming KeyRows, memoryLimit: Int
  ) {
    self.program = program
    self.options = options
    self.shape = shape
    self.content = content
    self.waiting = waiting
    self.firstIndex = firstIndex
    keys = KeyCombiner(program, options, shape, memoryLimit: memoryLimit)
    keys.adopt(rows)
    isComplete = (
      Array(repeating: false, count: shape.aggregateCount), Array(repeating: false, count: program.aggregateCount)
    )
  }

  /// The names of an object's members, if keys are compared.
  package var memberNames: MemberNames? { content.names }

  /// The number of the collection's items in it.
  package var itemCount: Int { content.itemCount }

  /// The limits for detailed findings of the next slice.
  package var bounds: ReportBounds { content.bounds(options) }

  /// Returns whether too many values would wait with those of the next slice. Then the run must end before that slice.
  package func exceedsLimits(with next: Partial) -> Bool {
    content.exceedsLimits(
      options, frameCount: shape.frameCount, deferred: content.outerDeferred.count, content.outerAggregates, with: next)
  }

  /// Takes the names of the next slice of an object. Returns false if one of them is a duplicate: then the run must end before that
  /// slice, and its members be read as envelope, where the reader marks it.
  package mutating func takeNames(of next: Partial) -> Bool {
    guard let added = next.names, let comparison = options.keyComparison else { return true }
    if names == nil, let first = content.names { names = MemberNameSet(first, comparedBy: comparison) }
    if names?.insert(added) == false { return false }
    if content.names?.append(added) == nil { content.names = added }
    return true
  }

  /// Takes the names of the slices that follow, likewise.
  package mutating func takeNames(of next: borrowing CollectionPartial) -> Bool { takeNames(of: next.content) }

  /// Adds the result of the next slice, whose bytes must still be valid and whose names have been taken.
  ///
  /// - Throws: `damagedPartial` if it isn't the next one; an error of a temporary file.
  package mutating func append(_ partial: Partial, of slice: Slice) throws(CofferError) {
    guard partial.outerAggregates.count >= shape.aggregateCount else { throw .damagedPartial }
    try follow(slice.firstIndex)
    var next = partial
    let log = next.keys
    next.keys = KeyLog()
    // States of scalars leave theirs behind until the array ends.
    next.outerAggregates.removeLast(next.outerAggregates.count - shape.aggregateCount)
    // A complete aggregate keeps its items, and accepts no others.
    for (index, isComplete) in isComplete.outer.enumerated() where isComplete { next.outerAggregates[index].removeItems() }
    for (index, isComplete) in isComplete.global.enumerated() where isComplete { next.aggregates[index].removeItems() }
    merge(next)
    for log in content.closedWaiting + [content.waiting] where !log.isEmpty { try waiting.append(log) }
    (content.closedWaiting, content.waiting) = ([], WaitingLog())
    try keys.append(log, lines: slice.lines)
  }

  /// Adds the result of the slices that follow.
  ///
  /// - Throws: `damagedPartial` if they don't follow; an error of a temporary file.
  package mutating func append(_ next: consuming CollectionPartial) throws(CofferError) {
    var next = next
    guard next.shape == shape else { throw .damagedPartial }
    guard let first = next.firstIndex else { return }
    try follow(first)
    merge(next.content)
    try waiting.append(next.waiting)
    try keys.recombine()
    try next.keys.forEachRow { row throws(CofferError) in try keys.append(row) }
  }

  private mutating func follow(_ index: Int) throws(CofferError) {
    guard let firstIndex else { return firstIndex = index }
    guard firstIndex + content.itemCount == index else { throw .damagedPartial }
  }

  private mutating func merge(_ next: Partial) {
    content.merge(next)
    content.outerDeferred += next.outerDeferred
    content.itemCount += next.itemCount
    content.holdsObjects = content.holdsObjects || next.holdsObjects
    content.valueCounts = ValueCount.sums(content.valueCounts, next.valueCounts)
    for index in content.outerAggregates.indices {
      content.outerAggregates[index].add(next.outerAggregates[index])
      let disorders = content.outerAggregates[index].runs.append(next.outerAggregates[index].runs, program.constants.orders)
      for disorder in disorders { report(disorder) }
    }
  }

  private mutating func report(_ disorder: Aggregate.Disorder) {
    let rule = program.rules[Int(disorder.order.rule)]
    guard content.collector.takes(rule.graded(rule.severity), at: disorder.subject.position.offset) else { return }
    let message = rule.message ?? disorder.message(program, redacts: options.redacts)
    content.collector.add(Finding(rule, disorder.subject, message, redacts: options.redacts))
  }

  // MARK: Keys

  /// Calls `body` with all operations on keys that the run doesn't decide.
  mutating func forEachKeyRow(_ body: (KeyRecord) throws(CofferError) -> Void) throws(CofferError) {
    try keys.forEachRow(body)
  }

  /// Moves the operations on keys that the run doesn't decide to a writer.
  package mutating func moveKeys(to writer: KeyRowWriter) throws(CofferError) {
    try keys.removeRows { row throws(CofferError) in try writer.append(row) }
  }

  mutating func encodeKeys(to sink: inout some ByteSink) throws(CofferError) { try keys.encode(to: &sink) }
}

extension KeyCombiner {
  fileprivate init(
    _ program: RuleProgram, _ options: EvaluationOptions, _ shape: CollectionShape, memoryLimit: Int
  ) {
    self.init(
      setCount: program.keySetCount, isDetailed: program.stepsWithDetails, scopeNumbers: shape.scopeNumbers, options,
      memoryLimit: memoryLimit)
  }
}

/// The counts of everything open around a collection, to check the indices in results of its slices.
struct CollectionShape: Equatable {
  let frameCount: Int
  let skipDepth: Int
  /// The offset of the innermost container that rules apply to.
  let offset: Int
  let activeCount: Int
  let cellCount: Int
  let aggregateCount: Int
  /// The numbers of the scoped key sets that are open.
  let scopeNumbers: [Int]
}

extension CollectionShape {
  init(_ context: CollectionContext, scopeNumbers: [Int]) {
    precondition(scopeNumbers.count == Int(context.scopeHeight), "the context must be the evaluator's own")
    self.init(
      frameCount: context.frames.count, skipDepth: context.skipDepth, offset: context.frames.last?.offset ?? 0,
      activeCount: context.activeStates.count, cellCount: context.cells.count, aggregateCount: context.aggregates.count,
      scopeNumbers: scopeNumbers)
  }
}

/// The context of a collection's records: everything that is open around them. Small, and the same for all slices of the
/// collection.
package struct CollectionContext: Sendable {
  /// The number of open brackets around a record.
  package let depth: Int

  let frames: [Frame]
  let activeStates: [ActiveState]
  let requesters: [(requester: Requester, next: Int32)]
  let words: [UInt64]
  let captures: [Capture]
  let cells: [DataValue]
  let globalCells: [DataValue]
  let aggregates: [Aggregate]
  let globalAggregates: [Aggregate]
  let keyBytes: [UInt8]
  let scopeHeight: Int32
  /// The number of findings that wait for a branch around the collection.
  let pendingCount: Int
  /// The number of open containers that are skipped. Not 0 if no rule applies to the records.
  let skipDepth: Int
  let skippedPath: SkippedPath
}

/// The bytes of a partial:
///
///     | "CPRT" | version, 1 byte | frame: everything else | frame: waiting log | … | empty frame | key rows | empty chunk |
///     frame      | length, 8 bytes | content |
///
/// The same content always has the same bytes. Damage is an error or changes the content, but never traps: the file around it
/// has a checksum.
extension CollectionPartial {
  private static let heading: [UInt8] = Array("CPRT".utf8) + [7]

  // MARK: Writing

  /// Writes the partial for `init(decoding:…)`.
  ///
  /// - Throws: an error of the sink, or of a temporary file.
  package mutating func encode(to sink: inout some ByteSink) throws(CofferError) {
    try sink.write(Self.heading)
    var coder = PartialCoder(program)
    _ = coder.code(Head(shape: shape, firstIndex: firstIndex, content: content, rules: waiting.rules), options)
    try sink.writeFrame(coder.buffer.bytes)
    try waiting.forEachLog { rules, bytes throws(CofferError) in
      var coder = PartialCoder(program)
      _ = coder.log((rules, bytes), ruleCount: waiting.rules.count)
      try sink.writeFrame(coder.buffer.bytes)
    }
    try sink.writeFrame([])
    try encodeKeys(to: &sink)
  }

  // MARK: Reading

  /// Reads what ``encode(to:)`` wrote, in a process with the same program and options.
  ///
  /// - Parameter memoryLimit: the memory for keys, in bytes.
  /// - Throws: `damagedPartial`, an error of the source, or of a temporary file.
  package init(
    decoding source: inout some ByteSource, _ program: RuleProgram, options: EvaluationOptions, memoryLimit: Int
  ) throws(CofferError) {
    guard try source.readPrefix(Self.heading.count) == Self.heading else { throw .damagedPartial }
    let head = try source.readFrame()?.read(program) { $0.code(nil, options) }
    guard let head else { throw .damagedPartial }
    var waiting = WaitingComparisons(in: options.temporaryFolder)
    let numbers = head.rules.map { waiting.add($0) }
    // Two equal rules would be one here.
    guard numbers == Array(numbers.indices) else { throw .damagedPartial }
    while true {
      guard let frame = try source.readFrame() else { throw .damagedPartial }
      if frame.isEmpty { break }
      let log = frame.read(program) { $0.log(nil, ruleCount: numbers.count) }
      guard let log, WaitingLog.read(log.bytes, { number, _, _, place in number < log.rules.count && place.isSmall }) else {
        throw .damagedPartial
      }
      try waiting.append(log.bytes, rules: log.rules)
    }
    let (shape, schema) = (head.shape, KeySchema(program))
    var operations = 0
    let rows = try KeyRows(decoding: &source, in: options.temporaryFolder) { row in
      operations += min(max(0, row.violation.count), KeyRecord.largest)
      return row.isValid(schema, hasScope: shape.scopeNumbers.contains) && operations <= KeyRecord.largest
    }
    self.init(
      program, options, shape, head.content, firstIndex: head.firstIndex, waiting, rows, memoryLimit: memoryLimit)
  }

  /// All but the waiting comparisons and the keys.
  fileprivate struct Head {
    var shape: CollectionShape
    var firstIndex: Int?
    var content: Partial
    var rules: [WaitingLog.Rule]
  }
}

extension PartialCoder {
  fileprivate mutating func code(_ head: CollectionPartial.Head?, _ options: EvaluationOptions) -> CollectionPartial.Head {
    let shape = shape(head?.shape)
    let firstIndex = optional(head?.firstIndex) { $0.number($1) }
    let (bounds, old) = (ReportBounds(program, options), head?.content)
    var content = old ?? Partial(program, bounds)
    let shares = list(old?.collector.storedShares) { $0.share($1, findingLimit: bounds.maximumFindings) }
    // A sum of damaged numbers must not overflow.
    check(shares.reduce(0.0) { $0 + Double($1.count) + Double($1.demand) } < Double(KeyRecord.largest))
    if isReading, !hasFailed { content.collector.restore(shares) }
    content.budget = budget(old?.budget)
    content.recordCount = number(old?.recordCount)
    content.itemCount = number(old?.itemCount)
    let valueKinds = program.members.count + program.states.count
    content.valueCounts = list(old?.valueCounts) {
      ValueCount(index: Int32($0.number($1.map { Int($0.index) }, below: valueKinds)), count: $0.number($1?.count))
    }
    check(zip(content.valueCounts, content.valueCounts.dropFirst()).allSatisfy { $0.index < $1.index })
    check(content.valueCounts.reduce(0.0) { $0 + Double($1.count) } < Double(KeyRecord.largest))
    content.itemCounts = list(old?.itemCounts) { $0.number($1) }
    check(content.itemCounts.count == program.countNames.count)
    content.entryClaims = list(old?.entryClaims) { $0.entryClaim($1) }
    content.outerDeferred = list(old?.outerDeferred) { $0.comparison($1, shape) }
    content.aggregates = list(old?.aggregates) { $0.aggregate($1) }
    content.outerAggregates = list(old?.outerAggregates) { $0.aggregate($1) }
    check(content.aggregates.count == program.aggregateCount && content.outerAggregates.count == shape.aggregateCount)
    content.rootAggregateComparisons = list(old?.rootAggregateComparisons) { $0.comparison($1, nil) }
    let limit = bounds.newerMembers.first ?? 0
    content.newerMembers = list(old?.newerMembers) {
      NewerMember(count: $0.number($1?.count), subjects: $0.list($1?.subjects, limit: limit) { $0.subject($1) }, limit: limit)
    }
    check(content.newerMembers.count == bounds.newerMembers.count)
    content.holdsObjects = flag(old?.holdsObjects)
    let names = MemberNames(packed: bytes(old?.names?.packed))
    check(names != nil)
    content.names = names?.packed.isEmpty == true ? nil : names
    content.faultyLists = list(old?.faultyLists, limit: Partial.faultyListLimit) { $0.text($1) }
    return CollectionPartial.Head(
      shape: shape, firstIndex: firstIndex, content: content, rules: list(head?.rules) { $0.waitingRule($1) })
  }

  private mutating func shape(_ old: CollectionShape?) -> CollectionShape {
    let shape = CollectionShape(
      frameCount: number(old?.frameCount), skipDepth: number(old?.skipDepth), offset: number(old?.offset),
      activeCount: number(old?.activeCount), cellCount: number(old?.cellCount), aggregateCount: number(old?.aggregateCount),
      scopeNumbers: list(old?.scopeNumbers) { $0.number($1) })
    check(shape.scopeNumbers.allSatisfy { $0 >= program.keySetCount })
    check(Set(shape.scopeNumbers).count == shape.scopeNumbers.count)
    return shape
  }

  /// A log of waiting comparisons, and the numbers of its rules.
  fileprivate mutating func log(
    _ log: (rules: [Int], bytes: [UInt8])?, ruleCount: Int
  ) -> (rules: [Int], bytes: [UInt8]) {
    (list(log?.rules) { $0.number($1, below: ruleCount) }, bytes(log?.bytes))
  }
}

extension [UInt8] {
  /// Returns what `body` reads, or `nil` if it isn't all of the bytes, or if they are damaged.
  fileprivate func read<Value>(_ program: RuleProgram, _ body: (inout PartialCoder) -> Value) -> Value? {
    withView { bytes in
      var coder = PartialCoder(bytes, program)
      let value = body(&coder)
      return coder.hasFailed || !coder.isAtEnd ? nil : value
    }
  }
}

extension WaitingLog.Place {
  fileprivate var isSmall: Bool { [offset, line, column].allSatisfy { 0...KeyRecord.largest ~= $0 } }
}
