import Testing

@testable import Findings

@Suite struct FindingCollectorTests {
  /// 60 findings in document order, three at each place.
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
  func `the first findings are kept whatever their order of arrival`(limit: Int) {
    // Steps that have no common factor with 60 reach every finding, each step in a different order.
    for step in [1, 59, 7, 11, 13, 17, 23, 31, 37, 49] {
      let collector = collected((0..<60).map { Self.findings[$0 * step % 60] }, limit: limit)
      #expect(collector.findings() == Array(Self.findings.prefix(max(0, limit))))
      #expect(collector.counts.total == 60)
    }
  }

  @Test(arguments: [0, 1, 5, 20, 60])
  func `merged collectors equal a single one`(limit: Int) {
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

  @Test func `a full collector keeps only findings at earlier offsets`() {
    var collector = FindingCollector(limit: 2)
    #expect(collector.keeps(offset: .max))
    for offset in [50, 40, 30, 20] { collector.add(Finding(at: offset)) }
    #expect(collector.keeps(offset: 30))
    #expect(!collector.keeps(offset: 31))
    #expect(!FindingCollector(limit: 0).keeps(offset: 0))
  }

  @Test func `equal findings at one place are kept up to the limit`() {
    let same = Finding(at: 5)
    #expect(collected([same, same, same], limit: 2).findings() == [same, same])
    #expect(collected([same, same, same], limit: 9).findings().count == 3)
  }

  /// Findings of very different sizes: the findings that a memory limit keeps must not depend on their order either.
  @Test(arguments: [0, 1, 300, 1000, 5000, 20_000, 1_000_000])
  func `a memory limit keeps the same findings whatever their order`(memoryLimit: Int) {
    let findings = (0..<60).map { Finding(at: $0 / 3, "/" + String(repeating: "k", count: $0 * 37 % 61 * 20), rule: "/r\($0)") }
    let expected = collected(findings, memoryLimit: memoryLimit).findings()
    #expect(expected.count == (memoryLimit < 200 ? 0 : memoryLimit > 100_000 ? 60 : expected.count))
    for step in [59, 7, 11, 13, 17, 23, 31, 37, 49] {
      let collector = collected((0..<60).map { findings[$0 * step % 60] }, memoryLimit: memoryLimit)
      #expect(collector.findings() == expected)
      #expect(collector.counts.total == 60)
      var merged = FindingCollector(limit: .max, memoryLimit: memoryLimit)
      for part in 0..<3 {
        merged.merge(
          collected(findings.enumerated().filter { $0.offset * step % 3 == part }.map(\.element), memoryLimit: memoryLimit))
      }
      #expect(merged.findings() == expected)
    }
  }

  private func collected(_ findings: [Finding], memoryLimit: Int) -> FindingCollector {
    var collector = FindingCollector(limit: .max, memoryLimit: memoryLimit)
    for finding in findings { collector.add(finding) }
    return collector
  }

  @Test func `each text of a finding is cut to a maximum size`() {
    let long = String(repeating: "é", count: 1_000_000)
    let finding = Finding(
      code: "type", keyword: "type", severity: .error, message: long, place: Place(pointer: long, line: 1, column: 1, offset: 0),
      schemaLocation: long, excerpt: long)
    for text in [
      finding.message, finding.place.pointer, finding.schemaLocation, finding.excerpt ?? "", Place(entry: long).entry ?? "",
    ] {
      #expect(text.utf8.count < 2200)
      #expect(text.contains("bytes cut)"))
    }
  }

  @Test func `counting without findings counts by severity and code`() {
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

  /// Findings of very different sizes, in parts of a document that are merged in order, some after they were stored.
  @Test(arguments: [0, 1, 300, 1000, 5000, 20_000, 1_000_000], [0, 2, 10, 1000])
  func `merged parts of a document equal a single collector`(memoryLimit: Int, limit: Int) {
    for (factor, size) in [(37, 3), (11, 7), (29, 1), (53, 16)] {
      let findings = (0..<60).map { Finding(at: $0, String(repeating: "k", count: $0 * factor % 61 * 20), rule: "/r\($0)") }
      var whole = FindingCollector(limit: limit, memoryLimit: memoryLimit)
      for finding in findings { whole.add(finding) }
      var merged = FindingCollector(limit: limit, memoryLimit: memoryLimit)
      for start in stride(from: 0, to: findings.count, by: size) {
        var part = FindingCollector(limit: limit, memoryLimit: memoryLimit)
        for finding in findings[start...].prefix(size) { part.add(finding) }
        if start % 2 == 0 {
          part = FindingCollector(
            counts: part.counts, findings: part.findings(), lastOffset: part.finalLastOffset, limit: limit,
            memoryLimit: memoryLimit)
        }
        merged.merge(part: part)
      }
      #expect(merged.findings() == whole.findings())
      #expect(merged.counts == whole.counts)
    }
  }
}
