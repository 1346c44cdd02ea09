import Findings
import JSONEvents

/// Branches (`anyOf`, `if` …): which have failed, and what becomes of their findings once the value has ended.
extension RuleEvaluator {
  /// Whether a slot, or one that it is a part of, is a `then` whose `if` has failed, which is for good.
  ///
  /// That an `if` holds is certain only when all slots are decided: an `else` is never left out before.
  mutating func isLeftOut(_ slot: Int, of active: Int) -> Bool {
    let first = Int(program.states[Int(activeStates[active].state)].slots.start)
    var slot = slot
    while slot != 0 {
      let row = program.slots[first + slot]
      if row.test != 0, hasFailed(Int(row.test), of: active) { return true }
      slot = Int(row.parent)
    }
    return false
  }

  /// Whether something has failed in a slot of an active state.
  mutating func hasFailed(_ slot: Int, of active: Int) -> Bool {
    words[Int(activeStates[active].words) + slot >> 6] >> UInt64(slot & 63) & 1 == 1
  }

  /// Whether failures in a slot are never shown.
  @inline(__always)
  mutating func isMute(_ slot: Int, of active: Int) -> Bool {
    slot > 0 && program.slots[Int(program.states[Int(activeStates[active].state)].slots.start) + slot].isMute
  }

  /// Decides the slots of a value that has ended, inner ones first: a scalar, or the innermost container.
  mutating func resolve(active: Int, scalar: Scalar?, pendingFrom start: Int) {
    for row in program.states[Int(activeStates[active].state)].resolutions.indices {
      let resolution = program.resolutions[row]
      let branches = resolution.branches.indices
      let first = branches.lowerBound
      switch resolution.kind {
      case .anyOf, .oneOf: resolveAlternatives(resolution, branches, active, scalar, start)
      case .not:
        if !hasFailed(Int(program.branches[first]), of: active) { failResolution(resolution, active, scalar, found: nil) }
      case .condition:
        let holds = !hasFailed(Int(program.branches[first]), of: active)
        settle(program.branches[first + 1], active, to: resolution.slot, shows: holds, from: start)
        settle(program.branches[first + 2], active, to: resolution.slot, shows: !holds, from: start)
      }
    }
  }

  private mutating func resolveAlternatives(
    _ resolution: RuleProgram.Resolution, _ branches: Range<Int>, _ active: Int, _ scalar: Scalar?, _ start: Int
  ) {
    var matching = 0
    for row in branches where !hasFailed(Int(program.branches[row]), of: active) { matching += 1 }
    if matching == 1 || matching > 1 && resolution.kind == .anyOf {
      for row in branches { settle(program.branches[row], active, to: resolution.slot, shows: false, from: start) }
      return
    }
    // If just one branch accepts the value's type, that one was meant: what it finds says more than "none matches".
    var nearest: Int?
    var candidates = 0
    if matching == 0 {
      for row in branches {
        let findings = pending[min(start, pending.count)...].filter {
          Int($0.active) == active && $0.slot == program.branches[row]
        }
        if !findings.isEmpty, !findings.contains(where: \.isTypeMismatch) {
          candidates += 1
          nearest = row
        }
      }
    }
    let shown = candidates == 1 ? nearest : nil
    for row in branches { settle(program.branches[row], active, to: resolution.slot, shows: row == shown, from: start) }
    if shown == nil { failResolution(resolution, active, scalar, found: matching == 0 ? nil : "\(matching) that match") }
  }

  private mutating func failResolution(_ resolution: RuleProgram.Resolution, _ active: Int, _ scalar: Scalar?, found: String?) {
    let rule = program.rules[Int(resolution.rule)]
    let subject = subject(of: scalar)
    let found =
      found ?? scalar.map { description(of: $0, subject) }
      ?? (frames[frames.count - 1].isObject ? "such an object" : "such an array")
    failSubject(
      subject, by: resolution.rule, active: active, slot: Int(resolution.slot), "expected \(rule.expectation), found \(found)")
  }

  /// Moves a branch's findings to the slot around it, or drops them. Those that came while the value was open are looked at:
  /// they stand from `start` on, among those of other schemas that look at the same value.
  private mutating func settle(_ branch: UInt16, _ active: Int, to slot: UInt16, shows: Bool, from start: Int) {
    guard branch != RuleProgram.Resolution.noBranch, hasFailed(Int(branch), of: active) else { return }
    let destination = shows ? mark(active: active, slot: Int(slot)) : .mute
    var kept = start
    for index in start..<max(start, pending.count) {
      var entry = pending[index]
      if Int(entry.active) == active, entry.slot == branch {
        switch destination {
        case .mute: continue
        case .finding:
          release(entry)
          continue
        case .branch(let outer, let outerSlot):
          entry.active = Int32(outer)
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
      partial.collector.count(count, severity: rule.severity, code: rule.code)
    case .unworded: preconditionFailure("worded just now")
    }
  }
}
