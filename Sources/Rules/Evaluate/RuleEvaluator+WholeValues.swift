import ByteStreams
import JSONEvents

/// Values that are compared as a whole by their digests: with each other (`uniqueItems`), or with arrays and objects of the
/// rules.
extension RuleEvaluator {
  /// Handles the end of a value in a container that digests or compares its values.
  ///
  /// - Parameter scalar: The value, unless it is an array or an object.
  @inline(never)
  mutating func endDigest(_ value: KeyValue, _ scalar: Scalar? = nil, offset: Int, line: Int = 0, column: Int = 0) {
    let frame = frames[frames.count - 1]
    if frame.digest >= 0 { digests[Int(frame.digest)].add(value, &memberFactors) }
    if frame.hasUniqueItems { compareItem(value, scalar, frame, offset, line, column) }
  }

  /// Handles a scalar member of an object, given the program's member.
  @inline(never)
  mutating func digest(_ scalar: Event, of batch: EventBatch, member: Int) {
    while memberNameValues.count <= member {
      let next = program.members[memberNameValues.count]
      let name = program.memberNames.view(from: Int(next.nameStart), count: Int(next.nameLength))
      memberNameValues.append(KeyValue(string: name, key: options.key))
    }
    let index = Int(frames[frames.count - 1].digest)
    digests[index].setName(memberNameValues[member])
    digests[index].add(keyValue(of: Scalar(scalar, batch)), &memberFactors)
  }

  private mutating func compareItem(
    _ item: KeyValue, _ scalar: Scalar?, _ frame: Frame, _ offset: Int, _ line: Int, _ column: Int
  ) {
    for active in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
      let state = program.states[Int(activeStates[active].state)]
      for (number, row) in state.uniqueRules.indices.enumerated() {
        let rule = program.uniqueRules[row]
        var value = item
        if rule.ignoresCase, let scalar, scalar.kind == .string {
          value = KeyValue(string: scalar.text, ignoringCase: options.key)
        }
        guard rule.step < 0 else {
          claim(value, by: Int(program.plans[Int(state.plan)].steps.start + rule.step), frame, active, offset, line, column)
          continue
        }
        uniqueCount += 1
        if uniqueSets[Int(activeStates[active].uniqueSets) + number].insert(value).inserted { continue }
        fail(at: offset, by: rule.rule, active: active, slot: Int(rule.slot)) {
          let position = line == 0 ? $0.position(at: offset) : TextPosition(offset: offset, line: line, column: column)
          let subject = FindingSubject(
            pointer: $0.pointer(depth: $0.frames.count), offset: offset, line: position.line, column: position.column,
            excerpt: nil)
          return (subject, "duplicate item: an earlier item is equal")
        }
      }
    }
    // These sets can't spill to disk.
    if uniqueCount > options.memoryLimit / 64 {
      // The start of an array or object may no longer be in the buffer.
      exceed(
        "too many items in memory for uniqueItems below anyOf, oneOf, not or if: increase --memory-limit",
        at: line == 0 ? self.position(at: offset) : TextPosition(offset: offset, line: line, column: column))
    }
  }

  private mutating func claim(
    _ value: KeyValue, by row: Int, _ frame: Frame, _ active: Int, _ offset: Int, _ line: Int, _ column: Int
  ) {
    if loggedContainer.offset != frame.offset {
      loggedContainer = (frame.offset, partial.keys.container(pointer(depth: frames.count - 1)))
    }
    let site = KeySite(container: loggedContainer.number, index: frame.index, offset: offset, line: line, column: column)
    partial.keys.claim(
      value, in: .scope(activeStates[active].scopedSets + program.steps[row].keySet), step: Int32(row), at: site)
  }

  /// Returns the digests of the arrays and objects that a value may equal.
  mutating func containerSet(_ index: Int) -> Set<KeyValue> {
    if let known = containerSets[index] { return known }
    let made = Set(program.constants.containerSets[index].map { KeyValue($0.value, key: options.key) })
    containerSets[index] = made
    return made
  }
}
