import Findings
import JSONEvents

/// Keys of records, and references between collections.
extension RuleEvaluator {
  /// A record has ended: its keys are defined, looked up, or put by.
  mutating func takeKeys(of active: Int, plan index: Int) {
    let plan = program.plans[index]
    for row in Int(plan.steps.start)..<Int(plan.steps.start + plan.steps.count) {
      let step = program.steps[row]
      stepOutcomes[row] = -1
      if step.condition != 0, hasFailed(Int(step.condition), of: active) { continue }
      guard let key = key(of: step, active) else {
        if step.kind == .primaryKey { reportIncompleteKey(step, active) }
        continue
      }
      switch step.kind {
      case .primaryKey, .uniqueKey, .foldedUniqueKey:
        let scopedStart = Int(activeStates[Int(activeStates[active].parent)].scopedSets)
        let isNew =
          step.isScoped ? scopedSets[scopedStart + Int(step.keySet)].insert(key) : keySets[Int(step.keySet)].insert(key)
        if !isNew { reportDuplicate(step, row, active, key) }
      case .definition: _ = keySets[Int(step.keySet)].insert(key)
      case .reference:
        if !keySets[Int(step.keySet)].contains(key) { wait(step, row, active, key) }
      }
    }
  }

  /// `nil` where a field is missing, null or no scalar.
  @inline(__always)
  private func key(of step: RuleProgram.Step, _ active: Int) -> KeyValue? {
    let base = Int(activeStates[active].captures)
    let first = Int(step.fields.start)
    if step.fields.count == 1 {
      let capture = captures[base + Int(program.stepFields[first])]
      guard capture.status == .scalar else { return nil }
      return step.kind == .foldedUniqueKey ? folded(capture.value) : capture.value
    }
    var values: [KeyValue] = []
    values.reserveCapacity(Int(step.fields.count))
    for row in first..<first + Int(step.fields.count) {
      let capture = captures[base + Int(program.stepFields[row])]
      guard capture.status == .scalar else { return nil }
      values.append(step.kind == .foldedUniqueKey ? folded(capture.value) : capture.value)
    }
    return KeyValue(tuple: values, key: options.key)
  }

  /// The key with letter case taken out.
  private func folded(_ value: KeyValue) -> KeyValue {
    guard let text = value.text else { return value }
    return ByteView.with(text.lowercased()) { KeyValue(string: $0, key: options.key) }
  }

  private mutating func reportDuplicate(_ step: RuleProgram.Step, _ row: Int, _ active: Int, _ key: KeyValue) {
    let label = program.stepLabels[row]
    let value = options.redacts ? "" : key.text.map { " \($0)" } ?? ""
    let what =
      label.fields.count == 1 ? "the \(label.fields[0])\(value)" : "the combination of \(label.fields.joined(separator: ", "))"
    failSubject(subject(of: step, row, active), by: step.rule, active: 0, slot: 0, "\(what) stands in an earlier record already")
  }

  private mutating func reportIncompleteKey(_ step: RuleProgram.Step, _ active: Int) {
    let base = Int(activeStates[active].captures)
    for row in Int(step.fields.start)..<Int(step.fields.start + step.fields.count) {
      let capture = captures[base + Int(program.stepFields[row])]
      if capture.status == .scalar { continue }
      var subject = subject(of: nil)
      let state = program.states[Int(activeStates[active].state)]
      let name = name(ofCapture: Int(program.stepFields[row]), in: state)
      subject.pointer += "/" + name.pointerToken
      let words = capture.status == .absent ? "is missing" : capture.status == .null ? "is null" : "is no scalar"
      failSubject(subject, by: step.rule, active: 0, slot: 0, "the key's field '\(name)' \(words)")
      return
    }
  }

  private func name(ofCapture capture: Int, in state: RuleProgram.State) -> String {
    guard state.keyTable >= 0 else { return "" }
    for slot in Int(state.keyTable)...Int(state.keyTable + state.keyMask) where program.keySlots[slot] >= 0 {
      let entry = program.members[Int(program.keySlots[slot])]
      if Int(entry.capture) == capture { return name(of: entry) }
    }
    return ""
  }

  /// The subject of a finding about a record's field; the record itself where that field is not there.
  private mutating func subject(of step: RuleProgram.Step, _ row: Int, _ active: Int) -> FindingSubject {
    let index = Int(activeStates[active].captures + step.findingCapture)
    let capture = captures[index]
    var subject = subject(of: nil)
    subject.pointer += "/" + program.stepLabels[row].findingField.pointerToken
    guard capture.status == .scalar else { return subject }
    subject.offset = capture.offset
    if capture.line == 0 {
      let position = position(at: capture.offset)
      subject.line = position.line
      subject.column = position.column
    } else {
      subject.line = capture.line
      subject.column = capture.column
    }
    subject.excerpt = capture.value.text
    return subject
  }

  // MARK: References

  private mutating func wait(_ step: RuleProgram.Step, _ row: Int, _ active: Int, _ key: KeyValue) {
    let base = step.base >= 0 ? stepOutcomes[Int(step.base)] : -1
    let site = references[Int(step.reference)].keepsSite(of: key) ? subject(of: step, row, active) : nil
    stepOutcomes[row] = references[Int(step.reference)].add(key, base: base, site: site)
  }

  /// The document has ended: what waits for a key that no record has is a finding.
  mutating func resolveReferences() {
    var dangling = Array(repeating: [] as Set<Int>, count: program.steps.count)
    for row in 0..<program.steps.count where program.steps[row].kind == .reference {
      let step = program.steps[row]
      let waiting = references[Int(step.reference)]
      let rule = program.rules[Int(step.rule)]
      for (index, entry) in waiting.entries.enumerated() where !keySets[Int(step.keySet)].contains(entry.key) {
        dangling[row].insert(index)
        // Where the reference that this one refines dangles, that is the one cause.
        if step.base >= 0, entry.base >= 0, dangling[Int(step.base)].contains(entry.base) { continue }
        var shown = 0
        waiting.forEachSite(of: entry) { subject in
          emit(step.rule, subject, rule.message ?? danglingMessage(row, entry.key))
          shown += 1
        }
        collector.count(entry.count - shown, severity: rule.severity, code: rule.code)
      }
    }
  }

  private func danglingMessage(_ row: Int, _ key: KeyValue) -> String {
    let label = program.stepLabels[row]
    let value = options.redacts ? "" : key.text.map { " \($0)" } ?? ""
    return "no record of \(label.resource) has the \(label.fields.joined(separator: ", "))\(value) that this one refers to"
  }
}
