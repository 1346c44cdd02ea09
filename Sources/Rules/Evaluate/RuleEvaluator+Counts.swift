/// Numbers that should be an array's count of items (`countOf`).
extension RuleEvaluator {
  /// A number that should be a count: what it is compared with is known at the document's end.
  mutating func expectCount(_ check: RuleProgram.Check, _ scalar: Scalar) {
    partial.expectedCounts.append(
      ExpectedCount(countIndex: Int(check.operand), value: DataValue(scalar), rule: check.rule, subject: subject(of: scalar)))
  }

  /// The document has ended: every number that should be an array's count is compared with it.
  mutating func compareCounts() {
    for expected in partial.expectedCounts {
      let count = partial.itemCounts[expected.countIndex]
      guard expected.value.decimal?.int64 != Int64(count) else { continue }
      let found = options.redacts ? "another number" : expected.subject.excerpt ?? ""
      failSubject(
        expected.subject, by: expected.rule, active: 0, slot: 0,
        "expected the number of items of \(program.countNames[expected.countIndex]), which is \(count), found \(found)")
    }
    partial.expectedCounts = []
  }
}
