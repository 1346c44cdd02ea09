package import Findings
package import JSONEvents

/// Evaluates one document, event by event, by a compiled program.
///
/// For each open container there is a frame, and an active state for each state that its value is under; a scalar is judged at once and leaves
/// nothing behind.
///
///     frames           root ─ {…} ─ expenses [ … ] ─ {…}      one a container
///     active states    root ─ state 0 ─ state 7 ─ state 9     usually one a frame; more where several schemas look at the same value
///     words            failed slots · required names seen · counters
///
/// Memory: depth × active states, what `RuleProgram` says of keys and references, findings as the collector keeps them.
package struct RuleEvaluator: ~Copyable {
  package struct Options: Sendable {
    /// How many findings are kept in detail.
    package var maximumFindings = 1000
    /// What `now` means in bounds.
    package var now: Instant
    /// Leaves values out of messages and findings.
    package var redacts = false
    /// Scatters keys and makes digests unpredictable; verdicts don't depend on it.
    package var key: SipHash128.Key

    package init(now: Instant, key: SipHash128.Key) {
      self.now = now
      self.key = key
    }
  }

  let program: RuleProgram
  let options: Options
  package internal(set) var collector: FindingCollector
  /// Items of the root array, or of the arrays that are the root object's members.
  package internal(set) var recordCount = 0

  var batch: EventBatch?
  var lines: LineCursor?
  var frames = Stack<Frame>()
  var activeStates = Stack<ActiveState>()
  var words = Stack<UInt64>()
  var captures = Stack<Capture>()
  /// The bytes of keys that no state names, of the frames that are open.
  var keyBytes = Stack<UInt8>()
  var skipDepth = 0
  /// By member, then by state for an object's first: the member that came next in the last object of that state.
  var successors = Stack<Int32>()

  var pending: [PendingFinding] = []
  var keySets: [KeySet]
  var scopedSets: [KeySet] = []
  var references: [PendingReferences]
  var itemCounts: [Int]
  var expectedCounts: [(count: Int, value: DataValue, rule: Int32, subject: FindingSubject)] = []
  var cells: [DataValue] = []
  var globalCells: [DataValue]
  /// Comparisons with fields of objects that are open, and those with places counted from the root.
  var deferred: [DeferredComparison] = []
  var rootDeferred: [DeferredComparison] = []
  /// By rule.
  var newerMembers: [Int: NewerMember] = [:]
  /// What became of each step of the record at hand: -1 it held or was not asked, else the entry that waits.
  var stepOutcomes = Stack<Int>()

  let matcher = Pattern.Matcher()
  /// Of the last pattern that was tried, for its message.
  var patternOutcome = Pattern.Outcome.match
  /// By the program's format bounds.
  var instantBounds = Stack<InstantBound>()
  var lastInstant: (offset: Int, format: StringFormat, instant: Instant?) = (-1, .dateTime, nil)
  /// Where more states were active at once than `activeStateLimit` allows; nothing is evaluated from there on.
  ///
  /// Rules that refer to themselves in several branches double with every level of the document.
  package internal(set) var exceededAt: TextPosition?
  package static let activeStateLimit = 50_000

  package init(_ program: RuleProgram, options: Options) {
    self.program = program
    var options = options
    // More could not be held in memory, and sums with it must not overflow.
    options.maximumFindings = min(max(0, options.maximumFindings), Int(Int32.max))
    self.options = options
    collector = FindingCollector(limit: options.maximumFindings)
    let seed = options.key.low ^ options.key.high
    keySets = (0..<program.keySetCount).map { _ in KeySet(seed: seed) }
    references = (0..<program.referenceCount).map { _ in PendingReferences(sitesPerKey: options.maximumFindings) }
    itemCounts = Array(repeating: 0, count: program.countNames.count)
    globalCells = Array(repeating: DataValue(), count: program.globalCellCount)
    stepOutcomes.append(repeating: -1, count: program.steps.count)
    for bound in program.constants.formatBounds { instantBounds.append(InstantBound(bound, now: options.now)) }
    successors.append(repeating: -1, count: program.members.count + program.states.count)
    // The frame and active state around the root value: its slot 0 is the verdict.
    activeStates.append(ActiveState(state: -1, parent: 0, slot: 0, isMute: false, words: 0, next: program.root))
    frames.append(
      Frame(
        isObject: false, firstActive: 0, activeCount: 1, keyStart: 0, offset: 0, words: 0, captures: 0, cells: 0, scopedSets: 0,
        pending: 0))
  }

  /// Takes the next events of the document.
  ///
  /// - Parameter lines: finds the lines of places in this batch.
  package mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    self.batch = batch
    self.lines = lines
    var index = 0
    while index < batch.count, exceededAt == nil {
      let event = batch[index]
      index += 1
      if skipDepth > 0 {
        skip(event)
        continue
      }
      switch event.kind {
      case .key:
        if index < batch.count, takeMember(batch.text(of: event), batch[index], batch) {
          index += 1
        } else {
          takeKey(batch.text(of: event))
        }
      case .string: take(Scalar(.string, event, batch))
      case .number: take(Scalar(number: event, batch))
      case .true, .false: take(Scalar(.boolean, event, batch))
      case .null: take(Scalar(.null, event, batch))
      case .objectStart: open(.object, event, batch)
      case .arrayStart: open(.array, event, batch)
      case .objectEnd, .arrayEnd: close()
      }
    }
    keepPositions()
    self.batch = nil
    self.lines = nil
  }

  private mutating func skip(_ event: Event) {
    switch event.kind {
    case .objectStart, .arrayStart: skipDepth += 1
    case .objectEnd, .arrayEnd:
      skipDepth -= 1
      if skipDepth == 0 { endValue() }
    default: break
    }
  }

  // MARK: What must outlive the batch

  /// Looks up the lines of all places that may be needed when their bytes have gone.
  private mutating func keepPositions() {
    if !pending.isEmpty { wordPending() }
    for index in 1..<max(1, frames.count) where frames[index].line == 0 {
      let position = position(at: frames[index].offset)
      frames[index].line = position.line
      frames[index].column = position.column
    }
    for index in 0..<captures.count where captures[index].status == .scalar && captures[index].line == 0 {
      let position = position(at: captures[index].offset)
      captures[index].line = position.line
      captures[index].column = position.column
    }
  }

  /// The line and column of a place in the current batch.
  mutating func position(at offset: Int) -> TextPosition {
    lines?.position(at: offset) ?? TextPosition(offset: offset, line: 0, column: 0)
  }

  /// The document has been read to its end: what could only be decided now is.
  ///
  /// Not to be called for a document that broke off, of which nobody knows what it would have held.
  package mutating func finish() {
    compareRootDeferred()
    compareCounts()
    reportNewerMembers()
    resolveReferences()
  }
}
