import Findings
import Testing

@Suite struct FindingCollectorTests {
  /// 60 findings in document order, some of them at one place.
  private static let findings: [Finding] = (0..<60).map { index in
    Finding(
      at: index / 3 * 10, "/\(index / 3)", rule: "/rule\(index % 3)", code: index % 2 == 0 ? "type" : "enum",
      severity: Severity.allCases[index % 3])
  }

  private func collected(_ findings: [Finding], limit: Int) -> FindingCollector {
    var collector = FindingCollector(limit: limit)
    for finding in findings { collector.add(finding) }
    return collector
  }

  @Test(arguments: [-1, 0, 1, 2, 7, 30, 59, 60, 61, 1000, .max])
  func firstFindingsAreKeptWhateverTheirOrder(limit: Int) {
    // Steps that have no factor in common with 60 reach every finding, each in another order.
    for step in [1, 59, 7, 11, 13, 17, 23, 31, 37, 49] {
      let collector = collected((0..<60).map { Self.findings[$0 * step % 60] }, limit: limit)
      #expect(collector.findings() == Array(Self.findings.prefix(max(0, limit))))
      #expect(collector.counts.total == 60)
    }
  }

  @Test(arguments: [0, 1, 5, 20, 60])
  func mergedCollectorsAreLikeOne(limit: Int) {
    let whole = collected(Self.findings, limit: limit)
    for parts in 1...4 {
      var merged = FindingCollector(limit: limit)
      for part in (0..<parts).reversed() {
        merged.merge(collected(Self.findings.enumerated().filter { $0.offset % parts == part }.map(\.element), limit: limit))
      }
      #expect(merged.findings() == whole.findings())
      #expect(merged.counts == whole.counts)
    }
  }

  @Test func whatCanNoLongerBeKeptIsKnown() {
    var collector = FindingCollector(limit: 2)
    #expect(collector.keeps(offset: .max))
    for offset in [50, 40, 30, 20] { collector.add(Finding(at: offset)) }
    #expect(collector.keeps(offset: 30))
    #expect(!collector.keeps(offset: 31))
    #expect(!FindingCollector(limit: 0).keeps(offset: 0))
  }

  @Test func findingsOfOnePlaceAreAllKeptUnderTheLimit() {
    let same = Finding(at: 5)
    #expect(collected([same, same, same], limit: 2).findings() == [same, same])
    #expect(collected([same, same, same], limit: 9).findings().count == 3)
  }

  @Test func countingWithoutDetailsCounts() {
    var collector = FindingCollector(limit: 10)
    collector.count(5, severity: .warning, code: "type")
    collector.count(severity: .error, code: "type")
    collector.count(0, severity: .note, code: "enum")
    #expect(collector.counts.byCode == ["type": 6])
    #expect(collector.counts.count(.warning) == 5)
    #expect(collector.counts.count(.error) == 1)
    #expect(collector.counts.count(.note) == 0)
    #expect(collector.findings() == [])
  }
}
