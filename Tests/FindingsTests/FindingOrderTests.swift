import Findings
import Testing

@Suite struct FindingOrderTests {
  @Test func `findings are ordered by offset, pointer, rule and code`() {
    let ordered = [
      Finding(at: 1, "/b"), Finding(at: 2, "/a", rule: "/r1"), Finding(at: 2, "/a", rule: "/r2", code: "enum"),
      Finding(at: 2, "/a", rule: "/r2", code: "type"), Finding(at: 2, "/b", rule: "/r0"), Finding(at: 10, "/a"),
    ]
    #expect(ordered.reversed().sorted() == ordered)
  }

  @Test func `severities rise from note to error`() {
    #expect(Severity.allCases.sorted() == [.note, .warning, .error])
  }
}
