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
  /// By member, then by state for an object's first: the member that came next in the last object of that state.
  private var successors = Stack<Int32>()

  var pending: [PendingFinding] = []
  /// The closers of a value are being run, those of an `if` before those of its `then` and `else`.
  var isClosing = false
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
  /// Of the last pattern that was tried, for its message.
  var patternOutcome = Pattern.Outcome.match
  let bounds: [FormatBoundValue]
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
    bounds = program.constants.formatBounds.map { FormatBoundValue($0.format, $0.operand, now: options.now) }
    successors.append(repeating: -1, count: program.members.count + program.states.count)
    // The frame and thread around the root value: its slot 0 is the verdict.
    threads.append(Thread(state: -1, parent: 0, slot: 0, isMute: false, words: 0, next: program.root))
    frames.append(
      Frame(isObject: false, firstThread: 0, threadCount: 1, keyStart: 0, offset: 0, words: 0, captures: 0, cells: 0, scopedSets: 0))
  }

  /// Takes the next events of the document.
  ///
  /// - Parameter lines: finds the lines of places in this batch.
  package mutating func consume(_ batch: EventBatch, lines: LineCursor) {
    self.batch = batch
    self.lines = lines
    var index = 0
    while index < batch.count {
      let event = batch[index]
      index += 1
      if skipDepth > 0 {
        skip(event)
        continue
      }
      switch event.kind {
      case .key:
        if index < batch.count, takeMember(batch.text(of: event), batch[index], batch) { index += 1 }
        else { takeKey(batch.text(of: event)) }
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

  /// A key and the scalar behind it at once, where one thread alone looks at the object and knows the name: by far the most frequent case.
  ///
  /// Returns false, and does nothing, in any other case.
  @inline(__always)
  private mutating func takeMember(_ name: ByteView, _ value: Event, _ batch: EventBatch) -> Bool {
    let top = frames.count - 1
    guard frames[top].threadCount == 1 else { return false }
    let scalar: Scalar
    switch value.kind {
    case .string: scalar = Scalar(.string, value, batch)
    case .number: scalar = Scalar(number: value, batch)
    case .true, .false: scalar = Scalar(.boolean, value, batch)
    case .null: scalar = Scalar(.null, value, batch)
    default: return false
    }
    let thread = Int(frames[top].firstThread)
    let state = Int(threads[thread].state)
    let found = successor(of: Int(frames[top].member), named: name, state: state)
    guard found >= 0 else { return false }
    frames[top].member = Int32(found)
    let bit = program.members[found].requiredBit
    if bit >= 0 {
      words[Int(threads[thread].words) + Int(program.states[state].requiredWord) + Int(bit >> 6)] |= 1 << UInt64(bit & 63)
    }
    if program.members[found].isKept { keep(scalar, member: found, thread: thread) }
    let children = program.members[found].children
    var row = Int(children.start)
    let end = row + Int(children.count)
    while row < end {
      judge(scalar, program.children[row], parent: thread)
      row += 1
    }
    return true
  }

  /// The member of that name, in an object whose last member was `last` (-1: none, or one that no schema names).
  ///
  /// Records repeat each other: the member that came next the last time is tried before the table is searched.
  @inline(__always)
  private mutating func successor(of last: Int, named name: ByteView, state: Int) -> Int {
    let place = last < 0 ? program.members.count + state : last
    let guess = Int(successors[place])
    if guess >= 0, isMember(guess, named: name, word: name.leadingWordOfPadded) { return guess }
    let found = member(named: name, keyTable: program.states[state].keyTable, keyMask: program.states[state].keyMask)
    successors[place] = Int32(found)
    return found
  }

  @inline(__always)
  private func isMember(_ index: Int, named name: ByteView, word: UInt64) -> Bool {
    program.members[index].word == word && Int(program.members[index].nameLength) == name.count
      && (name.count <= 8
        || program.memberNames.view(from: Int(program.members[index].nameStart), count: name.count).elementsEqual(name))
  }

  @inline(__always)
  private mutating func takeKey(_ name: ByteView) {
    let top = frames.count - 1
    let first = Int(frames[top].firstThread)
    var member: Int32 = -1
    for index in first..<first + Int(frames[top].threadCount) {
      let state = Int(threads[index].state)
      let found = self.member(named: name, keyTable: program.states[state].keyTable, keyMask: program.states[state].keyMask)
      guard found >= 0 else {
        threads[index].next = program.states[state].otherMembers
        threads[index].keptMember = -1
        continue
      }
      member = Int32(found)
      threads[index].next = program.members[found].children
      threads[index].keptMember = program.members[found].isKept ? member : -1
      let bit = program.members[found].requiredBit
      if bit >= 0 {
        words[Int(threads[index].words) + Int(program.states[state].requiredWord) + Int(bit >> 6)] |= 1 << UInt64(bit & 63)
      }
    }
    frames[top].member = member
    if member < 0 { keepKey(name, top) }
  }

  @inline(never)
  private mutating func keepKey(_ name: ByteView, _ top: Int) {
    let start = Int(frames[top].keyStart)
    keyBytes.removeAll(from: start)
    for index in 0..<name.count { keyBytes.append(name[index]) }
    frames[top].keyCount = Int32(name.count)
  }

  /// The entry of a name, an event's text, in a table of the program (`keyTable` -1: an empty one), or -1.
  @inline(__always)
  func member(named name: ByteView, keyTable: Int32, keyMask: Int32) -> Int {
    guard keyTable >= 0 else { return -1 }
    let word = name.leadingWordOfPadded
    var slot = Int(truncatingIfNeeded: KeyName.hash(name, leadingWord: word)) & Int(keyMask)
    while true {
      let index = Int(program.keySlots[Int(keyTable) + slot])
      if index < 0 { return -1 }
      if isMember(index, named: name, word: word) { return index }
      slot = (slot + 1) & Int(keyMask)
    }
  }

  @inline(__always)
  private mutating func take(_ scalar: Scalar) {
    let top = frames.count - 1
    let first = Int(frames[top].firstThread)
    for index in first..<first + Int(frames[top].threadCount) {
      if threads[index].keptMember >= 0 { keep(scalar, member: Int(threads[index].keptMember), thread: index) }
      for row in threads[index].next.indices {
        judge(scalar, program.children[row], parent: index)
      }
    }
    endValue()
  }

  /// Judges a scalar by one state.
  @inline(__always)
  private mutating func judge(_ scalar: Scalar, _ child: RuleProgram.Child, parent: Int) {
    if child.hasBranches { return judgeWithBranches(scalar, child, parent) }
    let range = program.checkRanges[Int(child.state) * 6 + scalar.kind.rawValue]
    var row = Int(range.start)
    let end = row + Int(range.count)
    while row < end {
      if !passes(program.checks[row], scalar, parent: parent, slot: Int(child.slot)) {
        fail(program.checks[row], scalar, thread: parent, slot: Int(child.slot))
      }
      row += 1
    }
  }

  @inline(never)
  private mutating func judgeWithBranches(_ scalar: Scalar, _ child: RuleProgram.Child, _ parent: Int) {
    let wordHeight = words.count
    let thread = push(state: child.state, parent: parent, slot: Int(child.slot))
    for row in program.checkRanges[Int(child.state) * 6 + scalar.kind.rawValue].indices {
      let check = program.checks[row]
      if !passes(check, scalar, parent: parent, slot: Int(child.slot)) { fail(check, scalar, thread: thread, slot: Int(check.slot)) }
    }
    resolve(thread: thread, scalar: scalar)
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
      if threads[index].keptMember >= 0 { keepContainer(member: Int(threads[index].keptMember), thread: index) }
      for row in threads[index].next.indices {
        let child = program.children[row]
        _ = push(state: child.state, parent: index, slot: Int(child.slot))
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

  @inline(never)
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
    for row in range.indices {
      let check = program.checks[row]
      if check.operation == .since {
        noteNewerMember(check, nil)
        continue
      }
      // Of the other checks that containers have, none can pass.
      fail(check, container: kind, thread: index, slot: Int(check.slot))
    }
  }

  private mutating func close() {
    let top = frames.count - 1
    let frame = frames[top]
    let first = Int(frame.firstThread)
    for index in first..<first + Int(frame.threadCount) {
      let state = Int(threads[index].state)
      if program.states[state].closers.count > 0 { runClosers(state, thread: index, frame: frame) }
      if !deferred.isEmpty { compareDeferred(heldBy: index) }
      if program.states[state].hasBranches { resolve(thread: index, scalar: nil) }
      if frame.isObject {
        let plan = Int(program.states[state].recordPlan)
        if plan >= 0 { takeKeys(of: index, plan: plan) }
      } else if program.states[state].countIndex >= 0 {
        itemCounts[Int(program.states[state].countIndex)] += frame.index
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
  @inline(never)
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

  private mutating func runClosers(_ state: Int, thread index: Int, frame: Frame) {
    let base = Int(threads[index].words)
    let required = base + Int(program.states[state].requiredWord)
    let counters = base + Int(program.states[state].counterWord)
    isClosing = true
    defer { isClosing = false }
    for row in program.states[state].closers.indices {
      let closer = program.closers[row]
      let holds: Bool
      switch closer.kind {
      case .required:
        holds = !frame.isObject || words[required + Int(closer.operand >> 6)] >> UInt64(closer.operand & 63) & 1 == 1
      case .minimumItems: holds = frame.isObject || frame.index >= closer.count
      case .maximumItems: holds = frame.isObject || frame.index <= closer.count
      case .minimumContains: holds = frame.isObject || words[counters + Int(closer.operand)] >= closer.count
      case .maximumContains: holds = frame.isObject || words[counters + Int(closer.operand)] <= closer.count
      }
      if !holds { fail(closer, thread: index, frame: frame, counters: counters) }
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

  /// Keeps a scalar for the keys of its record, or for `$data`.
  @inline(never)
  private mutating func keep(_ scalar: Scalar, member index: Int, thread: Int) {
    let member = program.members[index]
    if member.capture >= 0 {
      var capture = Capture(status: .scalar, offset: scalar.offset)
      switch scalar.kind {
      case .null: capture.status = .null
      case .boolean: capture.value = KeyValue(boolean: scalar.event.kind == .true)
      case .number:
        capture.value = scalar.isInteger ? KeyValue(integer: scalar.integer) : KeyValue(number: scalar.text, key: options.key)
      default: capture.value = KeyValue(string: scalar.text, key: options.key)
      }
      captures[Int(threads[thread].captures + member.capture)] = capture
    }
    if member.cell >= 0 || member.globalCell >= 0 { keepCell(DataValue(scalar), member, thread) }
  }

  private mutating func keepContainer(member index: Int, thread: Int) {
    let member = program.members[index]
    if member.capture >= 0 { captures[Int(threads[thread].captures + member.capture)].status = .container }
    if member.cell >= 0 || member.globalCell >= 0 { keepCell(DataValue(kind: .container), member, thread) }
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
