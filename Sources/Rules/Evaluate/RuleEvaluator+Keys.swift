import ByteStreams
import Findings
import JSONEvents

/// Keys of records, and references between collections. Here they are only logged, because their counterparts may be in another
/// slice.
extension RuleEvaluator {
  /// Logs the key operations of a record that has ended.
  mutating func addKeys(of active: Int, plan index: Int) {
    let plan = program.plans[index]
    let container = keyContainer()
    if plan.names.count > 0 { captureName(of: active, plan) }
    for row in Int(plan.steps.start)..<Int(plan.steps.start + plan.steps.count) {
      let step = program.steps[row]
      if step.condition != 0, hasFailed(Int(step.condition), of: active) { continue }
      if step.kind == .uniqueItem { continue }
      if step.isMultivalued {
        refer(by: step, row, Int(plan.steps.start), of: active)
        continue
      }
      if hasFaults, step.kind == .reference, isFaulty(step, active) { continue }
      guard let key = key(of: step, active) else {
        if step.kind == .primaryKey { reportIncompleteKey(step, row, active) }
        continue
      }
      switch step.kind {
      case .primaryKey, .uniqueKey, .equalRecord:
        let scopes = activeStates[Int(activeStates[active].parent)].scopedSets
        let key = step.kind == .equalRecord ? KeyValue(key, combinedWith: wholes.lastDigest) : key
        let (site, excerpt) = site(of: step, active, container)
        if options.logsKeyParts { noteParts(of: step, active) }
        partial.keys.claim(
          key, in: step.isScoped ? .scope(scopes + step.keySet) : .document(step.keySet), step: Int32(row), at: site,
          excerpt: excerpt)
      case .uniqueItem: preconditionFailure("already skipped")
      case .definition: partial.keys.define(key, in: step.keySet)
      case .reference:
        let (site, excerpt) = site(of: step, active, container)
        if options.logsKeyParts { noteParts(of: step, active) }
        partial.keys.refer(
          to: key, in: step.keySet, step: Int32(row), at: site, excerpt: excerpt, refining: base(of: step, active))
      }
    }
    while let reference = multivaluedReferences.last, reference.record >= active { multivaluedReferences.removeLast() }
  }

  /// Captures the name or the index of a record that has ended, as each of the plan's actions wants it.
  private mutating func captureName(of record: Int, _ plan: RuleProgram.Plan) {
    let top = frames.count - 1
    let holder = Int(activeStates[record].parent)
    let first = Int(activeStates[holder].captures + program.states[Int(activeStates[holder].state)].nameCaptures)
    for (number, row) in plan.names.indices.enumerated() {
      let action = program.placeActions[row]
      var capture = Capture()
      if frames[top - 1].isObject {
        capture = captures[first + number]
      } else if action.numbers != .read {
        (capture.status, capture.offset) = (.scalar, frames[top].offset)
        (capture.line, capture.column) = (frames[top].line, frames[top].column)
        let index = KeyValue(integer: Int64(frames[top - 1].index))
        capture.value = action.numbers == .spelled ? index.spelled(key: options.key) : index
      }
      captures[Int(activeStates[record].captures + action.index)] = capture
    }
  }

  /// Logs the references of a multivalued field, one for each item that it leads through.
  private mutating func refer(by step: RuleProgram.Step, _ row: Int, _ first: Int, of record: Int) {
    let severity = program.rules[Int(step.rule)].severity
    for reference in multivaluedReferences where reference.record == record && Int(reference.step) == row - first {
      if let fault = reference.fault, fault >= severity {
        let pointer = reference.array.pointer
        noteFaultyList(reference.index < 0 ? String(pointer[..<(pointer.lastIndex(of: "/") ?? pointer.startIndex)]) : pointer)
        continue
      }
      // The values of an object each have their own pointer.
      let (offset, depth, pointer) = reference.array
      if loggedContainer.offset != offset || loggedContainer.depth != depth || reference.index < 0 {
        loggedContainer = (reference.index < 0 ? -1 : offset, depth, partial.keys.container(pointer))
      }
      let site = KeySite(
        container: loggedContainer.number, index: reference.index, offset: reference.position.offset,
        line: reference.position.line, column: reference.position.column)
      let isScoped = step.levels >= 0
      guard let key = isScoped ? scoped(reference.key, levels: step.levels) : reference.key else { continue }
      partial.keys.refer(
        to: key, in: step.keySet, step: Int32(row), at: site, excerpt: reference.excerpt ?? (isScoped ? reference.key : nil),
        refining: base(of: step, reference.key))
    }
  }

  /// Notes a list that has an item with another defect.
  private mutating func noteFaultyList(_ pointer: String) {
    guard program.looksIntoLists, partial.faultyLists.count < Partial.faultyListLimit else { return }
    if partial.faultyLists.last != pointer { partial.faultyLists.append(pointer) }
  }

  /// Returns a key that is scoped to the records of one container, by including the container's place. `nil` if there is no such
  /// container, because recursive rules have reached a record too near the root.
  ///
  /// - Parameter levels: the number of containers between the innermost open one and the one to which the key is limited, or
  ///   `RuleProgram.documentScope`.
  mutating func scoped(_ key: KeyValue, levels: Int32) -> KeyValue? {
    let holder = levels == RuleProgram.documentScope ? program.documentDepth : frames.count - 1 - Int(levels)
    // The frames before it enclose the document.
    guard holder >= program.documentDepth, holder < frames.count else { return nil }
    return KeyValue(tuple: KeyValue(integer: Int64(frames[holder].offset)), key, key: options.key)
  }

  /// Returns the reference of the same value that this one refines.
  private mutating func base(of step: RuleProgram.Step, _ key: KeyValue) -> KeyLog.Target? {
    guard step.base >= 0 else { return nil }
    let base = program.steps[Int(step.base)]
    guard let key = base.levels < 0 ? key : scoped(key, levels: base.levels) else { return nil }
    return KeyLog.Target(set: base.keySet, key: key)
  }

  /// Returns whether a field of the key has a finding at least as severe as one about the key would be.
  private mutating func isFaulty(_ step: RuleProgram.Step, _ active: Int) -> Bool {
    let severity = program.rules[Int(step.rule)].severity
    return step.fields.indices.contains { row in
      captures[Int(activeStates[active].captures) + Int(program.stepFields[row])].fault.map { $0 >= severity } ?? false
    }
  }

  /// Clears the log after it has been read.
  mutating func clearKeyLog() {
    partial.keys.removeAll()
    loggedContainer = (-1, 0, 0)
    loggedName = (-1, 0)
  }

  /// Returns the reference of the same record that this one refines.
  private mutating func base(of step: RuleProgram.Step, _ active: Int) -> KeyLog.Target? {
    guard step.base >= 0 else { return nil }
    let base = program.steps[Int(step.base)]
    return key(of: base, active).map { KeyLog.Target(set: base.keySet, key: $0) }
  }

  /// Returns a scalar as a part of a key.
  @inline(__always)
  mutating func keyValue(of scalar: Scalar) -> KeyValue {
    if let uuid = uuid(scalar), let value = KeyValue(uuid) { return value }
    return KeyValue(scalar, key: options.key)
  }

  /// Returns the log's number for the collection around the ending record.
  @inline(__always)
  private mutating func keyContainer() -> Int32 {
    let depth = frames.count - 2
    let offset = frames[depth].offset
    if loggedContainer.offset != offset || loggedContainer.depth != depth {
      loggedContainer = (offset, depth, partial.keys.container(pointer(depth: depth)))
    }
    return loggedContainer.number
  }

  /// Returns the place of a finding, and the value there if that isn't the key: at a field, or at the record if the field is
  /// missing.
  @inline(__always)
  private mutating func site(of step: RuleProgram.Step, _ active: Int, _ container: Int32) -> (KeySite, excerpt: KeyValue?) {
    let top = frames.count - 1
    let capture = captures[Int(activeStates[active].captures + step.findingCapture)]
    let isThere = capture.status == .scalar
    let site = KeySite(
      container: container, index: frames[top - 1].isObject ? nameIndex(top) : frames[top - 1].index,
      offset: isThere ? capture.offset : frames[top].offset,
      line: isThere ? capture.line : frames[top].line, column: isThere ? capture.column : frames[top].column)
    return (site, step.findsKey ? nil : isThere ? capture.value : KeyValue.none)
  }

  /// Returns the log's index for the name of the ending record in an object.
  private mutating func nameIndex(_ top: Int) -> Int {
    if loggedName.offset == frames[top].offset { return loggedName.index }
    let holder = frames[top - 1]
    let index: Int
    if holder.member < 0 {
      let start = Int(holder.keyStart)
      index = keyBytes.withElements(start..<start + Int(holder.keyCount)) { partial.keys.index(ofName: $0) }
    } else {
      let member = program.members[Int(holder.member)]
      var name = program.memberNames.view(from: Int(member.nameStart), count: Int(member.nameLength)).shortened(
        to: ReportedPointer.nameLimit)
      index = name.withUTF8 { partial.keys.index(ofName: $0) }
    }
    loggedName = (frames[top].offset, index)
    return index
  }

  /// Returns the key, or `nil` if a field is missing, null or not a scalar.
  @inline(__always)
  private mutating func key(of step: RuleProgram.Step, _ active: Int) -> KeyValue? {
    let key = plainKey(of: step, active)
    return step.levels < 0 ? key : key.flatMap { scoped($0, levels: step.levels) }
  }

  @inline(__always)
  private mutating func plainKey(of step: RuleProgram.Step, _ active: Int) -> KeyValue? {
    let base = Int(activeStates[active].captures)
    let first = Int(step.fields.start)
    if step.fields.count == 1 {
      let capture = captures[base + Int(program.stepFields[first])]
      guard capture.status == .scalar else { return nil }
      return capture.value
    }
    var tuple = KeyTuple(key: options.key)
    for row in first..<first + Int(step.fields.count) {
      let capture = captures[base + Int(program.stepFields[row])]
      guard capture.status == .scalar else { return nil }
      tuple.append(capture.value)
    }
    return tuple.value
  }

  @inline(never)
  private mutating func noteParts(of step: RuleProgram.Step, _ active: Int) {
    guard step.fields.count > 1 else { return }
    let base = Int(activeStates[active].captures)
    partial.keys.note(parts: step.fields.indices.map { captures[base + Int(program.stepFields[$0])].value })
  }

  private mutating func reportIncompleteKey(_ step: RuleProgram.Step, _ row: Int, _ active: Int) {
    let base = Int(activeStates[active].captures)
    for (index, field) in zip(step.fields.indices, program.stepLabels[row].fields) {
      let capture = captures[base + Int(program.stepFields[index])]
      if capture.status == .scalar { continue }
      var subject = subject(of: nil)
      subject.pointer += "/" + field
      let words = capture.status == .absent ? "is missing" : capture.status == .null ? "is null" : "is not a scalar"
      failSubject(subject, by: step.rule, active: 0, slot: 0, "key field '\(field)' \(words)")
      return
    }
  }
}
