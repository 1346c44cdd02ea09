import ByteStreams

/// Arrays whose items are documents. Values are compared within one item; the state starts anew with each item.
extension RuleEvaluator {
  /// Returns whether an active state belongs to the containers around the document.
  func isAroundDocument(_ active: Int) -> Bool {
    program.documentDepth >= frames.count || active < Int(frames[program.documentDepth].firstActive)
  }

  /// Completes the checks of the item that has ended. Does nothing before the first one.
  @inline(never)
  mutating func endDocument() {
    if let subject = partial.waiting(after: waitingLimit) {
      exceed(Self.waitingMessage, at: TextPosition(offset: subject.offset, line: subject.line, column: subject.column))
    }
    if partial.waitingCount > 0 { compareWaiting() }
    compareRootAggregates()
    compareCounts()
    if program.versionRules.count > 0 {
      reportNewerMembers()
      for index in partial.newerMembers.indices { partial.newerMembers[index].removeAll() }
    }
    for index in globalCells.indices where globalCells[index].kind != .absent { globalCells[index] = DataValue() }
    for index in partial.itemCounts.indices { partial.itemCounts[index] = 0 }
    for index in partial.aggregates.indices { partial.aggregates[index] = Aggregate() }
  }
}
