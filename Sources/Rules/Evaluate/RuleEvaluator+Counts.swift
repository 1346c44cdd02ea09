/// Numbers that should equal an array's item count (`countOf`).
extension RuleEvaluator {
  /// Notes a number that should equal a count, which is known at the document's end.
  mutating func expectCount(_ check: RuleProgram.Check, _ scalar: Scalar) {
    partial.expectedCounts.append(
      ExpectedCount(countIndex: Int(check.operand), value: DataValue(scalar), rule: check.rule, subject: subject(of: scalar)))
  }

  /// Compares the noted numbers with the counts at the document's end.
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
