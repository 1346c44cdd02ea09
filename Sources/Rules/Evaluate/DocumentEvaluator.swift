package import ByteStreams
package import Findings
package import JSONEvents

/// Evaluates one document: its envelope event by event, the records of its collections slice by slice, and the keys of both in
/// order.
package struct DocumentEvaluator: DocumentConsumer, ~Copyable {
  package let program: RuleProgram
  private var envelope: RuleEvaluator
  private var keys: KeyIndex
  private var keyWork = KeyWork.decide
  private var decisions: KeyDecisions?
  private var search: KeySearch?
  /// The scoped sets that are open, if the index doesn't have them.
  private var scopes: ScopeNumbers
  private var keyFindings: KeyFindings
  private var waiting: WaitingComparisons
  /// Whether the document is an array; `nil` before it begins.
  package private(set) var isArray: Bool?
  package private(set) var needsNoMore = false

  /// What to do with operations on keys.
  private enum KeyWork {
    case decide
    /// Writes them for other processes.
    case write(KeyRowWriter)
    /// Looks for those of findings.
    case search
    /// Nothing: other processes have decided them.
    case ignore
  }

  package init(_ program: RuleProgram, options: EvaluationOptions) {
    self.program = program
    envelope = RuleEvaluator(program, options: options)
    keys = KeyIndex(
      setCount: program.keySetCount, memoryLimit: options.memoryLimit, key: options.key, spillFolder: options.temporaryFolder)
    scopes = ScopeNumbers(setCount: program.keySetCount)
    keyFindings = KeyFindings(program, options)
    waiting = WaitingComparisons(in: options.temporaryFolder)
  }

  package var options: EvaluationOptions { envelope.options }

  /// Evaluates the next events of the envelope or of a slice. Their bytes may be released afterwards.
  package mutating func consume(_ batch: EventBatch, lines: LineCursor) throws(CofferError) {
    guard batch.count > 0 else { return }
    if isArray == nil { isArray = batch[0].kind == .arrayStart }
    envelope.consume(batch, lines: lines)
    try apply(envelope.partial.keys, lines)
    envelope.clearKeyLog()
    try checkWaiting()
    endSearch(at: batch.offset(of: batch[batch.count - 1]))
  }

  package var consumesSlices: Bool { true }

  package static var takesObjects: Bool { true }

  package func names(of partial: Partial) -> MemberNames? { partial.names }

  package func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> SliceWork)? {
    guard let context = collection(depth: depth, recordsBefore: recordsBefore) else { return nil }
    let makeWorker = workers(in: context)
    return {
      let evaluate = makeWorker()
      return { evaluate($0, $1) { _ in } }
    }
  }

  /// Returns a factory for the work on slices of the collection with that context. The work calls a closure with each batch after
  /// its evaluation.
  package func workers(
    in context: CollectionContext
  ) -> @Sendable () -> (Slice, ReportBounds, (EventBatch) -> Void) -> Partial? {
    { [program, options] in SliceEvaluator(program, options, context).evaluate }
  }

  /// Returns the context for evaluating the innermost open collection in slices, after `recordsBefore` records, or `nil` if it can't
  /// be sliced.
  package func collection(depth: Int, recordsBefore: Int) -> CollectionContext? {
    envelope.collection(depth: depth, recordsBefore: recordsBefore)
  }

  /// Returns the pointer of the innermost open container, as in reports.
  package mutating func containerPointer() -> String { envelope.containerPointer() }

  /// The limits for detailed findings of the next slice.
  package var sliceBounds: ReportBounds { envelope.partial.bounds(envelope.options) }

  /// Returns whether the collection's next slice must be evaluated here: the rules take too many steps.
  package func exceedsLimits(with partial: Partial) -> Bool {
    envelope.partial.exceeds(stepLimit: envelope.options.stepLimit, with: partial)
  }

  /// Merges the result of the collection's next slice, whose bytes must still be valid.
  package mutating func merge(_ partial: Partial, of slice: Slice) throws(CofferError) {
    envelope.merge(partial)
    try apply(partial.keys, slice.lines)
    try checkWaiting()
    endSearch(at: slice.end)
  }

  /// Creates an empty result for a collection. Those of its next slices are added to it, in this or another process.
  ///
  /// - Parameter memoryLimit: the memory for keys, in bytes.
  package func partial(in context: CollectionContext, memoryLimit: Int) -> CollectionPartial {
    CollectionPartial(
      program, envelope.options, CollectionShape(context, scopeNumbers: scopeNumbers), context, memoryLimit: memoryLimit)
  }

  /// Reads the result of a collection's slices that another process has evaluated.
  package func partial(decoding source: inout some ByteSource) throws(CofferError) -> CollectionPartial {
    try CollectionPartial(decoding: &source, program, options: options, memoryLimit: options.memoryLimit)
  }

  /// Returns whether the result of the collection's next slices must not be merged because too many values would wait.
  ///
  /// Then the slices must be evaluated here: an error reports the first value that exceeds the limit, and there are no findings
  /// about what follows.
  package func exceedsLimits(with partial: borrowing CollectionPartial) -> Bool { envelope.exceedsLimits(with: partial.content) }

  /// Merges the result of the collection's next slices. The outcome is the same as if they had been merged one by one.
  ///
  /// - Throws: `damagedPartial` if this is not the result of the next slices, or as for a single slice.
  package mutating func merge(_ partial: consuming CollectionPartial) throws(CofferError) {
    guard partial.shape.scopeNumbers == scopeNumbers, envelope.accepts(partial) else { throw .damagedPartial }
    envelope.merge(partial.content)
    if case .decide = keyWork {
      try partial.forEachKeyRow { row throws(CofferError) in try keys.apply(row) { keyFindings.add($0.violation) } }
    }
    try waiting.append(partial.waiting)
    try checkWaiting()
  }

  /// Spills comparisons with values at the root to disk if many of them wait. Everything else that waits stays in memory, and so
  /// do lists of allowed values.
  private mutating func checkWaiting() throws(CofferError) {
    // Those in an item that is a document wait only for its end.
    if program.documentDepth == 1, envelope.partial.waitingCount > min(4096, envelope.waitingLimit) {
      envelope.partial.closeWaiting()
      for log in envelope.partial.closedWaiting { try waiting.append(log) }
      envelope.partial.closedWaiting = []
    }
    if let subject = envelope.partial.waiting(after: envelope.waitingLimit) {
      throw CofferError(
        .ruleLimit, RuleEvaluator.waitingMessage,
        at: .init(position: subject.position))
    }
    if let error = envelope.excess { throw error }
  }

  private var scopeNumbers: [Int] {
    if case .decide = keyWork { return keys.scopeNumbers }
    return scopes.open
  }

  private mutating func apply(_ log: KeyLog, _ lines: LineCursor) throws(CofferError) {
    guard !log.isEmpty else { return }
    var lines = lines
    switch keyWork {
    case .decide: try keys.apply(log, lines: &lines) { keyFindings.add($0.violation) }
    case .write(let writer): try log.forEachRecord(&scopes, &lines) { row throws(CofferError) in try writer.append(row) }
    case .search: search?.consume(log, &lines)
    case .ignore: log.count(&scopes)
    }
  }

  // MARK: Keys that other processes decide

  /// Writes all operations on keys, instead of deciding them. Must be called before anything is consumed.
  package mutating func writeKeys(to writer: KeyRowWriter) { keyWork = .write(writer) }

  /// Reads the result of a `KeyJoin`, instead of deciding operations on keys. Must be called before anything is consumed, once for
  /// each bucket.
  package mutating func readDecisions(from source: inout some ByteSource) throws(CofferError) {
    keyWork = .ignore
    let schema = KeySchema(program)
    var count = 0
    var rows = try KeyRows(decoding: &source, in: envelope.options.temporaryFolder) { row in
      count += min(max(0, row.violation.count), KeyRecord.largest)
      return row.isValid(schema, hasScope: { _ in false }) && count <= KeyRecord.largest
    }
    var decisions = decisions.take() ?? KeyDecisions(schema, envelope.options)
    try rows.forEach { row throws(CofferError) in try decisions.append(row) { keyFindings.add($0) } }
    self.decisions = consume decisions
  }

  // MARK: A second evaluation

  /// What a second evaluation of the document can find out about its findings. `nil` if they aren't about keys.
  package var keySearch: KeySearch? {
    search ?? (keyFindings.listed.isEmpty ? nil : KeySearch(keyFindings.listed, program, envelope.options))
  }

  /// Creates a second evaluation, which only looks for keys.
  package init(for search: KeySearch) {
    var options = search.options
    options.progress = nil
    self.init(search.program, options: options)
    self.search = search
    keyWork = .search
  }

  /// Ends a second evaluation that can find nothing more.
  private mutating func endSearch(at offset: Int) {
    if let search, search.isComplete(at: offset) { needsNoMore = true }
  }

  /// Completes the checks that need the whole document.
  ///
  /// Must not be called for a truncated document, because its missing content is unknown.
  package mutating func finish() throws(CofferError) {
    try options.progress.saying("checking references") { () throws(CofferError) in try complete() }
  }

  private mutating func complete() throws(CofferError) {
    if waiting.rules.contains(where: { envelope.mayFail($0) }) {
      try waiting.forEach { envelope.compareWaiting($0, $1, $2, $3) }
    }
    envelope.finish()
    keyFindings.itemCounts = envelope.partial.itemCounts
    keyFindings.version = envelope.declaredVersion.map { ExactDecimal($0)?.int64 } ?? envelope.options.versionIfAbsent
    try keys.finish { keyFindings.add($0.violation) }
    try decisions?.finish { keyFindings.add($0) }
    keyFindings.finish(faultyLists: envelope.partial.faultyLists)
  }

  /// Completes the checks of a document that can't be read to its end: duplicates are found whatever memory they need.
  package mutating func finishEarly() throws(CofferError) { try keys.finishEarly { keyFindings.add($0.violation) } }

  package var collector: FindingCollector {
    var collector = envelope.partial.collector
    collector.merge(keyFindings.collector)
    return collector
  }
  /// The errors in the document, as many as the options ask for, in no particular order.
  package var errors: [LocatedErrors] {
    let (values, keys) = (envelope.partial.collector.errorOffsets, keyFindings.collector.errorOffsets)
    if values.isEmpty, keys.isEmpty { return [] }
    let program = program
    // Definitions have no rule.
    let steps = Dictionary(
      program.stepLabels.indices.map { program.steps[$0] }.filter { $0.rule >= 0 }.map {
        (program.rules[Int($0.rule)].graded(.error).schemaLocation, $0)
      }, uniquingKeysWith: { first, _ in first })
    let orders = Set(program.rules.filter { $0.keyword == "sortedBy" }.map { $0.graded(.error).schemaLocation })
    return values.map { rule, offsets in
      LocatedErrors(kind: orders.contains(rule.schemaLocation) ? .order : .value, rule: rule, offsets: offsets)
    }
      + keys.map { rule, offsets in
        let step = steps[rule.schemaLocation]
        let kind: LocatedErrors.Kind =
          switch step?.kind {
          case .reference: .dangling
          // Equal items are equally wrong.
          case .uniqueItem: .value
          default: .duplicate
          }
        return LocatedErrors(kind: kind, rule: rule, offsets: offsets, hasOneField: step?.fields.count == 1)
      }
  }
  /// The document's claims about its container's entries; valid at its end.
  package var entryClaims: EntryClaims { EntryClaims(envelope.partial.entryClaims, program, envelope.options) }
  /// The values at the places that the program was compiled to watch; valid at the document's end.
  package var watched: [WatchedValue] {
    program.watches.map { watch in
      switch watch {
      case .count(let index): .number(String(envelope.partial.itemCounts[Int(index)]))
      case .cell(let index): WatchedValue(envelope.globalCells[Int(index)])
      }
    }
  }
  /// The right values of numbers that wrongly declare totals, by their offsets, if offsets of errors are kept.
  package var rightTotals: [Int: String] { envelope.rightTotals }
  /// The number of records that have been read to their ends.
  package var recordCount: Int? { envelope.partial.recordCount + envelope.openRecordCount }
  /// The values that the program's `checkedRules` applied to, except for those that applied to none.
  package var ruleValues: [RuleValues] { program.ruleValues(of: envelope.stateValues) }
  /// The collections that have been read to their ends.
  package var collections: [CollectionCount] { envelope.partial.collections }
  package var declaredVersion: String? { envelope.declaredVersion }
}

/// Evaluates slices of one collection, one after another, each as if it were the first. There is one evaluator per thread.
private final class SliceEvaluator {
  private var evaluator: RuleEvaluator
  private let context: CollectionContext

  init(_ program: RuleProgram, _ options: EvaluationOptions, _ context: CollectionContext) {
    evaluator = RuleEvaluator(program, options: options)
    self.context = context
  }

  func evaluate(_ slice: Slice, bounds: ReportBounds, observed observe: (EventBatch) -> Void) -> Partial? {
    evaluator.evaluate(slice, in: context, bounds: bounds, limits: evaluator.options.limits, observe)
  }
}

extension WatchedValue {
  fileprivate init(_ value: DataValue) {
    let text = String(decoding: value.text, as: UTF8.self)
    self =
      switch value.kind {
      case .absent: .absent
      case .null: .null
      case .boolean: .boolean(value.text == [1])
      case .number: .number(text)
      case .string: .string(text)
      case .container: .container
      }
  }
}

/// The places of a rule's errors in a document.
package struct LocatedErrors: Sendable {
  package enum Kind: Int, Sendable {
    /// The value, or what holds it, is wrong whatever else the document holds.
    case value
    /// It refers to no record.
    case dangling
    /// Its key is that of an earlier record.
    case duplicate
    /// It is not in the order of the records before it: any of them may be wrong.
    case order
  }

  package let kind: Kind
  package let rule: FindingRule
  /// The offsets of the values, in no particular order.
  package let offsets: [Int]
  /// True if the key, or the reference, is one value.
  package let hasOneField: Bool

  package init(kind: Kind, rule: FindingRule, offsets: [Int], hasOneField: Bool = true) {
    self.kind = kind
    self.rule = rule
    self.offsets = offsets
    self.hasOneField = hasOneField
  }
}
