package import Findings
package import JSONEvents

/// Evaluates one document, event by event, by a compiled program.
///
/// For each open container there is a frame, for each state that its value is under a thread; a scalar is judged at once and leaves nothing behind.
///
///     frames     root ─ {…} ─ expenses [ … ] ─ {…}            one a container
///     threads    root ─ state 0 ─ state 7 ─ state 9           usually one a frame; more where several schemas look at the same value
///     words      failed slots · required names seen · counters
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
  package private(set) var recordCount = 0

  var batch: EventBatch?
  var lines: LineCursor?
  var frames = Stack<Frame>()
  var threads = Stack<Thread>()
  var words = Stack<UInt64>()
  var captures = Stack<Capture>()
  /// The bytes of keys that no state names, of the frames that are open.
  var keyBytes = Stack<UInt8>()
  private var skipDepth = 0

  var pending: [PendingFinding] = []
  var keySets: [KeySet]
  var scopedSets: [KeySet] = []
  var references: [PendingReferences]
  var itemCounts: [Int]
  var expectedCounts: [(count: Int, value: DataValue, rule: Int32, subject: FindingSubject)] = []
  var cells: [DataValue] = []
  var globalCells: [DataValue]
  var deferred: [DeferredComparison] = []
  /// By rule.
  var newerMembers: [Int: NewerMember] = [:]
  /// What became of each step of the record at hand: -1 it held or was not asked, else the entry that waits.
  var stepOutcomes: [Int]

  let matcher = Pattern.Matcher()
  let bounds: [FormatBoundValue]
  /// The bounds of the program as 64-bit integers, where they are some.
  let integerBounds: [Int64?]
  var lastInstant: (offset: Int, instant: Instant?) = (-1, nil)

  package init(_ program: RuleProgram, options: Options) {
    self.program = program
    self.options = options
    collector = FindingCollector(limit: options.maximumFindings)
    let seed = options.key.low ^ options.key.high
    keySets = (0..<program.keySetCount).map { _ in KeySet(seed: seed) }
    references = (0..<program.referenceCount).map { _ in PendingReferences(sitesPerKey: options.maximumFindings) }
    itemCounts = Array(repeating: 0, count: program.countNames.count)
    globalCells = Array(repeating: DataValue(), count: program.globalCellCount)
    stepOutcomes = Array(repeating: -1, count: program.steps.count)
    bounds = program.constants.formatBounds.map { FormatBoundValue($0.operand, now: options.now) }
    integerBounds = program.constants.decimals.map(\.int64)
    // The frame and thread around the root value: its slot 0 is the verdict.
    threads.append(Thread(state: -1, parent: 0, slot: 0, isMute: false, words: 0))
    frames.append(
      Frame(isObject: false, firstThread: 0, threadCount: 1, keyStart: 0, offset: 0, words: 0, captures: 0, cells: 0, scopedSets: 0))
  }

  /// Takes the next events of the document.
  ///
  /// - Parameter lines: finds the lines of places in this batch.
  package mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    self.batch = batch
    self.lines = lines
    for index in 0..<batch.count {
      let event = batch[index]
      if skipDepth > 0 {
        skip(event)
        continue
      }
      switch event.kind {
      case .key: takeKey(event, batch)
      case .string: takeScalar(.string, event, batch)
      case .number: takeScalar(.number, event, batch)
      case .true, .false: takeScalar(.boolean, event, batch)
      case .null: takeScalar(.null, event, batch)
      case .objectStart: open(.object, event, batch)
      case .arrayStart: open(.array, event, batch)
      case .objectEnd, .arrayEnd: close()
      }
    }
    keepPositions()
    self.batch = nil
    self.lines = nil
  }

  // MARK: Events

  private mutating func skip(_ event: Event) {
    switch event.kind {
    case .objectStart, .arrayStart: skipDepth += 1
    case .objectEnd, .arrayEnd:
      skipDepth -= 1
      if skipDepth == 0 { endValue() }
    default: break
    }
  }

  @inline(__always)
  private mutating func takeKey(_ event: Event, _ batch: EventBatch) {
    let name = batch.text(of: event)
    let top = frames.count - 1
    let first = Int(frames[top].firstThread)
    var member: Int32 = -1
    for index in first..<first + Int(frames[top].threadCount) {
      let state = program.states[Int(threads[index].state)]
      let found = self.member(named: name, in: state)
      guard found >= 0 else {
        threads[index].next = state.otherMembers
        threads[index].capture = -1
        threads[index].cell = -1
        threads[index].globalCell = -1
        continue
      }
      member = Int32(found)
      let entry = program.members[found]
      threads[index].next = entry.children
      threads[index].capture = entry.capture
      threads[index].cell = entry.cell
      threads[index].globalCell = entry.globalCell
      if entry.requiredBit >= 0 {
        let word = Int(threads[index].words) + Int(state.requiredWord) + Int(entry.requiredBit >> 6)
        words[word] |= 1 << UInt64(entry.requiredBit & 63)
      }
    }
    frames[top].member = member
    if member < 0 { keepKey(name, top) }
  }

  private mutating func keepKey(_ name: ByteView, _ top: Int) {
    let start = Int(frames[top].keyStart)
    keyBytes.removeAll(from: start)
    for index in 0..<name.count { keyBytes.append(name[index]) }
    frames[top].keyCount = Int32(name.count)
  }

  @inline(__always)
  private func member(named name: ByteView, in state: RuleProgram.State) -> Int {
    guard state.keyTable >= 0 else { return -1 }
    let word = name.leadingWord
    var slot = Int(truncatingIfNeeded: KeyName.hash(name)) & Int(state.keyMask)
    while true {
      let index = Int(program.keySlots[Int(state.keyTable) + slot])
      if index < 0 { return -1 }
      let entry = program.members[index]
      if entry.word == word, Int(entry.nameLength) == name.count, name.count <= 8 || isName(entry, name) { return index }
      slot = (slot + 1) & Int(state.keyMask)
    }
  }

  @inline(__always)
  private func isName(_ entry: RuleProgram.Member, _ name: ByteView) -> Bool {
    program.memberNames.withUnsafeBufferPointer { names in
      guard let base = names.baseAddress, Int(entry.nameStart + entry.nameLength) <= names.count else { return false }
      return ByteView(base + Int(entry.nameStart), count: Int(entry.nameLength)).elementsEqual(name)
    }
  }

  @inline(__always)
  private mutating func takeScalar(_ kind: ValueKind, _ event: Event, _ batch: EventBatch) {
    let top = frames.count - 1
    let first = Int(frames[top].firstThread)
    for index in first..<first + Int(frames[top].threadCount) {
      let thread = threads[index]
      if thread.capture >= 0 { capture(kind, event, batch, at: Int(thread.captures + thread.capture)) }
      if thread.cell >= 0 || thread.globalCell >= 0 { keepCell(kind, event, batch, thread) }
      if top == 0 {
        judge(kind, event, batch, state: Int(program.root), parent: 0, slot: 0)
      } else if thread.next >= 0 {
        let list = program.childLists[Int(thread.next)]
        for row in Int(list.start)..<Int(list.start + list.count) {
          let child = program.children[row]
          judge(kind, event, batch, state: Int(child.state), parent: index, slot: Int(child.slot))
        }
      }
    }
    endValue()
  }

  /// Judges a scalar by one state.
  @inline(__always)
  private mutating func judge(_ kind: ValueKind, _ event: Event, _ batch: EventBatch, state index: Int, parent: Int, slot: Int) {
    let range = program.checkRanges[index * 6 + kind.rawValue]
    if program.states[index].hasBranches { return judgeWithBranches(kind, event, batch, index, parent, slot) }
    for row in Int(range.start)..<Int(range.start + range.count) {
      let check = program.checks[row]
      if !passes(check, kind, event, batch, parent: parent, slot: slot) {
        fail(check, kind, event, thread: parent, slot: slot)
      }
    }
  }

  private mutating func judgeWithBranches(
    _ kind: ValueKind, _ event: Event, _ batch: EventBatch, _ index: Int, _ parent: Int, _ slot: Int
  ) {
    let wordHeight = words.count
    let thread = push(state: Int32(index), parent: parent, slot: slot)
    let range = program.checkRanges[index * 6 + kind.rawValue]
    for row in Int(range.start)..<Int(range.start + range.count) {
      let check = program.checks[row]
      if !passes(check, kind, event, batch, parent: parent, slot: slot) {
        fail(check, kind, event, thread: thread, slot: Int(check.slot))
      }
    }
    resolve(thread: thread, event: event)
    threads.removeAll(from: thread)
    words.removeAll(from: wordHeight)
  }

  /// A new thread on top of the stack.
  private mutating func push(state index: Int32, parent: Int, slot: Int) -> Int {
    let state = program.states[Int(index)]
    var thread = Thread(
      state: index, parent: Int32(parent), slot: UInt16(slot), isMute: threads[parent].isMute || isMute(slot, of: parent),
      words: Int32(words.count))
    if state.words > 0 { words.append(repeating: 0, count: Int(state.words)) }
    if state.captureCount > 0 {
      thread.captures = Int32(captures.count)
      captures.append(repeating: Capture(), count: Int(state.captureCount))
    }
    if state.cells.count > 0 {
      thread.cells = Int32(cells.count)
      cells += Array(repeating: DataValue(), count: Int(state.cells.count))
    }
    threads.append(thread)
    return threads.count - 1
  }

  @inline(__always)
  func isMute(_ slot: Int, of thread: Int) -> Bool {
    slot > 0 && program.slots[Int(program.states[Int(threads[thread].state)].slots.start) + slot].isMute
  }

  // MARK: Containers

  private mutating func open(_ kind: ValueKind, _ event: Event, _ batch: EventBatch) {
    let top = frames.count - 1
    let outer = frames[top]
    let firstThread = threads.count
    var frame = Frame(
      isObject: kind == .object, firstThread: Int32(firstThread), threadCount: 0, keyStart: Int32(keyBytes.count),
      offset: batch.offset(of: event), words: Int32(words.count), captures: Int32(captures.count), cells: Int32(cells.count),
      scopedSets: Int32(scopedSets.count))
    for index in Int(outer.firstThread)..<Int(outer.firstThread + outer.threadCount) {
      let thread = threads[index]
      if thread.capture >= 0 { captures[Int(thread.captures + thread.capture)].status = .container }
      if thread.cell >= 0 || thread.globalCell >= 0 { keepContainerCell(thread) }
      if top == 0 {
        _ = push(state: program.root, parent: 0, slot: 0)
      } else if thread.next >= 0 {
        let list = program.childLists[Int(thread.next)]
        for row in Int(list.start)..<Int(list.start + list.count) {
          let child = program.children[row]
          _ = push(state: child.state, parent: index, slot: Int(child.slot))
        }
      }
    }
    frame.threadCount = Int32(threads.count - firstThread)
    // Where no rule looks, nothing need be known but the end. The outermost frames stay, to count records.
    if frame.threadCount == 0, frames.count > 2 {
      skipDepth = 1
      return
    }
    frames.append(frame)
    for index in firstThread..<threads.count { begin(kind, thread: index) }
  }

  private mutating func begin(_ kind: ValueKind, thread index: Int) {
    let stateIndex = Int(threads[index].state)
    let state = program.states[stateIndex]
    if kind == .array {
      threads[index].next = state.items
      if state.contains.count > 0 { frames[frames.count - 1].hasContains = true }
      if state.plan >= 0 {
        threads[index].scopedSets = Int32(scopedSets.count)
        for _ in 0..<program.plans[Int(state.plan)].scopedSetCount {
          scopedSets.append(KeySet(seed: options.key.low ^ options.key.high))
        }
      }
    }
    let range = program.checkRanges[stateIndex * 6 + kind.rawValue]
    for row in Int(range.start)..<Int(range.start + range.count) {
      let check = program.checks[row]
      if check.operation == .since {
        noteNewerMember(check, nil)
        continue
      }
      // Of the other checks that containers have, none can pass.
      fail(check, kind, nil, thread: index, slot: Int(check.slot))
    }
  }

  private mutating func close() {
    let top = frames.count - 1
    let frame = frames[top]
    let first = Int(frame.firstThread)
    for index in first..<first + Int(frame.threadCount) {
      let state = program.states[Int(threads[index].state)]
      if state.closers.count > 0 { runClosers(state, thread: index, frame: frame) }
      if !deferred.isEmpty { compareDeferred(heldBy: index) }
      if state.hasBranches { resolve(thread: index, event: nil) }
      if frame.isObject {
        if state.recordPlan >= 0 { takeKeys(of: index, plan: Int(state.recordPlan)) }
      } else if state.countIndex >= 0 {
        itemCounts[Int(state.countIndex)] += frame.index
      }
    }
    if !frame.isObject, top <= 2, top == 1 || frames[1].isObject { recordCount += frame.index }
    threads.removeAll(from: first)
    words.removeAll(from: Int(frame.words))
    captures.removeAll(from: Int(frame.captures))
    keyBytes.removeAll(from: Int(frame.keyStart))
    if cells.count > Int(frame.cells) { cells.removeLast(cells.count - Int(frame.cells)) }
    if scopedSets.count > Int(frame.scopedSets) { scopedSets.removeLast(scopedSets.count - Int(frame.scopedSets)) }
    frames.removeAll(from: top)
    endValue()
  }

  /// A value of the innermost open container has ended.
  @inline(__always)
  private mutating func endValue() {
    let top = frames.count - 1
    if frames[top].isObject { return }
    if frames[top].hasContains { countMatches(in: frames[top]) }
    frames[top].index += 1
  }

  /// For each `contains`: the item that has ended counts if nothing failed in its slot.
  private mutating func countMatches(in frame: Frame) {
    for index in Int(frame.firstThread)..<Int(frame.firstThread + frame.threadCount) {
      let state = program.states[Int(threads[index].state)]
      for counter in 0..<Int(state.contains.count) {
        let slot = Int(program.contains[Int(state.contains.start) + counter].slot)
        if !hasFailed(slot, of: index) { words[Int(threads[index].words + state.counterWord) + counter] += 1 }
        words[Int(threads[index].words) + slot >> 6] &= ~(1 << UInt64(slot & 63))
      }
    }
  }

  private mutating func runClosers(_ state: RuleProgram.State, thread index: Int, frame: Frame) {
    let base = Int(threads[index].words)
    for row in Int(state.closers.start)..<Int(state.closers.start + state.closers.count) {
      let closer = program.closers[row]
      let holds: Bool
      switch closer.kind {
      case .required:
        holds = !frame.isObject || words[base + Int(state.requiredWord + closer.operand >> 6)] >> UInt64(closer.operand & 63) & 1 == 1
      case .minimumItems: holds = frame.isObject || frame.index >= closer.count
      case .maximumItems: holds = frame.isObject || frame.index <= closer.count
      case .minimumContains: holds = frame.isObject || Int(words[base + Int(state.counterWord + closer.operand)]) >= closer.count
      case .maximumContains: holds = frame.isObject || Int(words[base + Int(state.counterWord + closer.operand)]) <= closer.count
      }
      if !holds { fail(closer, thread: index, frame: frame, counted: Int(state.counterWord)) }
    }
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

  private mutating func capture(_ kind: ValueKind, _ event: Event, _ batch: EventBatch, at index: Int) {
    var capture = Capture(status: .scalar, offset: batch.offset(of: event))
    switch kind {
    case .null: capture.status = .null
    case .boolean: capture.value = KeyValue(boolean: event.kind == .true)
    case .number: capture.value = KeyValue(number: batch.text(of: event), key: options.key)
    default: capture.value = KeyValue(string: batch.text(of: event), key: options.key)
    }
    captures[index] = capture
  }
}

extension RuleEvaluator {
  /// The document has been read to its end: what could only be decided now is.
  ///
  /// Not to be called for a document that broke off, of which nobody knows what it would have held.
  package mutating func finish() {
    compareDeferred(heldBy: -1)
    compareCounts()
    reportNewerMembers()
    resolveReferences()
  }
}
