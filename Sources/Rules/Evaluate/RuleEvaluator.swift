package import ByteStreams
import Findings
package import JSONEvents

/// Evaluates one document event by event with a compiled program.
///
/// Each open container has a frame, and an active state for each program state that applies to it. A scalar is checked
/// immediately and keeps no state.
///
///     frames           root ─ {…} ─ expenses [ … ] ─ {…}      one per container
///     active states    root ─ state 0 ─ state 7 ─ state 9     usually one per frame; more if several schemas apply to the value
///     words            failed slots · required names seen · counters
///
/// Frames and active states that were popped stay in memory, and the next object of an array may use them again: see
/// `Frame.reopensObjects`.
///
/// Its methods are `mutating` even if they change nothing. A nonmutating method that isn't inlined gets a copy of the whole
/// struct (569 bytes, a fifth of the time for a member) if its caller may write.
///
/// Memory: depth × active states, the collector's findings, and the contents of `Partial` until the caller takes them.
package struct RuleEvaluator: ~Copyable {

  let program: RuleProgram
  let options: EvaluationOptions
  /// The lasting results of the current stretch of the document.
  var partial: Partial

  var lines: LineCursor?
  var frames = UniqueArray<Frame>()
  var activeStates = UniqueArray<ActiveState>()
  /// The additional requesters of shared states: lists linked by `next`, which is -1 at the end.
  var requesters = UniqueArray<(requester: Requester, next: Int32)>()
  /// The most recent active state of each program state.
  var latestActive = UniqueArray<Int32>()
  var words = UniqueArray<UInt64>()
  /// A row for each member, then for each state.
  var tallies = UniqueArray<Tally>()
  /// True if a slice has been counted, and its result not taken.
  var hasValueCounts = false
  var captures = UniqueArray<Capture>()
  /// The bytes of keys in open frames that no state names.
  var keyBytes = UniqueArray<UInt8>()
  /// The program's children, followed by those of the last member if only patterns match its name.
  var children = UniqueArray<RuleProgram.Child>()
  var patternMatches = UniqueArray<Bool>()
  var wholes: WholeValues
  var skipDepth = 0
  var skippedPath = SkippedPath()

  var pending: [PendingFinding] = []
  /// The number of failures of undecided branches so far. It may wrap around.
  var branchFailures: UInt32 = 0
  /// The number of findings that are pending in the containers around the current slice.
  var outerPendingCount = 0
  /// The number of key sets that belong to open arrays.
  var scopeHeight: Int32 = 0
  /// The collection whose records' keys were logged last: its offset and depth, and its number in the log. The root of JSON Lines
  /// has the offset of the first line.
  var loggedContainer: (offset: Int, depth: Int, number: Int32) = (-1, 0, 0)
  /// The record in an object whose keys were logged last: its offset, and the log's index for its name.
  var loggedName: (offset: Int, index: Int) = (-1, 0)
  var cells: [DataValue] = []
  /// Entry names in open objects.
  var openEntries: [OpenEntry] = []
  var globalCells: [DataValue]
  /// The last scalar with a finding, and whether there was any.
  var lastFault: (offset: Int, severity: Severity) = (-1, .note)
  var hasFaults = false
  /// Comparisons with fields of open objects and aggregates of open containers, made when those end.
  var deferred: [DeferredComparison] = []

  /// The aggregates of open containers, for comparisons inside them.
  var aggregates: [Aggregate] = []
  /// The last value that sums left out.
  var leftOut: [LeftOutValue] = []
  /// References from multivalued fields of open records.
  var multivaluedReferences: [MultivaluedReference] = []

  let matcher = Pattern.Matcher()
  var wording = Wording()
  /// For the codes of waiting comparisons.
  var buffer = ByteBuffer(capacity: 256)
  /// The program's format bounds, with `now` resolved.
  var instantBounds = UniqueArray<InstantBound>()
  var lastUUID: (offset: Int, uuid: UUIDText?) = (-1, nil)
  var lastInstant: (offset: Int, format: StringFormat, instant: Instant?) = (-1, .dateTime, nil)
  /// The right values of numbers that declare totals of the document, by the places of those that are wrong: for who corrects them.
  private(set) var rightTotals: [Int: String] = [:]
  private static let rightTotalLimit = 1000
  /// The first exceeded limit, or the first value that the rules can't judge, if any, and its place. Evaluation stops there.
  package private(set) var excess: CofferError?
  /// True if there is an excess; tested for each event.
  private(set) var hasExceeded = false
  /// The most states that may be active at the same time. Recursive rules with several branches double with every level of the
  /// document.
  static let activeStateLimit = 50_000

  package init(_ program: RuleProgram, options: EvaluationOptions) {
    self.program = program
    var options = options
    // More findings would not fit in memory, and sums with this number must not overflow.
    options.maximumFindings = min(max(0, options.maximumFindings), Int(Int32.max))
    self.options = options
    partial = Partial(program, ReportBounds(program, options))
    wholes = WholeValues(program, options)
    for index in 0..<program.children.count { children.append(program.children[index]) }
    globalCells = Array(repeating: DataValue(), count: program.globalCellCount)
    for bound in program.constants.formatBounds { instantBounds.append(InstantBound(bound, now: options.now)) }
    latestActive.append(repeating: 0, count: program.states.count)
    tallies.append(repeating: Tally(), count: program.members.count + program.states.count)
    // The frame and active state around the root value. Slot 0 of the state is the result.
    activeStates.append(ActiveState(state: -1, parent: 0, slot: 0, isMute: false, words: 0, next: program.root))
    frames.append(
      Frame(
        isObject: false, firstActive: 0, activeCount: 1, keyStart: 0, offset: 0, words: 0, captures: 0, cells: 0, scopedSets: 0,
        uniqueSets: 0, aggregates: 0, requesters: 0, pending: 0, branchFailures: 0))
  }

  mutating func noteTotal(_ right: String, at offset: Int) {
    if options.offsetLimit > 0, rightTotals.count < Self.rightTotalLimit { rightTotals[offset] = right }
  }

  /// Evaluates the next events of the document. Their bytes may be released afterwards.
  ///
  /// - Parameter lines: finds the lines of places in this batch.
  package mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    self.lines = lines
    consume(batch)
    keepPositions()
    self.lines = nil
  }

  /// - Parameter lasting: bytes that outlive the batch.
  mutating func consume(_ batch: EventBatch, lasting: ByteView? = nil) {
    var end = batch.firstDuplicateKey(from: 0)
    consumeEvents(of: batch.prefix(end), from: 0)
    while end < batch.count, !hasExceeded {
      reportDuplicateKey(at: end, of: batch)
      let start = end
      end = batch.firstDuplicateKey(from: start + 1)
      consumeEvents(of: batch.prefix(end), from: start)
    }
    if skipDepth > 0, options.duplicateKeys != nil { skippedPath.keep(batch) }
    if !pending.isEmpty { composePending(lasting: lasting) }
  }

  /// Consumes a run of events. Only the first one can be a duplicate key, and the caller has reported it.
  @inline(never)
  private mutating func consumeEvents(of batch: EventBatch, from start: Int) {
    var index = start
    while index < batch.count, !hasExceeded {
      let event = batch[index]
      index += 1
      if skipDepth > 0 {
        skip(event)
        continue
      }
      switch event.kind {
      case .key:
        index = consumeMembers(of: batch, from: index - 1)
        guard index < batch.count, batch[index].kind == .key, !hasExceeded else { continue }
        consumeKey(batch.text(of: batch[index]), offset: batch.offset(of: batch[index]))
        index += 1
      case .null, .false, .true, .number, .string: consume(Scalar(event, batch))
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
      if skipDepth == 0 { endValue(at: nil) }
    default: break
    }
  }

  /// Notes that the rules exceed a limit.
  mutating func exceed(_ message: String, at position: TextPosition) {
    if hasExceeded { return }
    hasExceeded = true
    excess = CofferError(.ruleLimit, message, at: .init(position: position))
  }

  /// Notes that a value has reached a schema that can't be used.
  @inline(never)
  mutating func meet(_ obstacle: CofferError, at position: TextPosition) {
    if hasExceeded { return }
    hasExceeded = true
    let place = [obstacle.place.document, obstacle.place.pointer].compactMap(\.self).joined(separator: "#")
    let line = obstacle.place.position.map { ", line \($0.line) of the rules" } ?? ""
    excess = CofferError(
      obstacle.code, "the rules can't judge this value: \(obstacle.message) (\(place.isEmpty ? "the root" : place)\(line))",
      at: .init(position: position))
  }

  mutating func forgetExcess() {
    hasExceeded = false
    excess = nil
  }

  /// The number of values that each state was active for, so far.
  var stateValues: [Int] {
    var counts = tallies.array.map(\.count)
    for index in 0..<program.members.count where counts[index] > 0 {
      for row in program.members[index].children.indices {
        let child = program.children[row]
        if !child.isRepeated { counts[program.members.count + Int(child.state)] += counts[index] }
      }
    }
    return Array(counts[program.members.count...])
  }

  // MARK: Values that outlive the batch

  /// Looks up the lines of all places that may be needed after their bytes are released.
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

  /// Returns the line and column of an offset in the current batch.
  mutating func position(at offset: Int) -> TextPosition {
    lines?.position(at: offset) ?? TextPosition(offset: offset, line: 0, column: 0)
  }

  /// Completes the checks that need the whole document.
  ///
  /// Must not be called for a truncated document, because its missing content is unknown.
  package mutating func finish() {
    compareWaiting()
    compareRootAggregates()
    reportNewerMembers()
  }
}
