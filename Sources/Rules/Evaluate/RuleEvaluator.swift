import ByteStreams
package import Findings
package import JSONEvents
package import SystemPackage

/// Evaluates one document, event by event, by a compiled program.
///
/// For each open container there is a frame, and an active state for each state that its value is under; a scalar is judged at once and leaves
/// nothing behind.
///
///     frames           root ─ {…} ─ expenses [ … ] ─ {…}      one a container
///     active states    root ─ state 0 ─ state 7 ─ state 9     usually one a frame; more where several schemas look at the same value
///     words            failed slots · required names seen · counters
///
/// Its methods are `mutating` even where they change nothing: a method that only reads, and isn't inlined, is handed a copy of the whole struct
/// (569 bytes, a fifth of the time that a member takes) when its caller may write.
///
/// Memory: depth × active states, findings as the collector keeps them, and what `Partial` gathers until somebody takes it.
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
    /// How many bytes keys and waiting references may take in memory.
    package var memoryLimit = 256 << 20
    /// How keys are graded that their object has had before; `nil`: nobody looks for them.
    package var duplicateKeys: Severity?
    /// Writes down what the document says of its container's entries.
    package var gathersEntries = false
    /// The version of a document that declares none.
    package var versionIfAbsent: Int64?
    /// Where the file is made that what is more goes to.
    package var temporaryFolder: FilePath = SpillFile.defaultFolder

    package init(now: Instant, key: SipHash128.Key) {
      self.now = now
      self.key = key
    }

    /// How a document's readers compare its keys.
    package var keyComparison: KeyComparison? {
      duplicateKeys.map { _ in KeyComparison(low: key.low, high: key.high) }
    }
  }

  let program: RuleProgram
  let options: Options
  /// What outlives the stretch of the document at hand.
  var partial: Partial

  var lines: LineCursor?
  var frames = Stack<Frame>()
  var activeStates = Stack<ActiveState>()
  /// Of shared states, those that ask besides the first: lists through `next` (-1: the end).
  var askers = Stack<(asker: Asker, next: Int32)>()
  /// By state: the one that became active last.
  var latestActive = Stack<Int32>()
  var words = Stack<UInt64>()
  var captures = Stack<Capture>()
  /// The bytes of keys that no state names, of the frames that are open.
  var keyBytes = Stack<UInt8>()
  /// The program's children, and behind them those of the member whose name came last and only patterns know.
  var children = Stack<RuleProgram.Child>()
  var patternMatches = Stack<Bool>()
  /// Digests of arrays and objects that are open, and of the last one that ended.
  var digests = Stack<ValueDigest>()
  var lastDigest = KeyValue.none
  var memberFactors: MemberFactors
  /// Names of the program's members as values: of the first ones, as far as they were asked for.
  var memberNameValues = Stack<KeyValue>()
  /// By the program's sets of arrays and objects; made when first asked for.
  var containerSets: [Set<KeyValue>?]
  /// Sets of items that branches wait for the verdict on, and how many items they hold.
  var uniqueSets: [Set<KeyValue>] = []
  var uniqueCount = 0
  var skipDepth = 0
  var skippedPath = SkippedPath()
  /// By member, then by state for an object's first: the member that came next in the last object of that state.
  var successors = Stack<Int32>()

  var pending: [PendingFinding] = []
  /// Those that wait around the slice at hand.
  var outerPendingCount = 0
  /// How many key sets belong to arrays that are open.
  var scopeHeight: Int32 = 0
  /// The array whose records' keys were logged last, by its offset, and what the log calls it.
  var loggedContainer: (offset: Int, number: Int32) = (-1, 0)
  var cells: [DataValue] = []
  /// Names of entries, in objects that are open.
  var openEntries: [OpenEntry] = []
  var globalCells: [DataValue]
  /// The last scalar of which something was found, and whether that was ever a value that a key is made of.
  var lastFault: (offset: Int, severity: Severity) = (-1, .note)
  var hasFaults = false
  /// Comparisons with fields of objects that are open.
  var deferred: [DeferredComparison] = []

  /// What is gathered for those who ask below, of the containers that are open.
  var gatherings: [Gathering] = []
  /// Comparisons with what containers that are open have gathered when they end.
  var deferredGatherings: [DeferredGathering] = []
  /// References that fields of the records make which are open.
  var fannedReferences: [FannedReference] = []

  let matcher = Pattern.Matcher()
  /// Of the last pattern that was tried, for its message.
  var patternOutcome = Pattern.Outcome.match
  /// By the program's format bounds.
  var instantBounds = Stack<InstantBound>()
  var lastUUID: (offset: Int, uuid: UUIDText?) = (-1, nil)
  var lastInstant: (offset: Int, format: StringFormat, instant: Instant?) = (-1, .dateTime, nil)
  /// Which limit was exceeded first, if one was, and where; nothing is evaluated from there on.
  package private(set) var excess: JSONReadError?
  /// Whether there is an excess: asked for with each event.
  private(set) var hasExceeded = false
  /// How many states may be active at once. Rules that refer to themselves in several branches double with every level of the document.
  package static let activeStateLimit = 50_000

  package init(_ program: RuleProgram, options: Options) {
    self.program = program
    var options = options
    // More could not be held in memory, and sums with it must not overflow.
    options.maximumFindings = min(max(0, options.maximumFindings), Int(Int32.max))
    self.options = options
    partial = Partial(program, ReportBounds(program, options))
    memberFactors = MemberFactors(key: options.key)
    containerSets = Array(repeating: nil, count: program.constants.containerSets.count)
    for index in 0..<program.children.count { children.append(program.children[index]) }
    globalCells = Array(repeating: DataValue(), count: program.globalCellCount)
    for bound in program.constants.formatBounds { instantBounds.append(InstantBound(bound, now: options.now)) }
    latestActive.append(repeating: 0, count: program.states.count)
    successors.append(repeating: -1, count: program.members.count + program.states.count)
    // The frame and active state around the root value: its slot 0 is the verdict.
    activeStates.append(ActiveState(state: -1, parent: 0, slot: 0, isMute: false, words: 0, next: program.root))
    frames.append(
      Frame(
        isObject: false, firstActive: 0, activeCount: 1, keyStart: 0, offset: 0, words: 0, captures: 0, cells: 0, scopedSets: 0,
        uniqueSets: 0, gatherings: 0, askers: 0, pending: 0))
  }

  /// Takes the next events of the document, whose bytes are gone afterwards.
  ///
  /// - Parameter lines: finds the lines of places in this batch.
  package mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    self.lines = lines
    take(batch)
    keepPositions()
    self.lines = nil
  }

  /// - Parameter lasting: bytes that outlive the batch.
  mutating func take(_ batch: EventBatch, lasting: ByteView? = nil) {
    var end = batch.firstDuplicateKey(from: 0)
    takeEvents(of: batch.prefix(end), from: 0)
    while end < batch.count, !hasExceeded {
      reportDuplicateKey(at: end, of: batch)
      let start = end
      end = batch.firstDuplicateKey(from: start + 1)
      takeEvents(of: batch.prefix(end), from: start)
    }
    if skipDepth > 0, options.duplicateKeys != nil { skippedPath.keep(batch) }
    if !pending.isEmpty { wordPending(lasting: lasting) }
  }

  /// Nothing need be asked about duplicate keys here, for they are where the runs begin.
  @inline(never)
  private mutating func takeEvents(of batch: EventBatch, from start: Int) {
    var index = start
    events: while index < batch.count, !hasExceeded {
      let event = batch[index]
      index += 1
      if skipDepth > 0 {
        skip(event)
        continue
      }
      switch event.kind {
      case .key:
        var key = event
        while index < batch.count, takeMember(batch.text(of: key), batch[index], batch) {
          index += 1
          // Nearly always the next member follows.
          guard index < batch.count, batch[index].kind == .key, !hasExceeded else { continue events }
          key = batch[index]
          index += 1
        }
        takeKey(batch.text(of: key), offset: batch.offset(of: key))
      case .null, .false, .true, .number, .string: take(Scalar(event, batch))
      case .objectStart: open(.object, event, batch)
      case .arrayStart: open(.array, event, batch)
      case .objectEnd, .arrayEnd: close()
      }
    }
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

  /// Notes that the rules ask for more than a limit allows.
  mutating func exceed(_ message: String, at position: TextPosition) {
    if hasExceeded { return }
    hasExceeded = true
    excess = JSONReadError(code: .ruleLimit, message: message, position: position)
  }

  mutating func forgetExcess() {
    hasExceeded = false
    excess = nil
  }

  // MARK: What must outlive the batch

  /// Looks up the lines of all places that may be needed when their bytes have gone.
  private mutating func keepPositions() {
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
    compareWaiting()
    compareRootGatherings()
    compareCounts()
    reportNewerMembers()
  }
}
