import ByteStreams
import Findings
import JSONEvents

/// Branches (`anyOf`, `if` …): tracks which have failed, and reports or drops their findings when the value ends.
extension RuleEvaluator {
  /// Returns whether anything has failed in a slot of an active state.
  mutating func hasFailed(_ slot: Int, of active: Int) -> Bool {
    words[Int(activeStates[active].words) + slot >> 6] >> UInt64(slot & 63) & 1 == 1
  }

  /// Returns whether a slot needs no more checks: it has failed, and other failures there are never reported; a constant has
  /// refuted the alternative that it belongs to; or it is a `then` whose `if` has failed.
  @inline(__always)
  mutating func isDead(_ slot: UInt16, of active: Int) -> Bool {
    let dead = activeStates[active].dead
    return dead >= 0 && words[Int(dead) &+ Int(slot) >> 6] &>> UInt64(slot & 63) & 1 == 1
  }

  /// Returns whether a slot, or one that contains it, is dead.
  @inline(never)
  mutating func isWithinDead(_ slot: Int, of active: Int) -> Bool {
    let first = Int(program.states[Int(activeStates[active].state)].slots.start)
    var slot = slot
    while slot != 0 {
      if isDead(UInt16(slot), of: active) { return true }
      slot = Int(program.slots[first + slot].parent)
    }
    return false
  }

  /// Marks a slot and its parts as dead: they need no more checks.
  mutating func kill(_ slot: Int, of active: Int) {
    let state = Int(activeStates[active].state)
    let parts = slot..<Int(program.slots[Int(program.states[state].slots.start) + slot].end)
    activeStates[active].dead = activeStates[active].words + program.states[state].deadWord
    // Nearly always, all slots are in one word.
    if parts.upperBound <= 64 {
      words[Int(activeStates[active].dead)] |= parts.mask(ofWord: 0)
      return
    }
    for word in parts.words { words[Int(activeStates[active].dead) + word] |= parts.mask(ofWord: word) }
  }

  /// Resets a slot and its parts to undecided.
  mutating func revive(_ slot: Int, of active: Int) {
    let state = program.states[Int(activeStates[active].state)]
    let parts = slot..<Int(program.slots[Int(state.slots.start) + slot].end)
    let failed = Int(activeStates[active].words)
    for word in parts.words {
      words[failed + word] &= ~parts.mask(ofWord: word)
      words[failed + Int(state.deadWord) + word] &= ~parts.mask(ofWord: word)
    }
  }

  /// Stops checking the innermost object against an alternative, because a member is not the constant that the alternative
  /// requires.
  mutating func refute(_ requester: Requester) {
    let frame = frames[frames.count - 1]
    let active = Int(requester.active)
    guard frame.isObject, active >= Int(frame.firstActive), active < Int(frame.firstActive + frame.activeCount) else { return }
    let first = Int(program.states[Int(activeStates[active].state)].slots.start)
    if program.slots[first + Int(requester.slot)].isAlternative { kill(Int(requester.slot), of: active) }
  }

  /// Returns whether failures in a slot are never reported.
  @inline(__always)
  mutating func isMute(_ slot: Int, of active: Int) -> Bool {
    slot > 0 && program.slots[Int(program.states[Int(activeStates[active].state)].slots.start) + slot].isMute
  }

  /// Decides the slots of a value that has ended (`scalar`, or the innermost container), inner ones first.
  mutating func resolve(active: Int, scalar: Scalar?, pendingFrom start: Int, failuresFrom failures: UInt32) {
    var failed: [FailedBranches] = []
    let state = Int(activeStates[active].state)
    // Each decision searches the failures. This many are kept in detail, however many findings are requested.
    let searches = Int(min(branchFailures &- failures, 1000)) &* Int(program.states[state].resolutions.count) / 4
    if searches > StepBudget.free { spend(searches, on: scalar) { $0.costliestRule(of: [state]) } }
    for row in program.states[state].resolutions.indices {
      let resolution = program.resolutions[row]
      let branches = resolution.branches.indices
      let first = branches.lowerBound
      switch resolution.kind {
      case .anyOf, .oneOf:
        if !resolveAlternatives(resolution, branches, active, scalar, start) { failed.append((resolution.slot, branches)) }
      case .not:
        if !hasFailed(Int(program.branches[first]), of: active) { failResolution(resolution, active, scalar, found: nil) }
      case .condition:
        let holds = !hasFailed(Int(program.branches[first]), of: active)
        settle(program.branches[first + 1], active, to: resolution.slot, shows: holds, from: start)
        settle(program.branches[first + 2], active, to: resolution.slot, shows: !holds, from: start)
        let applied = first + (holds ? 1 : 2)
        let branch = program.branches[applied]
        if branch != RuleProgram.Resolution.noBranch, hasFailed(Int(branch), of: active) {
          failed.append((resolution.slot, applied..<applied + 1))
        }
      case .unevaluated:
        for row in branches where hasFailed(Int(program.uncovered[row].slot), of: active) {
          let uncovered = program.uncovered[row]
          let steps = Int(uncovered.links.count) &* failed.count
          if steps > StepBudget.free { spend(steps, on: scalar) { _ in resolution.rule } }
          let isEvaluated = isCovered(uncovered, active) || isAfterEffect(uncovered, resolution.slot, of: failed)
          settle(uncovered.slot, active, to: resolution.slot, shows: !isEvaluated, from: start)
        }
      }
    }
  }

  /// Returns whether a branch holds that could have evaluated the failed part.
  private mutating func isCovered(_ uncovered: RuleProgram.Uncovered, _ active: Int) -> Bool {
    var holds = true
    for row in uncovered.links.indices {
      let link = program.coverLinks[row]
      if hasFailed(Int(link.slot), of: active) != link.mustHaveFailed { holds = false }
      guard link.isLast else { continue }
      if holds { return true }
      holds = true
    }
    return false
  }

  /// Alternatives none of which holds, or a `then` or `else` that applies and fails: a run of `RuleProgram.branches`.
  private typealias FailedBranches = (slot: UInt16, branches: Range<Int>)

  /// Returns whether failed branches of the same slot could have evaluated it. Then they are the cause, and the slot has already
  /// failed.
  private mutating func isAfterEffect(
    _ uncovered: RuleProgram.Uncovered, _ slot: UInt16, of failed: [FailedBranches]
  ) -> Bool {
    if failed.isEmpty { return false }
    return uncovered.links.indices.contains { row in
      failed.contains { failure in
        failure.slot == slot && failure.branches.contains { program.branches[$0] == program.coverLinks[row].slot }
      }
    }
  }

  /// - Returns: true if the alternatives hold.
  private mutating func resolveAlternatives(
    _ resolution: RuleProgram.Resolution, _ branches: Range<Int>, _ active: Int, _ scalar: Scalar?, _ start: Int
  ) -> Bool {
    var matching = 0
    for row in branches where !hasFailed(Int(program.branches[row]), of: active) { matching += 1 }
    if matching == 1 || matching > 1 && resolution.kind == .anyOf {
      drop(branches, active, from: start)
      return true
    }
    if case .mute = mark(active: active, slot: Int(resolution.slot)) {
      drop(branches, active, from: start)
      return false
    }
    guard matching == 0 else {
      drop(branches, active, from: start)
      let names = names(ofMatching: branches, resolution, active)
      failResolution(resolution, active, scalar, found: "\(matching) that match\(names)")
      return false
    }
    switch intention(of: branches, active, from: start) {
    case .branch(let branch):
      drop(branches, except: branch, active, from: start)
      settle(program.branches[branch], active, to: resolution.slot, shows: true, from: start)
    case .unknownTag(let subject, let message):
      spendOnMessage(resolution, branches, scalar)
      drop(branches, active, from: start)
      failSubject(subject, by: resolution.rule, active: active, slot: Int(resolution.slot), message)
    case .several(let rows):
      spendOnMessage(resolution, branches, scalar)
      let own = pointer(depth: scalar == nil ? frames.count - 1 : frames.count)
      let reasons = reasons(rows, of: branches, active, start, below: own)
      drop(branches, active, from: start)
      failResolution(resolution, active, scalar, found: nil, because: reasons)
    }
    return false
  }

  /// Counts the steps for a message that has pointers, with a token for each level.
  private mutating func spendOnMessage(_ resolution: RuleProgram.Resolution, _ branches: Range<Int>, _ scalar: Scalar?) {
    spend(200 + 8 * frames.count + branches.count, on: scalar) { _ in resolution.rule }
  }

  /// Returns the alternatives that match, by number and name: `: (1) car, (3)`.
  private mutating func names(
    ofMatching branches: Range<Int>, _ resolution: RuleProgram.Resolution, _ active: Int
  ) -> String {
    let known = program.ruleDetails[Int(resolution.rule)].alternatives
    let matching = branches.filter { !hasFailed(Int(program.branches[$0]), of: active) }.map { $0 - branches.lowerBound }
    let names = matching.prefix(8).map { number in
      let name = number < known.count ? known[number] : ""
      return "(\(number + 1))" + (name.isEmpty ? "" : " \(name)")
    }
    return ": " + (names + (matching.count > names.count ? ["…"] : [])).joined(separator: ", ")
  }

  /// Drops the findings of the branches in one pass: there may be thousands of branches with findings.
  private mutating func drop(_ branches: Range<Int>, except shown: Int? = nil, _ active: Int, from start: Int) {
    var kept = start
    for index in start..<max(start, pending.count) {
      if Int(pending[index].active) == active, let row = row(of: pending[index].slot, in: branches), row != shown { continue }
      if kept < index { pending.withUnsafeMutableBufferPointer { $0.swapAt(kept, index) } }
      kept += 1
    }
    if pending.count > kept { pending.removeLast(pending.count - kept) }
  }

  /// Returns the row of the branch with this slot. The slots are in ascending order.
  mutating func row(of slot: UInt16, in branches: Range<Int>) -> Int? {
    var (low, high) = (branches.lowerBound, branches.upperBound)
    while low < high {
      let middle = (low + high) / 2
      if program.branches[middle] < slot { low = middle + 1 } else { high = middle }
    }
    return low < branches.upperBound && program.branches[low] == slot ? low : nil
  }

  private mutating func failResolution(
    _ resolution: RuleProgram.Resolution, _ active: Int, _ scalar: Scalar?, found: String?, because reasons: String? = nil
  ) {
    fail(at: scalar?.offset ?? frames[frames.count - 1].offset, by: resolution.rule, active: active, slot: Int(resolution.slot)) {
      evaluator in
      let subject = evaluator.subject(of: scalar)
      let found =
        found ?? scalar.map { evaluator.description(of: $0, subject) }
        ?? (evaluator.frames[evaluator.frames.count - 1].isObject ? "an object" : "an array")
      let expectation = evaluator.program.rules[Int(resolution.rule)].expectation
      return (subject, "expected \(expectation), found \(found)" + (reasons.map { ": \($0)" } ?? ""))
    }
  }

  /// Moves a branch's findings to the enclosing slot, or drops them. Findings of the value are those from `start` on. They
  /// include findings of other schemas for the same value.
  mutating func settle(_ branch: UInt16, _ active: Int, to slot: UInt16, shows: Bool, from start: Int) {
    guard branch != RuleProgram.Resolution.noBranch, hasFailed(Int(branch), of: active) else { return }
    let destination = shows ? mark(active: active, slot: Int(slot)) : .mute
    var copies: [PendingFinding] = []
    var counts: [(count: Int, rule: Int32, branch: Requester)] = []
    var kept = start
    for index in start..<max(start, pending.count) {
      if Int(pending[index].active) == active, pending[index].slot == branch {
        switch destination {
        case .mute: continue
        case .finding:
          compose(index)
          release(pending[index])
          continue
        case .branches(let outer):
          if case .counted(let count) = pending[index].content {
            counts += ([outer.first] + outer.others).map { (count, pending[index].rule, $0) }
            continue
          }
          if pending[index].content.isUncomposed, let step = pending[index].step, !areDecided(outer, within: step) {
            compose(index)
          }
          for requester in outer.others { copies.append(pending[index].moved(to: requester)) }
          pending[index].active = outer.first.active
          pending[index].slot = outer.first.slot
        }
      }
      if kept < index { pending.withUnsafeMutableBufferPointer { $0.swapAt(kept, index) } }
      kept += 1
    }
    if pending.count > kept { pending.removeLast(pending.count - kept) }
    pending += copies
    for entry in counts { count(entry.count, entry.rule, for: entry.branch) }
  }

  private mutating func release(_ entry: PendingFinding) {
    switch entry.content {
    case .composed(let subject, let message): emit(entry.rule, subject, message)
    case .counted(let count):
      let rule = program.rules[Int(entry.rule)]
      partial.collector.count(count, rule.graded(rule.severity))
    case .uncomposed, .uncomposedContainer: preconditionFailure("the message was just composed")
    }
  }
}

/// Finds the alternative that a value was intended for, if it matches none.
///
///     oneOf   {"kind": {"const": "car"}, …}   {"kind": {"enum": ["trip", "tour"]}, …}
///     value   {"kind": "tour", …}     meant for the second one: only its findings count
///             {"kind": "boat", …}     meant for neither: expected one of 'car', 'trip', 'tour', found 'boat'
///
/// Here `kind` is a tag: a member for which each alternative names the strings that it may be. Without a tag, the alternative with
/// the fewest findings is the nearest.
extension RuleEvaluator {
  /// What a value that matches no alternative was meant for.
  enum Intention {
    /// The branch that it fails least: its findings say more than that none matches. A row of `RuleProgram.branches`.
    case branch(Int)
    /// None of them: the place of the tag, and a message with its possible values.
    case unknownTag(FindingSubject, String)
    /// Any of these rows, which are equally near.
    case several([Int])
  }

  /// The distance of a value from the requirements of a branch.
  private struct Distance: Comparable {
    /// 2 if the value has another type, 1 if a member that distinguishes the alternatives (by `const`) names another one,
    /// otherwise 0.
    var kind = 0
    var count = 0

    static func < (a: Distance, b: Distance) -> Bool { a.kind != b.kind ? a.kind < b.kind : a.count < b.count }
  }

  mutating func intention(of branches: Range<Int>, _ active: Int, from start: Int) -> Intention {
    var distances = [Distance](repeating: Distance(), count: branches.count)
    for index in start..<max(start, pending.count) where Int(pending[index].active) == active {
      guard let row = row(of: pending[index].slot, in: branches) else { continue }
      let number = row - branches.lowerBound
      if case .counted(let count) = pending[index].content {
        distances[number].count += count
      } else {
        distances[number].count += 1
      }
      if pending[index].isTypeMismatch {
        distances[number].kind = 2
      } else if Int(pending[index].depth) == frames.count, program.rules[Int(pending[index].rule)].keyword == "const" {
        distances[number].kind = max(distances[number].kind, 1)
      }
    }
    var meant = distances.indices.filter { distances[$0].count > 0 && distances[$0].kind < 2 }
    if let tag = tag(of: branches, meant, active, from: start) {
      let allowing = tag.kind == .string ? tag.values.branches[tag.subject.excerpt ?? ""] : nil
      let known = Set(allowing ?? []).intersection(meant)
      if known.isEmpty { return .unknownTag(tag.subject, message(about: tag, among: meant)) }
      meant.removeAll { !known.contains($0) }
      for number in meant { distances[number].kind = 0 }
    }
    guard let least = meant.map({ distances[$0] }).min() else { return .several(Array(branches)) }
    let nearest = meant.filter { !(least < distances[$0]) }
    if nearest.count == 1 { return .branch(branches.lowerBound + nearest[0]) }
    return .several((least.kind == 0 ? nearest : Array(distances.indices)).map { branches.lowerBound + $0 })
  }

  // MARK: Tags

  /// A member that tells alternatives apart, and its value.
  private struct Tag {
    var subject: FindingSubject
    var kind: JSONKind
    var values: TagValues
  }

  /// The strings that alternatives allow for a member.
  struct TagValues {
    /// By the number of the alternative.
    var strings: [Int: [String]] = [:]
    /// The alternatives that allow a string, by its excerpt: the rest of a long value may no longer be in memory.
    var branches: [String: [Int]] = [:]
    /// True if not all allow the same ones.
    var tellsApart = false
  }

  /// A member of the program, and the alternatives' first row.
  struct TagPlace: Hashable {
    var member: Int32
    var branches: Int
  }

  /// The most members that may be the tag.
  private static let tagLimit = 8

  /// Returns the first member with a wrong constant that all these branches restrict to strings, not all to the same ones.
  private mutating func tag(of branches: Range<Int>, _ meant: [Int], _ active: Int, from start: Int) -> Tag? {
    var tried: [Int32] = []
    for index in start..<max(start, pending.count) where Int(pending[index].active) == active {
      let failure = pending[index]
      guard let step = failure.step, step.depth == frames.count, Int(failure.depth) == frames.count,
        frames[frames.count - 1].isObject, step.member >= 0, !tried.contains(step.member),
        ["const", "enum"].contains(program.rules[Int(failure.rule)].keyword), row(of: failure.slot, in: branches) != nil
      else { continue }
      tried.append(step.member)
      let values = tagValues(of: step.member, in: branches)
      if values.tellsApart, meant.allSatisfy({ values.strings[$0] != nil }) {
        compose(index)
        guard case .composed(let subject, _) = pending[index].content else { return nil }
        return Tag(subject: subject, kind: step.kind, values: values)
      }
      if tried.count == Self.tagLimit { break }
    }
    return nil
  }

  /// Returns the strings that branches allow for a member. They are looked up once: there may be thousands of branches.
  private mutating func tagValues(of member: Int32, in branches: Range<Int>) -> TagValues {
    let place = TagPlace(member: member, branches: branches.lowerBound)
    if let known = wording.knownTags[place] { return known }
    var values = TagValues()
    for number in program.members[Int(member)].children.indices {
      let child = program.children[number]
      guard let row = row(of: child.slot, in: branches) else { continue }
      for check in program.checks(of: Int(child.state), .string).indices {
        guard program.checks[check].operation == .stringAmong, program.checks[check].slot == 0 else { continue }
        values.strings[row - branches.lowerBound] = program.constants.strings[Int(program.checks[check].operand)]
      }
    }
    for (number, strings) in values.strings {
      for string in strings {
        let excerpt = ByteView.with(string) { Self.excerpt(of: $0) }
        values.branches[excerpt, default: []].append(number)
      }
    }
    values.tellsApart = Set(values.strings.values).count > 1
    wording.knownTags[place] = values
    return values
  }

  private func message(about tag: Tag, among meant: [Int]) -> String {
    var known: [String] = []
    var seen: Set<String> = []
    for number in meant {
      for value in tag.values.strings[number] ?? [] where known.count < Suggestion.limit && seen.insert(value).inserted {
        known.append(value)
      }
    }
    let shown = known.prefix(16).map { "'\($0.shortened(to: 80))'" }.joined(separator: ", ")
    let more = known.count > 16 ? " and \(known.count - 16) more" : ""
    let value = tag.subject.excerpt ?? ""
    let found = options.redacts ? "another value" : tag.kind == .string ? "'\(value)'" : value
    let suggestion = options.redacts ? "" : Suggestion.text(for: value, among: known)
    return "expected one of \(shown)\(more), found \(found)\(suggestion)"
  }

  // MARK: Reasons

  /// Returns the first finding of each of the first three branches.
  ///
  /// - Parameter pointer: the value's own; the places in it are relative to it.
  mutating func reasons(
    _ rows: [Int], of branches: Range<Int>, _ active: Int, _ start: Int, below pointer: String
  ) -> String? {
    var reasons: [String] = []
    for row in rows.prefix(3) {
      guard
        let index = (min(start, pending.count)..<pending.count).first(where: {
          pending[$0].active == active && pending[$0].slot == program.branches[row]
        })
      else { continue }
      compose(index)
      guard case .composed(let subject, let message) = pending[index].content else { continue }
      let isInside = subject.pointer.utf8.count > pointer.utf8.count && subject.pointer.utf8.starts(with: pointer.utf8)
      let place = isInside ? String(decoding: subject.pointer.utf8.dropFirst(pointer.utf8.count), as: UTF8.self) + ": " : ""
      reasons.append("(\(row - branches.lowerBound + 1)) \(place.cut(to: 160))\(message.cut(to: 160))")
    }
    if reasons.isEmpty { return nil }
    if branches.count > reasons.count { reasons.append("…") }
    return reasons.joined(separator: "; ")
  }
}

extension String {
  /// Returns the string, cut to at most `count` characters.
  fileprivate func cut(to count: Int) -> String { utf8.count <= count ? self : String(prefix(count)) + "…" }
}
