package import Findings
package import JSONEvents

/// Evaluates one document: its spine event by event, the records of its collections slice by slice, and the keys of both in order.
package struct DocumentEvaluator: ~Copyable {
  private let program: RuleProgram
  private var spine: RuleEvaluator
  private var keys: KeyIndex
  private var keyFindings: KeyFindings
  private var waiting: WaitingComparisons

  package init(_ program: RuleProgram, options: RuleEvaluator.Options) {
    self.program = program
    spine = RuleEvaluator(program, options: options)
    keys = KeyIndex(
      setCount: program.keySetCount, memoryLimit: options.memoryLimit, key: options.key, spillFolder: options.temporaryFolder)
    keyFindings = KeyFindings(program, options)
    waiting = WaitingComparisons(in: options.temporaryFolder)
  }

  /// Takes the next events of the spine or of a slice, whose bytes are gone afterwards.
  package mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    spine.consume(batch, lines: lines)
    try apply(spine.partial.keys, lines)
    spine.clearKeyLog()
    try checkWaiting()
  }

  /// Where the records of the innermost open array are evaluated as slices, so many of which have come; `nil`: they can't be.
  package func collection(depth: Int, recordsBefore: Int) -> CollectionContext? {
    spine.collection(depth: depth, recordsBefore: recordsBefore)
  }

  /// How much the next slice has to report in detail.
  package var bounds: ReportBounds { spine.partial.bounds(spine.options) }

  /// Takes what the collection's next slice came to. Its bytes must still be there.
  package mutating func merge(_ partial: Partial, of slice: Slice) throws {
    spine.merge(partial)
    try apply(partial.keys, slice.lines)
    try checkWaiting()
  }

  /// What waits for a value at the root goes to disk where it is much; all else that waits is kept in memory, and so are the lists that others must
  /// be in.
  private mutating func checkWaiting() throws {
    if spine.partial.waitingCount > min(4096, spine.waitingLimit) {
      spine.partial.closeWaiting()
      for log in spine.partial.closedWaiting { try waiting.append(log) }
      spine.partial.closedWaiting = []
    }
    if let subject = spine.partial.waiting(after: spine.waitingLimit) {
      throw JSONReadError(
        code: .ruleLimit, message: RuleEvaluator.waitingMessage,
        position: TextPosition(offset: subject.offset, line: subject.line, column: subject.column))
    }
    if let error = spine.excess { throw error }
  }

  private mutating func apply(_ log: KeyLog, _ lines: LineCursor) throws {
    guard !log.isEmpty else { return }
    var lines = lines
    try keys.apply(log, lines: &lines) { keyFindings.add($0) }
  }

  /// The document has been read to its end: what could only be decided now is.
  ///
  /// Not to be called for a document that broke off, of which nobody knows what it would have held.
  package mutating func finish() throws {
    if waiting.rules.contains(where: { spine.mayFail($0) }) {
      try waiting.forEach { spine.compareWaiting($0, $1, $2, $3) }
    }
    spine.finish()
    keyFindings.itemCounts = spine.partial.itemCounts
    keyFindings.version = spine.declaredVersion.map { ExactDecimal($0)?.int64 } ?? spine.options.versionIfAbsent
    try keys.finish { keyFindings.add($0) }
    keyFindings.finish(faultyLists: spine.partial.faultyLists)
  }

  package var collector: FindingCollector {
    var collector = spine.partial.collector
    collector.merge(keyFindings.collector)
    return collector
  }
  /// What the document says of its container's entries; asked for at its end.
  package var entryClaims: EntryClaims { EntryClaims(spine.partial.entryClaims, program, spine.options) }
  /// What stood at the places that the program was compiled to watch; asked for at the document's end.
  package var watched: [WatchedValue] {
    program.watches.map { watch in
      switch watch {
      case .count(let index): .number(String(spine.partial.itemCounts[Int(index)]))
      case .cell(let index): WatchedValue(spine.globalCells[Int(index)])
      }
    }
  }
  /// How many records have been read to their ends.
  package var recordCount: Int { spine.partial.recordCount + spine.openRecordCount }
  package var declaredVersion: String? { spine.declaredVersion }
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
