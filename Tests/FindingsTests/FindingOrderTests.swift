import Findings
import Testing

@Suite struct FindingOrderTests {
  @Test func offsetThenPointerThenRuleDecide() {
    let ordered = [
      Finding(at: 1, "/b"), Finding(at: 2, "/a", rule: "/r1"), Finding(at: 2, "/a", rule: "/r2", code: "enum"),
      Finding(at: 2, "/a", rule: "/r2", code: "type"), Finding(at: 2, "/b", rule: "/r0"), Finding(at: 10, "/a"),
    ]
    #expect(ordered.reversed().sorted() == ordered)
  }

  @Test func severitiesRiseFromNoteToError() {
    #expect(Severity.allCases.sorted() == [.note, .warning, .error])
  }
}
