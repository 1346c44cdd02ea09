import Findings
import JSONEvents

/// What happens when a rule fails: a finding, or a mark on the branch that asked.
extension RuleEvaluator {
  /// Where a failure goes.
  enum Destination {
    case finding
    /// A branch whose failures are never shown.
    case mute
    case branch(active: Int, slot: Int)
  }

  /// Marks the branch that fails with `slot` of an active state, if there is one.
  mutating func mark(active: Int, slot: Int) -> Destination {
    var active = active
    var slot = slot
    while slot == 0, active > 0 {
      slot = Int(activeStates[active].slot)
      active = Int(activeStates[active].parent)
    }
    if slot == 0 { return .finding }
    words[Int(activeStates[active].words) + slot >> 6] |= 1 << UInt64(slot & 63)
    return activeStates[active].isMute || isMute(slot, of: active) || isLeftOut(slot, of: active)
      ? .mute : .branch(active: active, slot: slot)
  }

  // MARK: What can fail

  /// A scalar fails a check.
  @inline(never)
  mutating func failScalar(_ scalar: Scalar, by check: RuleProgram.Check, active: Int, slot: Int) {
    let destination = mark(active: active, slot: slot)
    if case .mute = destination { return }
    guard isShown(destination, check.rule, scalar.offset) else { return }
    let frame = frames[frames.count - 1]
    // Branches of the container that holds the scalar, or of the scalar itself: they are decided while that container is open.
    if case .branch(let branch, let slot) = destination, branch >= Int(frame.firstActive), !frame.isObject || frame.member >= 0 {
      // Most branches are left out: to word their failures before that is known would cost more than all the rest.
      let isOwn = branch >= Int(frame.firstActive + frame.activeCount)
      pending.append(
        PendingFinding(
          active: Int32(branch), slot: UInt16(slot), rule: check.rule, depth: Int32(frames.count),
          isTypeMismatch: isOwn && check.isType,
          content: .unworded(
            check, scalar.kind, text: scalar.text, offset: scalar.offset,
            PendingFinding.Step(depth: frames.count, member: frame.member, index: frame.index)))
      )
      return
    }
    let subject = subject(of: scalar)
    record(
      destination, check.rule, subject, words(for: check, scalar, subject, depth: frames.count), isTypeMismatch: check.isType)
  }

  /// The innermost container fails a check.
  mutating func failContainer(_ kind: ValueKind, by check: RuleProgram.Check, active: Int, slot: Int) {
    let destination = mark(active: active, slot: slot)
    if case .mute = destination { return }
    guard isShown(destination, check.rule, frames[frames.count - 1].offset) else { return }
    let rule = program.rules[Int(check.rule)]
    let found = kind == .array ? "an array" : "an object"
    let message =
      rule.message
      ?? (rule.expectation == "nothing" ? refusal(depth: frames.count - 1) : "expected \(rule.expectation), found \(found)")
    record(destination, check.rule, subject(of: nil), message, isTypeMismatch: check.isType)
  }

  /// The innermost container fails what is checked at its end.
  @inline(never)
  mutating func failClosing(by closer: RuleProgram.Closer, active: Int, frame: Frame, counters: Int) {
    let destination = mark(active: active, slot: Int(closer.slot))
    if case .mute = destination { return }
    guard isShown(destination, closer.rule, frame.offset) else { return }
    let rule = program.rules[Int(closer.rule)]
    var subject = subject(of: nil)
    var found = "\(frame.index)"
    if let member = rule.member { subject.pointer += "/" + member.pointerToken }
    if closer.kind == .minimumContains || closer.kind == .maximumContains {
      found = "\(words[counters + Int(closer.operand)])"
    }
    if closer.kind == .containerAmong { found = frame.isObject ? "another object" : "another array" }
    let message: String
    if let text = rule.message {
      message = text
    } else if let member = rule.member {
      let need = rule.cause.map { cause in ", which '\(cause)' needs" } ?? ""
      message = "the member '\(member)' is missing\(need)"
    } else {
      message = "expected \(rule.expectation), found \(found)"
    }
    record(destination, closer.rule, subject, message, isTypeMismatch: false)
  }

  /// What has a place of its own, or one that was kept for it, fails a rule.
  mutating func failSubject(_ subject: FindingSubject, by index: Int32, active: Int, slot: Int, _ message: String) {
    let destination = mark(active: active, slot: slot)
    if case .mute = destination { return }
    guard isShown(destination, index, subject.offset) else { return }
    record(destination, index, subject, program.rules[Int(index)].message ?? message, isTypeMismatch: false)
  }

  // MARK: What becomes of them

  /// False where a finding need only be counted, which is then done.
  private mutating func isShown(_ destination: Destination, _ rule: Int32, _ offset: Int) -> Bool {
    switch destination {
    case .mute: return false
    case .finding:
      if partial.collector.keeps(offset: offset) { return true }
      partial.collector.count(severity: program.rules[Int(rule)].severity, code: program.rules[Int(rule)].code)
      return false
    case .branch(let active, let slot):
      if pending.count + outerPendingCount <= options.maximumFindings + 1000 { return true }
      // So many wait already: the rest of this branch is only counted, one entry a rule.
      for index in pending.indices.suffix(64) {
        let entry = pending[index]
        guard case .counted(let count) = entry.content, entry.rule == rule, entry.active == active, entry.slot == slot else {
          continue
        }
        pending[index].content = .counted(count + 1)
        return false
      }
      pending.append(
        PendingFinding(
          active: Int32(active), slot: UInt16(slot), rule: rule, depth: .max, isTypeMismatch: false, content: .counted(1)))
      return false
    }
  }

  private mutating func record(
    _ destination: Destination, _ rule: Int32, _ subject: FindingSubject, _ message: String, isTypeMismatch: Bool
  ) {
    switch destination {
    case .mute: break
    case .finding: emit(rule, subject, message)
    case .branch(let active, let slot):
      pending.append(
        PendingFinding(
          active: Int32(active), slot: UInt16(slot), rule: rule, depth: Int32(frames.count), isTypeMismatch: isTypeMismatch,
          content: .worded(subject, message)))
    }
  }

  private mutating func words(
    for check: RuleProgram.Check, _ scalar: Scalar, _ subject: FindingSubject, depth: Int
  ) -> String {
    let rule = program.rules[Int(check.rule)]
    return rule.message ?? message(for: check, rule, scalar, subject, depth: depth)
  }

  /// Words all failures that need the current batch, which is about to go.
  mutating func wordPending() {
    for index in pending.indices { pending[index].content = worded(pending[index].content) }
  }

  mutating func worded(_ content: PendingFinding.Content) -> PendingFinding.Content {
    guard case .unworded(let check, let kind, let text, let offset, let step) = content else { return content }
    // The container is still open, but may have come to another member.
    let current = frames[step.depth - 1]
    frames[step.depth - 1].member = step.member
    frames[step.depth - 1].index = step.index
    defer { frames[step.depth - 1] = current }
    let scalar = Scalar(kind, text: text, offset: offset)
    let subject = subject(of: scalar, depth: step.depth)
    return .worded(subject, words(for: check, scalar, subject, depth: step.depth))
  }

  private mutating func finding(_ index: Int32, _ subject: FindingSubject, _ message: String) -> Finding {
    let rule = program.rules[Int(index)]
    return Finding(
      code: rule.code, keyword: rule.keyword, severity: rule.severity, message: message,
      place: Place(pointer: subject.pointer, line: subject.line, column: subject.column, offset: subject.offset),
      schemaLocation: rule.pointer, excerpt: options.redacts ? nil : subject.excerpt)
  }

  mutating func emit(_ rule: Int32, _ subject: FindingSubject, _ message: String) {
    partial.collector.add(finding(rule, subject, message))
  }
}
