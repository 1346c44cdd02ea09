/// Numbers that should be an array's count of items (`countOf`).
extension RuleEvaluator {
  /// A number that should be a count: what it is compared with is known at the document's end.
  mutating func expectCount(_ check: RuleProgram.Check, _ scalar: Scalar) {
    expectedCounts.append((Int(check.operand), DataValue(scalar), check.rule, subject(of: scalar)))
  }

  /// The document has ended: every number that should be an array's count is compared with it.
  mutating func compareCounts() {
    for (index, value, rule, subject) in expectedCounts {
      let count = itemCounts[index]
      guard value.decimal?.int64 != Int64(count) else { continue }
      let found = options.redacts ? "another number" : subject.excerpt ?? ""
      failSubject(
        subject, by: rule, active: 0, slot: 0,
        "expected the number of items of \(program.countNames[index]), which is \(count), found \(found)")
    }
    expectedCounts = []
  }
}
