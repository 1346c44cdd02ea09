import Testing

@testable import Rules

@Suite struct PendingReferencesTests {
  private func site(_ offset: Int) -> FindingSubject {
    FindingSubject(pointer: "/\(offset)", offset: offset, line: 1, column: offset + 1, excerpt: nil)
  }

  private func offsets(_ references: PendingReferences, _ index: Int) -> [Int] {
    var offsets: [Int] = []
    references.forEachSite(of: references.entries[index]) { offsets.append($0.offset) }
    return offsets
  }

  @Test func referencesToOneKeyAreCountedAndTheFirstKept() {
    var references = PendingReferences(sitesPerKey: 2)
    let keys = [KeyValue(integer: 7), KeyValue(integer: 9)]
    for offset in 0..<10 {
      let key = keys[offset % 2]
      let index = references.add(key, base: -1, site: references.keepsSite(of: key) ? site(offset) : nil)
      #expect(index == offset % 2)
    }
    #expect(references.entries.map(\.count) == [5, 5])
    #expect(references.entries.map(\.key) == keys)
    #expect(offsets(references, 0) == [0, 2])
    #expect(offsets(references, 1) == [1, 3])
  }

  @Test func withoutSitesOnlyCountsAreKept() {
    var references = PendingReferences(sitesPerKey: 0)
    #expect(!references.keepsSite(of: KeyValue(integer: 7)))
    let index = references.add(KeyValue(integer: 7), base: -1, site: nil)
    #expect(index == 0)
    #expect(offsets(references, 0) == [])
    #expect(references.entries[0].count == 1)
  }

  @Test func refinementsKnowWhatTheyRefine() {
    var references = PendingReferences(sitesPerKey: 1)
    let base = references.add(KeyValue(integer: 1), base: -1, site: site(3))
    let refined = references.add(KeyValue(integer: 2), base: base, site: site(4))
    #expect(references.entries[base].base == -1)
    #expect(references.entries[refined].base == base)
  }
}
