import Findings
import JSONEvents

/// What happens when a rule fails: a finding, or a mark on the branch that asked.
extension RuleEvaluator {
  /// Where a failure goes.
  private enum Destination {
    case finding
    /// A branch whose failures are never shown.
    case mute
    case branch(thread: Int, slot: Int)
  }

  /// Marks the branch that fails with `slot` of `thread`, if there is one.
  private mutating func mark(thread: Int, slot: Int) -> Destination {
    var thread = thread
    var slot = slot
    while slot == 0, thread > 0 {
      slot = Int(threads[thread].slot)
      thread = Int(threads[thread].parent)
    }
    if slot == 0 { return .finding }
    words[Int(threads[thread].words) + slot >> 6] |= 1 << UInt64(slot & 63)
    return threads[thread].isMute || isMute(slot, of: thread) || isLeftOut(slot, of: thread)
      ? .mute : .branch(thread: thread, slot: slot)
  }

  /// Whether a slot, or one that it is a part of, is a `then` whose `if` has failed, which is for good.
  ///
  /// That an `if` holds is certain only when all slots are decided: an `else` is never left out before.
  func isLeftOut(_ slot: Int, of thread: Int) -> Bool {
    let first = Int(program.states[Int(threads[thread].state)].slots.start)
    var slot = slot
    while slot != 0 {
      let row = program.slots[first + slot]
      if row.test != 0, hasFailed(Int(row.test), of: thread) { return true }
      slot = Int(row.parent)
    }
    return false
  }

  func hasFailed(_ slot: Int, of thread: Int) -> Bool {
    words[Int(threads[thread].words) + slot >> 6] >> UInt64(slot & 63) & 1 == 1
  }

  // MARK: Sources of failures

  /// A scalar fails a check.
  @inline(never)
  mutating func fail(_ check: RuleProgram.Check, _ scalar: Scalar, thread: Int, slot: Int) {
    let destination = mark(thread: thread, slot: slot)
    if case .mute = destination { return }
    guard isShown(destination, check.rule, scalar.offset) else { return }
    let frame = frames[frames.count - 1]
    // Branches of the container that holds the scalar, or of the scalar itself: they are decided while that container is open.
    if case .branch(let branch, let slot) = destination, branch >= Int(frame.firstThread), !frame.isObject || frame.member >= 0 {
      // Most branches are left out: to word their failures before that is known would cost more than all the rest.
      let isOwn = branch >= Int(frame.firstThread + frame.threadCount)
      pending.append(
        PendingFinding(
          thread: Int32(branch), slot: UInt16(slot), rule: check.rule, isTypeMismatch: isOwn && check.isType,
          content: .unworded(
            check, scalar.kind, text: scalar.text, offset: scalar.offset,
            PendingFinding.Step(depth: frames.count, member: frame.member, index: frame.index)))
      )
      return
    }
    let subject = subject(of: scalar)
    record(destination, check.rule, subject, words(for: check, scalar, subject), isTypeMismatch: check.isType)
  }

  /// The innermost container fails a check.
  mutating func fail(_ check: RuleProgram.Check, container kind: ValueKind, thread: Int, slot: Int) {
    let destination = mark(thread: thread, slot: slot)
    if case .mute = destination { return }
    guard isShown(destination, check.rule, frames[frames.count - 1].offset) else { return }
    let rule = program.rules[Int(check.rule)]
    let found = kind == .array ? "an array" : "an object"
    let message = rule.expectation == "nothing" ? "this member is not allowed" : "expected \(rule.expectation), found \(found)"
    record(destination, check.rule, subject(of: nil), rule.message ?? message, isTypeMismatch: check.isType)
  }

  private func words(for check: RuleProgram.Check, _ scalar: Scalar, _ subject: FindingSubject) -> String {
    let rule = program.rules[Int(check.rule)]
    return rule.message ?? message(for: check, rule, scalar, subject)
  }

  /// Words all failures that need the current batch, which is about to go.
  mutating func wordPending() {
    for index in pending.indices { pending[index].content = worded(pending[index].content) }
  }

  private mutating func worded(_ content: PendingFinding.Content) -> PendingFinding.Content {
    guard case .unworded(let check, let kind, let text, let offset, let step) = content else { return content }
    // The container is still open, but may have come to another member.
    let current = frames[step.depth - 1]
    frames[step.depth - 1].member = step.member
    frames[step.depth - 1].index = step.index
    defer { frames[step.depth - 1] = current }
    let scalar = Scalar(kind, text: text, offset: offset)
    let subject = subject(of: scalar, depth: step.depth)
    return .worded(subject, words(for: check, scalar, subject))
  }

  /// The innermost container fails as a whole.
  @inline(never)
  mutating func fail(_ closer: RuleProgram.Closer, thread: Int, frame: Frame, counters: Int) {
    let destination = mark(thread: thread, slot: Int(closer.slot))
    if case .mute = destination { return }
    guard isShown(destination, closer.rule, frame.offset) else { return }
    let rule = program.rules[Int(closer.rule)]
    var subject = subject(of: nil)
    var found = "\(frame.index)"
    if let member = rule.member { subject.pointer += "/" + member.pointerToken }
    if closer.kind == .minimumContains || closer.kind == .maximumContains {
      found = "\(words[counters + Int(closer.operand)])"
    }
    let message =
      rule.message ?? (rule.member.map { "the member '\($0)' is missing" } ?? "expected \(rule.expectation), found \(found)")
    record(destination, closer.rule, subject, message, isTypeMismatch: false)
  }

  /// A failure whose place was kept for it.
  mutating func fail(rule index: Int32, thread: Int, slot: Int, _ subject: FindingSubject, _ message: String) {
    let destination = mark(thread: thread, slot: slot)
    if case .mute = destination { return }
    guard isShown(destination, index, subject.offset) else { return }
    record(destination, index, subject, program.rules[Int(index)].message ?? message, isTypeMismatch: false)
  }

  /// False where a finding need only be counted, which is then done.
  private mutating func isShown(_ destination: Destination, _ rule: Int32, _ offset: Int) -> Bool {
    switch destination {
    case .mute: return false
    case .finding:
      if collector.keeps(offset: offset) { return true }
      collector.count(severity: program.rules[Int(rule)].severity, code: program.rules[Int(rule)].code)
      return false
    case .branch(let thread, let slot):
      if pending.count <= options.maximumFindings + 1000 { return true }
      // So many wait already: the rest of this branch is only counted, one entry a rule.
      for index in pending.indices.suffix(64) {
        let entry = pending[index]
        guard case .counted(let count) = entry.content, entry.rule == rule, entry.thread == thread, entry.slot == slot else {
          continue
        }
        pending[index].content = .counted(count + 1)
        return false
      }
      pending.append(
        PendingFinding(thread: Int32(thread), slot: UInt16(slot), rule: rule, isTypeMismatch: false, content: .counted(1)))
      return false
    }
  }

  private mutating func record(
    _ destination: Destination, _ rule: Int32, _ subject: FindingSubject, _ message: String, isTypeMismatch: Bool
  ) {
    switch destination {
    case .mute: break
    case .finding: emit(rule, subject, message)
    case .branch(let thread, let slot):
      pending.append(
        PendingFinding(
          thread: Int32(thread), slot: UInt16(slot), rule: rule, isTypeMismatch: isTypeMismatch,
          content: .worded(subject, message)))
    }
  }

  func finding(_ index: Int32, _ subject: FindingSubject, _ message: String) -> Finding {
    let rule = program.rules[Int(index)]
    return Finding(
      code: rule.code, keyword: rule.keyword, severity: rule.severity, message: message,
      place: Place(pointer: subject.pointer, line: subject.line, column: subject.column, offset: subject.offset),
      schemaLocation: rule.pointer, excerpt: options.redacts ? nil : subject.excerpt)
  }

  mutating func emit(_ rule: Int32, _ subject: FindingSubject, _ message: String) {
    collector.add(finding(rule, subject, message))
  }

  // MARK: Branches

  /// Decides the slots of a value that has ended, inner ones first: a scalar, or the innermost container.
  mutating func resolve(thread: Int, scalar: Scalar?, pendingFrom start: Int) {
    for row in program.states[Int(threads[thread].state)].resolutions.indices {
      let resolution = program.resolutions[row]
      let branches = resolution.branches.indices
      let first = branches.lowerBound
      switch resolution.kind {
      case .anyOf, .oneOf: resolveAlternatives(resolution, branches, thread, scalar, start)
      case .not:
        if !hasFailed(Int(program.branches[first]), of: thread) { failWhole(resolution, thread, scalar, found: nil) }
      case .condition:
        let holds = !hasFailed(Int(program.branches[first]), of: thread)
        settle(program.branches[first + 1], thread, to: resolution.slot, shows: holds, from: start)
        settle(program.branches[first + 2], thread, to: resolution.slot, shows: !holds, from: start)
      }
    }
  }

  private mutating func resolveAlternatives(
    _ resolution: RuleProgram.Resolution, _ branches: Range<Int>, _ thread: Int, _ scalar: Scalar?, _ start: Int
  ) {
    var matching = 0
    for row in branches where !hasFailed(Int(program.branches[row]), of: thread) { matching += 1 }
    if matching == 1 || matching > 1 && resolution.kind == .anyOf {
      for row in branches { settle(program.branches[row], thread, to: resolution.slot, shows: false, from: start) }
      return
    }
    // If just one branch accepts the value's type, that one was meant: what it finds says more than "none matches".
    var nearest: Int?
    var candidates = 0
    if matching == 0 {
      for row in branches {
        let findings = pending[min(start, pending.count)...].filter {
          Int($0.thread) == thread && $0.slot == program.branches[row]
        }
        if !findings.isEmpty, !findings.contains(where: \.isTypeMismatch) {
          candidates += 1
          nearest = row
        }
      }
    }
    let shown = candidates == 1 ? nearest : nil
    for row in branches { settle(program.branches[row], thread, to: resolution.slot, shows: row == shown, from: start) }
    if shown == nil { failWhole(resolution, thread, scalar, found: matching == 0 ? nil : "\(matching) that match") }
  }

  private mutating func failWhole(_ resolution: RuleProgram.Resolution, _ thread: Int, _ scalar: Scalar?, found: String?) {
    let rule = program.rules[Int(resolution.rule)]
    let subject = subject(of: scalar)
    let found =
      found ?? scalar.map { description(of: $0, subject) }
      ?? (frames[frames.count - 1].isObject ? "such an object" : "such an array")
    fail(
      rule: resolution.rule, thread: thread, slot: Int(resolution.slot), subject, "expected \(rule.expectation), found \(found)")
  }

  /// Moves a branch's findings to the slot around it, or drops them. Those that came while the value was open are looked at:
  /// they stand from `start` on, among those of other schemas that look at the same value.
  private mutating func settle(_ branch: UInt16, _ thread: Int, to slot: UInt16, shows: Bool, from start: Int) {
    guard branch != RuleProgram.Resolution.noBranch, hasFailed(Int(branch), of: thread) else { return }
    let destination = shows ? mark(thread: thread, slot: Int(slot)) : .mute
    var kept = start
    for index in start..<max(start, pending.count) {
      var entry = pending[index]
      if Int(entry.thread) == thread, entry.slot == branch {
        switch destination {
        case .mute: continue
        case .finding:
          release(entry)
          continue
        case .branch(let outer, let outerSlot):
          entry.thread = Int32(outer)
          entry.slot = UInt16(outerSlot)
          entry.content = worded(entry.content)
        }
      }
      pending[kept] = entry
      kept += 1
    }
    if pending.count > kept { pending.removeLast(pending.count - kept) }
  }

  private mutating func release(_ entry: PendingFinding) {
    switch worded(entry.content) {
    case .worded(let subject, let message): emit(entry.rule, subject, message)
    case .counted(let count):
      let rule = program.rules[Int(entry.rule)]
      collector.count(count, severity: rule.severity, code: rule.code)
    case .unworded: preconditionFailure("worded just now")
    }
  }
}
