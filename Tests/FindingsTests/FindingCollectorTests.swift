import ByteStreams
import Testing

@testable import Findings

@Suite struct FindingCollectorTests {
  /// 60 findings in document order, three at each place, of three rules.
  private static let findings: [Finding] = (0..<60).map { index in
    Finding(
      at: index / 3 * 10, "/\(index / 3)", rule: "/rule\(index % 3)", code: index % 2 == 0 ? "type" : "enum",
      severity: Severity.allCases[index % 3])
  }

  /// Findings of nine rules, from one to hundreds of each, with texts of very different sizes.
  private static let flood: [Finding] = (0..<2000).map { index in
    let rule = index % 2 == 0 ? 0 : index % 5 == 0 ? 1 : index % 67 == 0 ? 2 : 3 + (index % 1201 == 0 ? index % 3 : 3 + index % 3)
    return Finding(
      at: index * 7, "/\(index)" + String(repeating: "k", count: index * 37 % 61 * 20), rule: "/rule\(rule)",
      severity: Severity.allCases[rule % 3])
  }

  private func collected(
    _ findings: some Sequence<Finding>, limit: Int, memoryLimit: Int = FindingCollector.memoryLimit,
    after earlier: FindingCollector? = nil
  ) -> FindingCollector {
    var collector = FindingCollector(
      limit: limit, memoryLimit: memoryLimit, bounds: earlier?.laterBounds ?? FindingCollector.Bounds())
    // As the evaluator does it.
    for finding in findings where collector.takes(finding.rule, at: finding.place.offset) { collector.add(finding) }
    return collector
  }

  /// The numbers without a common factor with 2000 and 60 reach every finding, each in a different order.
  private static let steps = [1, 59, 7, 11, 13, 17, 23, 31, 37, 49]

  @Test(arguments: [-1, 0, 1, 2, 7, 30, 59, 60, 61, 1000, .max])
  func `the same findings are kept whatever their order of arrival`(limit: Int) {
    let expected = collected(Self.findings, limit: limit).findings()
    #expect(expected.count == min(60, max(0, limit)))
    #expect(expected == expected.sorted())
    for step in Self.steps {
      let collector = collected((0..<60).map { Self.findings[$0 * step % 60] }, limit: limit)
      #expect(collector.findings() == expected)
      #expect(collector.counts.total == 60)
    }
  }

  @Test func `no flood hides a rule`() {
    var findings = (0..<1200).map { Finding(at: $0, rule: "/enum", code: "enum") }
    findings += (0..<3).map { Finding(at: 5000 + $0, rule: "/notes", code: "unknown-field", severity: .note) }
    findings.append(Finding(at: 9000, rule: "/foreignKeys", code: "foreign-key"))
    let collector = collected(findings, limit: 100)
    let kept = Dictionary(grouping: collector.findings(), by: \.code).mapValues(\.count)
    #expect(kept == ["enum": 96, "unknown-field": 3, "foreign-key": 1])
    #expect(collector.counts.byCode == ["enum": 1200, "unknown-field": 3, "foreign-key": 1])
    // As long as there are places for all rules, each has one. With fewer, errors come first.
    for limit in 3...6 { #expect(Set(collected(findings, limit: limit).findings().map(\.code)).count == 3) }
    #expect(Set(collected(findings, limit: 2).findings().map(\.code)) == ["enum", "foreign-key"])
  }

  @Test func `half of a rule's findings are the first ones, the others are spread`() {
    let offsets = collected((0..<100_000).map { Finding(at: $0 * 10) }, limit: 200).findings().map(\.place.offset)
    #expect(Array(offsets.prefix(100)) == (0..<100).map { $0 * 10 })
    for quarter in 0..<4 {
      let part = quarter * 250_000..<(quarter + 1) * 250_000
      #expect(offsets.dropFirst(100).count(where: part.contains) > 10)
    }
  }

  @Test func `rules whose details are incomplete keep only the first`() {
    var collector = FindingCollector(limit: 10, isSpread: false)
    for offset in (0..<100).reversed() { collector.add(Finding(at: offset)) }
    var merged = FindingCollector(limit: 10)
    merged.merge(collector)
    #expect(merged.findings().map(\.place.offset) == Array(0..<10))
  }

  @Test(arguments: [0, 1, 5, 20, 60, 300, 3000], [0, 1000, 30_000, 1 << 30])
  func `parts of a document equal the whole, in any order and after they were stored`(limit: Int, memoryLimit: Int) {
    let whole = collected(Self.flood, limit: limit, memoryLimit: memoryLimit)
    let expected = whole.findings()
    #expect(expected.count <= limit)
    #expect(expected.reduce(0) { $0 + $1.memory } <= memoryLimit)
    for size in [1, 7, 100, 999] {
      var merged = FindingCollector(limit: limit, memoryLimit: memoryLimit)
      for start in stride(from: 0, to: Self.flood.count, by: size) {
        // Some know what earlier parts leave them.
        let stretch = Self.flood[start...].prefix(size)
        let part = collected(stretch, limit: limit, memoryLimit: memoryLimit, after: start % 3 == 0 ? merged : nil)
        if start % 2 == 0 {
          var stored = FindingCollector(limit: limit, memoryLimit: memoryLimit)
          stored.restore(part.storedShares)
          merged.merge(stored)
        } else {
          merged.merge(part)
        }
      }
      #expect(merged.findings() == expected)
      #expect(merged.counts == whole.counts)
    }
    for step in Self.steps.dropFirst() {
      let count = Self.flood.count
      let shuffled = collected((0..<count).map { Self.flood[$0 * step % count] }, limit: limit, memoryLimit: memoryLimit)
      #expect(shuffled.findings() == expected)
      var merged = FindingCollector(limit: limit, memoryLimit: memoryLimit)
      for part in 0..<3 {
        merged.merge(
          collected(
            Self.flood.enumerated().filter { $0.offset * step % 3 == part }.map(\.element), limit: limit, memoryLimit: memoryLimit
          ))
      }
      #expect(merged.findings() == expected)
    }
  }

  @Test func `a full collector refuses findings that would not be kept`() {
    var collector = FindingCollector(limit: 20)
    let rule = Finding(at: 0).rule
    let isOpen = collector.takes(rule, at: .max)
    #expect(isOpen)
    var refused = 0
    for offset in 0..<10_000 {
      if collector.takes(rule, at: offset) { collector.add(Finding(at: offset)) } else { refused += 1 }
    }
    #expect(refused > 9500)
    #expect(collector.counts.total == 10_000)
    let takesOther = collector.takes(Finding(at: 5, rule: "/other").rule, at: 5)
    #expect(takesOther)
    var none = FindingCollector(limit: 0)
    let isRefused = !none.takes(rule, at: 0)
    #expect(isRefused)
    #expect(none.counts.total == 1)
  }

  @Test func `equal findings at one place are kept up to the limit`() {
    let same = Finding(at: 5)
    #expect(collected([same, same, same], limit: 2).findings() == [same, same])
    #expect(collected([same, same, same], limit: 9).findings().count == 3)
  }

  @Test func `each text of a finding is cut to a maximum size`() {
    let long = String(repeating: "é", count: 1_000_000)
    let finding = Finding(
      code: "type", keyword: "type", severity: .error, message: long,
      place: Place(pointer: long, at: TextPosition(offset: 0, line: 1, column: 1)),
      schemaLocation: long, excerpt: long)
    for text in [
      finding.message, finding.place.pointer, finding.schemaLocation, finding.excerpt ?? "", Place(entry: long).entry ?? "",
    ] {
      #expect(text.utf8.count < 2200)
      #expect(text.contains("bytes cut)"))
    }
  }

  @Test func `counting without findings counts by rule`() {
    var collector = FindingCollector(limit: 10)
    collector.count(5, FindingRule(severity: .warning, code: "type", schemaLocation: "/a"))
    collector.count(2, FindingRule(severity: .warning, code: "type", schemaLocation: "/b"))
    collector.count(1, FindingRule(severity: .error, code: "type"))
    collector.count(0, FindingRule(severity: .note, code: "enum"))
    #expect(collector.counts.byCode == ["type": 8])
    #expect(collector.counts.byRule.count == 3)
    #expect(collector.counts.count(.warning, code: "type") == 7)
    #expect(collector.counts.count(.note) == 0)
    #expect(collector.findings() == [])
  }

  @Test func `findings of a report share by the rules they are counted by`() {
    let findings = (0..<5).map { Finding(at: $0, rule: "/place\($0)", code: "unknown") }
    var counts = FindingCounts()
    counts.add(9, FindingRule(severity: .error, code: "unknown"))
    var collector = FindingCollector(limit: 3)
    collector.add(findings, of: counts)
    #expect(collector.counts == counts)
    #expect(collector.findings().count == 3)
  }
}
