import Findings
import Testing

@Suite struct FindingCountsTests {
  @Test func `counts are ordered by severity, errors first, then by code`() {
    var counts = FindingCounts()
    counts.add(severity: .note, code: "a")
    counts.add(2, severity: .error, code: "z")
    counts.add(severity: .error, code: "b")
    counts.add(severity: .warning, code: "z")
    #expect(counts.byRule.keys.sorted().map { "\($0.severity) \($0.code)" } == ["error b", "error z", "warning z", "note a"])
    #expect(counts.byCode == ["a": 1, "b": 1, "z": 3])
    #expect(counts.total == 5)
  }
}
