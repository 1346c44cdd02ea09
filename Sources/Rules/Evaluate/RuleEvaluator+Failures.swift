import ByteStreams
import Findings
import JSONEvents

/// Rule failures: each becomes a finding, or marks the branch that it belongs to.
extension RuleEvaluator {
  /// The destination of a failure.
  enum Destination {
    case finding
    /// Branches whose failures are never reported.
    case mute
    case branches(Branches)
  }

  /// The branches for which a failure is kept until they are decided; usually one.
  struct Branches {
    var first: Requester
    var others: [Requester] = []
  }

  /// Marks the branches, if any, that fail with `slot` of an active state.
  @inline(__always)
  mutating func mark(active: Int, slot: Int) -> Destination {
    slot == 0 ? markEnclosing(active) : markBranch(Requester(active: Int32(active), slot: UInt16(slot)))
  }

  @inline(__always)
  private mutating func markBranch(_ requester: Requester) -> Destination {
    markFailed(requester) ? .branches(Branches(first: requester)) : .mute
  }

  /// Marks the branches that fail with an active state.
  @inline(never)
  private mutating func markEnclosing(_ first: Int) -> Destination {
    var active = first
    var slot = 0
    var steps = 0
    while slot == 0, active > 0 {
      steps += 1
      switch activeStates[active].meaning {
      case .unknown: break
      case .finding:
        if steps > 8 { noteFinding(from: first, to: active) }
        return .finding
      case .mute: return .mute
      }
      if activeStates[active].requesters >= 0 { return markAll(from: active) }
      slot = Int(activeStates[active].slot)
      active = Int(activeStates[active].parent)
    }
    if slot == 0 {
      if steps > 8 { noteFinding(from: first, to: active) }
      return .finding
    }
    return markBranch(Requester(active: Int32(active), slot: UInt16(slot)))
  }

  /// Notes that failures of a state, and of those between it and an outer one, are findings.
  private mutating func noteFinding(from first: Int, to end: Int) {
    var active = first
    while active != end {
      activeStates[active].meaning = .finding
      active = Int(activeStates[active].parent)
    }
  }

  /// Marks the branches of all direct and indirect requesters of a shared state, each once.
  @inline(never)
  private mutating func markAll(from active: Int) -> Destination {
    var waiting = [Int32(active)]
    var visited: Set<Int32> = [Int32(active)]
    var marked: Set<Requester> = []
    var shown: [Requester] = []
    // True if each visited state has one requester outside of branches. Then all visited states share the result.
    var isChain = true
    while let active = waiting.popLast() {
      if !waiting.isEmpty { isChain = false }
      if active == 0 || activeStates[Int(active)].meaning == .finding {
        if isChain { note(.finding, of: visited) }
        return .finding
      }
      if activeStates[Int(active)].meaning == .mute { continue }
      var requester = Requester(active: activeStates[Int(active)].parent, slot: activeStates[Int(active)].slot)
      var next = activeStates[Int(active)].requesters
      while true {
        if requester.slot == 0 {
          if visited.insert(requester.active).inserted { waiting.append(requester.active) }
        } else if marked.insert(requester).inserted, markFailed(requester) {
          shown.append(requester)
        }
        if next < 0 { break }
        (requester, next) = requesters[Int(next)]
      }
    }
    guard let first = shown.first else {
      note(.mute, of: visited)
      return .mute
    }
    // Only this outcome isn't noted. The states are those of open records: others around a collection don't have branches.
    let steps = visited.count + marked.count
    if steps > StepBudget.free {
      spend(steps) { $0.costliestRule(of: [Int($0.activeStates[active].state)]) }
    }
    return .branches(Branches(first: first, others: Array(shown.dropFirst())))
  }

  private mutating func note(_ meaning: ActiveState.Meaning, of visited: Set<Int32>) {
    for active in visited where active > 0 { activeStates[Int(active)].meaning = meaning }
  }

  /// - Returns: true if failures of the branch may be reported.
  private mutating func markFailed(_ requester: Requester) -> Bool {
    let (active, slot) = (Int(requester.active), Int(requester.slot))
    if failCondition(slot, of: active) { return false }
    words[Int(activeStates[active].words) + slot >> 6] |= 1 << UInt64(slot & 63)
    let row = program.slots[Int(program.states[Int(activeStates[active].state)].slots.start) + slot]
    if row.then != 0 { kill(Int(row.then), of: active) }
    if activeStates[active].isMute || row.isMute {
      kill(slot, of: active)
      return false
    }
    return !isWithinDead(slot, of: active)
  }

  /// Marks a slot whose failures are never shown, if what it kills is known. Returns false otherwise.
  @inline(__always)
  mutating func failCondition(_ slot: Int, of active: Int) -> Bool {
    let state = Int(activeStates[active].state)
    let killed = program.slots[Int(program.states[state].slots.start) &+ slot].killed
    if killed == 0 { return false }
    let first = Int(activeStates[active].words)
    let dead = first &+ Int(program.states[state].deadWord)
    words[first] |= 1 &<< UInt64(truncatingIfNeeded: slot)
    words[dead] |= killed
    activeStates[active].dead = Int32(truncatingIfNeeded: dead)
    return true
  }

  // MARK: Kinds of failures

  /// Handles the failure of a scalar.
  @inline(never)
  mutating func failScalar(_ scalar: Scalar, by check: RuleProgram.Check, active: Int, slot: Int) {
    let destination = mark(active: active, slot: slot)
    // Nearly always a condition that doesn't hold.
    if case .mute = destination { return }
    if case .finding = destination { noteFault(at: scalar.offset, program.rules[Int(check.rule)].severity) }
    if case .branches(let branches) = destination, program.rules[Int(check.rule)].isConstant {
      refute(branches.first)
      for other in branches.others { refute(other) }
    }
    if case .finding = destination, check.operation == .never, program.rules[Int(check.rule)].expectation == "nothing" {
      noteRefusal(depth: frames.count)
    }
    guard isShown(destination, check.rule, scalar.offset) else { return }
    guard case .branches(let branches) = destination else {
      let subject = subject(of: scalar)
      return emit(check.rule, subject, words(for: check, scalar, subject, depth: frames.count))
    }
    keepPending(scalar, by: check, for: branches.first)
    for other in branches.others { keepPending(scalar, by: check, for: other) }
  }

  private mutating func keepPending(_ scalar: Scalar, by check: RuleProgram.Check, for branch: Requester) {
    let frame = frames[frames.count - 1]
    // The value of a branch has the branch's states; a value inside it has others, and its type says nothing about the branch.
    let isTypeMismatch = check.isType && branch.active >= frame.firstActive + frame.activeCount
    // Branches of the scalar or of its container are decided while the container is open. The other value of a comparison may
    // be replaced until then.
    if branch.active >= frame.firstActive, !frame.isObject || frame.member >= 0, !check.operation.comparesData {
      // Most branches are dropped. Composing their messages earlier would cost more than everything else.
      return pending.append(
        PendingFinding(
          active: branch.active, slot: branch.slot, rule: check.rule, depth: Int32(frames.count),
          isTypeMismatch: isTypeMismatch,
          step: PendingFinding.Step(depth: frames.count, member: frame.member, kind: scalar.kind, index: frame.index),
          content: .uncomposed(check, scalar.kind, text: scalar.text, offset: scalar.offset, wording.patternOutcome)))
    }
    let subject = subject(of: scalar)
    pending.append(
      PendingFinding(
        active: branch.active, slot: branch.slot, rule: check.rule, depth: Int32(frames.count),
        isTypeMismatch: isTypeMismatch,
        content: .composed(subject, words(for: check, scalar, subject, depth: frames.count))))
  }

  /// Handles the failure of the innermost container.
  mutating func failContainer(_ kind: JSONKind, by check: RuleProgram.Check, active: Int, slot: Int) {
    let destination = mark(active: active, slot: slot)
    let rule = program.rules[Int(check.rule)]
    if case .finding = destination { noteFault(at: frames[frames.count - 1].offset, rule.severity) }
    if case .finding = destination, rule.expectation == "nothing" { noteRefusal(depth: frames.count - 1) }
    guard isShown(destination, check.rule, frames[frames.count - 1].offset) else { return }
    if rule.message == nil, rule.expectation == "nothing" {
      return record(
        destination, check.rule, subject(of: nil), refusal(depth: frames.count - 1), isTypeMismatch: check.isType)
    }
    record(destination, check.rule, found: kind == .array ? .array : .object, isTypeMismatch: check.isType)
  }

  /// Handles the failure of a check at the end of the innermost container.
  @inline(never)
  mutating func failAtEnd(by endCheck: RuleProgram.EndCheck, active: Int, frame: Frame, counters: Int) {
    let destination = mark(active: active, slot: Int(endCheck.slot))
    guard isShown(destination, endCheck.rule, frame.offset) else { return }
    let found: PendingFinding.Found =
      switch endCheck.kind {
      case .containerAmong: frame.isObject ? .otherObject : .otherArray
      case .unchecked: .unchecked(frame.index)
      case .minimumContains, .maximumContains: .count(Int(truncatingIfNeeded: words[counters + Int(endCheck.operand)]))
      default: .count(frame.index)
      }
    record(destination, endCheck.rule, found: found, isTypeMismatch: false)
  }

  /// Handles the failure of a subject with its own place, or of a stored one.
  mutating func failSubject(_ subject: FindingSubject, by index: Int32, active: Int, slot: Int, _ message: String) {
    fail(at: subject.position.offset, by: index, active: active, slot: slot) { _ in (subject, message) }
  }

  /// Handles a failure whose subject and message are composed only if it is shown.
  mutating func fail(
    at offset: Int, by index: Int32, active: Int, slot: Int, _ words: (inout RuleEvaluator) -> (FindingSubject, String)
  ) {
    let destination = mark(active: active, slot: slot)
    guard isShown(destination, index, offset) else { return }
    let (subject, message) = words(&self)
    record(destination, index, subject, program.rules[Int(index)].message ?? message, isTypeMismatch: false)
  }

  // MARK: Reporting

  /// The most failures of undecided branches to keep in detail, however many findings are requested: about 16 MiB.
  private static let pendingLimit = 1 << 15

  /// Returns whether a failure needs details. If it only needs counting, counts it.
  private mutating func isShown(_ destination: Destination, _ rule: Int32, _ offset: Int) -> Bool {
    switch destination {
    case .mute: return false
    case .finding:
      let rule = program.rules[Int(rule)]
      return partial.collector.takes(rule.graded(rule.severity), at: offset)
    case .branches(let branches):
      branchFailures &+= UInt32(truncatingIfNeeded: 1 + branches.others.count)
      if pending.count + outerPendingCount <= min(options.maximumFindings, Self.pendingLimit) + 1000 { return true }
      count(1, rule, for: branches.first)
      for other in branches.others { count(1, rule, for: other) }
      return false
    }
  }

  /// Counts failures of a branch without details, in one entry per rule, because too many are pending.
  mutating func count(_ added: Int, _ rule: Int32, for branch: Requester) {
    for index in pending.indices.suffix(64)
    where pending[index].rule == rule && pending[index].active == branch.active && pending[index].slot == branch.slot {
      guard case .counted(let count) = pending[index].content else { continue }
      pending[index].content = .counted(count + added)
      return
    }
    pending.append(
      PendingFinding(
        active: branch.active, slot: branch.slot, rule: rule, depth: .max, isTypeMismatch: false, content: .counted(added)))
  }

  /// Records that the innermost container has failed a rule.
  private mutating func record(
    _ destination: Destination, _ rule: Int32, found: PendingFinding.Found, isTypeMismatch: Bool
  ) {
    let top = frames.count - 1
    if case .branches(let branches) = destination, top > 0, frames[top].line == 0 {
      let holder = frames[top - 1]
      let step = PendingFinding.Step(depth: top, member: holder.member, index: holder.index)
      // Most of them are dropped, see `keepPending`.
      if areDecided(branches, within: step), !holder.isObject || holder.member >= 0 {
        return keepPending(
          branches, rule, .uncomposedContainer(found: found, offset: frames[top].offset), at: step, isTypeMismatch: isTypeMismatch
        )
      }
    }
    var subject = subject(of: nil)
    var message = words(for: rule, found: found, &subject)
    if case .finding = destination, let member = program.rules[Int(rule)].member, program.rules[Int(rule)].message == nil {
      message += misspelling(of: member)
    }
    record(destination, rule, subject, message, isTypeMismatch: isTypeMismatch)
  }

  private mutating func record(
    _ destination: Destination, _ rule: Int32, _ subject: FindingSubject, _ message: String, isTypeMismatch: Bool
  ) {
    switch destination {
    case .mute: break
    case .finding: emit(rule, subject, message)
    case .branches(let branches): keepPending(branches, rule, .composed(subject, message), isTypeMismatch: isTypeMismatch)
    }
  }

  private mutating func keepPending(
    _ branches: Branches, _ rule: Int32, _ content: PendingFinding.Content, at step: PendingFinding.Step? = nil,
    isTypeMismatch: Bool
  ) {
    let isTypeMismatch = isTypeMismatch && branches.first.active >= frames[frames.count - 1].firstActive
    let entry = PendingFinding(
      active: branches.first.active, slot: branches.first.slot, rule: rule, depth: Int32(frames.count),
      isTypeMismatch: isTypeMismatch, step: step, content: content)
    pending.append(entry)
    for other in branches.others { pending.append(entry.moved(to: other)) }
  }

  private mutating func words(
    for check: RuleProgram.Check, _ scalar: Scalar, _ subject: FindingSubject, depth: Int
  ) -> String {
    let rule = program.rules[Int(check.rule)]
    return rule.message ?? message(for: check, rule, scalar, subject, depth: depth)
  }

  /// Returns the message about a container, and appends a missing member to its pointer.
  private mutating func words(for index: Int32, found: PendingFinding.Found, _ subject: inout FindingSubject) -> String {
    let rule = program.rules[Int(index)]
    if let member = rule.member { subject.pointer += "/" + member.reportedToken }
    if let text = rule.message { return text }
    if let member = rule.member {
      let need = rule.cause.map { ": '\($0.shortened(to: ReportedPointer.nameLimit))' requires it" } ?? ""
      return "the member '\(member.shortened(to: ReportedPointer.nameLimit))' is missing\(need)"
    }
    switch found {
    case .array: return "expected \(rule.expectation), found an array"
    case .object: return "expected \(rule.expectation), found an object"
    case .otherArray: return "expected \(rule.expectation), found another array"
    case .otherObject: return "expected \(rule.expectation), found another object"
    case .count(let count): return "expected \(rule.expectation), found \(count)"
    case .unchecked(let count):
      return rule.expectation + ": " + (count == 1 ? "the member" : "none of the \(count) members")
        + " of this object is \(count == 1 ? "not an" : "an") object"
    }
  }

  /// Composes the messages of failures that need the current batch before it is released: at least its unescaped strings exist
  /// only there.
  mutating func composePending(lasting: ByteView?) {
    for index in pending.indices {
      if let lasting, pending[index].content.needsNothing(but: lasting) { continue }
      compose(index)
    }
  }

  /// Composes the message of a pending failure, unless that has been done.
  mutating func compose(_ index: Int) {
    guard pending[index].content.isUncomposed, let step = pending[index].step else { return }
    let (content, rule) = (pending[index].content, pending[index].rule)
    // The container is still open, but may be at another member.
    let current = frames[step.depth - 1]
    frames[step.depth - 1].member = step.member
    frames[step.depth - 1].index = step.index
    defer { frames[step.depth - 1] = current }
    switch content {
    case .composed, .counted: break
    case .uncomposed(let check, let kind, let text, let offset, let outcome):
      wording.patternOutcome = outcome
      let scalar = Scalar(kind, text: text, offset: offset)
      let subject = subject(of: scalar, depth: step.depth)
      pending[index].content = .composed(subject, words(for: check, scalar, subject, depth: step.depth))
    case .uncomposedContainer(let found, let offset):
      var subject = FindingSubject(pointer: pointer(depth: step.depth), position: position(at: offset))
      let message = words(for: rule, found: found, &subject)
      pending[index].content = .composed(subject, message)
    }
  }

  /// Returns whether all these branches are decided before the value's container ends, so that the message can be composed that
  /// late.
  mutating func areDecided(_ branches: Branches, within step: PendingFinding.Step) -> Bool {
    let firstActive = frames[step.depth - 1].firstActive
    return branches.first.active >= firstActive && branches.others.allSatisfy { $0.active >= firstActive }
  }

  mutating func emit(_ rule: Int32, _ subject: FindingSubject, _ message: String) {
    partial.collector.add(Finding(program.rules[Int(rule)], subject, message, redacts: options.redacts))
  }
}

extension Finding {
  /// Creates the finding of a rule.
  init(_ rule: RuleProgram.Rule, _ subject: FindingSubject, _ message: String, redacts: Bool) {
    self.init(
      code: rule.code, keyword: rule.keyword, severity: rule.severity, message: message,
      place: Place(pointer: subject.pointer, at: subject.position),
      schemaLocation: rule.pointer, excerpt: redacts ? nil : subject.excerpt)
  }
}

/// A failure under a branch that is not decided yet.
struct PendingFinding {
  enum Content {
    /// A scalar of the current batch or slice. Its message is composed when the branch is reported, or before its text is
    /// released.
    case uncomposed(RuleProgram.Check, JSONKind, text: ByteView, offset: Int, Pattern.Outcome)
    /// A container that begins in the current batch, and the value found instead of the expected one. Its message is also
    /// composed later.
    case uncomposedContainer(found: Found, offset: Int)
    case composed(FindingSubject, String)
    /// A finding that is only counted, because too many were already pending.
    case counted(Int)

    /// True if the message is composed later.
    var isUncomposed: Bool {
      switch self {
      case .uncomposed, .uncomposedContainer: true
      case .composed, .counted: false
      }
    }

    /// Returns whether the message can still be composed if only these bytes remain.
    func needsNothing(but lasting: ByteView) -> Bool {
      switch self {
      case .uncomposed(_, _, let text, _, _): lasting.contains(text)
      case .uncomposedContainer, .composed, .counted: true
      }
    }
  }

  enum Found {
    case array, object, otherArray, otherObject
    case count(Int)
    /// The number of an object's members.
    case unchecked(Int)
  }

  /// The place of a value: in the innermost of `depth` frames, at a member or an index.
  struct Step {
    var depth: Int
    /// The member of an object, which may tell alternatives apart.
    var member: Int32
    /// The kind of a scalar.
    var kind = JSONKind.null
    var index: Int
  }

  var active: Int32
  var slot: UInt16
  var rule: Int32
  /// The number of open containers around the failed value.
  var depth: Int32
  /// True if the value has another type than the branch requires, so the branch was probably not intended.
  var isTypeMismatch: Bool
  /// The value's place, if the message was not composed at once. Then its container may still be open.
  var step: Step?
  var content: Content

  /// Returns the same finding under another branch.
  func moved(to requester: Requester) -> PendingFinding {
    var copy = self
    (copy.active, copy.slot) = (requester.active, requester.slot)
    return copy
  }
}
